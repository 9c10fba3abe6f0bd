#!/bin/sh
# `sleave test`: which programs are run, how each of their ends is told, in text, TAP, JUnit XML and JSON, and that what is
# told is of a form that others can read. Most programs here are a shell script in the clothes of a test program, which
# reports to the command as the engine does; so every end can be had at will.
# usage: tests/testcmd.sh BUILD
# shellcheck disable=SC2015,SC2046,SC2086 # a failed check is said twice; words of options
set -u

build=$(cd "${1:?usage: tests/testcmd.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR SLEAVE_MODE SLEAVE_EXPLORE SLEAVE_RESULTS SLEAVE_OUTPUT
sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$here/tests/checks.sh"
limit=120 grep_as=-F

# expect STATUS OPTION…: `sleave test` ends so.
expect()
{
	wanted=$1
	shift
	ends "$wanted" "$sleave" test "$@"
}

# line LINE: as it is, of the command before, on either stream.
line()
{
	checks=$((checks + 1))
	cat out err | grep -qxF -e "$1" || { fail "no line '$1'"; tail -n 30 out err; }
}

# same WANTED GOT: both are words
same()
{
	checks=$((checks + 1))
	[ "$1" = "$2" ] || fail "'$2' instead of '$1'"
}

# python CODE: true, with the JUnit file as `root` and the object on the last line of standard output as `o`
python()
{
	checks=$((checks + 1))
	python3 -c "
import json, os, sys
import xml.etree.ElementTree as tree
root = tree.parse('junit.xml').getroot() if os.path.exists('junit.xml') else None
last = open('out', encoding='utf-8').read().splitlines()[-1:]
o = json.loads(last[0]) if last and last[0].startswith('{') else None
$1" 2>>err || { fail "not so: $1"; tail -n 5 out err; }
}

# valid_junit: by the schema, or at least XML
valid_junit()
{
	checks=$((checks + 1))
	if command -v xmllint >/dev/null; then
		xmllint --noout --schema "$here/tests/testcmd/junit.xsd" junit.xml 2>xmllint.err || { fail "no JUnit XML"; cat xmllint.err; }
	else
		python 'assert root.tag == "testsuites"'
	fi
}

# valid_tap: the version first, numbers in order, the plan once and right, blocks closed, nothing else
valid_tap()
{
	checks=$((checks + 1))
	awk '
		NR == 1 { if ($0 != "TAP version 13") exit bad = 1; next }
		block { if ($0 == "  ...") block = 0; else if ($0 !~ /^  [a-z]+: ./) exit bad = 2; next }
		$0 == "  ---" { if (!failed) exit bad = 3; block = 1; next }
		/^(not )?ok [0-9]+ - ./ { failed = $1 == "not"; if ($(1 + failed + 0) != "ok" || $(2 + failed) != ++count) exit bad = 4; next }
		/^1\.\.[0-9]+$/ { if (plan++) exit bad = 5; planned = substr($0, 4); next }
		/^# / || $0 == "#" { next }
		{ exit bad = 6 }
		END { if (bad) { print "line " NR ": " bad; exit 1 }
		      exit block || plan != 1 || planned != count }' out || { fail "no TAP"; cat out; }
}

# ---- programs ----

cat >fake.c <<'EOF'
#include <stdio.h>
#include <unistd.h>
#include <sleave.h>
int main(int argc, char **argv)
{
	char script[4096];
	(void)argc;
	(void)sleave_active(); /* or the linker would see no need of the library */
	snprintf(script, sizeof(script), "%s.sh", argv[0]);
	execl("/bin/sh", "sh", script, (char *)0);
	return 99;
}
EOF
cat >report.sh <<'EOF'
# report HOW FUNCTION SCHEDULE VERDICT [COMPLETE EXECUTIONS MESSAGE REPLAY TOOK LINE]
report()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" src/some_test.c "${10:-7}" "$2" "$3" "$4" \
		"${5:-0}" "${6:-0}" "${7:-}" "${8:-}" "${9:-0}" >>"$SLEAVE_RESULTS"
}
EOF
if ! cc -o fake fake.c -I"$here/include" -L"$build" -lsleave -Wl,-rpath,"$build" 2>err; then
	cat err
	exit 99
fi

# fake NAME: its script is on standard input
fake()
{
	mkdir -p "$(dirname "$1")"
	cp fake "$1"
	{ echo ". '$folder/report.sh'"; cat; } >"$1.sh"
}

