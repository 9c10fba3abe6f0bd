#!/bin/sh
# The command line: what every option, message and exit status promises, and that a session survives whatever the
# program, the disk or the user does.
# usage: tests/cli.sh BUILD
# shellcheck disable=SC2086,SC2015 # words of options; a failed check is said twice
set -u

build=$(cd "${1:?usage: tests/cli.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

here=$(cd "$(dirname "$0")/.." && pwd)
checks_of=$(cd "$(dirname "$0")" && pwd)/checks.sh
folder=$(mktemp -d)
trap 'umount "$folder/disk" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC
# Messages have numbers of descriptors: whoever starts this leaves none open.
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$checks_of"

# json EXPRESSION: true of the object on the last line of standard output.
json()
{
	checks=$((checks + 1))
	tail -n 1 out | python3 -c "
import json, os, sys
o = json.load(sys.stdin)
assert $1, o" 2>>err || { fail "not so: $1"; tail -n 5 out err; }
}

# shown: what was warned of has a stack, and is shown again by its replay file.
shown()
{
	tail -n 1 out | python3 -c '
import json, sys
for w in json.load(sys.stdin)["warnings"]:
    assert w["replay"], w
    print(w["replay"], w["message"].split(";")[0].split(" at ")[0])' >replays 2>>err || fail "a warning without a replay file"
	grep -q 'See it again with: *sleave replay' err || fail "a warning does not say how to see it again"
	[ -s replays ] || fail "no warning"
	while read -r file message; do
		expect 1 "$sleave" replay --json "$file"
		MESSAGE=$message json 'o["findings"][0]["message"].startswith(os.environ["MESSAGE"])'
		rm -f "$file"
	done <replays
}

cat >head.h <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static inline void *bump(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}
static inline void *lots(void *arg)
{
	for (int i = 0; i < 6; i++)
		bump(arg);
	return arg;
}
static inline void two(void *(*start)(void *))
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, start, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
END

# program NAME: its main follows on standard input
program()
{
	{ echo '#include "head.h"'; cat; } >"$1.c"
	"$sleave" cc -I "$here/include" -o "$1" "$1.c" || fail "$1 is not built"
}

program clean <<'END'
int main(void) { two(bump); assert(count == 2); return 0; }
END
program buggy <<'END'
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
int main(void) { two(read_write); printf("count %d\n", count); fflush(stdout); assert(count == 2); return 0; }
END
program racy <<'END'
static void *plain(void *arg) { count++; return arg; }
int main(void) { two(plain); return 0; }
END
program single <<'END'
int main(void) { bump(NULL); return 0; }
END
program noisy <<'END'
int main(void) { char line[64]; two(bump); puts("on output"); fputs("on error\n", stderr);
	while (fgets(line, sizeof(line), stdin)) printf("read %s", line); return 0; }
END
program reader <<'END'
int main(int argc, char **argv) { char line[64] = ""; two(bump); assert(fgets(line, sizeof(line), stdin) && argc == 3);
	assert(strcmp(line, "hello\n") == 0 && strcmp(argv[1], "-k") == 0 && strcmp(argv[2], "a b") == 0); return 0; }
END
program hanging <<'END'
int main(void) { two(bump); for (;;) __asm__ volatile(""); }
END
program killed <<'END'
int main(void) { two(bump); raise(SIGKILL); return 0; }
END
program dying <<'END'
int main(void) { two(bump); signal(SIGSEGV, SIG_DFL); *(volatile int *)8 = 1; return 0; }
END
program early <<'END'
__attribute__((constructor)) static void before_main(void) { abort(); }
int main(void) { two(bump); return 0; }
END
program large <<'END'
int main(void) { two(lots); two(lots); two(lots); return 0; }
END
program growing <<'END'
int main(void) { FILE *f; long n; two(bump); f = fopen("grown", "a+"); fputc('x', f); fseek(f, 0, SEEK_END); n = ftell(f);
	fclose(f); while (n--) bump(NULL); return 0; }
END
gcc -o plain clean.c -pthread || fail "plain is not built"

# ---- usage ----
expect 2 "$sleave"
says 'usage: sleave'
expect 0 "$sleave" --help
says 'replay'
expect 0 "$sleave" --version
says '^sleave [0-9]'
expect 2 "$sleave" rnu
says "did you mean 'run'"
expect 2 "$sleave" --frobnicate
for command in run replay cc c++; do
	expect 0 "$sleave" help $command
	says "usage: sleave $command"
	expect 0 "$sleave" $command --help
	says "usage: sleave $command"
done
expect 2 "$sleave" help nothing
"$sleave" run --help >out
for name in strategy seed depth schedules time jobs races memory misuse spurious keep-going json world carrier operations watchdog \
	show-output output quiet color help; do
	grep -q -e "--$name" out || fail "run --help lacks --$name"
done
for name in portfolio icb dfs pct pos surw rf rare walk random; do
	grep -q "^  $name " out || fail "run --help lacks the strategy $name"
done
expect 2 "$sleave" run
says 'which program'
expect 2 "$sleave" run --stratgy dfs ./clean
says 'did you mean --strategy'
expect 2 "$sleave" run --strategy rando ./clean
says "did you mean 'random'"
says 'portfolio, icb, dfs, .*pct, pos, surw, rf, rare, walk, tsa, random'
for option in --time=soon --time=-1 --time=1x --seed=x --seed=-1 --schedules=0 --jobs=0 --jobs=65 --races=maybe \
	--world=moon --carrier=pigeon --color=blue --json=1 --depth=0 --watchdog= --output= --preemptions=-1 --preemptions=x --preemptions=1.5 --preemptions= \
	--preemptions=2000000 --preemptions=99999999999999999999; do
	expect 2 "$sleave" run $option ./clean
	says 'sleave run --help'
done
expect 2 "$sleave" run --strategy random --preemptions 1 ./clean
says 'preemptions is for --strategy=dpor and --strategy=icb; random has no such bound'
expect 2 "$sleave" run --seed
says 'needs a value'
expect 2 "$sleave" replay
expect 2 "$sleave" replay a b

# ---- programs that can't be run ----
expect 3 "$sleave" run ./nothing
says 'nothing does not exist'
expect 3 "$sleave" run ./plain
says 'was not built for Sleave'
expect 3 "$sleave" run ./head.h
expect 3 "$sleave" run --json ./plain
json 'o["verdict"] == "undecided" and "not built" in o["reason"]'
expect 3 "$sleave" run ./single
says 'never started a second thread'

# ---- clean ----
expect 0 "$sleave" run ./clean
says '^clean: all '
says 'under control: 3 threads'
expect 2 "$sleave" run --strategy dpor --preemptions 1 -j 2 ./clean
says 'leave --jobs out'
expect 0 "$sleave" run --json --strategy dfs ./clean
json 'o["verdict"] == "clean" and o["complete"] is True and o["strategy"] == "dfs" and o["findings"] == []'
json 'o["executions"] > 0 and o["operations"] > 0 and o["seconds"] >= 0 and o["reason"] is None'
[ "$(wc -l <out)" = 1 ] || fail "--json: more than the object on standard output"
grep -q '^clean' err || fail "--json: nothing for people on standard error"
one=$(tail -n 1 out | sed 's/.*"interleavings": \([0-9]*\).*/\1/')
for options in "--world=fork" "--world=exec" "--carrier=thread" "--world=exec --carrier=thread"; do
	expect 0 "$sleave" run --json --strategy dfs $options ./clean
	json "o['complete'] and o['interleavings'] == $one"
	expect 0 "$sleave" run --json --strategy dfs $options -j2 ./clean # some may be done twice, none may be missed
	json "o['complete'] and o['interleavings'] >= $one"
done
# what was covered, for every way in which a search through all of them ends
for strategy in dpor icb; do
	expect 0 "$sleave" run --strategy $strategy ./clean
	case $strategy in
	dpor) says '^clean: all interleavings ([0-9,]* that differ) in ' ;;
	*) says '^clean: all [0-9,]* interleavings in ' ;;
	esac
	expect 0 "$sleave" run --strategy $strategy --preemptions 0 ./large
	says '^clean: every interleaving without preemptions in .*, [0-9,]* schedule'
	expect 0 "$sleave" run --json --strategy $strategy --preemptions 1 ./large
	says '^clean: every interleaving with at most 1 preemption in .*, [0-9,]* schedule'
	json 'o["complete"] is False and o["bound"] == 1'
