#!/bin/sh
# sleave cover, from the outside: what it counts, what it says of the rest, and how it ends.
# usage: tests/covering.sh BUILD [number of random programs]
set -eu

build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sleave=$build/sleave
examples=$here/../examples

fail() {
	echo "covering: $*" >&2
	exit 1
}

# json KEY: of the object in the file `out`
json() {
	python3 -c 'import json, sys; print(eval("r" + sys.argv[1], {"r": json.loads(open("out").read().splitlines()[-1])}))' "$1"
}

# ---- who signals and who waits is up to the schedule: what is ruled out by one execution, another one takes back ----
cat > either.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void tell(void)
{
	if (!ready)
		pthread_cond_signal(&changed);
	ready = 1;
}
static void *slow(void *unused)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	tell();
	pthread_mutex_unlock(&m);
	return unused;
}
static void *quick(void *unused)
{
	pthread_mutex_lock(&m); /* 24 */
	tell();
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, slow, 0);
	pthread_create(&b, 0, quick, 0);
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&changed, &m); /* 36 */
	pthread_mutex_unlock(&m);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
E
"$sleave" cc -g -o either either.c
# pairs FIRST SECOND: the states of those of these two lines
pairs() {
	json "[\"pairs\"] and [p[\"state\"] for p in r[\"pairs\"] if \":$1:\" in p[\"first\"] and \":$2:\" in p[\"second\"]]"
}
for seed in 0 1 2 3 4 5; do
	"$sleave" cover --json -q --no-store --seed $seed ./either > out
	[ "$(pairs 36 24)" = "['covered']" ] ||
		fail "whom the slow one signals goes before the quick one, seed $seed: $(cat out)"
