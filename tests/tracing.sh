#!/bin/sh
# Traces: what `sleave record` writes down, how `sleave trace` shows it, and what is left when the program or the file
# comes to harm.
# usage: tests/tracing.sh BUILD
# shellcheck disable=SC2015 # a failed check is said twice
set -u

build=$(cd "${1:?usage: tests/tracing.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

checks_of=$(cd "$(dirname "$0")" && pwd)/checks.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$checks_of"

# count N WORDS: so many lines of standard output.
count()
{
	checks=$((checks + 1))
	n=$(grep -c -e "$2" out)
	[ "$n" = "$1" ] || { fail "'$2' is on $n lines instead of $1"; grep -e "$2" out | head -n 20; }
}

# python EXPRESSION: true of `lines`, the JSON objects in the file out.
python()
{
	checks=$((checks + 1))
	python3 -c "
import json, sys
lines = [json.loads(line) for line in open('out')]
items = [line for line in lines if 'kind' in line]
sys.exit(not ($1))" || fail "not true of the JSON: $1"
}

# ---- every kind of thing ----

cat >all.c <<'END'
/* everything that is recorded */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int first, second;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static atomic_int counter;
static struct pair table[4];
static int go;

static struct pair *make(int n)
{
	struct pair *p = malloc(sizeof(*p) * n);

	memset(p, 0, sizeof(*p) * n);
	p[1].second = 7;
	return p;
}

static void *worker(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	struct pair *p = make(3);

	free(p);
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	pthread_rwlock_rdlock(&rw);
	table[2].second = 5;
	pthread_rwlock_unlock(&rw);
	atomic_fetch_add(&counter, 1);
	sleave_event("halfway");
	sem_post(&sem);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	sem_wait(&sem);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return atomic_load(&counter) - 1;
}
END
"$sleave" cc -g -o all all.c || exit 1
expect 0 "$sleave" record --controlled -o all.trace ./all
says 'all.trace: [0-9]* items, '
expect 0 "$sleave" trace all.trace
says ' main  *starts$'
says ' main  *creates thread T1'
says ' T1 helper calls make  all.c:34 (worker)'
says ' T1 helper allocates heap block from all.c:24 (make < worker) #1 of 0.1 (24 bytes)  all.c:24 (make)'
says ' T1 helper returns from make$'
says ' T1 helper returns from worker$'
says ' main  *returns from main$'
says ' T1 helper writes heap block from all.c:24 (make < worker) #1 of 0.1, +12  all.c:27 (make)'
says ' T1 helper frees heap block from all.c:24 (make < worker) #1 of 0.1 (24 bytes)'
says ' T1 helper wants lock  all.c:37 (worker)'
says ' T1 helper locks lock  all.c:37 (worker)'
says ' T1 helper writes go  all.c:38 (worker)'
says ' T1 helper signals ready'
says ' T1 helper unlocks lock'
says ' T1 helper read-locks rw'
says ' T1 helper writes table\[2\].second  all.c:42 (worker)'
says ' T1 helper atomically updates counter'
says ' T1 helper comes to halfway'
says ' T1 helper posts sem'
says ' T1 helper waits at barrier'
says ' T1 helper leaves barrier'
says ' T1 helper ends'
says ' main  *waits for sem'
says ' main  *joins thread T1 helper'
says ' main  *ends the program, status 0'
says '^# the end: exit status 0'
never '0x'
never libsleave

# locks that are held
expect 0 "$sleave" trace --locks all.trace
says ' T1 helper writes go .* holding lock$'
says ' T1 helper writes table.* holding rw$'
never ' comes to halfway.*holding'

# only some
expect 0 "$sleave" trace --kind=mutex_lock,sem_* all.trace
count 2 ' locks lock '
count 2 ' sem '
count 0 ' writes '
expect 0 "$sleave" trace --thread=helper --kind=READ,WRITE all.trace
count 0 ' main '
expect 0 "$sleave" trace --thread=0.1 --object='table*' all.trace
count 1 'writes table\[2\].second'
expect 2 "$sleave" trace --kind=mutex all.trace
says "there is no kind 'mutex'"
expect 2 "$sleave" trace --json --summary all.trace
expect 2 "$sleave" trace
expect 2 "$sleave" trace all.trace all.trace

# the same items, for programs
expect 0 "$sleave" trace --json --locks all.trace
python "lines[0]['program'].endswith('/all') and lines[0]['mode'] == 'controlled'"
python "lines[-1]['end'] == 'exit status 0' and lines[-1]['whole'] and lines[-1]['items'] == len(items)"
python "[i['number'] for i in items] == list(range(1, len(items) + 1))"
python "[i['locks'] for i in items if i.get('object') == 'go' and i['kind'] == 'WRITE'] == [['lock']]"
python "[(i['line'], i['function'], i['thread_path']) for i in items if i.get('object') == 'halfway'] == [(45, 'worker', '0.1')]"
python "{i['kind'] for i in items} >= {'START', 'END', 'READ', 'WRITE', 'ATOMIC_LOAD', 'ATOMIC_UPDATE', 'ALLOC', 'FREE', 'CREATE',
	'JOIN', 'MUTEX_LOCK', 'MUTEX_UNLOCK', 'RW_RDLOCK', 'RW_UNLOCK', 'COND_SIGNAL', 'BARRIER_WAIT', 'BARRIER_LEAVE', 'SEM_WAIT',
	'SEM_POST', 'EVENT', 'CALL', 'RETURN', 'REQUEST', 'EXIT'}"
# each thread returns from what it calls, and wants a lock before it has it
python "all(sum((i['kind'] == 'CALL') - (i['kind'] == 'RETURN') for i in items if i['thread'] == t) == 0 for t in (0, 1))"
python "all([i['kind'] for i in items if i['thread'] == t and i.get('object') == 'lock'][:2] == ['REQUEST', 'MUTEX_LOCK'] for t in (0, 1))"
python "[(i['kind'], i['object']) for i in items if i['thread'] == 1 and i['kind'] in ('CALL', 'RETURN')] == [
	('CALL', 'worker'), ('CALL', 'make'), ('RETURN', 'make'), ('RETURN', 'worker')]"
python "all(len({i['address'] for i in items if i['kind'] in ('CALL', 'RETURN') and i['object'] == name}) == 1 for name in ('make', 'worker', 'main'))"

# a track for each thread
expect 0 "$sleave" trace --perfetto perfetto.json all.trace
checks=$((checks + 1))
python3 - <<'END' || fail "what is for Perfetto is not right"
import json
events = json.load(open('perfetto.json'))['traceEvents']
names = {e['tid']: e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
assert names == {1: 'main', 2: 'T1'} or names == {1: 'main', 2: 'T1 helper'}, names
assert {e['pid'] for e in events} == {1} # that of the main thread
for tid in names:
    slices = []
    for e in events:
        if e['tid'] == tid and e['ph'] == 'B':
            slices.append(e['name'])
        elif e['tid'] == tid and e['ph'] == 'E':
            assert e['name'] == slices.pop() # some versions of Perfetto end none of another name
    assert not slices
held = [e for e in events if e['ph'] == 'b']
assert len(held) == len([e for e in events if e['ph'] == 'e']) and held
assert any(e['ph'] == 'B' and e['name'] == 'make' for e in events)
assert any(e['ph'] == 'B' and e['name'] == 'waits for lock' for e in events)
assert any(e['ph'] == 'i' and e['name'] == 'comes to halfway' for e in events)
END
expect 0 "$sleave" trace --summary all.trace
says '^ended  *exit status 0'
says ' MUTEX_LOCK$'

# ---- the same seed, the same trace; whoever reads no more ----

expect 0 "$sleave" record --controlled --seed 5 -o one.trace ./all
expect 0 "$sleave" record --controlled --seed 5 -o two.trace ./all
checks=$((checks + 1))
cmp one.trace two.trace || fail "equal seeds gave different traces"
checks=$((checks + 1))
for seed in 1 2 3 4 5 6; do
	"$sleave" record --controlled -q --seed $seed -o "$seed.trace" ./all && "$sleave" trace "$seed.trace" | md5sum
done | sort -u >out
[ "$(wc -l <out)" -gt 1 ] || fail "six seeds gave one schedule"
checks=$((checks + 1))
"$sleave" trace all.trace 2>err | head -n 1 >out
[ ! -s err ] || fail "a closed pipe is an error"

# ---- programs that come to a bad end: all up to there is in the trace ----

cat >end.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int before, after;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *how)
{
	before = 1;
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "killed") && system("kill -9 $PPID"))
		return how;
	if (!strcmp(how, "deadlock")) {
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&a);
	}
	after = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, argv[argc - 1]);
	pthread_join(thread, NULL);
	return 0;
}
END
"$sleave" cc -g -o end end.c || exit 1
for how in segv abort exit kill deadlock; do
	expect 1 "$sleave" record --controlled -o end.trace ./end $how
	says 'did not end well'
	expect 0 "$sleave" trace end.trace
	says ' T1  *writes before  end.c:12 (worker)'
	never ' writes after'
	says '^# the end: '
	never 'the end: exit status 0'