done
for strategy in dpor dfs; do
	expect 0 "$sleave" run --strategy $strategy -n 100 ./large
	says '^clean so far: 100 schedules in '
	says '^covered: about [0-9.e+-]*% of an estimated [0-9,]* interleavings'
done
expect 0 "$sleave" run --strategy random -n 100 ./large
says '^clean so far: sampled 100 schedules in '
never '^covered'
expect 0 "$sleave" run --json --strategy random --seed 7 -n 500 ./clean
json 'o["interleavings"] == 500 and o["complete"] is False and o["seed"] == 7'
expect 0 "$sleave" run --json --strategy pct --depth 2 --time 300ms ./large
json '0.2 < o["seconds"] < 30'
ls ./*.sleave >/dev/null 2>&1 && fail "a clean run wrote a replay file"

# ---- findings ----
expect 1 "$sleave" run ./buggy
says 'assertion failed: count == 2'
says 'sleave replay buggy-1.sleave'
sed '/^finding:/,$d' out >story
[ -f buggy-1.sleave ] || fail "no replay file"
for options in "" "--carrier=thread" "--world=fork" "--world=exec" "--carrier=thread --world=exec"; do
	expect 1 "$sleave" replay buggy-1.sleave $options
	sed 1d out | cmp -s - story || { fail "another story: replay $options"; diff out story; }
	never '^note'
	[ "$(head -n 1 out)" = "count 1" ] || fail "the program's output is not shown: replay $options"
done
expect 1 "$sleave" replay --trace buggy-1.sleave
says 'unlocks lock'
says 'creates T1'
expect 1 "$sleave" replay --json buggy-1.sleave
json 'o["verdict"] == "finding" and o["findings"][0]["kind"] == "assertion"'
cp buggy-1.sleave kept
expect 1 "$sleave" run --json ./buggy
json 'o["findings"][0]["replay"] == "buggy-2.sleave" and o["findings"][0]["preemptions"] == 1'
json 'o["findings"][0]["places"][0]["line"] == 4'
cmp -s buggy-1.sleave kept || fail "an existing replay file was touched"
cmp -s buggy-1.sleave buggy-2.sleave || fail "the same search gave another replay file"
mkdir elsewhere
(cd elsewhere && timeout 60 "$sleave" replay ../buggy-1.sleave >../out 2>../err </dev/null)
[ $? = 1 ] || fail "replay from another folder"
expect 1 "$sleave" run --output made ./buggy
[ -f made/buggy-1.sleave ] || fail "--output: no file"
expect 1 "$sleave" run ./racy
says 'data race on count'
expect 0 "$sleave" run --races=off ./racy
never 'race'
expect 0 "$sleave" run --races=warn --json ./racy
says '^warning'
json 'o["verdict"] == "clean" and o["complete"] and o["warnings"][0]["kind"] == "race"'
shown
expect 1 "$sleave" run -k ./racy
says 'findings'

# ---- misuse, and the ends that are only warned of ----
timeout 60 "$sleave" cc -o twice "$here/tests/programs/bug/misuse/join_twice.c" && timeout 60 "$sleave" cc -o held "$here/tests/programs/clean/forgotten.c"
expect 0 "$sleave" run --misuse=off --json ./twice
json 'not o["warnings"]'
expect 0 "$sleave" run --misuse=warn --json ./twice
json 'o["warnings"][0]["kind"] == "misuse" and len(o["warnings"][0]["places"]) == 2'
shown
expect 0 "$sleave" run --json ./held
json 'sorted(w["message"].split(" at ")[0] for w in o["warnings"]) == ["misuse: T1 work ends with lock locked", "misuse: main ends the program while T2 daemon_thread is still running", "misuse: main ends the program with other locked"]'
shown
timeout 60 "$sleave" cc -o joined "$here/tests/programs/clean/joined_by_destructor.c"
expect 0 "$sleave" run --json ./joined
json 'o["complete"] and not o["warnings"]'

# ---- leaks that depend on the schedule ----
timeout 60 "$sleave" cc -o leaks "$here/tests/programs/clean/leak_in_one_order.c" && timeout 60 "$sleave" cc -o tight "$here/tests/programs/clean/no_leak.c"
for options in '' '--world=fork' '--world=exec' '--carrier=thread' '-j 2'; do
	expect 0 "$sleave" run --json $options ./leaks
	json '[(w["kind"], w["places"][0]["line"]) for w in o["warnings"]] == [("leak", 22), ("leak", 24)] and o["complete"]'
	cp out kept_out && cp err kept_err
	shown
done
cp kept_out out && cp kept_err err
says 'warning: leak: 1 block (40 bytes) that T[12] use allocated at .*leak_in_one_order.c:22 is lost at the end of some schedules, not of others'
expect 0 "$sleave" run --json --memory=off ./leaks
json 'not o["warnings"]'
expect 0 "$sleave" run --json ./tight
json 'not o["warnings"]'
# blocks of libc's own, which end with their thread
timeout 60 "$sleave" cc -o keys "$here/tests/programs/clean/many_keys.c"
expect 0 "$sleave" run --json ./keys
json 'o["complete"] and not o["warnings"]'

# ---- the heap: one bug is one finding, whatever it is called ----
programs=$here/tests/programs
timeout 60 "$sleave" cc -o locked "$programs/bug/use-after-free/locked.c" && timeout 60 "$sleave" cc -o freed "$programs/bug/race/free_and_use.c"
expect 0 "$sleave" run --memory=off ./locked
expect 1 "$sleave" run -k --json ./freed
json 'len(o["findings"]) == 1 and not o["warnings"]'
expect 1 "$sleave" run -k --json --races=off ./freed
json '[f["kind"] for f in o["findings"]] == ["use-after-free"] and len(o["findings"][0]["places"]) == 3'
expect 1 "$sleave" run -k --json --races=warn ./freed
json '[f["kind"] for f in o["findings"]] == ["use-after-free"] and not o["warnings"]'
cat >mismatch.cc <<'EOF'
#include <cstdlib>
#include <thread>
int main()
{
	std::thread([] { free(new int); delete[] new int; }).join();
}
EOF
timeout 60 "$sleave" c++ -w -o mismatch mismatch.cc
expect 0 "$sleave" run --json ./mismatch
json 'sorted(w["message"].split(" at ")[0] for w in o["warnings"]) == ["misuse: T1 frees a block from new with " + by for by in ("delete[]", "free()")]'

cat >deep.c <<'END'
#include "head.h"
static void forget(void) { pthread_mutex_lock(&lock); }
static void *work(void *arg) { forget(); return arg; }
int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); return 0; }
END
timeout 60 "$sleave" cc -O0 -o deep deep.c
expect 0 "$sleave" run --json ./deep
json '[c["function"] for c in o["warnings"][0]["places"][1]["callers"]] == ["work"] and o["warnings"][0]["places"][1]["function"] == "forget"'
says 'called from deep.c:3 (work)'
shown

expect 1 "$sleave" run -k --json --races=off ./buggy
json 'len(o["findings"]) == 1 and o["complete"] is True'
expect 1 "$sleave" run ./dying
says 'SIGSEGV'
expect 1 "$sleave" replay dying-1.sleave
says 'SIGSEGV'

# ---- replay files that are not as they should be ----
cp buggy good
sed 's/count == 2/count == 3 - 1/' buggy.c >other.c && "$sleave" cc -o buggy other.c
expect 3 "$sleave" replay buggy-1.sleave
says 'has changed'
says '--force'
expect 3 "$sleave" replay --force buggy-2.sleave
says 'this happened instead: assertion failed: count == 3 - 1'
says 'the program was rebuilt'
cp good buggy
spoil() # SED-SCRIPT WORDS
{
	sed "$1" buggy-1.sleave >spoilt.sleave
	expect 3 "$sleave" replay spoilt.sleave
	says "$2"
}
spoil 's/^schedule .*/schedule 9999/' 'cut off'
spoil 's/^end$//' 'cut off'
spoil '1s/.*/hello/' 'not a replay file'
spoil '1s/1$/99/' 'newer Sleave'
spoil 's/^seed/sead/' 'spoilt.sleave:[0-9]*:'
spoil 's/^program.*/program \/nowhere\/x/' 'does not exist'
spoil 's/^directory.*/directory \/nowhere/' '/nowhere'
spoil 's/^explore-call.*/explore-call 2/' 'sleave_explore'
spoil 's/^signature.*/signature 1/' 'did not happen again'
expect 3 "$sleave" replay missing.sleave
says 'missing.sleave'
expect 3 "$sleave" replay .

