#!/bin/sh
# Coverage that lasts: it adds up over runs and tests, is shown and compared without running, and survives a kill. And coverage
# of executions on real threads, with noise.
#
#	tests/coverage_store.sh BUILD
set -u

build=$(cd "${1:?usage: tests/coverage_store.sh BUILD}" && pwd) || exit 2
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 3
passed=0 failed=0

check() { # WHAT GOT WANTED
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1: $2, expected $3"
		cat log
	fi
}

cover() { # OPTION...
	timeout 120 "$build/sleave" cover -q --plot=plot.svg "$@" >out 2>log
}

look() { # OPTION...: without running anything
	timeout 120 "$build/sleave" cover "$@" >out 2>log
}

line() { # of `out`, by its number
	sed -n "${1}p" out
}

# two tests of the same code: which thread does what is an argument
cat >pair.c <<'E'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void one(void)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
}
static void two(void)
{
	pthread_mutex_lock(&m);
	x--;
	pthread_mutex_unlock(&m);
}
static void *first(void *unused)
{
	one();
	return unused;
}
static void *second(void *number)
{
	if (number)
		two();
	else
		one();
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, argc > 1 ? argv[1] : NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 2)
		abort();
	return 0;
}
E
"$build/sleave" cc -g -O0 -o pair pair.c >log 2>&1
check "it compiles" $? 0

look --show
check "status, nothing to show" $? 3
check "nothing to show" "$(cat log)" "sleave cover: there is no .sleave/store.db here: no run has been stored yet"
check "looking makes nothing" "$(ls -d .sleave 2>/dev/null)" ""
cover -n 20 --no-store ./pair
check "status, --no-store" $? 0
check "--no-store keeps nothing" "$(ls -d .sleave 2>/dev/null)" ""

cover -n 20 ./pair
check "status of the first test" $? 0
look --show
check "one test" "$(line 1)" "synchronisation pairs: 1 of 1 covered (100.0%), 0 infeasible, after 1 run"
cover -n 20 ./pair two
look --show --all
check "both" "$(line 1)" "synchronisation pairs: 3 of 3 covered (100.0%), 0 infeasible, after 2 runs"
check "the runs" "$(grep -c '  20  tsa       pair' out)" 2
check "by which run" "$(grep -c 'pair.c:13:2 (two), then pair.c:7:2 (one) (run 2, execution' out)" 1
cover -n 20 ./pair
look --show ./pair
check "again adds nothing" "$(line 1)" "synchronisation pairs: 3 of 3 covered (100.0%), 0 infeasible, after 3 runs"
look --diff 1
check "status of --diff" $? 0
check "since the first" "$(line 2)" "after run 1: 1 of 1 (100.0%), 0 infeasible"
check "what came since" "$(grep -c '(run 2, execution' out)" 2
look --diff "#3"
check "since the last" "$(wc -l <out)" 2
look --diff 2000-01-01
check "status, before there was anything" $? 3
check "before there was anything" "$(cat log)" "sleave cover: .sleave/store.db: there was no run up to 2000-01-01"
look --diff yesterday
check "status, no date" $? 2
look --json --show
check "JSON" "$(python3 -c 'import json; r = json.load(open("out")); print(r["covered"], r["runs"], len(r["history"]), len(r["requirements"]))')" "3 3 3 3"
look --criterion blocked --show
check "another criterion has nothing yet" "$(line 1)" "pairs of a blocked and a blocking place: nothing to cover, 0 infeasible, after 0 runs"

# on real threads
cover -n 30 -s rnd-y --probability 0.5 ./pair two
check "status with noise" $? 0
look --show
check "noise is kept as well" "$(grep -c 'rnd-y     pair two' out)" 1
cover --json -n 5 -s rnd-s10 --probability 0.2 --seed 3 ./pair two
check "noise in JSON" "$(python3 -c 'import json; r = json.load(open("out")); print(r["strategy"], r["executions"], r["first_estimate"], r["covered"] > 0)')" "rnd-s10 5 2 True"
cover -n 5 -s rnd-y ./pair two and abort
check "status, it fails" $? 1
check "it fails" "$(grep -c '^failed: 5 of 5 executions; the first (1) was ended by SIGABRT' out)" 1
cover -n 5 -s rnd-y --probability 2 ./pair
check "status, a strange probability" $? 2
cover -n 5 --probability 0.2 ./pair
check "status, a probability of nothing" $? 2
cover -n 5 -s rnd-y --criterion def-use ./pair
check "status, real threads and def-use" $? 2

# killed: what was saved is there
cat >long.c <<'E'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
E
"$build/sleave" cc -g -O0 -o long long.c >log 2>&1
rm -rf .sleave
"$build/sleave" cover -q --plot=plot.svg --window 0 -t 100s ./long >out 2>log &
killed=$!
tries=0
until [ -s .sleave/store.db ] && "$build/sleave" cover --show 2>>log | grep -q 'did not end'; do
	tries=$((tries + 1))
	[ $tries -lt 120 ] || break
	sleep 0.5