done
cat > shop.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int stock;
static void *make(void *times)
{
	for (long i = 0; i < (long)times; i++) {
		pthread_mutex_lock(&m);
		while (stock == 1)
			pthread_cond_wait(&room, &m);
		stock++;
		pthread_cond_signal(&full);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
static void *buy(void *times)
{
	for (long i = 0; i < (long)times; i++) {
		pthread_mutex_lock(&m);
		while (stock == 0)
			pthread_cond_wait(&full, &m); /* 22 */
		stock--;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], 0, i % 2 ? buy : make, (void *)(i < 2 ? 2L : 1L));
	for (long i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
E
"$sleave" cc -g -o shop shop.c
for seed in 0 1 2 3 4 5 6 7 8 9; do
	"$sleave" cover --json -q --no-store --seed $seed ./shop > out
	[ "$(pairs 22 22)" = "['covered']" ] || fail "two who wait go one after the other, seed $seed: $(cat out)"
done
# waits that may end by themselves need no signal
cat > wakes.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}
static void *waits(void *unused)
{
	pthread_mutex_lock(&m); /* 11 */
	pthread_cleanup_push(unlock, &m);
	while (!ready)
		pthread_cond_wait(&changed, &m); /* 14 */
	pthread_cleanup_pop(1);
	return unused;
}
static void *tells(void *unused)
{
	pthread_mutex_lock(&m); /* 20 */
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(int count, char **arguments)
{
	pthread_t a, b;
	(void)arguments;
	pthread_create(&a, 0, waits, 0);
	pthread_create(&b, 0, tells, 0);
	if (count > 1)
		pthread_cancel(a);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
E
"$sleave" cc -g -o wakes wakes.c
"$sleave" cover --json -q --no-store -n 1 ./wakes > out
[ "$(pairs 11 14) $(pairs 14 20)" = "['infeasible'] ['infeasible']" ] || fail "who waits needs a signal: $(cat out)"
for how in "--spurious ./wakes" "./wakes cancel"; do
	# shellcheck disable=SC2086 # words
	"$sleave" cover --json -q --no-store -n 1 $how > out
	case "$(pairs 11 14) $(pairs 14 20)" in
	*infeasible*) fail "no signal is needed, $how: $(cat out)" ;;
	esac
done
# of two variables in eight bytes one is overwritten
cat > both.c <<'E'
#include <pthread.h>
static volatile struct {
	int one, two;
} both __attribute__((aligned(8)));
static void *writes(void *unused)
{
	both.one = 1; /* 7 */
	both.two = 1;
	both.one = 2;
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writes, 0);
	pthread_join(t, 0);
	return both.one + both.two > 10; /* 17 */
}
E
"$sleave" cc -g -o both both.c
"$sleave" cover --json -q --no-store --criterion def-use ./both > out
[ "$(json '["covered"], r["estimated"]') $(pairs 7 17)" = "(2, 2) ['infeasible']" ] ||
	fail "what is written beside does not keep it from being overwritten: $(cat out)"
# of nothing there is no share
cat > nothing.c <<'E'
#include <pthread.h>
static void *idle(void *unused)
{
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, idle, 0);
	return pthread_join(t, 0);
}
E
"$sleave" cc -g -o nothing nothing.c
status=0
"$sleave" cover --json -q --no-store --fail-under 1 ./nothing > out 2> err || status=$?
[ "$status $(json '["percent"]')" = "1 None" ] || fail "nothing to cover: $status $(cat out err)"

# ---- random programs: what all interleavings cover is neither ruled out nor left ----
"$sleave" cc -g -O0 -o random "$here/covering/random.c"
python3 "$here/covering/compare.py" "$sleave" "$work/random" 1 "${2:-20}" > text || fail "random programs: $(cat text)"

# ---- the paper's example ----
cat > two.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}
static void *two(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
E
"$sleave" cc -g -O1 -o two two.c
"$sleave" cover --json -q --fail-under 100 ./two > out 2> err || fail "the example: $(cat out err)"
[ "$(json '["covered"], r["estimated"], r["infeasible"], r["first_estimate"], r["unforeseen"]')" = "(10, 10, 2, 10, 0)" ] ||
	fail "the example has 10 pairs, and 2 that can't be: $(cat out)"
[ "$(json '["saturated"] is not None')" = True ] || fail "it is saturated"
python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' two-coverage.svg || fail "the plot is no XML"
"$sleave" cover -q --all ./two > text
grep -q '^coverage: 10 of 10 synchronisation pairs (100.0%), 2 ruled out$' text || fail "the text: $(cat text)"
grep -q 'two.c:5:2 (one)' text || fail "places have names: $(cat text)"
grep -q 'only one thread comes to both' text || fail "reasons are told: $(cat text)"
# however it is built: two functions that are the same stay two; the C++ library's locks are at who calls them
cat > two.cc <<'E'
#include <mutex>
#include <thread>
static std::mutex m, n;
static void one()
{
	{ std::lock_guard<std::mutex> has(m); }
	{ std::unique_lock<std::mutex> has(m); }
}
static void two()
{
	{ std::scoped_lock both(m, n); }
	m.lock();
	m.unlock();
}
int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
E
cat > shared.cc <<'E'
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex m;
static std::condition_variable_any c;
static void one()
{
	{ std::shared_lock<std::shared_mutex> has(m); }
	m.lock();
	m.unlock();
}
static void two()
{
	std::unique_lock<std::shared_mutex> has(m);
	c.wait_for(has, std::chrono::milliseconds(1));
}
int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
E
for compiler in gcc clang; do
	for level in -O0 -O2; do
		SLEAVE_CC=$compiler "$sleave" cc -g $level -o two_$compiler two.c
		"$sleave" cover --json -q --no-store ./two_$compiler > out 2> err
		[ "$(json '["covered"], r["estimated"], r["infeasible"]')" = "(10, 10, 2)" ] || fail "$compiler $level: $(cat out)"
		SLEAVE_CXX=$(echo $compiler | sed 's/gcc/g++/; s/clang/clang++/') "$sleave" c++ -std=c++17 -g $level -o two_cc two.cc
		"$sleave" cover --json -q --no-store ./two_cc > out 2> err
		[ "$(json '["covered"], r["estimated"], r["infeasible"]')" = "(10, 10, 2)" ] || fail "$compiler $level, C++: $(cat out)"
		SLEAVE_CXX=$(echo $compiler | sed 's/gcc/g++/; s/clang/clang++/') "$sleave" c++ -std=c++17 -g $level -o shared shared.cc
		"$sleave" cover --json -q --no-store ./shared > out 2> err
		[ "$(json '["covered"], r["estimated"], sorted({p["first"].split(":")[1] for p in r["pairs"]})')" = \
			"(11, 11, ['10', '15', '16', '9'])" ] || fail "$compiler $level, shared locks of C++: $(cat out)"
	done
done
# the same seed is the same search; another strategy counts the same pairs
"$sleave" cover --json -q --seed 5 -n 30 ./two > out
one=$(json '["growth"][-1][0], [[p["first"], p["second"], p["execution"]] for p in r["pairs"] if p["state"] == "covered"]')
"$sleave" cover --json -q --seed 5 -n 30 ./two > out
[ "$one" = "$(json '["growth"][-1][0], [[p["first"], p["second"], p["execution"]] for p in r["pairs"] if p["state"] == "covered"]')" ] ||
	fail "the same seed is another search"
"$sleave" cover --json -q -n 200 --window 0 -s random ./two > out
[ "$(json '["covered"], r["executions"], r["rules"], r["saturated"]')" = "(10, 200, [0, 0, 0], None)" ] || fail "random: $(cat out)"
"$sleave" cover --json -q -n 1 -s random ./two > out
[ "$(json '["covered"] < 10')" = True ] || fail "one execution can't cover all"
"$sleave" cover --json -q -t 100s --window 300ms -s random ./two > out
[ "$(json '["saturated"] is not None and r["seconds"] >= 0.3')" = True ] || fail "a window of time: $(cat out)"
status=0
"$sleave" cover -q --window soon ./two > text 2> err || status=$?
[ $status = 2 ] && grep -q "a number of executions, or a time like 120s; not 'soon'" err || fail "--window: $status $(cat err)"
status=0
"$sleave" cover -q -n 1 -s random --fail-under 95 ./two > text || status=$?
[ $status = 1 ] || fail "--fail-under: status $status"
grep -q '^failed: .* is under 95%$' text || fail "--fail-under says so: $(cat text)"
grep -q 'not covered: the first place takes the lock' text || fail "what is left is listed"
grep -q 'nearest: in execution 1, but for' text || fail "the nearest attempt is told: $(cat text)"

# ---- nearly all is not all ----
{
	echo '#include <pthread.h>'
	echo 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;'
	for name in one two; do
		echo "static void *$name(void *unused) {"
		for n in $(seq 40); do
			echo 'pthread_mutex_lock(&m);'
			echo 'pthread_mutex_unlock(&m);'
		done
		echo 'return unused; }'
	done
	echo 'int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);'
	echo 'pthread_join(a, 0); return pthread_join(b, 0); }'
} > many.c
"$sleave" cc -g -o many many.c
for n in 104 105 106 107 108 109 110 120 150; do
	"$sleave" cover -q --no-store -n $n --fail-under 100 ./many > text && break
	! grep -q '(100.0%)' text || fail "nearly all is told as all: $(cat text)"
	! grep -q '^failed: 100.0*% is under' text || fail "nearly all is told as all: $(cat text)"
done
[ "$(grep -c '^coverage: 3278 of 3278 .*(100.0%)' text)" = 1 ] || fail "40 places in two threads have 2 * 39 + 2 * 40 * 40 pairs: $(cat text)"

# ---- a place that was inlined several times is one, also in what has grown ----
cat > inlined.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static inline __attribute__((always_inline)) void take(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}
static void *one(void *unused) { take(); take(); return unused; }
static void *two(void *unused) { take(); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return unused; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	return pthread_join(b, 0);
}
E
"$sleave" cc -g -O2 -o inlined inlined.c
"$sleave" cover --json -q --no-store ./inlined > out 2> err
[ "$(json '["covered"], r["estimated"], r["growth"][-1][2:], [g[2] for g in r["growth"]] == sorted({g[2] for g in r["growth"]})')" = \
	"(3, 3, [3, 3], True)" ] || fail "inlined code: $(cat out)"

# ---- other criteria ----
cat > three.c <<'E'
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static atomic_int y;
static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	*(volatile int *)&x = 1;
	*(volatile int *)&x = 2;
	pthread_mutex_unlock(&m);
	atomic_store(&y, 2);
	return unused;
}
int main(void)
{
	pthread_t a;
	int seen;
	pthread_create(&a, 0, one, 0);
	pthread_mutex_lock(&m);
	seen = x;
	pthread_mutex_unlock(&m);
	seen += atomic_load(&y);
	pthread_join(a, 0);
	return seen > 4;
}
E
"$sleave" cc -g -O1 -o three three.c
"$sleave" cover --json -q --criterion blocked ./three > out
[ "$(json '["covered"], r["estimated"], r["strategy"], sorted([p["first"].split()[0], p["second"].split()[0]] for p in r["pairs"])')" = \
	"(2, 2, 'tsa', [['three.c:20:2', 'three.c:8:2'], ['three.c:8:2', 'three.c:20:2']])" ] || fail "blocked: $(cat out)"