# ---- what the program reads and prints ----
expect 0 "$sleave" run ./noisy
never 'on output'
never 'on error'
expect 0 "$sleave" run --show-output -n 1 -s random ./noisy
grep -q '^on output' out || fail "--show-output: no output"
grep -q '^on error' err || fail "--show-output: no errors"
echo hello >hello
for world in memory fork exec; do
	checks=$((checks + 2))
	echo hello | timeout 60 "$sleave" run -q --world=$world ./reader -k "a b" >out 2>&1 || { fail "input, $world"; cat out; }
	timeout 60 "$sleave" run -q --world=$world ./reader -k "a b" <hello >out 2>&1 || { fail "input file, $world"; cat out; }
done
checks=$((checks + 1))
mkfifo endless
{ echo hello; exec sleep 100; } >endless &
timeout 60 "$sleave" run ./reader -k "a b" >out 2>err <endless || fail "input without end"
kill $!
says 'does not end'

# ---- programs that misbehave ----
expect 3 "$sleave" run --watchdog 1s ./hanging
says 'nothing visible for 1 s'
expect 3 "$sleave" run ./early
says 'signal 6'
expect 3 "$sleave" run ./killed
says 'SIGKILL'
expect 3 "$sleave" run ./growing
says 'with --world=fork'
says 'with --world=exec'
says 'not deterministic'
expect 3 "$sleave" run --world=memory ./growing
never 'note:'
expect 3 "$sleave" run --operations 20 ./large
says 'limit of 20 operations'
expect 3 "$sleave" run --operations 5 ./large
says 'limit of 5 operations'