fake all/good <<'EOF'
report explored takes 'blocking take' 0 1 14 '' '' 5000000000
report explored takes 'non-blocking take' 0 0 12345
report ran takes 'blocking take' 0
report ran takes 'non-blocking take' 0
report explored puts '' 0 1 1
echo this nobody sees
EOF
fake all/bad <<'EOF'
report explored takes first 0 1 14
report explored takes second 1 0 3 'assertion failed: n == 1 (main at some_test.c:9)' bad-1.sleave
echo 'the story of it' >&2
echo 'and more'
EOF
fake all/crash <<'EOF'
report ran takes first 0
report began takes second 0
echo 'on the way' >&2
kill -SEGV $$
EOF
fake all/left <<'EOF'
report began takes first 0
report ran takes first 0
report began takes second 0
echo 'left early'
EOF
fake all/status <<'EOF'
echo '[  FAILED  ] one test'
exit 4
EOF
fake all/plain <<'EOF'
cat
EOF
fake all/unsure <<'EOF'
report explored takes first 3 0 0 'it calls vfork(), which Sleave can not do'
EOF
fake all/twins <<'EOF'
report ran both '' 0 0 0 '' '' 0 10
report ran both '' 1 0 0 'second one' '' 0 20
report ran other '' 0 0 0 '' '' 0 30
EOF
printf '#!/bin/sh\n' >all/script
cp /bin/true all/not-ours
cp fake.c all/not-executable
chmod +x all/script
chmod -x all/not-executable

# ---- which, and how they ended ----

expect 1 all
line 'ok        good takes blocking take: all 14 interleavings'
line 'ok        good takes non-blocking take: 12,345 interleavings, there are more'
line 'ok        good puts: the only interleaving'
never 'this nobody sees'
line 'ok        bad takes first: all 14 interleavings'
line 'FAILED    bad takes second: assertion failed: n == 1 (main at some_test.c:9)'
line '    the story of it'
line '    and more'
never 'FAILED    bad:'
line 'ok        crash takes first'
line 'FAILED    crash takes second: it did not come to its end: the program was ended by signal 11 (Segmentation fault)'
line 'FAILED    crash: the program was ended by signal 11 (Segmentation fault)'
line '    on the way'
line 'ok        left takes first'
line 'FAILED    left takes second: the program left it before its end'
line '    left early'
line 'FAILED    status: the program ended with status 4'
line '    [  FAILED  ] one test'
line 'ok        plain'
line 'UNDECIDED unsure takes first: it calls vfork(), which Sleave can not do'
line 'ok        twins both (some_test.c:10)'
line 'FAILED    twins both (some_test.c:20): second one'
line 'ok        twins other'
line '9 passed, 6 failed, 1 undecided'
line 'note: 2 programs are no tests for Sleave (-v says which)'
cp out serial
expect 1 -j 8 all
checks=$((checks + 1))
cmp -s out serial || { fail "what is told depends on -j"; diff serial out; }
expect 1 -v all
says 'note: all/script is no test for Sleave'
says 'note: all/not-ours is no test for Sleave'
never 'not-executable'

expect 0 all/good
line '3 passed, 0 failed'
expect 0 --show-output all/good
line '    this nobody sees'
expect 3 all/unsure
line '0 passed, 0 failed, 1 undecided'
expect 1 all/unsure all/bad
(cd all && timeout 60 "$sleave" test good >../out 2>../err) || fail "a name without a slash is not found"
expect 0 all/good all/../all/good ./all/good
line '3 passed, 0 failed'

# ---- what can't be tested ----

expect 2
says 'which programs'
expect 2 --mode=sometimes all
expect 2 --strategy=wild all
says "there is no strategy 'wild'"
expect 2 --tap --json all
expect 2 --check --mode=free all
expect 0 --help
says 'usage: sleave test'
expect 3 nowhere
says 'nowhere does not exist'
expect 3 all/not-ours
says 'it does not link libsleave.so itself'
expect 3 all/script
says 'is a script'
mkdir empty
expect 3 empty
says 'there is no program in empty that links libsleave.so'
expect 3 --mode=explore all/plain
says 'UNDECIDED plain: all/plain links libsleave.so but its code is not instrumented'
expect 3 --junit nowhere/x.xml all/good
says 'cannot write nowhere/x.xml'
fake odd <<'EOF'
report ran takes first 0
echo 'something else' >>"$SLEAVE_RESULTS"
EOF
expect 3 odd
says "UNDECIDED odd: what its sections reported can't be read"
fake half <<'EOF'
report ran takes first 0
printf 'ran\tx' >>"$SLEAVE_RESULTS"
EOF
expect 3 half
says "UNDECIDED half: what its sections reported can't be read"
fake engine <<'EOF'
echo 'sleave: our bug' >&2
exit 125
EOF
expect 3 engine
line 'UNDECIDED engine: our bug'

# ---- what the programs find ----