# who only tries to take a lock does not wait for it
sed 's/pthread_mutex_lock(&m)/while (pthread_mutex_trylock(\&m))/' three.c > tries.c
"$sleave" cc -g -O1 -o tries tries.c
"$sleave" cover --json -q --criterion blocked ./tries > out
[ "$(json '["covered"], r["estimated"], r["infeasible"]')" = "(0, 0, 2)" ] || fail "blocked, and tries: $(cat out)"
# what is written twice under a lock is never seen as it was in between
"$sleave" cover --json -q --criterion def-use --fail-under 100 ./three > out
[ "$(json '["covered"], r["estimated"], sorted([p["first"].split(":")[1], p["second"].split(":")[1], p["state"]] for p in r["pairs"])')" = \
	"(2, 2, [['10', '21', 'covered'], ['12', '23', 'covered'], ['9', '21', 'infeasible']])" ] || fail "def-use: $(cat out)"
"$sleave" cover -q --all --criterion def-use ./three > text
grep -q 'three.c:10:.* always writes there in between' text || fail "why a write is not seen: $(cat text)"

# ---- an example: who is first at a place finds nothing there, and waits ----
"$sleave" cc -g -o queue "$examples/queue.c"
status=0
"$sleave" cover --json -q --seed 1 ./queue > out || status=$?
[ $status = 1 ] || fail "the lost wake-up is found on the way: $status"
[ "$(json '["covered"]')" = 13 ] || fail "all 13 pairs that any interleaving of the example covers: $(cat out)"
"$sleave" cover --json -q -s portfolio ./queue > out || :
[ "$(json '["covered"], r["run"]["complete"]')" = "(13, True)" ] || fail "all interleavings of the example: $(cat out)"

