#!/bin/sh
# What people are told: the program's own words, counts that add up, what a finding needs, headlines that name the cause,
# and stories that show the step that decides.
# usage: tests/told.sh BUILD
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/told.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$here/tests/checks.sh"

# json EXPRESSION: true of the object on the last line of standard output.
json()
{
	checks=$((checks + 1))
	tail -n 1 out | python3 -c "
import json, os, sys
o = json.load(sys.stdin)
f = o['findings'][0] if o.get('findings') else None
assert $1, o" 2>>err || { fail "not so: $1"; tail -n 5 out err; }
}

# program NAME: its text follows on standard input.
program()
{
	cat >"$1.c"
	"$sleave" cc -g -I "$here/include" -o "$1" "$1.c" || fail "$1 is not built"
}

# ---- the program's own words ----

# The ways to end differ by the argument. Each execution says how often the lock was taken in it: the words are to be those
# of the execution that is told, and not of those before it.
program ends <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
	int n;

	write(STDOUT_FILENO, "adds\n", 5);
	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	pthread_t t[2];

	printf("not flushed yet\n");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "count is %d\n", count);
	if (count == 2)
		return 0;
	fprintf(stderr, "\033[1mwrong\033[0m\n");
	if (!strcmp(how, "closed")) {
		close(STDERR_FILENO);
		close(STDOUT_FILENO);
		_exit(1);
	}
	assert(strcmp(how, "assert"));
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "crash"))
		raise(SIGSEGV);
	exit(1);
}
END

for world in memory fork exec; do
	for way in exit abort crash assert closed; do
		expect 1 "$sleave" run --world=$world --json ./ends $way
		json 'f["stderr"] == "count is 1\n\033[1mwrong\033[0m\n"'
		json 'f["stdout"] == "adds\nadds\nnot flushed yet\n"'
		cat err >out
		says 'The last lines that the program wrote' 'stderr:  count is 1' 'stdout:  not flushed yet' \
			'stderr:  .x1b\[1mwrong.x1b\[0m'
	done