done
expect 3 "$sleave" record --controlled -o end.trace ./end killed
says 'SIGKILL'
expect 0 "$sleave" trace end.trace
says ' T1  *writes before  end.c:12 (worker)'
never ' writes after'

# … also if it is the command that is told to end
cat >long.c <<'END'
#include <fcntl.h>
#include <unistd.h>

volatile long x;

int main(void)
{
	close(creat("begun", 0600));
	for (int i = 0; i < 6000; i++) {
		x++;
		usleep(10000);
	}
	return 0;
}
END
"$sleave" cc -g -o long long.c || exit 1
for signal in TERM HUP; do
	rm -f long.trace begun
	# nohup(1) ignores SIGHUP, and then so does the command
	env --default-signal="$signal" "$sleave" record -o long.trace ./long >out 2>err &
	recording=$!
	for _ in $(seq 600); do
		[ ! -e begun ] || break
		sleep 0.1
	done
	kill -$signal $recording
	wait $recording
	status=$?
	checks=$((checks + 1))
	[ $status = 1 ] || fail "status $status of a recording that got SIG$signal"
	expect 0 "$sleave" trace long.trace
	says "^# the end: killed by SIG$signal\$"
done

# ---- where an argument begins and ends, and that none breaks a line, can be seen ----

mkdir "a folder"
cp end "a folder/it's"
expect 0 "$sleave" record -q -o words.trace "./a folder/it's" plain 'two words' '' 'a
b' "it's" 'back\slash' nothing
expect 0 "$sleave" trace words.trace
says "^# '/.*/a folder/it'\\\\''s' plain 'two words' '' \\$'a\\\\nb' 'it'\\\\''s' 'back\\\\slash' nothing\$"
expect 0 "$sleave" trace --summary words.trace
says "^program  *'/.*/a folder/it'\\\\''s' plain 'two words' '' \\$'a\\\\nb' 'it'\\\\''s' 'back\\\\slash' nothing\$"

# ---- which way it went ----

cat >way.c <<'END'
static volatile int x;

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		x = 2;
	else
		x = 3;
	return 0;
}
END
cat >leave.c <<'END'
struct pair {
	int first[9], second;
};

static struct pair make(int n)
{
	struct pair p = {{n}, 1};

	if (n > 1)
		return p;
	p.second = n;
	return p;
}

static int variable(int n)
{
	volatile char bytes[n + 1];

	for (int i = 0; i < n; i++)
		bytes[i] = (char)i;
	if (n > 1)
		return bytes[1];
	return bytes[0];
}

static void nothing(void)
{
}

static int again(int n)
{
	if (!n)
		return 0;
	return again(n - 1) + 1;
}

int main(void)
{
	struct pair p = make(1), q = make(2);

	nothing();
	return variable(1) + variable(2) + again(3) + p.second + q.second - 6;
}
END
echo '--branches -o way-response way.c' >response
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	export SLEAVE_CC=$compiler
	expect 0 "$sleave" cc -o way way.c
	expect 0 "$sleave" record --controlled -o way.trace ./way
	expect 0 "$sleave" trace --kind=branch way.trace
	count 0 'goes to'
	expect 0 "$sleave" cc @response
	expect 0 "$sleave" cc --branches -O0 -o way way.c
	for program in way way-response; do
		expect 0 "$sleave" record --controlled -o way.trace ./$program
		expect 0 "$sleave" trace --kind=branch way.trace
		says 'goes to  way.c:9 (main)'
		never 'way.c:7 '
		expect 0 "$sleave" record --controlled -o way.trace ./$program more
		expect 0 "$sleave" trace --kind=branch way.trace
		says 'goes to  way.c:7 (main)'
		never 'way.c:9 '
	done
	expect 0 ./way # on its own
	echo 'int main(int argc, char **argv) { (void)argv; volatile int x = argc; return (x > 1 ? x + 1 : x - 1) > 9; }' >tern.c
	expect 0 "$sleave" cc --branches -O0 -o tern tern.c # two ways on one line
	"$sleave" record -q -o tern.trace ./tern && "$sleave" trace --json --kind=branch tern.trace | grep -o '"offset": .*' >one
	"$sleave" record -q -o tern.trace ./tern more && "$sleave" trace --json --kind=branch tern.trace | grep -o '"offset": .*' >two
	checks=$((checks + 1))
	if ! [ -s one ] || cmp -s one two; then fail "which way it went can't be told ($compiler)"; fi
	# each block is of the function that is innermost: none comes after its function's return
	expect 0 "$sleave" cc --branches -O0 -o leave leave.c
	for how in --sync-only --controlled; do
		expect 0 "$sleave" record -q $how -o leave.trace ./leave
		expect 0 "$sleave" trace --json leave.trace
		checks=$((checks + 1))
		python3 - <<'END' || fail "a block is not of the function that is innermost ($compiler $how)"
import json
inside, seen = [], 0
for line in open('out'):
    item = json.loads(line)
    kind = item.get('kind')
    if kind == 'CALL':
        inside.append(item['object'])
    elif kind == 'RETURN':
        inside.pop()
    elif kind == 'BRANCH':
        assert item['function'] == inside[-1], (item, inside)
        seen += 1
assert seen > 20, seen
END
		never '_sub_I_' # gcc's own
	done
	expect 0 "$sleave" cc --branches -c -o way.o way.c
	expect 0 "$sleave" cc -o way way.o
	expect 0 ./way
done
unset SLEAVE_CC

# ---- every execution of a search ----

cat >three.c <<'END'
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, last;

static void *worker(void *number)
{
	atomic_fetch_add(&x, 1);
	atomic_store(&last, (int)(long)number);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, (void *)1);
	pthread_create(&b, NULL, worker, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argc > 1 && atomic_load(&last) == 1;
}
END
"$sleave" cc -g -o three three.c || exit 1
for world in memory fork exec; do
	expect 0 "$sleave" run -s dfs --world=$world --trace $world.trace ./three # (2 + 2)! / (2! 2!)
	says 'all 6 interleavings'
	says "$world.trace: [0-9]* items"
	expect 0 "$sleave" trace $world.trace
	count 6 '^# execution '
	count 12 'atomically updates x'
	expect 0 "$sleave" trace --part=3 $world.trace
	count 1 '^# execution '
	count 2 'atomically updates x'
	expect 0 "$sleave" trace --json $world.trace
	python "len({tuple((i['thread'], i['kind']) for i in items if i['part'] == p and i['kind'].startswith('ATOMIC')) for p in range(1, 7)}) == 6"
done
expect 1 "$sleave" run -s dfs --trace bug.trace ./three wrong
says 'ended with status 1'
expect 0 "$sleave" trace bug.trace
count 1 '^# finding 1$'
says 'ends the program, status 1'
executions=$(grep -c '^# execution ' out)
expect 0 "$sleave" trace --summary bug.trace
says "^executions  *$executions$"
says '^findings  *1, as they are told$'
"$sleave" run -q -s random -t 300s --trace stopped.trace ./three >out 2>err &
searching=$!
for try in $(seq 600); do
	[ -s stopped.trace ] && [ "$(wc -c <stopped.trace)" -gt 10000 ] && break # items, not only the header
	python3 -c 'import select; select.select([], [], [], 0.05)'
done
kill -TERM $searching
wait $searching
expect 0 "$sleave" trace --summary stopped.trace
says '^ended  *the search was interrupted$'
expect 3 "$sleave" run --trace /nowhere/x.trace ./three
says 'cannot write /nowhere/x.trace'