# ---- loops that wait for somebody who is paused: by a time limit, by sleeping ----
cat > poller.c <<'E'
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done, n;
static atomic_int over;
static void lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static void *work(void *unused)
{
	for (int i = 0; i < 20; i++) {
		lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	atomic_store(&over, 1);
	return unused;
}
static void *watch(void *unused)
{
	lock(&m);
	while (!done) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 1000;
		pthread_cond_timedwait(&c, &m, &t);
	}
	pthread_mutex_unlock(&m);
	return unused;
}
static void *look(void *unused)
{
	while (!atomic_load(&over)) {
		lock(&other);
		pthread_mutex_unlock(&other);
		usleep(10);
	}
	return unused;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, watch, 0);
	pthread_create(&t[1], 0, work, 0);
	pthread_create(&t[2], 0, look, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
E
"$sleave" cc -g -o poller poller.c
"$sleave" cover -q -n 60 --operations 1000000 --window 0 ./poller > text || fail "loops that wait: $(cat text)"
grep -q 'sampled 60 schedules' text || fail "loops that wait: $(cat text)"
! grep -q 'cut short' text || fail "somebody was paused for ever: $(cat text)"

# ---- more than there is room for: the share is not known ----
cat > large.c <<'E'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *all;
static void *see(void *unused) { return all[5] ? unused : 0; }
int main(void)
{
	pthread_t t;
	all = malloc(12 << 20);
	memset(all, 1, 12 << 20);
	pthread_create(&t, 0, see, 0);
	pthread_join(t, 0);
	free(all);
	return 0;
}
E
"$sleave" cc -g -o large large.c
status=0
"$sleave" cover -q -n 2 --criterion def-use --fail-under 1 ./large > text || status=$?
[ $status = 3 ] && grep -q 'there was no room to record all of it' text || fail "no room: $status $(cat text)"
# … nor is it later, without running
status=0
"$sleave" cover --show --criterion def-use --fail-under 1 ./large > text || status=$?
[ $status = 3 ] && grep -q 'there was no room to record all of it' text || fail "no room, afterwards: $status $(cat text)"
grep -q '^warning: 1 run had no room to record everything' text || fail "no room, afterwards: $(cat text)"

# ---- nothing to cover ----
cat > none.c <<'E'
#include <pthread.h>
static void *nothing(void *unused) { return unused; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, nothing, 0);
	return pthread_join(t, 0);
}
E
"$sleave" cc -g -o none none.c
"$sleave" cover -q ./none > text || fail "a program without locks: $(cat text)"
grep -q '^coverage: there are no synchronisation pairs to cover, 0 ruled out$' text || fail "no locks: $(cat text)"

# ---- findings on the way ----
cat > bad.c <<'E'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, one, 0);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	pthread_join(t, 0);
	return 0;
}
E
"$sleave" cc -g -o bad bad.c
status=0
"$sleave" cover -q ./bad > text || status=$?
[ $status = 1 ] || fail "a deadlock on the way: status $status"
grep -q '^deadlock' text || grep -qi 'deadlock' text || fail "the deadlock is told: $(cat text)"
grep -q '^coverage: ' text || fail "coverage is told all the same"
[ -e bad-1.sleave ] || fail "it has a replay file"
status=0
"$sleave" replay bad-1.sleave > text || status=$?
[ $status = 1 ] || fail "the replay: status $status"

# ---- what can't be done is said in JSON as well ----
cp /bin/true plain
status=0
"$sleave" cover --json ./plain > out 2> err || status=$?
[ $status = 3 ] || fail "a program that was not built for it: status $status"
[ "$(json '["executions"], r["run"]["verdict"]')" = "(0, 'undecided')" ] || fail "JSON of what can't be done: $(cat out)"