# the workers come up at the same time
for _ in 1 2 3 4 5 6 7 8; do
	expect 1 "$sleave" run -q -k -j 2 ./buggy
done

# ---- a folder or disk that takes nothing ----
checks=$((checks + 1))
"$sleave" run --json ./clean >/dev/full 2>err
[ $? = 3 ] && grep -q 'cannot write to standard output' err || fail "standard output is full, and nobody says so"
expect 1 "$sleave" run --output /proc/nowhere ./buggy
says 'there is no replay file: cannot write /proc/nowhere/buggy-1.sleave'
says 'assertion failed'
mkdir disk
if mount -t tmpfs -o size=4k tmpfs disk 2>/dev/null; then
	head -c 4096 /dev/zero >disk/full
	expect 1 "$sleave" run --output disk ./buggy
	says 'No space left'
	says 'assertion failed'
	[ "$(ls disk)" = full ] || fail "something was left on the full disk"
	umount disk
fi

# ---- Ctrl-C ----
# Until COMMAND… succeeds, on a machine that may be busy.
await()
{
	for _ in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return
		sleep 0.1
	done
	fail "never true: $*"
}

await_program() { await pgrep -f "^$folder/bin/"; }

# interrupt STATUS SIGNALS COMMAND…: in the middle, when $ready is there
ready=
interrupt()
{
	expected=$1
	signals=$2
	shift 2
	checks=$((checks + 2))
	setsid "$@" >out 2>err </dev/null &
	child=$!
	await_program
	[ -z "$ready" ] || await test -s "$ready"
	for signal in $signals; do
		sleep 1
		kill -$signal $child
	done
	wait $child
	status=$?
	[ $status = "$expected" ] || { fail "status $status instead of $expected after $signals: $*"; cat out err; }
	if pgrep -f "$folder/bin/" >/dev/null; then
		fail "processes are left: $*"
	fi
}
mkdir bin
cp large hanging bin
interrupt 3 INT "$sleave" run -t 100s "$folder/bin/large"
says 'interrupted'
interrupt 3 TERM "$sleave" run -t 100s -j2 --world=fork "$folder/bin/large"
says 'interrupted'
interrupt 3 INT "$sleave" run -t 100s "$folder/bin/hanging"
interrupt 3 "INT INT" "$sleave" run -t 100s "$folder/bin/hanging"
cat >both.c <<'END'
#include "head.h"
static void *once(void *arg) { static int n; if (arg == NULL) n++; return lots(arg); }
int main(void) { two(once); two(lots); two(lots); return 0; }
END
"$sleave" cc -o bin/both both.c
ready=both-1.sleave
interrupt 1 INT "$sleave" run -k -t 100s --json "$folder/bin/both"
ready=
json 'o["interrupted"] and o["findings"][0]["kind"] == "race" and o["findings"][0]["replay"]'
checks=$((checks + 1))
"$sleave" run -t 100s "$folder/bin/large" >out 2>err </dev/null &
await_program
sleep 1
kill -KILL $!
wait $! 2>/dev/null
for _ in $(seq 100); do
	! pgrep -f "$folder/bin/" >/dev/null || sleep 0.1