fake surroundings <<'EOF'
echo "mode=${SLEAVE_MODE-none} explore=${SLEAVE_EXPLORE-none} output=$SLEAVE_OUTPUT in=$(readlink /proc/self/fd/0) at=$PWD"
EOF
SLEAVE_MODE=explore SLEAVE_EXPLORE=x expect 0 --show-output surroundings
line "    mode=none explore=none output=$folder in=/dev/null at=$folder"
expect 0 --show-output --check -o replays surroundings
line "    mode=check explore=none output=$folder/replays in=/dev/null at=$folder"
expect 0 --show-output --mode=check surroundings
says 'mode=check'
cc -c -fsanitize=thread -o fake.o fake.c -I"$here/include" && cc -o instrumented fake.o -L"$build" -lsleave -Wl,-rpath,"$build" ||
	fail "can't build an instrumented one"
cp surroundings.sh instrumented.sh
expect 0 --show-output instrumented
line "    mode=explore explore=portfolio,0,0,10000 output=$folder in=/dev/null at=$folder"
expect 0 --show-output -s dfs --seed 7 -n 50 instrumented
says 'explore=dfs,7,50,0 '
expect 0 --show-output -t 1.5s -n 50 instrumented
says 'explore=portfolio,0,50,1500 '
expect 0 --show-output --mode=free instrumented
says 'mode=none explore=none'

# ---- hanging, and leaving processes behind ----

fake hang <<'EOF'
report ran takes first 0
report began takes second 0
echo 'before it hangs'
sleep 1000 &
echo $! >child
wait
EOF
expect 1 --watchdog=1s hang
line 'FAILED    hang: nothing was heard of the program for 1 s, so it was ended (--watchdog)'
line 'FAILED    hang takes second: it did not come to its end: nothing was heard of the program for 1 s, so it was ended (--watchdog)'
line '    before it hangs'
gone() # the process whose number is in the file
{
	checks=$((checks + 1))
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		case $(cut -d ' ' -f 3 "/proc/$(cat "$1")/stat" 2>/dev/null) in
		'' | Z) return ;;
		esac
		sleep 0.2
	done
	fail "a process was left behind"
}
gone child
cp hang.sh instrumented.sh
expect 3 --watchdog=1s instrumented # a search that stands still is Sleave's own
says 'UNDECIDED instrumented: nothing was heard of the program for 1 s'
fake talks <<'EOF'
for i in 1 2 3 4 5 6; do echo $i; sleep 0.4; done
EOF
expect 0 --watchdog=2s talks
fake leaves <<'EOF'
sleep 1000 &
echo $! >child
EOF
expect 0 leaves
gone child

# ---- Ctrl-C ----

fake waits <<'EOF'
report ran takes first 0
echo $$ >waits.pid
exec sleep 1000
EOF
# interrupt OPTION…: waits until the program is there. Not in the background for the shell, which would let signals be ignored.
interrupt()
{
	rm -f waits.pid
	python3 - "$sleave" "$@" <<'EOF'
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "test"] + sys.argv[2:], stdout=open("out", "w"), stderr=open("err", "w"))
while not os.path.exists("waits.pid") and p.poll() is None:
    time.sleep(0.02)
p.send_signal(signal.SIGINT)
sys.exit(p.wait(60))
EOF
	same 3 $?
}
interrupt all/good ./waits all/plain
line '4 passed, 0 failed, 1 undecided'
line 'ok        good puts: the only interleaving'
line 'ok        waits takes first'
line 'UNDECIDED waits: it was interrupted'
line 'interrupted: 1 of 3 programs were not run'
gone waits.pid
interrupt --tap all/good ./waits all/plain
line 'Bail out! interrupted'
fake waits <<'EOF'
trap '' INT
echo $$ >waits.pid
while :; do sleep 0.1; done
EOF
interrupt ./waits # does not listen: it is ended
gone waits.pid

# ---- TAP, JUnit XML, JSON ----

expect 1 --tap --junit junit.xml all
valid_tap
valid_junit
line 'ok 1 - bad takes first'
line 'not ok 2 - bad takes second'
line '  message: "assertion failed: n == 1 (main at some_test.c:9)"'
line '  file: "src/some_test.c"'
line '  line: 7'
line '  replay: "bad-1.sleave"'
line '# the story of it'
line '1..16'
python '
assert [s.get("name") for s in root] == ["bad", "crash", "good", "left", "plain", "status", "twins", "unsure"], [s.get("name") for s in root]
assert sum(int(s.get("tests")) for s in root) == len(root.findall(".//testcase")) == 16
assert sum(int(s.get("failures")) for s in root) == len(root.findall(".//failure")) == 6
assert sum(int(s.get("errors")) for s in root) == len(root.findall(".//error")) == 1
case = root.findall("testsuite[@name=\"bad\"]/testcase")[1]
assert case.get("name") == "takes second" and case.get("classname") == "bad"
failure = case.find("failure")
assert failure.get("message").startswith("assertion failed: n == 1")
assert "the story of it" in failure.text and "sleave replay bad-1.sleave" in failure.text, failure.text
assert "this nobody sees" in root.find("testsuite[@name=\"good\"]/system-out").text'
expect 1 --json --junit junit.xml all
valid_junit
python '
assert o["passed"] == 9 and o["failed"] == 6 and o["undecided"] == 1 and not o["interrupted"]
tests = {t["name"]: t for p in o["programs"] for t in p["tests"]}
assert len(tests) == 16
t = tests["good takes blocking take"]
assert t["executions"] == 14 and t["complete"] and t["how"] == "explored" and t["verdict"] == "passed"
assert tests["bad takes second"]["replay"] == "bad-1.sleave"
assert tests["plain"]["function"] is None'