# ---- wrong usage ----
refused() {
	want=$1
	shift
	status=0
	"$sleave" cover "$@" > text 2>&1 || status=$?
	[ $status = 2 ] || fail "cover $*: status $status"
	grep -q -- "$want" text || fail "cover $*: $(cat text)"
}
refused "no criterion 'nope'" --criterion nope ./two
refused "tsa steers the order in which threads take locks" --criterion def-use -s tsa ./two
refused "start several, each with another --seed" -j 2 ./two
refused "start several" --jobs=2 ./two
refused "sleave cover needs no --resume" --resume ./two
refused "from 0 to 100" --fail-under 101 ./two
refused "are for the strategy tsa" -s pos --no-estimate-rule ./two
refused "are for the strategy tsa" -s rnd-y --no-focus ./two
refused "no program is given" 
refused "there is no strategy 'nope'; there are: .*, tsa, .*rnd-y, rnd-s10, rnd-s100 " -s nope ./two
refused "did you mean 'rnd-s10'" -s rns-s10 ./two
refused "'tomorrow' is neither the number of a run nor a date" --diff=tomorrow
refused "--show runs nothing, so --plot has no effect" --show --plot=x.svg
refused "--show runs nothing, so --strategy has no effect" --show -s tsa ./two
refused "--diff runs nothing, so --schedules has no effect" --diff=1 -n 3
# ---- tests of a program are told apart by their arguments, and these from each other ----
"$sleave" cover -q -n 2 ./two a 'b c' > text || fail "arguments: $(cat text)"
"$sleave" cover -q -n 2 ./two 'a b' c > text || fail "arguments: $(cat text)"
"$sleave" cover -q -n 2 ./two "it's
two" > text || fail "arguments: $(cat text)"
"$sleave" cover --show ./two > text
grep -q "  two a 'b c'\$" text || fail "arguments: $(cat text)"
grep -q "  two 'a b' c\$" text || fail "arguments: $(cat text)"
grep -q "  two \\$'it\\\\'s\\\\ntwo'\$" text || fail "arguments: $(cat text)"
"$sleave" cover --show ./two 'a b' c > text
grep -q ' after 1 run$' text || fail "one test: $(cat text)"
! grep -q "'b c'" text || fail "one test: $(cat text)"
status=0
"$sleave" cover --show ./two a b c > text 2> err || status=$?
[ $status = 3 ] && grep -q 'no run of two a b c has been stored' err || fail "a test without runs: $status $(cat err)"
# ---- a trace of every execution: it says the same of what was covered ----
cat > covered.py <<'E'
import json, sys
report = json.loads(open("out").read().splitlines()[-1])
last, covered, first = {}, set(), {}
for line in open("items"):
    item = json.loads(line)
    if item.get("kind") == "MUTEX_LOCK" and "execution" in item:
        key = (item["execution"], item["object"])
        place = "%s:%d:%d (%s)" % (item["file"], item["line"], item["column"], item["function"])
        if key in last:
            first.setdefault((last[key], place), item["execution"])
        last[key] = place
wanted = {(p["first"], p["second"]): p["execution"] for p in report["pairs"] if p["state"] == "covered"}
assert first == wanted and len(wanted) == report["covered"] >= int(sys.argv[1]), (first, wanted)
assert len({e for e, _ in last}) == 20
E
"$sleave" cover --json -q --no-store -n 20 --window 0 --trace two.trace ./two > out
"$sleave" trace --json two.trace > items || fail "the trace: $(tail -1 items)"
python3 covered.py 6 || fail "the trace is not of what was covered"

# … on real threads, too: each execution as `sleave record` has it
for noise in rnd-y rnd-s10; do
	"$sleave" cover --json --no-store -n 20 --window 0 -s $noise --trace two.trace ./two > out 2> err || fail "$noise --trace: $(cat err)"
	grep -q '^two.trace: [0-9,]* items, ' err || fail "$noise --trace: $(cat err)"
	"$sleave" trace --json --locks two.trace > items || fail "the trace of $noise: $(tail -1 items)"
	python3 covered.py 1 || fail "the trace is not of what was covered by $noise"
	python3 - $noise <<'E' || fail "the trace of $noise is not whole"
import json, sys
lines = [json.loads(line) for line in open("items")]
assert lines[0]["mode"] == "free" and lines[0]["strategy"] == sys.argv[1]
assert lines[-1]["whole"] and lines[-1]["end"] == "the search ended"
parts = {}
for item in lines:
    if "kind" in item:
        parts.setdefault(item["part"], []).append(item)
assert sorted(parts) == list(range(1, 22)), sorted(parts)
for part, items in parts.items():
    assert [i["number"] for i in items] == list(range(1, len(items) + 1))
    assert all(i.get("without_noise") if part == 1 else i.get("execution") == part - 1 for i in items)
    assert items[0]["kind"] == "START" and any(i["kind"] == "EXIT" for i in items)
    assert {i["thread_path"] for i in items} >= {"0", "0.1", "0.2"}
    held = {}
    for i in items:
        if i["kind"] == "MUTEX_LOCK":
            assert i["object"] not in held, i # nobody has what another one has
            held[i["object"]] = i["thread"]
        elif i["kind"] == "MUTEX_UNLOCK":
            assert held.pop(i["object"]) == i["thread"], i
    assert not held
E
	"$sleave" trace two.trace > text
	[ "$(grep -c '^# execution [0-9]' text)" = 20 ] || fail "$noise: $(grep '^#' text)"
	grep -q '^# execution without noise, for the estimate$' text || fail "$noise: $(grep '^#' text)"