done
pgrep -f "$folder/bin/" >/dev/null && fail "the program outlives a command that was killed"

# ---- a signal from another process is named: it is not part of a schedule ----
"$sleave" cc -DROUNDS=20 -o bin/counting "$here/tests/resume/count.c" || fail "counting is not built"
"$sleave" run -j 1 -t 100s "$folder/bin/counting" >out 2>err </dev/null &
await_program
begun() { [ "$(od -A n -t u8 -N 8 counts)" -gt 0 ]; } # an execution has, under control
await begun
kill -USR1 "$(pgrep -n -f "^$folder/bin/counting")"
wait $!
status=$?
checks=$((checks + 1))
[ $status = 3 ] || fail "status $status instead of 3 after a signal from outside"
says "the program got signal 10 from process $$"
never "reached the limit"

# ---- colours and the live line ----
expect 1 "$sleave" run --color=always ./buggy
says "$(printf '\033')\\[1;31m"
expect 1 "$sleave" run ./buggy
never "$(printf '\033')"
# without a pseudo-terminal (a bare chroot) there is nothing to look at
if command -v script >/dev/null && script -qec "test -t 1" /dev/null >/dev/null 2>&1 </dev/null; then
	checks=$((checks + 3))
	script -qec "$sleave run -t 1s -s random ./large" /dev/null >out 2>err </dev/null
	grep -q 'schedules, [0-9,]*/s' out || fail "no live line on a terminal"
	script -qec "$sleave run ./buggy" /dev/null >out 2>err </dev/null
	grep -q "$(printf '\033')\\[1;31m" out || fail "no colours on a terminal"
	NO_COLOR=1 script -qec "$sleave run ./buggy" /dev/null >out 2>err </dev/null
	grep -q "$(printf '\033')\\[1;31m" out && fail "NO_COLOR is not respected"
fi

# A replay in another environment is the same operation by operation, though arguments are looked at: nothing moves.
program arguing <<'END'
int main(int argc, char **argv) { volatile char first = argv[0][0]; two(bump); assert(argc == 1 && !first); return 0; }
END
expect 1 "$sleave" run ./arguing
expect 1 env SOMETHING="a variable of which the program knows nothing" "$sleave" replay arguing-1.sleave
grep -q 'operation by operation' err && fail "another environment is another execution"

# What the program asks for of its environment is as it was when the failure was found; or as it is now, if the user wants that.
program asking <<'END'
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
static int is_split;
__attribute__((constructor)) static void early(void) { is_split = getenv("SPLIT") && !getenv("NEVER"); }
int main(void) { const char *mode = getenv("MODE"); two(mode && is_split && !strcmp(mode, "a b") ? read_write : bump);
	assert(count == 2); return 0; }
END
expect 1 env SPLIT= MODE="a b" LC_TIME=C LD_NOTHING=1 "$sleave" run ./asking
grep -q '^environment MODE=a b$' asking-1.sleave || fail "MODE is not in the file"
grep -q '^environment SPLIT=$' asking-1.sleave || fail "SPLIT is not in the file"
grep -q '^environment LC_TIME=C$' asking-1.sleave || fail "LC_TIME is not in the file"
grep -q '^unset NEVER$' asking-1.sleave || fail "that NEVER was unset is not in the file"
grep -q '^environment.*LD_' asking-1.sleave && fail "a file says how a program is started"
expect 1 "$sleave" replay asking-1.sleave
never 'operation by operation'
expect 1 env MODE=b NEVER=1 "$sleave" replay asking-1.sleave
never 'operation by operation'
expect 3 env SPLIT= MODE="a c" LC_TIME=C "$sleave" replay --environment=current asking-1.sleave
says 'it did not happen again: .*; operation [0-9]* was first: main creates T1 read_write .*head.h.*; then: main creates T1 bump .*; likely cause: the environment variable MODE was "a b", is "a c"'
never 'and [0-9]* more differ'
# values alone differ: an assertion about the environment itself
program wanting <<'END'
int main(void) { two(bump); assert(getenv("WANTED")); return 0; }
END
expect 1 env -u WANTED "$sleave" run ./wanting
expect 3 env WANTED=1 "$sleave" replay --environment=current wanting-1.sleave
says 'likely cause: the environment variable WANTED was unset, is "1"'
expect 1 env SPLIT= MODE="a b" "$sleave" replay --environment=current asking-1.sleave
expect 2 "$sleave" replay --environment=none asking-1.sleave
# a file of an older Sleave
sed '/^environment/d; /^unset/d' asking-1.sleave >older.sleave
expect 1 env SPLIT= MODE="a b" "$sleave" replay older.sleave
expect 3 "$sleave" replay older.sleave
# a variable for which the program did not ask by its name
program looking <<'END'
extern char **environ;
int main(void) { int n = 1; for (char **e = environ; *e; e++) n &= strcmp(*e, "LOOKED=1") != 0; two(bump); if (!n) bump(NULL);
	assert(count == 2); return 0; }