# whatever a test is called or says
fake strange <<'EOF'
report explored 'f<int>&"x"' "it's # 1 \\ ]]> ä" 1 0 1 'a <b> & "c" ]]> ä'
printf 'report\033[31m \001\002\003 \377\376 \355\240\200 \357\277\276 ]]> <x> & \r\n\000 end' 
printf 'ran\tf\t1\tf\tbyte \377 \001\t1\t0\t0\tbyte \377 \033[0m\t\t0\n' >>"$SLEAVE_RESULTS"
EOF
expect 1 --tap --junit junit.xml strange
valid_tap
valid_junit
line "not ok 1 - strange f<int>&\"x\" it's \\# 1 \\\\ ]]> ä"
python '
assert root.find(".//testcase").get("name") == "f<int>&\"x\" it\x27s # 1 \\ ]]> ä"
assert root.find(".//failure").get("message") == "a <b> & \"c\" ]]> ä"
out = root.find(".//system-out").text
assert out.startswith("report\\x1b[31m \\x01\\x02\\x03 \\xff\\xfe \\xed\\xa0\\x80 \ufffd ") and out.endswith("]]> <x> & \r\n\\x00 end"), repr(out)'
expect 1 --json strange
python 'assert o["failed"] == 2'

# many
fake many <<'EOF'
i=0
while [ $i -lt 5000 ]; do
	printf 'ran\tf.c\t%s\tfunction_%s\tschedule %s\t0\t0\t0\t\t\t%s\n' $i $((i % 50)) $i $i
	i=$((i + 1))
done >>"$SLEAVE_RESULTS"
EOF
expect 0 --tap --junit junit.xml many
valid_tap
valid_junit
line '1..5000'
expect 0 many
line '5000 passed, 0 failed'
fake much <<'EOF'
yes 'and so on and so on' | head -c 30000000
echo 'the end'
exit 1
EOF
expect 1 much
line '    the end'
says 'bytes of its output are left out)'
checks=$((checks + 1))
[ "$(wc -c <out)" -lt 3000000 ] || fail "all of a very long output is told"

# times, as the program tells them
fake times <<'EOF'
report began takes first 0
report ran takes first 0 0 0 '' '' 1000000000
report ran takes first 0 0 0 '' '' 1500000000
EOF
expect 0 --json --junit junit.xml times
python '
assert root.find(".//testcase").get("time") == "2.500000"
assert o["programs"][0]["tests"][0]["seconds"] == 2.5'

# ---- a filter ----

expect 0 --filter='good*' all
line '3 passed, 0 failed'
never 'bad'
expect 0 --filter=good all
line '3 passed, 0 failed'
expect 0 --filter='good takes' all
line '2 passed, 0 failed'
expect 0 --filter='good takes non-*' all
line '1 passed, 0 failed'
expect 0 --filter='g??d *blocking take' all
line '2 passed, 0 failed'
expect 1 --filter='* takes first' all # and the programs that ended badly, since nobody knows what was to come
line 'ok        bad takes first: all 14 interleavings'
never 'bad takes second'
line 'FAILED    crash: the program was ended by signal 11 (Segmentation fault)'
expect 1 --filter='nothing*' all # which may be in any of them
never 'ok        '
says "note: no program is called like 'nothing*': looking for such tests in all "
says "no test is called like 'nothing*'"
line 'FAILED    crash: the program was ended by signal 11 (Segmentation fault)'
expect 0 --filter='takes non-*' all/good all/plain
line '1 passed, 0 failed'
line "note: no program is called like 'takes non-*': looking for such tests in all 2 programs"
expect 3 --filter='nothing*' all/good
says "no test is called like 'nothing*'"
expect 3 --filter='good nothing' --tap all
line '1..0'
never 'note: no program'
says "no test is called like 'good nothing'"

# two programs of one name
fake other/good <<'EOF'
report ran takes 'blocking take' 0
EOF
expect 0 all/good other
line 'ok        all/good takes blocking take: all 14 interleavings'
line 'ok        other/good takes blocking take'