done
# one that does not end well is in it up to there, and those after it
cat > ends.c <<'E'
#include <pthread.h>
#include <stdlib.h>
#include <sleave.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *worker(void *unused)
{
	pthread_mutex_lock(&m);
	if (n++ == 1) {
		sleave_event("the last\nof all");
		abort();
	}
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
E
"$sleave" cc -g -o ends ends.c
status=0
"$sleave" cover --no-store -q -n 3 --window 0 -s rnd-y --trace ends.trace ./ends > out 2> err || status=$?
[ $status = 1 ] || fail "executions that end badly: status $status $(cat err)"
"$sleave" trace ends.trace > text || fail "the trace of executions that end badly: $?"
[ "$(grep -c ' reaches the last\\nof all  ends.c:10 (worker)$' text)" = 4 ] || fail "executions that end badly: $(cat text)"
[ "$(grep -c '^# execution' text)" = 4 ] || fail "executions that end badly: $(cat text)"
! grep -q '^of all' text || fail "a name breaks a line: $(cat text)"
# what is loaded at one address may be something else in each execution: names are of that one
for library in a b; do
	cat > $library.c <<E
#include <pthread.h>
int data_of_$library;
void *run_$library(void *m) { pthread_mutex_lock(m); data_of_$library++; pthread_mutex_unlock(m); return 0; }
E
	"$sleave" cc -g -shared -fPIC -o lib$library.so $library.c
done
cat > loads.c <<'E'
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
	int fd = open("which", O_RDWR | O_CREAT, 0600);
	char which = 0, *paths[] = {"./liba.so", "./libb.so"}, *names[] = {"run_a", "run_b"};
	pthread_t thread;
	if (argc < 2 || *argv[1] != 'x' || read(fd, &which, 1) < 0)
		return 1;
	which ^= 1;
	if (pwrite(fd, &which, 1, 0) != 1)
		return 1;
	void *(*run)(void *) = dlsym(dlopen(paths[(int)which], RTLD_NOW), names[(int)which]);
	pthread_create(&thread, 0, run, &m);
	run(&m);
	return pthread_join(thread, 0);
}
E
"$sleave" cc -g -o loads loads.c -ldl
"$sleave" cover --no-store -q -n 5 --window 0 -s rnd-y --trace loads.trace ./loads xyz > out 2> err || fail "libraries that differ: $(cat err)"
"$sleave" trace --json loads.trace > items
python3 - <<'E' || fail "names of another execution"
import json
parts = {}
for line in open("items"):
    item = json.loads(line)
    if "kind" in item:
        parts.setdefault(item["part"], []).append(item)
assert sorted(parts) == [1, 2, 3, 4, 5, 6]
for part, items in parts.items():
    library = "ab"[part % 2]
    assert {i["object"] for i in items if str(i.get("object")).startswith("data_of")} == {"data_of_" + library}, part
    assert [i["file"] for i in items if i["kind"] == "MUTEX_LOCK"] == [library + ".c"] * 2, part
    assert any(i.get("object") == "argv[1][0]" for i in items), part
E
# ---- Algorithm 1 alone ----
"$sleave" cover --json -q --no-store --no-focus ./two > out 2> err
[ "$(json '["covered"], r["strategy"]')" = "(10, 'tsa --no-focus')" ] || fail "--no-focus: $(cat out)"
for options in --no-estimate-rule "--no-estimate-rule --no-focus"; do
	rm -rf .sleave
	"$sleave" cover --json -q -n 20 $options ./two > out 2> err
	grep -q ' executions in .* by tsa --no-estimate-rule --no-focus, ' err || fail "$options: $(cat err)"
	[ "$(json '["strategy"]')" = "tsa --no-estimate-rule --no-focus" ] || fail "$options: $(cat out)"
	"$sleave" cover --json --show > out
	[ "$(json '["history"][0]["strategy"]')" = "tsa --no-estimate-rule --no-focus" ] || fail "$options, kept: $(cat out)"
done

# ---- two waits in a row that nobody ended ----
cat > twice.c <<'E'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t t;
	struct timespec limit;
	pthread_create(&t, 0, one, 0);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_mutex_lock(&m);
	while (!ready)
#ifdef TIMED
		pthread_cond_timedwait(&c, &m, &limit);
#else
		pthread_cond_wait(&c, &m);
#endif
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
E
"$sleave" cc -g -DTIMED -o timed twice.c
"$sleave" cc -g -o untimed twice.c
for seed in 1 2 3; do
	for program in ./timed "--spurious ./untimed"; do
		"$sleave" cover --json -q --no-store --window 0 -n 1000 --seed $seed $program > out 2> err || fail "two waits, $program: $(cat err)"
		[ "$(json '["covered"], r["estimated"]')" = "(6, 6)" ] || fail "two waits, $program, seed $seed: $(cat err)"
	done
done