END
expect 1 env LOOKED=1 "$sleave" run ./looking
expect 3 "$sleave" replay looking-1.sleave
says 'likely cause: the environment: variables are set otherwise for which the program did not ask'
[ ! -x "$(command -v gdb)" ] || expect 1 env MODE=b NEVER=1 "$sleave" replay --gdb asking-1.sleave

# ---- gdb, when standard input is not a terminal (at one: gdb.sh) ----
if command -v gdb >/dev/null; then
	expect 1 "$sleave" replay --gdb buggy-1.sleave
	says 'main () at .*buggy.c:4'
	expect 1 "$sleave" replay --gdb dying-1.sleave
	says 'SIGSEGV'
	# it stops in the program's own frame, says why, knows threads by Sleave's names, shows no frame of the engine's, and every
	# backtrace has an end
	gdb_bugs=$here/tests/programs/bug
	mkdir -p without && printf '#!/bin/sh\ncase "$*" in *"python import"*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v gdb)" >without/gdb
	chmod +x without/gdb
	for bug in race/counter assertion/lost_update deadlock/abba crash/null_pointer use-after-free/own_thread; do
		[ -e "$gdb_bugs/$bug.c" ] || { fail "there is no $bug.c"; continue; }
		options=$(sed -n '1,15s|^/\* options: \(.*\) \*/$|\1|p' "$gdb_bugs/$bug.c")
		mkdir -p gdb && "$sleave" cc -g -O0 -o bug "$gdb_bugs/$bug.c" 2>err || fail "$bug.c does not compile"
		# shellcheck disable=SC2086 # words of options
		expect 1 "$sleave" run $options -q -o gdb ./bug
		expect 1 "$sleave" replay --gdb gdb/bug-1.sleave
		says '^stopped: '
		says '^[* ] 1  *Thread .*"main" '
		sed -n '/^stopped: /,$p' out >shown
		grep -q "^#[0-9]* .*${bug#*/}.c:[0-9]" shown || { fail "$bug: no frame of the program's"; cat out; }
		grep -q 'engine/\|??\|corrupt' shown && { fail "$bug: frames of the engine's, or no end"; cat out; }
		PATH=$PWD/without:$PATH expect 1 "$sleave" replay --gdb gdb/bug-1.sleave
		says '^stopped: '
		says 'this gdb has no Python'
		sed -n '/^stopped: /,/^Thread/p' out | grep -q "^#[0-9]* .*${bug#*/}.c:[0-9]" || { fail "$bug: no frame without Python"; cat out; }
		grep -q '??\|corrupt' out && { fail "$bug: no end without Python"; cat out; }
		rm -rf gdb
	done
fi

# ---- what is not modelled is named ----
program stuck <<'END'
#include <stdlib.h>
#include <unistd.h>
static void *fill(void *arg) { static char b[65536]; int p[2]; if (pipe(p)) abort();
	for (int i = 0; i < 4; i++) if (write(p[1], b, sizeof(b)) < 0) abort();
	return arg; }
int main(void) { two(fill); return 0; }
END
expect 1 "$sleave" run ./stuck
says 'deadlock: T1 fill waits for room to write to descriptors 3 and 4 (pipe)'

program raw <<'END'
#include <sys/syscall.h>
#include <unistd.h>
static void *barrier(void *arg) { syscall(SYS_membarrier, 0, 0, 0); pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock);
	return arg; }
int main(void) { two(barrier); return 0; }
END
expect 0 "$sleave" run ./raw
says '^not modelled: raw system call membarrier, let through [0-9,]* times, first at raw.c:'

# What only another process could end is not a deadlock, and needs no watchdog to be said.
program outside <<'END'
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
static void *watch(void *arg) { char b[512]; if (read(inotify_init(), b, sizeof(b)) < 0) abort(); return arg; }
int main(void) { two(watch); return 0; }
END
expect 3 "$sleave" run ./outside
says 'waits for something from outside, and no other thread can go on: reading from descriptor 3 at outside.c:'

# ---- trust: the canary, and the same schedule twice ----
cat >thief.c <<'END'
int pthread_mutex_lock(void *m) { (void)m; return 0; }
int pthread_mutex_unlock(void *m) { (void)m; return 0; }
END
gcc -shared -fPIC -o thief.so thief.c
expect 3 env LD_PRELOAD="$folder/thief.so" "$sleave" run ./clean
says 'not in control here: its own example of a deadlock'
cat >blind.c <<'END'
void __tsan_write4(void *p) { (void)p; }
void __tsan_read4(void *p) { (void)p; }
END
gcc -shared -fPIC -o blind.so blind.c
expect 3 env LD_PRELOAD="$folder/blind.so" "$sleave" run ./clean
says 'not in control here: its own example of a race'
program outside <<'END'
#include <x86intrin.h>
static pthread_mutex_t locks[16];
static void *any(void *arg) { int i = __rdtsc() >> 5 & 15; pthread_mutex_lock(&locks[i]); pthread_mutex_unlock(&locks[i]);
	return arg; }