# … by several processes: each execution of each of them, in one piece
cat >whole.py <<'END'
# Of `sleave trace --json --locks` on standard input: every execution is there once, its items are numbered from 1 on, it begins with
# the start of the program and ends with its end (unless it is cut, as the arguments say), and a thread returns from what
# it called and holds no lock in the end. Prints workers, executions, and how many of them differ.
import json, sys
parts = {}
for line in sys.stdin:
    item = json.loads(line)
    if 'kind' in item and 'finding' not in item:
        parts.setdefault((item['part'], item.get('worker'), item['execution']), []).append(item)
assert len({key[1:] for key in parts}) == len(parts)
for key, items in parts.items():
    assert [i['number'] for i in items] == list(range(1, len(items) + 1)), key
    assert items[0]['kind'] == 'START' and items[0]['thread'] == 0, key
    assert all(i['thread_path'] for i in items), key
    if 'cut' in sys.argv:
        continue
    assert items[-1]['kind'] in ('EXIT', 'RETURN'), (key, items[-1])
    assert sum((i['kind'] == 'CALL') - (i['kind'] == 'RETURN') for i in items) == 0, key
    assert items[-1]['locks'] == [], key
orders = {tuple((i['thread_path'], i['kind'], i.get('object')) for i in items if i['kind'].startswith('ATOMIC')) for items in parts.values()}
print(len({key[1] for key in parts}), len(parts), len(orders))
END
# whole WORDS [cut]: of the trace out.trace
whole()
{
	checks=$((checks + 1))
	"$sleave" trace --json --locks out.trace >items || fail "sleave trace: status $?"
	there=$(python3 whole.py ${2-} <items)
	case $there in
	$1) ;;
	*) fail "out.trace has '$there' workers, executions, ways of these; not '$1'" ;;
	esac
}
for world in memory fork exec; do
	expect 0 "$sleave" run --json -j 3 -s dfs --world=$world --trace out.trace ./three
	executions=$(sed -n 's/.*"search": \([0-9]*\).*/\1/p' out)
	whole "* $executions 6"
	expect 0 "$sleave" trace --summary out.trace
	says '^workers  *3$'
	says "^executions  *$executions$"
done
expect 0 "$sleave" run -j 2 -s random -n 300 --trace out.trace ./three
whole '[12] 300 6'
# until both have come to it, and then it is told to end, or killed; slow, so that little is in a block
until_both()
{
	rm -f out.trace
	"$sleave" run -q -j 2 -s random --world=exec -t 300s --trace out.trace ./three >/dev/null 2>&1 &
	searching=$!
	for try in $(seq 600); do
		"$sleave" trace out.trace >both 2>/dev/null
		grep -q ' of worker 1$' both && grep -q ' of worker 2$' both && break
		python3 -c 'import select; select.select([], [], [], 0.05)'
	done
	kill "$1" $searching
	wait $searching 2>/dev/null
}
until_both -TERM
whole '2 * *' cut
executions=$(echo "$there" | cut -d' ' -f2)
expect 0 "$sleave" trace out.trace
says '^# the end: the search was interrupted$'
for worker in 1 2; do
	count 1 "^# execution 1 of worker $worker\$"