# ---- files of the same name in other folders, from wherever it is run ----
mkdir -p x/src y/src elsewhere
cat > x/src/q.c <<'E'
#include <pthread.h>
extern pthread_mutex_t m;
static void take(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
void *NAME(void *unused) { take(); return unused; }
E
cp x/src/q.c y/src/q.c
cat > main.c <<'E'
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *), *two(void *);
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
E
"$sleave" cc -g -DNAME=one -c -o one.o x/src/q.c
"$sleave" cc -g -DNAME=two -c -o two.o y/src/q.c
"$sleave" cc -g -o same main.c one.o two.o
for folder in . elsewhere; do
	(cd $folder && "$sleave" cover -q --no-store --all "$work/same") > text
	grep -q '^coverage: 2 of 2 ' text || fail "files of one name, in $folder: $(cat text)"
done
grep -q '^  \.\./x/src/q.c:3:26 (take)$' text || fail "files of one name, from elsewhere: $(cat text)"
# … also if each was compiled in its own folder, where both have the same name; and the same file is that wherever it was compiled
(cd x/src && "$sleave" cc -g -DNAME=one -c -o one.o q.c)
ln -s y z
(cd z/src && PWD=$PWD "$sleave" cc -g -DNAME=two -c -o two.o q.c)
"$sleave" cc -g -o apart main.c x/src/one.o y/src/two.o
"$sleave" cover -q --no-store --all ./same | grep '^  ' | grep q.c | sort -u > places
"$sleave" cover -q --no-store --all ./apart | grep '^  ' | grep q.c | sort -u > text
grep -q '^  x/src/q.c:3:26 (take)$' text || fail "files of one name: $(cat text)"
cmp places text || fail "files of one name, compiled in their folders: $(cat text)"

# ---- a library that comes late, and goes before the end ----
cat > late.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void work(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}
E
cat > loads.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
static void (*work)(void);
static void *run(void *unused) { work(); return unused; }
int main(void)
{
	void *library = dlopen("./late.so", RTLD_NOW);
	pthread_t a;
	work = (void (*)(void))dlsym(library, "work");
	pthread_create(&a, 0, run, 0);
	work();
	pthread_join(a, 0);
	return dlclose(library);
}
E
"$sleave" cc -g -shared -fPIC -o late.so late.c
"$sleave" cc -g -o loads loads.c -ldl
"$sleave" cover -q --no-store --all ./loads > text
grep -q '^coverage: 4 of 4 ' text || fail "a library that comes late: $(cat text)"
grep -q '^  late.c:7:2 (work)$' text || fail "a library that comes late: $(cat text)"

# … or is not instrumented
cc -g -shared -fPIC -o late.so late.c
"$sleave" cover -q --no-store --all --fail-under 100 ./loads > text || fail "a library that is not instrumented: $(cat text)"
grep -q '^  late.c:7:2 (work)$' text || fail "a library that is not instrumented: $(cat text)"
# … and leaves its address to another one: they can't be told apart, which is said
cat > turns.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	((void (*)(pthread_mutex_t *))dlsym(library, "work"))(&m);
	dlclose(library);
}
static void *run(void *unused) { use("./first.so"); use("./second.so"); return unused; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, run, 0);
	return pthread_join(a, 0);
}
E
for name in first second; do
	printf '#include <pthread.h>\nvoid work(pthread_mutex_t *m)\n{\n\tpthread_mutex_lock(m);\n\tpthread_mutex_unlock(m);\n}\n' > $name.c
	"$sleave" cc -g -shared -fPIC -o $name.so $name.c
done
"$sleave" cc -g -o turns turns.c -ldl
for strategy in tsa rnd-y; do
	status=0
	"$sleave" cover -q --no-store -n 3 -s $strategy --fail-under 10 ./turns > text || status=$?
	[ $status = 3 ] && grep -q '^warning: libraries came and went at the same address: 1 place may be several' text ||
		fail "libraries that take turns, $strategy: $status $(cat text)"
done

# … or another execution loads another one
cat > once.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	void *library = dlopen(access("again", F_OK) ? "./first.so" : "./second.so", RTLD_NOW);
	((void (*)(pthread_mutex_t *))dlsym(library, "work"))(&m);
	return fclose(fopen("again", "w"));
}
E
"$sleave" cc -g -o once once.c -ldl
rm -f again
"$sleave" cover -q --no-store -n 3 -s rnd-y ./once > text || fail "another library in another execution: $(cat text)"
grep -q '^warning: libraries came and went at the same address: 1 place may be several' text || fail "another library in another execution: $(cat text)"