done
kill -9 $killed
wait $killed 2>/dev/null
look --show
check "after a kill" "$(line 1)" "synchronisation pairs: 1 of 1 covered (100.0%), 0 infeasible, after 1 run"
check "which did not end" "$(grep -c 'did not end' out)" 1

# several at the same time
for i in 1 2 3; do
	timeout 120 "$build/sleave" cover -q --plot=plot$i.svg -n 50 ./pair two >out$i 2>log$i &
	eval "pid$i=\$!"
done
for i in 1 2 3; do
	eval "wait \$pid$i"
	check "run $i of those at the same time" $? 0
done
look --show ./pair
check "nothing of them is lost" "$(line 1)" "synchronisation pairs: 2 of 2 covered (100.0%), 0 infeasible, after 3 runs"

# on real threads: who sleeps for long is not stuck, as long as something happens
cat >slow.c <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		usleep(100000);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	return 0;
}
END
"$build/sleave" cc -g -o slow slow.c >log 2>&1
cover --no-store -s rnd-y --watchdog=2s -n 1 ./slow
check "slow, and not stuck" $? 0

# on real threads: a std::mutex in memory that was freed and allocated again is another one
cat >again.cc <<'END'
#include <mutex>
#include <thread>
struct first { std::mutex m; int rest[10]; void use() { std::lock_guard<std::mutex> has(m); rest[0]++; } };
struct second { std::mutex m; int rest[10]; void use() { std::lock_guard<std::mutex> has(m); rest[0]++; } };
template <class T> static void *both()
{
	T *it = new T();
	std::thread other([it] { it->use(); });
	it->use();
	other.join();
	delete it;
	return it;
}
int main()
{
	int same = 0;
	for (int i = 0; i < 20; i++)
		same += both<first>() == both<second>();
	return !same; /* else there is nothing to see */
}
END
"$build/sleave" c++ -g -o again again.cc >log 2>&1
cover --no-store -s rnd-y -n 3 ./again
check "memory that was freed" "$(grep '^coverage' out)" "coverage: 2 of 2 synchronisation pairs (100.0%), 0 ruled out"

# files of one name, each compiled in its folder, are two: what one has covered is nothing to the other
rm -rf .sleave
mkdir a b
sed 's/^static void one/static int unused;\n&/' pair.c >a/pair.c
sed 's/^static void one/static int other;\n&/; s/x--/x -= 2/' pair.c >b/pair.c
for folder in a b; do
	(cd $folder && "$build/sleave" cc -g -O0 -o pair pair.c) >log 2>&1
done
cover -n 20 ./a/pair two
cover -n 1 ./b/pair two
look --show --fail-under 100 ./b/pair two
check "covered in another file of that name" $? 1
check "what the other has covered" "$(line 1)" "synchronisation pairs: 1 of 2 covered (50.0%), 0 infeasible, after 1 run"
check "its name" "$(grep -c '^  b/pair.c:[0-9]*:2 (' out)" 1
# … and one that is compiled from another folder is the same, also where another one has everything
"$build/sleave" cc -g -O0 -o pair_a a/pair.c >log 2>&1
cover -n 1 ./pair_a two
look --show --fail-under 100 ./pair_a two
check "the same file, compiled elsewhere" "$? $(line 1)" "0 synchronisation pairs: 2 of 2 covered (100.0%), 0 infeasible, after 1 run"
mkdir moved
cp -r .sleave a moved
cd moved
"$build/sleave" cc -g -O0 -o pair_a a/pair.c >log 2>&1
cover -n 1 ./pair_a two
look --show --fail-under 100 ./pair_a two
check "the same file, in a copy of the folder" "$? $(line 1)" "0 synchronisation pairs: 2 of 2 covered (100.0%), 0 infeasible, after 2 runs"
cd ..

# … also if the folder was moved and nothing compiled again
mkdir one
cp -r a b one
cd one
for folder in a b; do
	(cd $folder && "$build/sleave" cc -g -O0 -o pair pair.c) >log 2>&1
done
cover -n 20 ./a/pair two
cover -n 20 ./b/pair two
look --show
check "both files, before the folder is moved" "$(line 1)" "synchronisation pairs: 4 of 4 covered (100.0%), 0 infeasible, after 2 runs"
cd ..
mv one other
cd other
cover -n 1 ./a/pair two
look --show
check "the same files, after the folder was moved" "$(line 1)" "synchronisation pairs: 4 of 4 covered (100.0%), 0 infeasible, after 3 runs"
cd ..

# what is wrong with the store is said, and is no "all is well"
echo "no database" >.sleave/store.db
cover -n 20 ./pair
check "status, a store that is none" $? 3
check "a store that is none" "$(grep -c 'this run is not stored: .sleave/store.db is damaged; move it away to start a new store' log)" 1
look --show
check "status, show a store that is none" $? 3
rm -rf .sleave
: >.sleave
cover -n 20 ./pair
check "status, a file in the place of the folder" $? 3

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