# colours
expect 1 --color=always all
says "$(printf '\033[1;31mFAILED   \033[0m bad takes second')"

# ---- real sections, on real threads ----

cat >real.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sleave.h>
static int order[2], count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;
static void *second(void *arg)
{
	sleave_event("b");
	pthread_mutex_lock(&lock);
	order[count++ % 2] = 2;
	pthread_mutex_unlock(&lock);
	sleave_event("b_done");
	return arg;
}
static void *idle(void *arg)
{
	return arg;
}
static void body(const char *what)
{
	pthread_t thread;
	count = 0;
	pthread_create(&thread, NULL, second, NULL);
	sleave_event("a");
	pthread_mutex_lock(&lock);
	order[count++ % 2] = 1;
	pthread_mutex_unlock(&lock);
	sleave_event("a_done");
	pthread_join(thread, NULL);
	if (strcmp(sleave_schedule_name(), "crashes") == 0)
		abort();
	if (strcmp(sleave_schedule_name(), "leaves") == 0)
		_exit(0);
	if (strcmp(sleave_schedule_name(), "ends") == 0)
		exit(0);
	if (strcmp(sleave_schedule_name(), "jumps") == 0)
		longjmp(out, 1);
	(void)what;
}
/* What the engine needs for itself is not to be copied and compared by each search: it is where layout.h has it. */
static int strange_memory(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[512], kind[8];
	int found = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s", &low, &high, kind) == 3 && !strcmp(kind, "rw-p") &&
		    high - low > 32ul << 20 && (low < 0x600000000000ul || high > 0x6f0000000000ul))
			found += printf("%s", line);
	fclose(f);
	return found;
}
/* As Check and Criterion do: each test in a process of its own. */
static int in_child(void (*test)(void))
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		test();
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	return status;
}
static void forked(void)
{
	SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a")
		body("");
}
static void forked_badly(void)
{
	SLEAVE_SCHEDULES("fine", "a_done -> b", "two one", "b_done -> a") {
		body("");
		assert(order[0] == 1);
	}
}
static void jumps(void)
{
	SLEAVE_SCHEDULES("jumps", "a_done -> b")
		body("");
}
int main(int argc, char **argv)
{
	const char *what = strrchr(argv[0], '/') + 1;
	(void)argc;
	if (strcmp(what, "orders") == 0) {
		SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a") {
			body(what);
			assert(order[0] == (strcmp(sleave_schedule_name(), "one two") ? 2 : 1));
		}
		SLEAVE_INFEASIBLE("both first", "a_done -> b, b_done -> a")
			body(what);
	}
	if (strcmp(what, "asserts") == 0)
		SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a") {
			body(what);
			assert(order[0] == 1);
		}
	if (strcmp(what, "infeasible") == 0)
		SLEAVE_SCHEDULES("fine", "a_done -> b", "both first", "a_done -> b, b_done -> a")
			body(what);
	if (strcmp(what, "feasible") == 0)
		SLEAVE_INFEASIBLE("one two", "a_done -> b")
			body(what);
	if (strcmp(what, "wrong") == 0)
		SLEAVE_SCHEDULES("a typo", "a_done > b")
			body(what);
	if (strcmp(what, "crashes") == 0)
		SLEAVE_SCHEDULES("fine", "a_done -> b", "crashes", "a_done -> b")
			body(what);
	if (strcmp(what, "leaves") == 0)
		SLEAVE_SCHEDULES("leaves", "a_done -> b")
			body(what);
	if (strcmp(what, "ends") == 0)
		SLEAVE_SCHEDULES("ends", "a_done -> b")
			body(what);
	if (strncmp(what, "jumps", 5) == 0) {
		if (!setjmp(out))
			jumps();
		return what[5] != 0;
	}
	if (strcmp(what, "mute") == 0) { /* what can't be reported does not pass */
		setenv("SLEAVE_RESULTS", "/nowhere/at/all", 1);
		SLEAVE_SCHEDULES("fine", "a_done -> b")
			body(what);
	}
	if (strcmp(what, "forks") == 0) {
		int status = in_child(forked);
		return !!(in_child(forked_badly) | status);
	}
	if (strcmp(what, "memory") == 0)
		SLEAVE_SCHEDULE("a_done -> b") {
			int found = strange_memory();
			body(what);
			assert(!found);
		}
	if (strcmp(what, "more") == 0) /* threads in each section than in those before */
		for (int i = 1; i < 6; i++)
			SLEAVE_SCHEDULES("one two", "a_done -> b") {
				pthread_t threads[5];
				for (int k = 0; k < i - 1; k++)
					pthread_create(&threads[k], NULL, idle, NULL);
				body(what);
				for (int k = 0; k < i - 1; k++)
					pthread_join(threads[k], NULL);
			}
	if (strcmp(what, "often") == 0)
		for (int i = 0; i < 300; i++)
			SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a")
				body(what);
}
EOF
mkdir real
cc -g -o real/orders real.c -I"$here/include" -L"$build" -lsleave -Wl,-rpath,"$build" -pthread || fail "real.c can't be compiled"
for name in asserts infeasible feasible wrong crashes leaves ends jumps jumps_and_fails mute forks memory more often; do
	cp real/orders real/$name