# ---- what is no success ----
cat > fails.c <<'E'
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *unused) { return unused; }
int main(int argc, char **argv)
{
	pthread_t a;
	pthread_create(&a, 0, nothing, 0);
	pthread_join(a, 0);
	if (argc > 1 && *argv[1] == 'w') {
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		pthread_mutex_lock(&m);
		pthread_mutex_lock(&m);
	}
	return argc > 1 ? 4 : getchar() == 'x' && getchar() == '\n' && getchar() == EOF ? 0 : 9;
}
E
"$sleave" cc -g -o fails fails.c
status=0
printf 'x\n' > input
"$sleave" cover -q --no-store -n 3 --fail-under 50 ./fails < input > text || status=$?
[ $status = 1 ] || fail "a gate about nothing: status $status"
grep -q '^failed: there is nothing to cover' text || fail "a gate about nothing: $(cat text)"
status=0
"$sleave" cover -q --no-store -n 3 -s rnd-y ./fails again > text || status=$?
[ $status = 1 ] || fail "executions that fail: status $status"
grep -q '^failed: 3 of 3 executions; the first (1) ended with status 4$' text || fail "executions that fail: $(cat text)"
"$sleave" cover -q --no-store -n 3 -s rnd-y ./fails < input > text || fail "noise has the input each time: $(cat text)"
cat input | "$sleave" cover -q --no-store -n 3 -s rnd-y ./fails > text || fail "… from a pipe too: $(cat text)"
# it waits for ever: the time that was given counts, not the watchdog's
"$sleave" cover -q --no-store -n 3 -s rnd-y -t 1s --watchdog 300s ./fails waits > text || fail "the time is over, nothing else: $(cat text)"
# … also within one execution under control, be it the first or a later one
cat > forever.c <<'E'
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;
static int last, turns;
static void *work(void *number)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		turns += last != (int)(long)number;
		last = (int)(long)number;
		pthread_mutex_unlock(&m);
	}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	pthread_create(&a, 0, work, (void *)1);
	pthread_create(&b, 0, work, (void *)2);
	pthread_join(a, 0);
	pthread_join(b, 0);
	while (turns == 6 || argc > 1)
		x++;
	return 0;
}
E
"$sleave" cc -g -o forever forever.c
for command in "cover --no-store" "run -s random" "run -s random --world=fork" "run -s random -j 2"; do
	status=0
	timeout 60 "$sleave" $command -q -t 3s --operations 1000000000000 ./forever always > text 2>&1 || status=$?
	[ $status = 3 ] || fail "an execution without end, $command: status $status, $(cat text)"
	grep -q '^undecided: no execution of the search ended .*(--time)' text || fail "an execution without end, $command: $(cat text)"
	status=0
	timeout 60 "$sleave" $command -q -t 3s --operations 1000000000000 ./forever > text 2>&1 || status=$?
	[ $status = 3 ] || fail "a later execution without end, $command: status $status, $(cat text)"
	grep -q '^given up: .* went on when the time was over (--time)' text || fail "a later execution without end, $command: $(cat text)"
done
status=0
"$sleave" cover -q --no-store --plot /dev/full ./two > text 2> err || status=$?
[ $status = 3 ] || fail "no plot: status $status"
grep -q 'cannot write the plot /dev/full' err || fail "no plot: $(cat err)"
# a kill costs next to nothing
rm -rf .sleave
status=0
"$sleave" cover --show --json > out 2> err || status=$?
[ $status = 3 ] && grep -q 'no run has been stored yet' err && [ "$(json '["run"]["verdict"]')" = undecided ] ||
	fail "no store: $status $(cat out err)"
"$sleave" cover -q --window 0 -t 300s -s rnd-y ./two > /dev/null 2>&1 &
killed=$!
for try in $(seq 600); do
	"$sleave" cover --show --json > out 2> err && [ "$(json '["covered"]')" = 10 ] && break
	python3 -c 'import select; select.select([], [], [], 0.1)'
done
kill -9 $killed
wait $killed 2> /dev/null || true
"$sleave" cover --show --json > out
[ "$(json '["covered"]')" = 10 ] || fail "after a kill: $(cat out)"

# a loop that polls goes round: the pair of its lock with itself is there; and what goes wrong then can be replayed
cat > poll.c << 'E'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *set(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int seen, waited = 0;
	(void)argv;
	pthread_create(&thread, 0, set, 0);
	do {
		pthread_mutex_lock(&m);
		seen = done;
		pthread_mutex_unlock(&m);
		waited |= !seen && argc > 1;
	} while (!seen);
	assert(!waited);
	pthread_join(thread, 0);
	return 0;
}
E
"$sleave" cc -g -o poll poll.c
for strategy in tsa random pct dfs dpor icb; do
	"$sleave" cover --no-store --fail-under=100 -s $strategy -n 200 ./poll > text 2>&1 || fail "polling, $strategy: $(cat text)"
	grep -q '^coverage: 3 of 3 ' text || fail "polling, $strategy: $(cat text)"
done
status=0
"$sleave" cover --no-store -n 200 ./poll until then > text 2>&1 || status=$?
[ $status = 1 ] || fail "polling that fails: status $status, $(cat text)"
grep -q '^again yes$' poll-1.sleave || fail "polling that fails: $(cat poll-1.sleave)"
status=0
"$sleave" replay poll-1.sleave > text 2>&1 || status=$?
[ $status = 1 ] && grep -q '^assertion failed: !waited' text || fail "its replay: status $status, $(cat text)"

echo "covering: fine"