done
expect 0 "$sleave" trace --perfetto perfetto.json out.trace
checks=$((checks + 1))
python3 - "$executions" <<'END' || fail "what is for Perfetto is not right, of several processes"
import json, sys
events = json.load(open('perfetto.json'))['traceEvents']
names = [e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name']
assert len(names) == int(sys.argv[1]) == len(set(names)), len(names)
assert {name.split(' of ')[1] for name in names} == {'worker 1', 'worker 2'}
# no thread has the number of another, and each process that of its main thread
threads = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
assert len(threads) == len({tid for pid, tid in threads})
assert [(pid, tid) for (pid, tid), name in threads.items() if name == 'main'] == [(e['pid'], e['pid']) for e in events if e['name'] == 'process_name']
END
expect 0 "$sleave" run -j 2 --trace out.trace ./three # dpor, among others, which share what there is to do
whole '* * 6' cut
expect 1 "$sleave" run -j 2 -s random --trace out.trace ./three wrong
expect 0 "$sleave" trace out.trace
says '^# finding 1 of worker [12]$'
says 'ends the program, status 1'
# one of them is killed in the middle of an execution: what it did is there, and what the other did
cat >dies.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int first, second, last;

static void *worker(void *number)
{
	int none = 0;

	if (!atomic_compare_exchange_strong(&first, &none, (int)(long)number))
		return NULL;
	atomic_store(&second, 1);
	atomic_store(&last, (int)(long)number);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (atomic_load(&last) == 3)
		kill(getpid(), SIGKILL);
	return 0;
}
END
"$sleave" cc -g -o dies dies.c || exit 1
expect 3 "$sleave" run -j 2 -s random --trace out.trace ./dies
says 'SIGKILL'
expect 0 "$sleave" trace out.trace
says '^# the end: the search ended$'
checks=$((checks + 1))
"$sleave" trace --json --locks out.trace | python3 whole.py cut >/dev/null || fail "an execution is not in one piece"
"$sleave" trace --json out.trace | python3 -c "
import json, sys
parts = {}
for line in sys.stdin:
    item = json.loads(line)
    if 'kind' in item:
        parts.setdefault(item['part'], []).append(item)
ends = [items for items in parts.values() if items[-1]['kind'] not in ('EXIT', 'RETURN')]
assert any(i['kind'] == 'ATOMIC_LOAD' and i['function'] == 'main' for items in ends for i in items[-8:]), [i[-1] for i in ends]
" || fail "what the killed one did is not in the trace"
# the command itself is killed: what it had written can be read
until_both -KILL
expect 3 "$sleave" trace --json --locks out.trace
says 'truncated'
checks=$((checks + 1))
python3 whole.py cut <out >/dev/null || fail "what is left is not in one piece"

# … through states: from the beginning, each of them, and as many states as without a trace
cat >turns.c <<'END'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *worker(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&a);
		x++;
		pthread_mutex_lock(&b);
		y += x;
		pthread_mutex_unlock(&b);
		pthread_mutex_unlock(&a);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$sleave" cc -g -o turns turns.c || exit 1
for order in dfs bfs; do
	expect 0 "$sleave" run --json --stateful -s $order ./turns
	states=$(sed -n 's/^\(states: .*\); at most.*/\1/p' err)
	executions=$(sed -n 's/.*"search": \([0-9]*\).*/\1/p' out)
	expect 0 "$sleave" run --json --stateful -s $order --trace out.trace ./turns
	says "^$states;"
	says "\"search\": $executions,"
	whole "1 $executions *" cut # one that comes to a state that was there before ends there
done
expect 1 "$sleave" run --stateful --trace out.trace ./three wrong
expect 0 "$sleave" trace out.trace
says '^# finding 1$'

cat >inside.c <<'END'
#define main unused
#include "turns.c"
#undef main
#include <sleave.h>

static void body(void *arg)
{
	(void)arg;
	unused();
}

int main(void)
{
	struct sleave_options options = {.strategy = "stateful-dfs"};

	return sleave_explore(body, NULL, &options);
}
END
"$sleave" cc -g -o inside inside.c || exit 1
mkdir inside.traces
expect 0 env SLEAVE_TRACE=inside.traces ./inside
mv inside.traces/*.trace out.trace
whole '1 [1-9]? *' cut

# … of a run that goes on: from there on
expect 0 "$sleave" run -s random -n 20 ./three
expect 0 "$sleave" run --resume -n 50 --trace out.trace ./three
whole '1 30 6'
expect 0 "$sleave" trace out.trace
count 0 '^# execution 20$'
count 1 '^# execution 21$'
count 1 '^# execution 50$'

# … also of one that begins inside of a test, and of one with threads beside it
cat >sections.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t gate;
static int x;

static void *worker(void *unused)
{
	pthread_mutex_lock(&m);
	x = 2 * x;
	pthread_mutex_unlock(&m);
	return unused;
}

static void both(int good)
{
	pthread_t t;

	x = 1;
	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	assert(good || x == 4);
}

static void fine(void)
{
	SLEAVE_SCHEDULES("first", "a -> b", "second", "a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(1);
	}
}

static void *waits(void *unused)
{
	sem_wait(&gate);
	return unused;
}

static void beside(void)
{
	pthread_t helper;

	sem_init(&gate, 0, 0);
	pthread_create(&helper, NULL, waits, NULL);
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(1);
	}
	sem_post(&gate);
	pthread_join(helper, NULL);
}

static void wrong(void)
{
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(0);
	}
}

static void explored(void *unused)
{
	(void)unused;
	both(1);
}

int main(void)
{
	struct sleave_options options = {.strategy = "dfs"};

	fine();
	sleave_explore(explored, NULL, &options);
	beside();
	wrong();
	return 0;
}
END
"$sleave" cc -g -o sections sections.c || exit 1
expect 1 "$sleave" test -s dfs --trace traces ./sections
says 'ok  *sections fine first: all 2 interleavings'
says 'FAILED  *sections wrong'
for part in fine-34-1:2 fine-34-2:2 3:2 beside-53-beside-2-0:2; do
	expect 0 "$sleave" trace "traces/sections-${part%:*}.trace"
	says '^# the end: the search ended$'
	count "${part#*:}" '^# execution '
	never '^# finding'
	case $part in
	beside*) ;; # the whole program, with the sections before it
	*) count 4 ' locks m ' ;;
	esac
done
expect 0 "$sleave" trace traces/sections-wrong-64-4.trace
says '^# finding 1$'
says '^# the end: the search ended$'
checks=$((checks + 1))
[ "$(ls traces | wc -l)" = 5 ] || fail "traces: $(ls traces)"
rm traces/sections-fine-34-1.trace && mkdir traces/sections-fine-34-1.trace
expect 1 "$sleave" test -s dfs --trace traces ./sections
says "UNDECIDED  *sections fine first: the trace that SLEAVE_TRACE asks for can't be begun"
expect 3 "$sleave" test --trace /nowhere/at/all ./sections
says 'there is no folder /nowhere/at/all for traces'
for mode in free check; do
	expect 2 "$sleave" test --mode $mode --trace traces ./sections
	says "--trace is for what is explored, which --mode=$mode does not do"
done

# ---- on real threads and under control, the same words ----

cat >words.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ok, g;
static __thread int local;
static jmp_buf back;

static void deep(int n)
{
	g++;
	if (!n)
		longjmp(back, 1);
	deep(n - 1);
	g++;
}

static void *waits(void *unused)
{
	sleave_thread_name("waiter");
	pthread_mutex_lock(&m);
	while (!ok)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return unused;
}

static void *inner(void *unused)
{
	return unused;
}

static void *outer(void *unused)
{
	volatile int here = 1;
	pthread_t t;

	pthread_create(&t, NULL, inner, (void *)&here);
	pthread_join(t, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	char *volatile a, *volatile b;

	if (!setjmp(back))
		deep(3);
	local = argc + argv[1][2] + "literal"[argc];
	a = malloc(8); b = strdup("x");
	free(a);
	free(b);
	pthread_create(&t, NULL, waits, NULL);
	pthread_mutex_lock(&m);
	ok = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, outer, NULL);
	pthread_join(t, NULL);
	if (!strcmp(argv[1], "fork")) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	if (!strcmp(argv[1], "exec"))
		execl("/bin/echo", "echo", "another", NULL);
	if (!strcmp(argv[1], "null"))
		*(volatile int *)NULL = 1;
	return 0;
}
END
"$sleave" cc -g -O0 -o words words.c || exit 1
for more in 1 2 3; do # however many words are above the stack
	# shellcheck disable=SC2046 # several words
	expect 0 env $(seq -f 'MORE%g=x' $more) "$sleave" record --controlled -o words.trace ./words nothing
	expect 0 "$sleave" trace words.trace
	says ' main  *reads argv\[1\]  words.c:56 (main)'
	never ' 0x'
done
for how in --sync-only --controlled; do # the first has no meaning for a program that was built like this
	expect 0 "$sleave" record $how -o words.trace ./words nothing
	expect 0 "$sleave" trace words.trace
	count 4 ' main  *calls deep'
	says ' main  *calls main$'
	says ' main  *reads argv\[1\]  words.c:56 (main)'
	says ' main  *reads argv\[1\]\[2\]  words.c:56 (main)'
	says ' main  *reads words+0x[0-9a-f]*  words.c:68 (main)'
	says ' main  *writes thread-local of 0, -[0-9]*  words.c:56 (main)'
	says ' main  *allocates heap block from words.c:57 (main) #1 of 0 (8 bytes)'
	says ' main  *allocates heap block from words.c:57 (main) #2 of 0 (2 bytes)  words.c:57 (main)'
	says ' main  *frees heap block from words.c:57 (main) #1 of 0 (8 bytes)'
	says ' main  *frees heap block from words.c:57 (main) #2 of 0 (2 bytes)'
	says ' T1 waiter starts  words.c:25 (waits)'
	says ' main  *signals c'
	says ' T1 waiter ends  words.c:25 (waits)'
	says ' main  *ends the program, status 0  words.c:50 (main)'
	says ' T2  *writes stack of 0.2, -[0-9]*  words.c:41 (outer)'
	never T4294967294
	never ' 0x'
	count 0 ' main  *starts  '
	expect 0 "$sleave" trace --json words.trace
	# a long jump returns from what it leaves, before what comes next
	python "[i['kind'] for i in items if i['thread'] == 0 and i['kind'] in ('CALL', 'RETURN')][-6:] == ['CALL'] + 4 * ['RETURN'] + ['RETURN']"
	# … but not from where it goes to: main returns after all that it does
	python "(lambda mine: mine.index('RETURN', mine.index('CREATE')) == len(mine) - 2)([i['kind'] for i in items if i['thread'] == 0])"
	python "all('value' not in i or i['value'] < 10 ** 6 for i in items)"
	python "[i['object'] for i in items if i['kind'] == 'CREATE'] == ['0.1', '0.2', '0.2.1']"
	python "[i['other_thread_path'] for i in items if i['kind'] == 'JOIN'] == ['0.1', '0.2.1', '0.2']"
	python "{i['mutex'] for i in items if i['kind'] == 'COND_WAIT'} <= {'m'}"
	expect 0 "$sleave" trace --thread=waiter words.trace
	count 0 ' main '
	expect 2 "$sleave" trace --thread=nobody words.trace
	says "there is no thread 'nobody'"
	expect 2 "$sleave" trace --part=3 words.trace
	says 'there is no part 3'
	expect 0 "$sleave" trace --object='zz*' words.trace
	says 'no item matches'
done
# a wait that was signalled wants its mutex after that, and knows by whom it was woken
woken=0
for seed in 1 2 3 4 5 6 7 8; do
	"$sleave" record --controlled -q --seed $seed -o words.trace ./words nothing || fail "seed $seed"
	"$sleave" trace --json words.trace >out
	grep -q '"kind": "COND_WAIT"' out || continue
	woken=1
	python "[(i['kind'], i['thread']) for i in items if i.get('object') == 'c' or (i['kind'] == 'REQUEST' and i['thread'] == 1)][1:] == [('COND_WAIT', 1), ('COND_SIGNAL', 0), ('REQUEST', 1)]"
	python "[i['other_thread'] for i in items if i['kind'] == 'COND_SIGNAL'] == [1]"
done
checks=$((checks + 1))
[ $woken = 1 ] || fail "nobody waited with any seed"

cat >leaves.c <<'END'
#include <stdlib.h>
#include <unistd.h>

static void leave(int how)
{
	if (how == 'e')
		exit(3);
	if (how == 'q')
		quick_exit(3);
	_exit(3);
}

int main(int argc, char **argv)
{
	leave(*argv[argc - 1]);
	return 0;
}
END
"$sleave" cc -g -O0 -o leaves leaves.c || exit 1
for how in --sync-only --controlled; do
	for which in exit:7 quick_exit:9 now:10; do
		expect 1 "$sleave" record -q $how -o leaves.trace ./leaves "${which%:*}"
		expect 0 "$sleave" trace leaves.trace
		says " main  *ends the program, status 3  leaves.c:${which#*:} (leave)"
	done
done

expect 0 "$sleave" record --controlled -o words.trace ./words fork
says '^note: 1 process that it started was not recorded$'
expect 0 "$sleave" trace words.trace
says ' main  *waits for the end of a process: process [0-9]*  words.c:73 (main)'
expect 0 "$sleave" record --controlled -o words.trace ./words exec
says 'another program, which was not recorded'
expect 0 "$sleave" trace words.trace
says '^# the end: exit status 0, of the program that it became'
expect 0 "$sleave" record -o words.trace ./words exec
says 'another program, which was not recorded'
expect 0 "$sleave" trace words.trace
says ' main  *becomes another program  words.c:76 (main)'
says '^# the end: exit status 0, of the program that it became'
expect 1 "$sleave" record -o words.trace ./words null
expect 0 "$sleave" trace words.trace
says ' main  *writes NULL  words.c:78 (main)'
expect 0 "$sleave" trace --json words.trace
python "items[-1]['object'] == 'NULL' and items[-1]['address'] == 0"
cp words words-stripped && strip words-stripped
expect 0 "$sleave" record -o words.trace ./words-stripped nothing
expect 0 "$sleave" trace words.trace
says ' locks words-stripped+0x[0-9a-f]*  words-stripped+0x'
says ' calls words-stripped+0x[0-9a-f]*'
never ' 0x'

# children, however they come to be
cat >children.c <<'END'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const arguments[] = {"true", NULL};
static volatile int before, after;

int main(int argc, char **argv)
{
	const char *how = argv[argc - 1];
	pid_t child = 0;
	FILE *f;

	before = 1;
	if (!strcmp(how, "fork") && !(child = fork()))
		_exit(0);
	if (!strcmp(how, "vfork") && !(child = vfork()))
		_exit(0);
	if (!strcmp(how, "spawn") && posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "spawnp") && posix_spawnp(&child, "true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "nobody") && !posix_spawn(&child, "/nowhere/true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "system") && system("true"))
		return 1;
	if (!strcmp(how, "popen") && (!(f = popen("true", "r")) || pclose(f)))
		return 1;
	if (child > 0 && strcmp(how, "nobody") && waitpid(child, NULL, 0) != child)
		return 1;
	after = 1;
	return !system(NULL);
}
END
"$sleave" cc -g -O0 -o children children.c || exit 1
for how in --sync-only --controlled; do
	for child in fork vfork spawn spawnp nobody system popen; do
		expect 0 "$sleave" record $how -o children.trace ./children $child
		if [ $how = --sync-only ] && [ $child = nobody ]; then
			never 'not recorded'
		elif [ $how = --sync-only ]; then
			says '1 process that it started was not recorded'
		fi
		line=$(grep -n "strcmp(how, \"$child\")" children.c | cut -d: -f1 | head -n 1)
		expect 0 "$sleave" trace children.trace
		count 1 ' main  *starts a process'
		says " main  *starts a process.*  children.c:$line (main)"
		says ' main  *writes after'
		says '^# the end: exit status 0$'
	done
done

# a compare-and-swap that fails has only read
cat >swap.c <<'END'
#include <stdatomic.h>

struct large {
	long a[3];
};
static atomic_int strong, weak;
static _Atomic struct large large;

int main(void)
{
	struct large is = {{1, 2, 3}};
	int old = 5;

	atomic_compare_exchange_strong(&strong, &old, 7);
	atomic_compare_exchange_strong(&strong, &old, 7);
	atomic_compare_exchange_strong(&large, &is, is);
	atomic_compare_exchange_strong(&large, &is, is);
	old = 0;
	while (!atomic_compare_exchange_weak(&weak, &old, 1))
		;
	return 0;
}
END
"$sleave" cc -g -o swap swap.c -latomic || exit 1
for how in --sync-only --controlled; do
	expect 0 "$sleave" record -q $how -o swap.trace ./swap
	expect 0 "$sleave" trace --json swap.trace
	python "[i['kind'] for i in items if i.get('object') == 'strong'] == ['ATOMIC_LOAD', 'ATOMIC_UPDATE']"
	python "[i['kind'] for i in items if i.get('object', '').startswith('large')] == ['ATOMIC_LOAD', 'ATOMIC_UPDATE']"
done
for seed in 1 2 3 4 5 6 7 8; do
	"$sleave" record -q --controlled --spurious --seed $seed -o swap.trace ./swap || fail "seed $seed"
	"$sleave" trace --kind='atomic*' --object=weak swap.trace >out
	count 1 'atomically updates weak'
	cat out >>swaps
done
cp swaps out
says 'atomically reads weak'

# locks in two orders are not looked for, either: the program ended well
cat >orders.c <<'END'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
END
"$sleave" cc -g -o orders orders.c || exit 1
expect 0 "$sleave" record --controlled -o orders.trace ./orders
expect 0 "$sleave" trace orders.trace
says '^# the end: exit status 0$'

# more threads than can be recorded: what is missing is no secret
cat >crowd.c <<'END'
#include <pthread.h>

enum { COUNT = 1100 };
static pthread_barrier_t all;

static void *worker(void *unused)
{
	pthread_barrier_wait(&all);
	return unused;
}

int main(void)
{
	static pthread_t threads[COUNT];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, COUNT + 1);
	for (int i = 0; i < COUNT; i++)
		if (pthread_create(&threads[i], &small, worker, NULL))
			return 77;
	pthread_barrier_wait(&all);
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$sleave" cc -g -o crowd crowd.c || exit 1
if ./crowd; then # there may be so many
	expect 3 "$sleave" record -o crowd.trace ./crowd
	says '77 threads were not recorded'
	expect 0 "$sleave" trace crowd.trace
	says '^# the end: exit status 0; 77 threads were not recorded$'
	expect 0 "$sleave" trace --summary crowd.trace
	says '^ended  *exit status 0; 77 threads were not recorded$'
	expect 0 "$sleave" trace --json crowd.trace
	python "lines[-1] == {'end': 'exit status 0', 'missing': '77 threads were not recorded', 'items': len(items), 'whole': False}"
	expect 0 "$sleave" trace crowd.trace
	never ' frees 0x' # what libc has for its threads is libc's
fi

# ---- names: all of them, however many threads have one and however often ----

cat >named.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	char name[16], event[32];
	pthread_t one, two;

	for (int i = 0; i < count; i++) {
		snprintf(event, sizeof(event), "event_%d", i);
		sleave_event(event);
		if (i >= 1100)
			continue;
		snprintf(name, sizeof(name), "worker-%d", i);
		pthread_create(&one, NULL, worker, name);
		pthread_join(one, NULL);
	}
	pthread_create(&one, NULL, worker, "alpha");
	pthread_create(&two, NULL, worker, "beta");
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
END
"$sleave" cc -g -o named named.c || exit 1
expect 0 "$sleave" run -q --strategy=random --schedules=1500 --trace=named.trace ./named
expect 0 "$sleave" trace --part=1400 named.trace
says ' T1 alpha starts '
says ' T2 beta starts '
for way in --quiet --controlled; do
	expect 0 "$sleave" record $way -o named.trace ./named 1500
	expect 0 "$sleave" trace --kind=EVENT,START named.trace
	count 1500 'main   comes to event_[0-9]*  '
	says ' T1100 worker-1099 starts '
	says ' T1102 beta starts '
	expect 3 "$sleave" record $way -o named.trace ./named 66000
	[ $way = --quiet ] || says '^note: names of events or threads are missing: there were more than 65536$'
	expect 0 "$sleave" trace --json named.trace
	python "not lines[-1]['whole'] and lines[-1]['missing'] == 'names of events or threads are missing'"
done

# … and whatever is in them: none breaks a line
cat >strange.c <<'END'
#include <pthread.h>
#include <sleave.h>

static void *worker(void *unused)
{
	sleave_thread_name("a\tb");
	sleave_event("first\nsecond");
	sleave_event("back\\slash");
	sleave_event("\001\177");
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
"$sleave" cc -g -o strange strange.c || exit 1
for way in --quiet --controlled; do
	expect 0 "$sleave" record $way -o strange.trace ./strange
	expect 0 "$sleave" trace strange.trace
	says ' T1 a\\tb comes to first\\nsecond  strange.c:7 (worker)$'
	says ' T1 a\\tb comes to back\\\\slash  strange.c:8 (worker)$'
	says ' T1 a\\tb comes to \\x01\\x7f  strange.c:9 (worker)$'
	never '^second'
	expect 0 "$sleave" trace --summary strange.trace
	says ' T1 a\\tb$'
	expect 0 "$sleave" trace --json --kind=event strange.trace
	python "[i['object'] for i in items] == ['first\\nsecond', 'back\\\\slash', '\\x01\\x7f']"
done

# ---- a program that explores by itself: its function is run once, and recorded; that is said ----
cat >explores.c <<'END'
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *worker(void *unused)
{
	atomic_fetch_add(&x, 1);
	return unused;
}

static void body(void *count)
{
	pthread_t threads[2];

	for (int i = 0; i < *(int *)count; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < *(int *)count; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	struct sleave_result result;
	struct sleave_options options = {.result = &result};
	int count = 2;

	for (int i = 0; i < 2; i++)
		if (sleave_explore(body, &count, &options) != SLEAVE_CLEAN)
			return 1;
	printf("%d executions\n", (int)result.executions);
	return 0;
}
END
"$sleave" cc -g -o explores explores.c || exit 1
expect 0 ./explores
says '^2 executions$'
expect 0 "$sleave" record -o explores.trace ./explores
says '^1 executions$'
says '^note: sleave_explore() was called 2 times, and ran its function once each time, on real threads'
expect 0 "$sleave" trace explores.trace
count 2 ' main *calls body$'
count 4 ' T[1234] *atomically updates x  explores.c:10 (worker)$'
cat >section.c <<'END'
#include <pthread.h>
#include <sleave.h>

static void *worker(void *unused)
{
	sleave_event("here");
	return unused;
}

int main(void)
{
	pthread_t thread;

	SLEAVE_SCHEDULE("here -> there") {
		pthread_create(&thread, NULL, worker, NULL);
		sleave_event("there");
		pthread_join(thread, NULL);
	}
	return 0;
}
END
"$sleave" cc -g -o section section.c || exit 1
expect 0 env SLEAVE_MODE=explore "$sleave" record -o section.trace ./section
says '^note: SLEAVE_MODE=explore: sections were not explored, but run on real threads'
expect 0 "$sleave" trace --kind=event section.trace
count 1 ' T1 *comes to here '
count 1 ' main *comes to there '
expect 0 "$sleave" record --controlled -o explores.trace ./explores
says '^1 executions$'
expect 0 "$sleave" trace explores.trace
count 4 ' T[1234] *atomically updates x  explores.c:10 (worker)$'

# ---- files that come to harm ----

expect 3 "$sleave" trace nowhere.trace
says 'No such file'
expect 3 "$sleave" trace all.c
says 'all.c is not a trace of Sleave'
size=$(wc -c <all.trace)
head -c $((size - 10)) all.trace >cut.trace
expect 3 "$sleave" trace cut.trace
says 'truncated'
says 'items could be read'
expect 3 "$sleave" trace --json cut.trace
python "lines[-1]['whole'] == False and any('damage' in line for line in lines)"
expect 3 "$sleave" trace --perfetto cut.json cut.trace
checks=$((checks + 1))
python3 -c "import json; json.load(open('cut.json'))" || fail "not JSON after damage"
{ head -c 100 all.trace && printf '\377' && tail -c +102 all.trace; } >headless.trace
expect 3 "$sleave" trace headless.trace
says 'headless.trace: damaged header: what was run, and how, is not known$'
says 'main   calls main'
expect 3 "$sleave" trace --summary headless.trace
says '^recorded  *in an unknown way$'
# what was called there returns, and nobody knows what it is
cat >steps.c <<'END'
static volatile unsigned char data[1 << 16];

static void step(unsigned n)
{
	data[n & 0xffff]++;
}

int main(void)
{
	unsigned n = 1;

	for (int i = 0; i < 400000; i++)
		step((n = n * 1103515245 + 12345) >> 8);
	return 0;
}
END
expect 0 "$sleave" cc -g -O0 -o steps steps.c
expect 0 "$sleave" record -q --controlled -o steps.trace ./steps
expect 0 "$sleave" trace --kind=call,return --object=main steps.trace
count 1 ' main  *calls main$'
count 1 ' main  *returns from main$'
python3 -c "
tape = bytearray(open('steps.trace', 'rb').read())
tape[len(tape) // 4] ^= 255
open('steps.trace', 'wb').write(tape)"
expect 3 "$sleave" trace --kind=return steps.trace
says ' main  *returns from step$'
says ' main  *returns$'
never 'returns from main'
{ head -c 8 all.trace && printf '\011' && tail -c +10 all.trace; } >newer.trace
expect 3 "$sleave" trace newer.trace
says 'newer.trace was written by a newer Sleave (version 9 of the format; this one knows [0-9]*): what is new there is left out$'
says 'main   calls main'
says '^# the end: exit status 0$'
expect 3 "$sleave" trace --json newer.trace
python "len(items) > 10 and not lines[-1]['whole']"
# one whose items are coded in another way: all but these
python3 - <<'END'
import struct
tape = bytearray(open("newer.trace", "rb").read())
size = struct.unpack_from("<I", tape, 12)[0]
assert tape[24 + size - 1] == 4 # the oldest version that can read it, the last of the header
tape[24 + size - 1] = 9

all_bits = (1 << 64) - 1
def times(a, b):
    return a * b & all_bits
def mixed(x): # sl_mix()
    x = times(x ^ x >> 30, 0xbf58476d1ce4e5b9)
    x = times(x ^ x >> 27, 0x94d049bb133111eb)
    return x ^ x >> 31
def check(data): # sl_tape_check()
    total, whole = times(len(data), 0x9e3779b97f4a7c15), len(data) // 8 * 8
    for at in range(0, whole, 8):
        total = times(total ^ struct.unpack_from("<Q", data, at)[0], 0xbf58476d1ce4e5b9)
        total ^= total >> 29
    return mixed(total ^ int.from_bytes(data[whole:], "little"))
struct.pack_into("<Q", tape, 16, check(tape[24:24 + size]))
open("opaque.trace", "wb").write(tape)
tape[8] = tape[24 + size - 1] = 3 # all.trace was written item by item, as they were then
struct.pack_into("<Q", tape, 16, check(tape[24:24 + size]))
open("before.trace", "wb").write(tape)
END
expect 3 "$sleave" trace opaque.trace
says "opaque.trace was written by a newer Sleave (version 9 of the format; this one knows [0-9]*): what its threads did can't be read\$"
says '^# .*/all  (under control, '
says '^# the end: exit status 0$'
says '0 items could be read'
expect 0 "$sleave" trace before.trace
says 'main   calls main'
says '^# the end: exit status 0$'
{ head -c 8 all.trace && printf '\001' && tail -c +10 all.trace; } >older.trace
expect 3 "$sleave" trace older.trace
says 'older.trace was written by an older Sleave (version 1 of the format; this one knows [0-9]*)$'
expect 3 "$sleave" record --controlled -o /nowhere/x.trace ./all
says 'cannot write /nowhere/x.trace'
if [ -w /dev/full ]; then
	expect 3 "$sleave" record --controlled -o /dev/full ./all
	says 'No space left'
fi
expect 2 "$sleave" record
expect 2 "$sleave" record --strategy=nosuch ./all
for option in --strategy=pct --seed=0 --depth=2 '--schedule=a -> b' --spurious --operations=9 --world=fork --carrier=thread --watchdog=1s; do
	expect 2 "$sleave" record "$option" -o pct.trace ./all
	says "^sleave record: ${option%%=*} is for --controlled: real threads run as they like"
done
expect 0 "$sleave" record --controlled --strategy=pct -o pct.trace ./all
expect 0 "$sleave" trace --summary pct.trace
says "under control, --strategy=pct"

# ---- what is handed over through a pipe or by a signal is in its order ----
cat >pipes.c <<'E'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
enum { ROUNDS = 200 };
static int there[ROUNDS], back[ROUNDS], seen, to[2], from[2];
static pthread_t one, two;
static sigset_t set;
static int by_signal;
static void hand(int fd, pthread_t whom) { char c = 1; if (by_signal) pthread_kill(whom, SIGUSR1); else if (write(fd, &c, 1) != 1) _exit(1); }
static void get(int fd) { char c; int n; if (by_signal) sigwait(&set, &n); else if (read(fd, &c, 1) != 1) _exit(1); }
static void *first(void *gate)
{
	pthread_barrier_wait(gate);
	for (int i = 0; i < ROUNDS; i++) {
		there[i] = i;
		hand(to[1], two);
		get(from[0]);
		seen += back[i];
	}
	return 0;
}
static void *second(void *gate)
{
	pthread_barrier_wait(gate);
	for (int i = 0; i < ROUNDS; i++) {
		get(to[0]);
		back[i] = there[i];
		hand(from[1], one);
	}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_barrier_t gate;
	(void)argv;
	by_signal = argc > 1;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, 0);
	pthread_barrier_init(&gate, 0, 3);
	if (pipe(to) || pipe(from))
		return 1;
	pthread_create(&one, 0, first, &gate);
	pthread_create(&two, 0, second, &gate);
	pthread_barrier_wait(&gate);
	pthread_join(one, 0);
	pthread_join(two, 0);
	return 0;
}
E
expect 0 "$sleave" cc -g -o pipes pipes.c
# recorded_in_order READS PROGRAM [ARGUMENT]: what is read of there and back was written before
recorded_in_order()
{
	wanted=$1
	shift
	expect 0 "$sleave" record -q -o order.trace "$@"
	"$sleave" trace --json order.trace >order.json
	checks=$((checks + 1))
	python3 - "$wanted" <<'E' || fail "$*: in an order that can't have been"
import json, sys
written, reads = set(), 0
for line in open("order.json"):
    item = json.loads(line)
    name = item.get("object") or ""
    if not name.startswith(("there", "back")):
        continue
    if item["kind"] == "WRITE":
        written.add(name)
    elif item["kind"] == "READ":
        reads += 1
        assert name in written, item
assert reads == int(sys.argv[1]), reads
E
}
recorded_in_order 400 ./pipes
recorded_in_order 400 ./pipes signals

# ---- what a handler does comes after what its sender did before; the program is told of its own handlers ----
cat >handlers.c <<'E'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { ROUNDS = 120 };
static int there[ROUNDS], back[ROUNDS], at, wrong, value, plain;
static sem_t ready, done;
static pthread_t other;
static pid_t tid;
#define CHECK(c) do { if (!(c)) wrong = wrong ? wrong : __LINE__; } while (0)
static void handler(int n) { (void)n; int i = at; back[i] = there[i]; sem_post(&done); }
static void informed(int n, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(n == info->si_signo && info->si_code == SI_QUEUE);
	value = info->si_value.sival_int;
	handler(n);
}
static void once(int n) { plain += n; errno = E2BIG; }
static void *waiter(void *arg)
{
	tid = gettid();
	sem_post(&ready);
	for (;;)
		pause();
	return arg;
}
static void ask(int n, void (*wanted)(int))
{
	struct sigaction now;
	CHECK(!sigaction(n, NULL, &now) && now.sa_handler == wanted);
}
int main(void)
{
	struct sigaction action, old;
	sigset_t set;
	pid_t child;
	int status;
	sem_init(&ready, 0, 0);
	sem_init(&done, 0, 0);
	CHECK(signal(SIGUSR1, handler) == SIG_DFL);
	CHECK(signal(SIGUSR1, handler) == handler);
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = informed;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaddset(&action.sa_mask, SIGHUP);
	CHECK(!sigaction(SIGUSR2, &action, &old) && old.sa_handler == SIG_DFL);
	CHECK(!sigaction(SIGUSR2, &action, &old) && old.sa_sigaction == informed && old.sa_flags & SA_SIGINFO &&
	      sigismember(&old.sa_mask, SIGHUP));
	action.sa_flags = SA_RESETHAND;
	action.sa_handler = once;
	sigaction(SIGALRM, &action, NULL);
	errno = 0;
	raise(SIGALRM);
	CHECK(plain == SIGALRM && errno == E2BIG);
	ask(SIGALRM, SIG_DFL);
	CHECK(signal(SIGHUP, SIG_IGN) == SIG_DFL && signal(SIGHUP, SIG_DFL) == SIG_IGN);
	CHECK(signal(SIGKILL, once) == SIG_ERR && errno == EINVAL);
	CHECK(sysv_signal(SIGTERM, once) == SIG_DFL && sigset(SIGTERM, once) == once);
	siginterrupt(SIGTERM, 1);
	ask(SIGTERM, once);
	child = fork();
	if (!child) {
		plain = 0;
		ask(SIGTERM, once);
		CHECK(signal(SIGTERM, handler) == once && signal(SIGTERM, once) == handler);
		raise(SIGTERM);
		CHECK(plain == SIGTERM);
		_exit(wrong != 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	pthread_create(&other, NULL, waiter, NULL);
	sem_wait(&ready);
	sigfillset(&set); /* so that the other thread gets what the process gets */
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		at = i;
		there[i] = i;
		switch (i % 5) {
		case 0: pthread_kill(other, SIGUSR1); break;
		case 1: kill(getpid(), SIGUSR1); break;
		case 2: sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = i}); break;
		case 3: tgkill(getpid(), tid, SIGUSR1); break;
		case 4: pthread_sigqueue(other, SIGUSR2, (union sigval){.sival_int = i}); break;
		}
		while (sem_wait(&done))
			;
		CHECK(back[i] == i && (i % 5 != 2 && i % 5 != 4 ? 1 : value == i));
	}
	pthread_cancel(other);
	pthread_join(other, NULL);
	if (wrong)
		fprintf(stderr, "handlers.c:%d: not true\n", wrong);
	return wrong != 0;
}
E
expect 0 "$sleave" cc -g -o handlers handlers.c
recorded_in_order 240 ./handlers