int main(void) { two(any); return 0; }
END
expect 3 "$sleave" run -n 100 ./outside
says 'not deterministic'
says 'operation [0-9]* was .*(outside.c:.*; likely cause: '
expect 0 "$sleave" run --json ./clean
json 'o["compared"] > 0 and o["diverged"] == 0'
expect 0 "$sleave" run --json --check-determinism=off ./clean
json 'o["compared"] == 0'
expect 0 "$sleave" run --json --check-determinism --strategy dfs ./clean
json 'o["compared"] == o["interleavings"]'
expect 2 "$sleave" run --check-determinism=some ./clean
says 'off|sample|all'

# ---- a program that was not built for Sleave ----
cat >foreign.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *ab(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a); return p; }
static void *ba(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b); return p; }
int main(int argc, char **argv)
{
	pthread_t t, u;
	(void)argv;
	if (getenv("LD_PRELOAD") || getenv("LD_BIND_NOW") || getenv("SLEAVE_ARENA"))
		return 9;
	pthread_create(&t, NULL, ab, NULL);
	pthread_create(&u, NULL, argc > 1 ? ab : ba, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
END
gcc -g -o foreign foreign.c -pthread
expect 3 "$sleave" run ./foreign
says 'not built for Sleave.*--sync-only'
expect 1 "$sleave" run --sync-only ./foreign
says 'deadlock: T1 ab and T2 ba wait for each other'
says 'not seen: accesses to memory'
expect 1 "$sleave" replay foreign-1.sleave
expect 0 "$sleave" run --json --sync-only --strategy dfs ./foreign same
says '^clean, synchronisation only (accesses to memory were not seen): all 2 interleavings of its synchronisation'
json 'o["sync_only"] and o["complete"] and o["interleavings"] == 2'
expect 0 "$sleave" run --json --sync-only ./foreign same
says 'all 2 interleavings of its synchronisation'
expect 2 "$sleave" run --sync-only --strategy dpor ./foreign same
says "dpor can't tell what commutes"
expect 3 "$sleave" run --sync-only ./clean
says 'leave --sync-only out'
expect 2 "$sleave" replay --until 7 foreign-1.sleave
expect 1 "$sleave" replay --gdb --until 7 foreign-1.sleave
says 'stopped: before operation 7'
never 'pthread_create (handle' # a frame of the engine
says 'main (argc=1.*foreign.c:16'
expect 1 "$sleave" replay --gdb foreign-1.sleave
says 'in ab .*foreign.c'
says 'in ba .*foreign.c'

# ---- a program that is too heavy says where it is so ----
cat >heavy.c <<'END'
#include <pthread.h>
static volatile long table[1 << 16];
static void
fill(long rounds)
{
	for (long r = 0; r < rounds; r++)
		for (int i = 0; i < 1 << 16; i++)
			table[i] += r;
}
static void *
work(void *arg)
{
	fill(1000000);
	return arg;
}
int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	return pthread_join(thread, NULL);
}
END
timeout 60 "$sleave" cc -O1 -o heavy heavy.c
expect 3 "$sleave" run --time 2s --operations 100000000000 ./heavy
says 'one execution takes more than [0-9.]* s and .* operations, most of them in fill() at heavy.c:8: make the input smaller'
rm -rf .sleave

# ---- suppressions ----
program known <<'END'
static int x, y;
static void inc_x(void) { x++; }
static void inc_y(void) { y++; }
static void *both(void *arg) { inc_x(); inc_y(); return arg; }
int main(void) { two(both); return 0; }
END
printf '# known\nrace:^inc_x$\n' >one.supp
printf 'race:inc_x\n\n  race_top:inc_*\n' >all.supp
printf 'race_top:both\ndeadlock:inc_x\ncalled_from_lib:libx.so\n' >other.supp
printf 'race:a\nrac:foo\n' >wrong.supp
expect 1 "$sleave" run --json --suppressions one.supp ./known
says 'data race on y'
says '^suppressed: [0-9]* findings\{0,1\} by race:^inc_x\$'
json 'len(o["findings"]) == 1 and o["suppressed"] >= 1'
expect 0 "$sleave" run --json --suppressions all.supp ./known
json 'o["verdict"] == "clean" and o["complete"] and o["suppressed"] == 4'
expect 1 "$sleave" run --suppressions other.supp ./known
never '^suppressed'
# by the variable's name, whole or part; `volatile` is for races with a volatile access, and such a race names the option
cat >shelf.c <<'END'
#include <pthread.h>

struct {
	int hits;
	volatile int state;
} board;

static void *
hit(void *arg)
{
	board.hits++;
	return arg;
}

static void *
step(void *arg)
{
	board.state++;
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, argc > 1 ? step : hit, NULL);
	(argc > 1 ? step : hit)(NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
"$sleave" cc -o shelf shelf.c
for row in 'race:^board$ 0 0' 'race:board.hits 0 1' 'race:board.state 1 0' 'volatile:board 1 0' 'race_top:board 1 1'; do
	set -- $row
	echo "$1" >variable.supp
	expect "$2" "$sleave" run --suppressions variable.supp ./shelf
	expect "$3" "$sleave" run --suppressions variable.supp ./shelf volatile
done
expect 1 "$sleave" run ./shelf volatile
says '^  --volatile=atomic$'
expect 0 "$sleave" run --volatile=atomic ./shelf volatile
expect 1 "$sleave" run --volatile=atomic ./shelf
never 'volatile=atomic$'
expect 2 "$sleave" run --volatile=maybe ./shelf
program beyond <<'END'
#include <stdlib.h>
static void *past(void *arg) { volatile int *p = malloc(sizeof(*p)); int n = p[1]; free((void *)p);
	pthread_mutex_lock(&lock); count += 1 + 0 * n; pthread_mutex_unlock(&lock); return arg; }
int main(void) { two(past); assert(count == 3); return 0; }
END
echo 'out-of-bounds:past' >bounds.supp
expect 1 "$sleave" run --suppressions bounds.supp ./beyond
says 'assertion failed: count == 3'
expect 1 "$sleave" run --json --keep-going ./beyond
json 'sorted(f["kind"] for f in o["findings"]) == ["assertion", "out-of-bounds"]'
expect 2 "$sleave" run --suppressions wrong.supp ./known
says "wrong.supp:2: there is no type 'rac'"
expect 2 "$sleave" run --suppressions missing.supp ./known
says 'cannot open missing.supp'

# ---- a spurious wake-up is told as such; a signalled one is not ----
expect 0 "$sleave" cc -o woken "$here/tests/programs/bug/assertion/spurious_wakeup.c"
expect 1 "$sleave" run --spurious ./woken
says 'wakes spuriously and locks lock'
expect 0 "$sleave" cc -o signalled "$here/tests/programs/bug/assertion/if_instead_of_while.c"
expect 1 "$sleave" run ./signalled
says 'wakes and locks'
never 'no reason'

# ---- a block of C++ is named after the line that has `new` in it ----
cat >block.cc <<'END'
#include <thread>
int
main()
{
	int *n = new int(0);
	std::thread t([n] { ++*n; });
	++*n;
	t.join();
	delete n;
}
END
expect 0 "$sleave" c++ -o block block.cc
expect 1 "$sleave" run ./block
says 'from block.cc:5'
never 'operator new'

# C++: places are the program's own, whatever the library does on the way, and its members have no names for us.
cat >own.cc <<'END'
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>
static std::vector<int> all; static std::atomic<int> turns;
static std::mutex lock;
static void add(int i)
{
	if (i)
		lock.lock();
	all.push_back(i);
	if (i)
		lock.unlock();
}
int main()
{
	std::thread first(add, 0);
	std::thread second([] { turns.fetch_add(1); add(1); });
	turns.fetch_add(1);
	first.join();
	second.join();
}
END
for level in -O0 -O2; do
	expect 0 "$sleave" c++ $level -o own own.cc
	expect 1 "$sleave" run ./own
	says 'data race on all.*: T1 writes at own.cc:11, T2 reads at own.cc:11'
	says 'holding lock .own.cc:10.'
	says 'in .*push_back.*, which it calls'
	says 'created by main at own.cc:17'
	says 'created by main at own.cc:18'
	never '_M_start_thread|_M_mutex|std_thread.h'
	expect 1 "$sleave" replay --trace own-1.sleave
	says 'atomically updates turns.*own.cc:18'
	rm own-1.sleave
done

# ---- a replay is the same operation by operation, although no execution came before it ----
expect 0 "$sleave" c++ -o counted "$here/tests/programs/bug/deadlock/shared_pointer_before.cc"
expect 1 "$sleave" run ./counted
expect 1 "$sleave" replay counted-1.sleave
never 'not the same operation'
expect 0 "$sleave" cc -o argued "$here/tests/programs/bug/assertion/arguments.c"
expect 1 env _=a "$sleave" run ./argued 3 4
expect 1 env _=a-name-that-is-much-longer "$sleave" replay argued-1.sleave
never 'not the same operation'

# ---- inside a test ----
program inside <<'END'
#include <sleave.h>
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
static void good(void *arg) { (void)arg; count = 0; two(bump); assert(count == 2); }
/* leaves a file open when it fails: the shared memory must not be closed with it */
static void bad(void *arg) { FILE *f = fopen("/dev/null", "w"); (void)arg; count = 0; two(read_write);
	assert(count == 2); fclose(f); }
int main(int argc, char **argv)
{
	struct sleave_result result;
	struct sleave_options options = {.result = &result, .quiet = argc > 1};
	(void)argv;
	assert(sleave_explore(good, NULL, NULL) == SLEAVE_CLEAN);
	assert(sleave_explore(bad, NULL, &options) == SLEAVE_FINDING && result.findings == 1);
	printf("%s\n%s\n", result.message, result.replay_file);
	return count;
}
END
expect 0 ./inside
says '^assertion failed: count == 2'
says 'sleave replay inside-1.sleave'
expect 1 "$sleave" replay inside-1.sleave
says 'assertion failed: count == 2'
expect 0 ./inside quiet
[ ! -s err ] || { fail "quiet: says something"; cat err; }
[ ! -e inside-2.sleave ] || fail "quiet: wrote a replay file"
expect 2 "$sleave" report

echo "$checks checks, $failures failures"
[ $failures = 0 ]