done
expect 1 --junit junit.xml --tap real
valid_tap
valid_junit
expect 1 real
line 'ok        orders main one two'
line 'ok        orders main two one'
line 'ok        orders main both first'
line 'ok        asserts main one two'
line 'FAILED    asserts main two one: it did not come to its end: the program was ended by signal 6 (Aborted)'
says 'order[0] == 1'
line 'ok        infeasible main fine'
says "FAILED    infeasible main both first: the schedule can't happen"
line 'FAILED    infeasible: the program was ended by signal 6 (Aborted)'
says 'FAILED    feasible main one two: the schedule happened, though it is said to be infeasible'
says 'FAILED    wrong main a typo: the schedule is wrong: line 1, column 8'
line 'ok        crashes main fine'
line 'FAILED    crashes main crashes: it did not come to its end: the program was ended by signal 6 (Aborted)'
line 'FAILED    leaves main leaves: the program left it before its end'
line 'ok        ends main ends'
line 'ok        jumps jumps jumps'
line 'FAILED    jumps_and_fails jumps jumps: it was left by a jump or an exception; the program ended with status 1'
line 'FAILED    jumps_and_fails: the program ended with status 1'
says "UNDECIDED mute: what became of a schedule can't be reported"
never 'ok        mute'
line 'ok        forks forked one two'
line 'ok        forks forked two one'
line 'ok        forks forked_badly fine'
line 'FAILED    forks forked_badly two one: it did not come to its end: the program ended with status 1'
line 'FAILED    forks: the program ended with status 1'
line 'ok        memory main'
line 'ok        often main one two'
line 'ok        often main two one'
expect 0 -j 4 --filter='o[rf]*' real # orders, often
line '5 passed, 0 failed'
expect 1 --check real/infeasible
says 'FAILED    infeasible main'

# ---- the same, explored ----

mkdir explored elsewhere
"$sleave" cc -g -o explored/orders real.c || fail "real.c can't be compiled"
cp explored/orders explored/infeasible
cp explored/orders explored/feasible
cp explored/orders explored/asserts
cp explored/orders explored/crashes
cp explored/orders explored/mute
cp explored/orders explored/wrong
cp explored/orders explored/forks
cp explored/orders explored/more
expect 0 --junit junit.xml explored/orders
valid_junit
line 'ok        orders main one two: the only interleaving'
line 'ok        orders main two one: the only interleaving'
says 'ok        orders main both first'
line '3 passed, 0 failed'
python '
times = [float(c.get("time")) for c in root.findall(".//testcase")]
assert len(times) == 3 and all(t > 0 for t in times), times'
expect 1 -o elsewhere explored/asserts
line 'ok        asserts main one two: the only interleaving'
says 'FAILED    asserts main two one: assertion failed: order[0] == 1'
says 'See it again with:  sleave replay elsewhere/asserts-1.sleave'
never 'FAILED    asserts:'
checks=$((checks + 2))
[ -s elsewhere/asserts-1.sleave ] || fail "no replay file where it was asked for"
timeout 60 "$sleave" replay elsewhere/asserts-1.sleave >out 2>err
[ $? = 1 ] || { fail "what was found is not found again"; tail -n 20 out err; }
expect 1 --json explored/asserts
python '
test = [t for t in o["programs"][0]["tests"] if t["verdict"] == "failed"][0]
assert test["replay"] == "asserts-1.sleave" and os.path.exists(test["replay"]), test
assert "The schedule, " in o["programs"][0]["output"]'
expect 1 explored/infeasible
line 'ok        infeasible main fine: the only interleaving'
says 'FAILED    infeasible main both first: '
expect 1 explored/feasible
says 'FAILED    feasible main one two: '
cat >throws.cc <<'EOF'
/* An exception leaves the section, in some of the interleavings: explored, that is a failure, as a long jump is. */
#include <atomic>
#include <sleave.h>
#include <stdexcept>
#include <thread>
static std::atomic<int> sum;
static void add()
{
	int seen = sum;
	sleave_event("read");
	sum = seen + 1;
}
static void test()
{
	SLEAVE_SCHEDULES("one by one", "end@T1 -> start@T2", "any", "start@T1 -> read@T2") {
		sum = 0;
		std::thread first(add), second(add);
		first.join();
		second.join();
		try { /* one that stays inside is none of our business */
			throw 1;
		} catch (int) {
		}
		if (sum != 2)
			throw std::runtime_error("lost");
	}
}
int main()
{
	try {
		test();
	} catch (const std::exception &) {
		return 1;
	}
}
EOF
"$sleave" c++ -g -o explored/throws throws.cc || fail "throws.cc can't be compiled"
expect 1 explored/throws
line 'ok        throws test one by one: the only interleaving'
says 'FAILED    throws test any: assertion failed: an exception out of the body, of type std::runtime_error: lost'
rm explored/throws
expect 1 explored/crashes # the other schedule is the same but for its name
line 'ok        crashes main fine: the only interleaving'
says 'FAILED    crashes main crashes: abort in main at real.c'
never 'FAILED    crashes:'
expect 0 explored/more
line 'ok        more main one two: all 5 interleavings'
expect 1 explored/forks
line 'ok        forks forked one two: the only interleaving'
line 'ok        forks forked two one: the only interleaving'
line 'ok        forks forked_badly fine: the only interleaving'
says 'FAILED    forks forked_badly two one: assertion failed: order[0] == 1'
expect 1 explored/wrong
says 'FAILED    wrong main a typo: the schedule is wrong: line 1, column 8'
expect 3 explored/mute
says "UNDECIDED mute: what became of a schedule can't be reported"