# ---- what a thread does because it is cancelled comes after that ----
cat >cancelled.c <<'E'
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
enum { ROUNDS = 60 };
static int there[ROUNDS], back[ROUNDS], at, turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static void clean(void *unused) { (void)unused; int i = at; back[i] = there[i]; }
static void clean_lock(void *unused) { clean(unused); pthread_mutex_unlock(&lock); }
static void *pauses(void *unused)
{
	pthread_cleanup_push(clean, unused);
	sem_post(&ready);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return unused;
}
static void *waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean_lock, unused);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return unused;
}
static void *spins(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, unused);
	sem_post(&ready);
	for (;;)
		__asm__ volatile("pause");
	pthread_cleanup_pop(0);
	return unused;
}
int main(void)
{
	static void *(*const victims[])(void *) = {pauses, waits, spins};
	sem_init(&ready, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, victims[i % 3], NULL);
		sem_wait(&ready);
		at = i;
		there[i] = i;
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		turns += back[i] == i;
	}
	return turns != ROUNDS;
}
E
expect 0 "$sleave" cc -g -o cancelled cancelled.c
expect 0 "$sleave" record -q -o cancelled.trace ./cancelled
"$sleave" trace --json cancelled.trace >cancelled.json
checks=$((checks + 1))
python3 - <<'E' || fail "cancelled: in an order that can't have been"
import json
written, ready, cancelled, reads = set(), set(), set(), 0
for line in open("cancelled.json"):
    item = json.loads(line)
    kind, name, thread = item.get("kind"), item.get("object") or "", item.get("thread")
    assert thread not in ready or thread in cancelled or kind == "COND_WAIT", item
    if kind == "CANCEL":
        cancelled.add(item["other_thread"])
    elif kind == "SEM_POST":
        ready.add(thread)
    elif kind == "WRITE":
        written.add(name)
    elif kind == "READ" and name.startswith("there"):
        reads += 1
        assert name in written, item