done
rm -f ./*.sleave
expect 1 "$sleave" run ./ends
says '^the program ended with status 1 in main at ends.c:47 (main): ".x1b\[1mwrong.x1b\[0m"$'
expect 1 "$sleave" replay --json ends-1.sleave
json 'f["stderr"] == "count is 1\n\033[1mwrong\033[0m\n" and f["stdout"] == "adds\nadds\nnot flushed yet\n"'
never 'not the same operation by operation'

# Words on standard output alone: the headline has them.
program elsewhere <<'END'
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	printf("not ok 1\n");
	return 1;
}
END
expect 1 "$sleave" run ./elsewhere
says '^the program ended with status 1 .*: "not ok 1"$'

# What the standard output is makes no difference to the search.
expect 1 "$sleave" run -s icb -k --json ./ends
json 'o["complete"] and o["escapes"] == []'
tail -n 1 out >hidden
expect 1 "$sleave" run -s icb -k --json --show-output ./ends
tail -n 1 out >shown
python3 -c '
import json
a, b = [json.load(open(name)) for name in ("hidden", "shown")]
assert a["executions"] == b["executions"], (a["executions"], b["executions"])' || fail "--show-output changes the search"

# A section of a test: its story, with the program's words, is in TAP and JUnit.
program section <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "sleave.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
	int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void body(void *unused)
{
	pthread_t t[2];

	(void)unused;
	count = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (count != 2) {
		printf("an addition was lost: %d\n", count);
		exit(3);
	}
}
int main(void)
{
	return sleave_explore(body, NULL, NULL) != SLEAVE_CLEAN;
}
END
expect 1 "$sleave" test --tap --junit=junit.xml ./section
says '# The last lines that the program wrote:' '#   output:  an addition was lost: 1'
cat junit.xml >out
says 'output:  an addition was lost: 1'

# ---- counts that add up ----

program adds <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return count != 2;
}
END

# Two interleavings, whatever else was run; an execution has 11 operations and 7 accesses, and all are counted.
for options in '' '-s icb' '-s dfs' '-s dpor' '-j 2' '-s icb --world=fork' '-s icb --world=exec'; do
	expect 0 "$sleave" run --json $options ./adds
	json 'o["complete"] and o["interleavings"] == 2 and sum(o["spent"].values()) == o["executions"]'
	json 'o["spent"]["search"] >= 2 and o["spent"]["warm_up"] > 0 and o["spent"]["compare"] >= o["compared"] > 0'
	json 'o["operations"] == 11 * o["executions"] and o["accesses"] == 7 * o["executions"]'
	cat err >out
	never 'to go on'
done
for options in '-s pct -n 20' '--stateful'; do
	expect 0 "$sleave" run --json $options ./adds
	json 'sum(o["spent"].values()) == o["executions"]'
done
never 'to go on'
expect 0 "$sleave" run -s icb ./adds
says '^clean: all 2 interleavings in ' ' in 7 executions (-v says what for)$'
expect 0 "$sleave" run -v -s icb ./adds
says ' in 7 executions$' '^executions: 2 to search, 3 to warm up, 2 to compare$'

# Executions that dpor ended early are told, so that the others can be counted.
program spins <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock, count;
static void *add(void *arg)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_exchange(&lock, 1))
			continue;
		count++;
		atomic_store(&lock, 0);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return count != 6;
}
END
expect 0 "$sleave" run --json -s dpor -n 40 ./spins
json 'o["abandoned"] > 0 and o["interleavings"] == 40 == o["spent"]["search"]'
expect 0 "$sleave" run -v -s dpor -n 40 ./spins
says '^executions: [0-9]* to search, [0-9]* that were ended early, because they led to nothing new, '

# What is cut while a schedule is shortened is no execution of the search.
program short <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, other, sink;
static void *look(void *arg)
{
	int seen = atomic_load(&flag), more = atomic_load(&other);

	assert(seen != 1 || more != 0);
	for (int i = 0; i < 200000; i++)
		atomic_fetch_add(&sink, 1);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, look, NULL);
	atomic_store(&flag, 1);
	atomic_store(&other, 1);
	atomic_store(&flag, 2);
	pthread_join(t, NULL);
	return 0;
}
END
expect 1 "$sleave" run --json -s random ./short
json 'o["cut"] == 0 and o["spent"]["shorten"] > 0'

# Of a finding: in which execution it was, of how many.
expect 1 "$sleave" run --json ./ends
json 'sum(o["spent"].values()) == o["executions"] and o["spent"]["shorten"] > 0 and o["spent"]["trace"] == 2'
json '0 < f["execution"] <= o["executions"] - o["spent"]["shorten"] - o["spent"]["trace"]'
expect 1 "$sleave" run ./ends
says '^  found by execution 4; after [0-9]* executions in '
expect 1 "$sleave" replay --json ends-1.sleave
json 'o["executions"] == 1 and o["spent"]["trace"] == 1'

# ---- headlines that name the cause, stories that show the step that decides ----

# A thread ends holding a lock; another waits for the lock, and main for a signal of that one.
program ended <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, state = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int finished;
static void *leave(void *arg)
{
	pthread_mutex_lock(&lock);
	return arg;
}
static void *use(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&state);
	finished = 1;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&state);
	return arg;
}
int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, leave, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	pthread_mutex_lock(&state);
	while (!finished)
		pthread_cond_wait(&done, &state);
	pthread_mutex_unlock(&state);
	return 0;
}
END
expect 1 "$sleave" run --misuse=off ./ended
says '^deadlock: T1 leave ended holding lock, for which T2 use waits$' 'T1 leave  ended.c:7 .*locks lock' 'T1 leave  .*ends$' \
	'T2 use waits for lock, which T1 leave held when it ended'

# Workers without work wait, too; the program waits for the client, whose signal came before it waited.
program pool <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int items, finished;
static void *worker(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!items)
			pthread_cond_wait(&work, &lock);
		items--;
		finished++;
		pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void *client(void *arg)
{
	int wait;

	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	wait = !finished;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	if (wait)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, worker, NULL);
	pthread_create(&t, NULL, client, NULL);
	pthread_join(t, NULL);
	return 0;
}
END
expect 1 "$sleave" run --misuse=off ./pool
says '^lost wake-up: T4 client waits for a signal of done, and no thread is left that could send one$' \
	'signals done: no thread waits' ' and T[123] worker wait there for the same$'

# The signal that a thread waits for in pause() has come before, in the middle of many operations of its sender.
program early <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void handler(int number) { (void)number; }
static void *work(void *first)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
		if (i == 12)
			pthread_kill(*(pthread_t *)first, SIGUSR1);
	}
	return NULL;
}
int main(void)
{
	pthread_t t, first = pthread_self();

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, work, &first);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	pause();
	pthread_join(t, NULL);
	return 0;
}
END
expect 1 "$sleave" run ./early
says '^deadlock: main waits for a signal$' 'T1 work  .* sends SIGUSR1 to main$' 'main     .* gets SIGUSR1'

# A thread ends where it called pthread_exit(), or was cancelled, and not somewhere in the library that unwinds its stack; so its
# misuse is told once.
program leaves <<'END'
#include <pthread.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *leave(void *arg)
{
	pthread_mutex_lock(&lock[0]);
	(void)arg;
	pthread_exit(NULL);
}
static void *cancelled(void *arg)
{
	pthread_mutex_lock(&lock[1]);
	pause();
	return arg;
}
static int plain(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock[2]);
	thrd_exit(0);
}
int main(void)
{
	pthread_t t[2];
	thrd_t u;

	pthread_create(&t[0], NULL, leave, NULL);
	pthread_create(&t[1], NULL, cancelled, NULL);
	thrd_create(&u, plain, NULL);
	pthread_cancel(t[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	thrd_join(u, NULL);
	return 0;
}
END
expect 0 "$sleave" run --json ./leaves
json 'sorted((w["places"][0]["file"][-8:], w["places"][0]["line"]) for w in o["warnings"]) == [("leaves.c", 10), ("leaves.c", 15), ("leaves.c", 22)]'
never 'libgcc'

# What becomes of a signal.
program actions <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static _Atomic int count;
static void handler(int n) { (void)n; }
static void *add(void *p)
{
	int seen;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, handler);
	signal(SIGUSR1, SIG_DFL);
	seen = count;
	count = seen + 1;
	return p;
}
int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, add, NULL);
	pthread_create(&u, NULL, add, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(count == 2);
	return 0;
}
END
expect 1 "$sleave" run ./actions
says ' ignores SIGPIPE' ' installs a handler for SIGUSR1' ' sets the default action for SIGUSR1'

# The object of a null access, sleeps, and columns that hold with long names.
cat >a_file_with_a_name_that_is_longer_than_its_column.c <<'END'
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
struct node { int value; struct node *next; };
static struct node *head, first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *publish_the_first_node_of_the_list(void *arg)
{
	usleep(1000);
	pthread_mutex_lock(&lock);
	head = &first;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, publish_the_first_node_of_the_list, NULL);
	sleep(1);
	pthread_mutex_lock(&lock);
	*(struct node *volatile *)&head->next = &first;
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
END
"$sleave" cc -g -o long a_file_with_a_name_that_is_longer_than_its_column.c || fail "long is not built"
expect 1 "$sleave" run ./long
says '^crash: segmentation fault (SIGSEGV) near the null pointer (head is null) in main at ' 'sleeps 1 s$' 'reads head (= NULL)$'
# of the rows of the schedule, all begin their last column at the same place
python3 - <<'END' || fail "columns do not hold"
import re
rows = [line for line in open("out", encoding="utf-8") if re.match(r"  (main|T1)", line)]
assert len(rows) > 2 and len({line.index("column.c:") + len(re.search(r"column.c:\d+\s+", line).group()) for line in rows}) == 1, rows
END

# ---- threads that wait for each other's flags ----

# The cycle is in --json, too, and a replay tells the same. (tests/programs/bug/deadlock has more of them.)
"$sleave" cc -g -o cycle "$here/tests/programs/bug/deadlock/flags_of_each_other.c" || fail "cycle is not built"
for options in '' '-s dfs' '-s icb' '-s dpor' '-s random' '--stateful' '-j 2' '--world=fork' '--world=exec'; do
	rm -f ./cycle-*.sleave
	expect 1 "$sleave" run --json $options ./cycle
	json 'f["message"].startswith("deadlock: T1 first waits at ") and sum(o["spent"].values()) == o["executions"]'
	json '[(w["thread"], w["object"], w["by"], w["how"], w["by_place"][-4:]) for w in f["cycle"]] == [("T1 first", "ready_second", "T2 second", "sets", "c:27"), ("T2 second", "ready_first", "T1 first", "sets", "c:19")]'
	expect 1 "$sleave" replay --json cycle-1.sleave
	json 'f["message"].startswith("deadlock: T1 first waits at ") and len(f["cycle"]) == 2 and o["executions"] == 1'
done
says '"verdict"'

# ---- executions that do not end ----

# Two threads wait, each for a flag of its own, which a third sets only if it came late: each loop is a finding, and so are both at once.
program two_loops <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int here[2], done[2];
long counts[2];
static void *
first(void *arg)
{
	atomic_store(&here[0], 1);
	while (!atomic_load(&done[0]))
		counts[0]++;
	return arg;
}
static void *
second(void *arg)
{
	atomic_store(&here[1], 1);
	while (!atomic_load(&done[1]))
		counts[1]++;
	return arg;
}
static void *
set(void *arg)
{
	for (int i = 0; i < 2; i++)
		if (atomic_load(&here[i]))
			atomic_store(&done[i], 1);
	return arg;
}
int
main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, set, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
expect 1 "$sleave" run --json -s random -n 12 -k --races=off --operations 4000000 ./two_loops
json 'sorted("first at" in g["message"] and "second at" in g["message"] and 3 or "first at" in g["message"] and 1 or 2 for g in o["findings"]) == [1, 2, 3]'
json 'all(g["kind"] == "endless" for g in o["findings"]) and sum(o["spent"].values()) == o["executions"]'
expect 1 "$sleave" run --json --stateful --races=off --operations 600000 ./two_loops
json 'f["kind"] == "endless"'

# ---- findings that need time ----

expect 1 "$sleave" run --json ./long
json 'f["delay"] == {"thread": "T1 publish_the_first_node_of_the_list", "seconds": 0.999}'
cat err >out
says '^This schedule needs T1 publish_the_first_node_of_the_list to be delayed for 0.999 s while it could run.$'
expect 1 "$sleave" replay long-1.sleave
says '^This schedule needs T1 publish_the_first_node_of_the_list to be delayed for 0.999 s while it could run.$'

# Two mistakes: main's sleep of 30 s may be over before the thread has written (which takes a thread that does not run for 30 s),
# and an addition may be lost. The first execution of the search shows the first; --realistic-time tells it last. With the
# argument, the second fails as the first does: then it is told with the schedule that needs no delay.
program times <<'END'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written, count;
static void *add(void *arg)
{
	int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	written++;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void check(int good)
{
	assert(good);
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	int w;

	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	sleep(30);
	pthread_mutex_lock(&lock);
	w = written;
	pthread_mutex_unlock(&lock);
	if (argc > 1)
		check(w == 2);
	else
		assert(w == 2);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	check(count == 2);
	return 0;
}
END
for strategy in portfolio icb dpor random; do
	expect 1 "$sleave" run --json --realistic-time -s $strategy ./times
	json '"good" in f["message"] and f["delay"] is None'
	json 'all("w == 2" in g["message"] and g["delay"]["seconds"] == 30 for g in o["findings"][1:])'
	replay=$(tail -n 1 out | python3 -c 'import json, sys; print(json.load(sys.stdin)["findings"][-1]["replay"])')
	expect 1 "$sleave" replay "$replay"
	expect 1 "$sleave" run --json --realistic-time -s $strategy ./times same
	json 'len(o["findings"]) == 1 and f["delay"] is None'
done
expect 1 "$sleave" run --json -k -s dfs ./times
json 'len(o["findings"]) == 2'

# ---- signals have their names and their targets ----

program target <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
static void handle(int number) { (void)number; }
int main(void)
{
	pthread_t t;
	pid_t child;
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	signal(SIGRTMIN + 2, handle);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	kill(child, SIGRTMIN + 1);
	wait(NULL);
	kill(getpid(), SIGRTMIN + 2);
	abort();
}
END
expect 1 "$sleave" run -n 2 ./target
says 'sends SIGRTMIN+1 to process 6000000'
says 'sends SIGRTMIN+2 to the process'
says 'gets SIGRTMIN+2'

verdict