# A helper thread that was there before the sections: each is explored by the whole program, from where it begins.
"$sleave" cc -g -o explored/shared "$here/tests/testcmd/shared.c" || fail "shared.c can't be compiled"
"$sleave" cc -g -DWRONG -o explored/shared-wrong "$here/tests/testcmd/shared.c" || fail "shared.c can't be compiled"
for strategy in dfs icb; do
	expect 0 -s $strategy explored/shared
	line 'ok        shared test_one between: all 21 interleavings'
	line 'ok        shared test_one before: all 4 interleavings'
	line 'ok        shared test_two after: all 52 interleavings'
	line 'ok        shared test_never nobody asks: the only interleaving'
	line '4 passed, 0 failed'
done
expect 0 -s dpor explored/shared
line '4 passed, 0 failed'
expect 1 -o elsewhere explored/shared-wrong
says 'FAILED    shared-wrong test_one between: assertion failed: !sleave_active() || a == b'
says 'ok        shared-wrong test_one before: '
says 'FAILED    shared-wrong test_two after: assertion failed: !sleave_active() || a == b'
says 'See it again with:  sleave replay elsewhere/shared-wrong-2.sleave'
checks=$((checks + 2))
timeout 60 "$sleave" replay elsewhere/shared-wrong-2.sleave >out 2>err
[ $? = 1 ] || { fail "what was found by the whole program is not found again"; tail -n 20 out err; }
timeout 100 "$sleave" replay --as-schedule elsewhere/shared-wrong-2.sleave >out 2>err || fail "it is no schedule"
says '(test_two), beside what its schedule "after" says'
says 'read:first@main -> write:first@T1'
says '# on real threads it does not fail like this: a run keeps to the schedule, and nothing goes wrong' # its assertion asks
says '/* on real threads this does not show it every time'
expect 1 --mode=free explored/shared
says 'where the other threads of this one would be missing'

if pkg-config --exists check; then
	"$sleave" cc -g -o explored/checks "$here/tests/testcmd/checks.c" $(pkg-config --cflags --libs check) || fail "checks.c can't be compiled"
	expect 1 explored/checks
	says 'FAILED    checks look open: the program ended with status 1'
	says 'FAILED    checks look first: the program ended with status 1'
	says '100%: Checks: 3, Failures: 0'
	never 'Bad message type'
	never 'FAILED    checks:'
	line '0 passed, 2 failed'
else
	echo "not run: there is no Check"
fi

# Only what is selected is told, and explored; by any part of its name.
mkdir selected
for filter in 'test_one before' 'before' 'shared-wrong test_one before' 's*wrong*before'; do
	expect 0 -o selected --filter "$filter" explored/shared-wrong
	says 'ok        shared-wrong test_one before: '
	line '1 passed, 0 failed'
done
for filter in 'two one' 'main two one'; do
	expect 1 -o selected --filter "$filter" explored/asserts
	says 'FAILED    asserts main two one: '
	line '0 passed, 1 failed'
done
rm -f selected/asserts-*.sleave
checks=$((checks + 1))
[ -z "$(ls selected)" ] || fail "what was not selected is explored: $(ls selected)"
expect 3 --filter 'test_three' explored/shared
says "no test is called like 'test_three'"