assert reads == 60, reads
E

# ---- who is killed takes the program along, in a recording and in executions with noise ----
cat >stays.c <<'E'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d\n", (int)getpid()), fd = creat("stays.new", 0600);
	if (write(fd, text, length) != length || close(fd) || rename("stays.new", "stays.pid"))
		return 1;
	alarm(60); /* if nobody ends it before */
	pause();
	return 0;
}
E
expect 0 "$sleave" cc -g -o stays stays.c
stays()
{
	[ -e "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}
for how in "record -q -o stays.trace" "cover -s rnd-y"; do
	rm -f stays.pid
	# shellcheck disable=SC2086 # options
	"$sleave" $how ./stays >out 2>err &
	killed=$!
	for _ in $(seq 600); do
		[ ! -e stays.pid ] || break
		sleep 0.1
	done
	kill -KILL $killed
	wait $killed 2>/dev/null
	for _ in $(seq 100); do # of the sixty seconds that it would go on
		stays "$(cat stays.pid)" || break
		sleep 0.1
	done
	checks=$((checks + 1))
	if stays "$(cat stays.pid)"; then
		fail "sleave $how was killed, and the program goes on"
		kill -KILL "$(cat stays.pid)"
	fi
done

# ---- a program that kills itself, under control: told as on real threads ----
cat >itself.c <<'E'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static void *other(void *unused) { x++; return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	if (argc > 2)
		raise(atoi(argv[1]));
	kill(getpid(), atoi(argv[1]));
	return x;
}
E
expect 0 "$sleave" cc -g -o itself itself.c
expect 1 "$sleave" record -o itself.trace ./itself 9
says 'killed by SIGKILL$'
expect 1 "$sleave" record --controlled -o itself.trace ./itself 9
says 'crash: SIGKILL in main at itself.c:14 (main): the program sent it to itself$'
expect 0 "$sleave" trace itself.trace
says ' main  *sends SIGKILL to the process  itself.c:14 (main)$'
says '^# the end: crash: SIGKILL in main'
expect 1 "$sleave" record --controlled -o itself.trace ./itself 9 raise
expect 0 "$sleave" trace itself.trace
says ' main  *sends SIGKILL to main  itself.c:13 (main)$'

# ---- who is ended by a signal has not handled it; what is refused is not promised ----
expect 1 "$sleave" record --controlled -o itself.trace ./itself 15 raise
expect 0 "$sleave" trace itself.trace
says ' main  *gets SIGTERM  itself.c:13 (main)$'
says '^# the end: crash: SIGTERM in main .* nothing handles it$'
never ' main  *handles '
expect 2 "$sleave" record -s random ./itself 15
says '^sleave record: --strategy is for --controlled'
expect 0 "$sleave" record --help
says 'strategy=NAME  *with --controlled: how the threads'

# ---- locks of C++ are where they are used ----
cat >guard.cc <<'E'
#include <mutex>
static std::mutex m;
int main()
{
	std::lock_guard<std::mutex> has(m);
}
E
for level in -O0 -O2; do
	expect 0 "$sleave" c++ -g $level -o guard guard.cc
	expect 0 "$sleave" record -q ./guard
	expect 0 "$sleave" trace guard.trace
	says ' locks m  guard.cc:5 (main)$'
done

# … and have one name each, whoever speaks of them
cat >named.cc <<'E'
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
static std::mutex m;
static std::recursive_mutex rm;
static std::timed_mutex tm;
static std::shared_mutex sm;
static std::condition_variable c;
static int x;
int main()
{
	std::unique_lock<std::mutex> has(m);
	std::lock_guard<std::recursive_mutex> once(rm), twice(rm);
	std::lock_guard<std::timed_mutex> timed(tm);
	std::unique_lock<std::shared_mutex> writes(sm);
	x++;
	c.wait_for(has, std::chrono::microseconds(1));
}
E
expect 0 "$sleave" c++ -std=c++17 -g -O0 -o named named.cc
for how in --sync-only --controlled; do
	expect 0 "$sleave" record -q $how -o named.trace ./named
	expect 0 "$sleave" trace --locks named.trace
	says ' writes x .* holding m, rm, rm, tm, sm$'
	says ' waits for c, releasing m '
	expect 0 "$sleave" trace --locks --json named.trace
	python "[i['locks'] for i in items if i.get('object') == 'x' and i['kind'] == 'WRITE'] == [['m', 'rm', 'rm', 'tm', 'sm']]"
	python "[i['mutex'] for i in items if i['kind'] == 'COND_WAIT'] == ['m']"
	python "[i['object'] for i in items if i['kind'] in ('MUTEX_LOCK', 'RW_WRLOCK', 'COND_RELOCK')] == ['m', 'rm', 'rm', 'tm', 'sm', 'm']"
	expect 0 "$sleave" trace --perfetto perfetto.json named.trace
	checks=$((checks + 1))
	python3 - <<'E' || fail "locks have other names for Perfetto ($how)"
import json
held = [e['name'] for e in json.load(open('perfetto.json'))['traceEvents'] if e.get('cat') == 'lock' and e['ph'] == 'b']
assert held == ['main holds ' + name for name in ('m', 'rm', 'rm', 'tm', 'sm', 'm')], held
E
done

# ---- two do not write into one file ----
cat >ends.c <<'E'
#include <stdio.h>
int main(void) { return getchar() == EOF; }
E
expect 0 "$sleave" cc -g -o ends ends.c
mkfifo fifo
"$sleave" record -q -o ends.trace ./ends <fifo 2>first.err &
first=$!
exec 9>fifo
for try in $(seq 600); do
	[ -s ends.trace ] && break
	python3 -c 'import select; select.select([], [], [], 0.05)'
done
expect 3 "$sleave" record -q -o ends.trace ./ends
says 'cannot write ends.trace: another recording does'
echo x >&9
exec 9>&-
checks=$((checks + 1))
wait $first || fail "the first recording: $(cat first.err)"
expect 0 "$sleave" trace ends.trace

# ---- every call returns, where it does ----

cat >grow.c <<'END'
#include <alloca.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static void use(volatile char *p)
{
	sink += *p;
}

__attribute__((noinline)) static void grows(int n)
{
	volatile char *p = alloca(n);

	*p = 1;
	use(p);
}

__attribute__((noinline)) static void again(int n) /* deeper than the engine remembers */
{
	volatile char *p = alloca(16);

	*p = 1;
	if (n)
		again(n - 1);
	sink++;
}

int main(int argc, char **argv)
{
	volatile char *p = alloca(100 * argc);

	*p = 1;
	grows(1000);
	use(p);
	if (argc > 1)
		again(atoi(argv[1]));
	return 0;
}
END
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for level in -O0 -O2; do
		expect 0 env SLEAVE_CC=$compiler "$sleave" cc -g $level -o grow grow.c
		for how in --sync-only --controlled; do
			expect 0 "$sleave" record -q $how -o grow.trace ./grow
			expect 0 "$sleave" trace --json grow.trace
			python "''.join(i['kind'][0] for i in items if i['kind'] in ('CALL', 'RETURN')) == 'CCCRRCRR'"
		done
		expect 0 "$sleave" record -q --controlled -o grow.trace ./grow 5000
		expect 0 "$sleave" trace --json grow.trace
		python "(lambda kinds: len(kinds) == 2 * 4096 + 6 and kinds[-4096:] == 4096 * 'R')(
			''.join(i['kind'][0] for i in items if i['kind'] in ('CALL', 'RETURN')))"
	done
done

# … of a thread that ends in the middle of them, too; not if that is the process
cat >middle.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;
static int ready[2];

__attribute__((noinline)) static void inner(void)
{
	sink++;
	pthread_exit(NULL);
}

__attribute__((noinline)) static void middle(void)
{
	inner();
	sink++;
}

static void *exits(void *unused)
{
	middle();
	sink++;
	return unused;
}

__attribute__((noinline)) static void cleans(void *unused)
{
	(void)unused;
	sink++;
}

__attribute__((noinline)) static void stays(void)
{
	char c = 0;

	(void)!write(ready[1], &c, 1);
	for (;;)
		pause();
}

static void *cancelled(void *unused)
{
	pthread_cleanup_push(cleans, NULL);
	stays();
	pthread_cleanup_pop(0);
	sink++;
	return unused;
}

__attribute__((noinline)) static void quits(void)
{
	sink++;
	exit(0);
}

int main(void)
{
	pthread_t t;
	char c;

	if (pipe(ready))
		return 1;
	pthread_create(&t, NULL, exits, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, cancelled, NULL);
	(void)!read(ready[0], &c, 1);
	pthread_cancel(t);
	pthread_join(t, NULL);
	quits();
	sink++;
	return 0;
}
END
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for level in -O0 -O2; do
		expect 0 env SLEAVE_CC=$compiler "$sleave" cc -g $level -o middle middle.c
		for how in --sync-only --controlled; do
			expect 0 "$sleave" record -q $how -o middle.trace ./middle
			expect 0 "$sleave" trace --json middle.trace
			python "[i['kind'][0] for i in items if i['thread'] == 1 and i['kind'] in ('CALL', 'RETURN', 'END')] == [*'CCCRRRE']"
			# cancelled, stays, cleans: under control what is below a handler has returned before it
			case $how in --controlled) calls=CCRCRRE ;; *) calls=CCCRRRE ;; esac
			python "[i['kind'][0] for i in items if i['thread'] == 2 and i['kind'] in ('CALL', 'RETURN', 'END')] == [*'$calls']"
			python "[i['kind'][0] for i in items if i['thread'] == 0 and i['kind'] in ('CALL', 'RETURN')] == [*'CC']"
		done
	done
done

echo "$checks checks, $failures failures"
[ "$failures" = 0 ]