# What a framework skips, and what is left out by a break, is neither passed nor failed.
cat >leaves.c <<'EOF'
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("runs", "first -> second", "does not", "second -> first") {
		sleave_event("first");
		sleave_event("second");
		break;
	}
	return 0;
}
EOF
cc -g -o leaves leaves.c -I"$here/include" -L"$build" -lsleave -Wl,-rpath,"$build" -pthread || fail "leaves.c can't be compiled"
expect 0 --tap --junit junit.xml leaves
valid_junit
line 'ok 1 - leaves main runs'
line 'ok 2 - leaves main does not # SKIP not run: the block was left before'
python 'assert [c.find("skipped") is not None for c in root.findall(".//testcase")] == [False, True]'
if pkg-config --exists cmocka; then
	cc -g -o skips "$here/tests/testcmd/skips.c" $(pkg-config --cflags --libs cmocka) -I"$here/include" -L"$build" -lsleave \
		-Wl,-rpath,"$build" -pthread || fail "skips.c can't be compiled"
	"$sleave" cc -g -o explored/skips "$here/tests/testcmd/skips.c" $(pkg-config --cflags --libs cmocka) || fail "skips.c can't be compiled"
	for how in 'skips' '--check skips' 'explored/skips'; do
		if [ "$how" = '--check skips' ]; then # of the two that are run one may not be kept to
			timeout 120 "$sleave" test --junit junit.xml $how >out 2>err </dev/null
		else
			expect 0 --junit junit.xml $how
			line '2 passed, 0 failed, 3 skipped'
		fi
		valid_junit
		line 'skipped   skips test_skipped before'
		line 'skipped   skips test_skipped after'
		line 'skipped   skips test_never both'
		python 'assert len(root.findall(".//skipped")) == 3'
	done
	expect 0 --tap explored/skips
	line 'ok 1 - skips test_skipped before # SKIP'
	expect 0 --json explored/skips
	python 'assert o["skipped"] == 3 and o["passed"] == 2 and o["programs"][0]["tests"][0]["verdict"] == "skipped"'
	"$sleave" cc -g -o explored/says "$here/tests/testcmd/says.c" $(pkg-config --cflags --libs cmocka) || fail "says.c can't be compiled"
	expect 1 -o elsewhere explored/says
	line 'FAILED    says test_value number: assertion failed: 0x7 != 0 (main at testcmd/says.c:32)'
	line 'FAILED    says test_value text: assertion failed: "seven" != "none" (main at testcmd/says.c:34)'
else
	echo "not run: there is no cmocka"
fi

# explored, all is well; then real threads go another way, which is noticed although threads of the search are still there
"$sleave" cc -g -o other_way "$here/tests/testcmd/other_way.c" || fail "other_way.c does not build"
expect 1 other_way
says "FAILED    other_way main x: the schedule can't happen: no thread can go on"
astray='The schedule can be kept to: exploring has shown it. Here the threads took a path on which it no longer can: order what leads to that path, too'
says "$astray"
expect 1 --tap --junit junit.xml other_way
valid_tap
valid_junit
line "#   $astray"
ASTRAY=$astray python 'assert os.environ["ASTRAY"] in root.find(".//failure").text'
# … and without exploring, nobody knows whether there is another
expect 1 --mode=free other_way
says 'The next run may take a path on which it can happen; a program that is built with `sleave cc` is explored for one'
never "$astray"

# what real threads may do to a test that has passed is said before they do it, in whatever format
note="some interleavings can't follow it, and real threads may go that way: order what leads there, too"
for options in '' -DHELPER; do
	# shellcheck disable=SC2086 # none, or one
	"$sleave" cc -g $options -o this_way "$here/tests/testcmd/this_way.c" || fail "this_way.c does not build"
	expect 0 --junit junit.xml this_way
	line 'ok        this_way main before: all 3 interleavings'
	line "ok        this_way main partly: all 2 interleavings; $note"
	line 'ok        this_way main after: the only interleaving'
	valid_junit
	NOTE=$note python 'assert root.find(".//system-out").text == "this_way main partly: " + os.environ["NOTE"] + "\n"'
	expect 0 --tap this_way
	valid_tap
	same "ok 2 - this_way main partly # $note ok" "$(sed -n '3,4p;5s/ok.*/ok/p' out | tr '\n' ' ' | sed 's/ $//')"
	expect 0 --json this_way
	NOTE=$note python 'assert [t["note"] for t in o["programs"][0]["tests"]] == [None, os.environ["NOTE"], None]'
done

# a test that is not asked for, fails, and leaves threads behind is no failure of the next
"$sleave" cc -g -o left_behind "$here/tests/testcmd/left_behind.c" || fail "left_behind.c does not build"
expect 3 --filter '*second*' left_behind
says 'UNDECIDED left_behind second passes'
says 'a test before it failed, and has left threads behind that would be part of it'

echo "$checks checks, $failures failures"
[ $failures = 0 ]
