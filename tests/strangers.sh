#!/bin/sh
# What is not as usual around the command: descriptors that are closed, signals that are ignored or blocked, files of other
# users, names with control characters, limits of the system, disks that are full. Nothing of it crashes the command, destroys
# a file or becomes a finding; a reason is told where there is one.
# usage: tests/strangers.sh BUILD
# shellcheck disable=SC2086,SC2015 # words of options; a failed check is said twice
set -u

build=$(cd "${1:?usage: tests/strangers.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

checks_of=$(cd "$(dirname "$0")" && pwd)/checks.sh
folder=$(mktemp -d)
trap 'umount "$folder/disk" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC
sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$checks_of"

compile() # NAME [OPTION…]: NAME.c
{
	name=$1
	shift
	"$sleave" cc -g -o "$name" "$@" "$name.c" || exit 99
}

cat >deposit.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int balance;

static void *deposit(void *arg)
{
	balance += 100;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	assert(getchar() == EOF);
	puts("said");
	fputs("cried\n", stderr);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(balance == 200);
	return 0;
}
END
compile deposit
cat >fine.c <<'END'
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	return count != 2;
}
END
compile fine
cat >sections.c <<'END'
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>

static void *go(void *arg)
{
	sleave_event("there");
	return arg;
}

int main(void)
{
	SLEAVE_SCHEDULE("there -> here") {
		pthread_t thread;

		pthread_create(&thread, NULL, go, NULL);
		sleave_event("here");
		pthread_join(thread, NULL);
	}
	puts("not into a file of Sleave's");
	fputs("nor this\n", stderr);
	return 0;
}
END
compile sections
ends 1 "$sleave" run -q --races=off ./deposit
mv deposit-1.sleave finding

# ---- descriptors that are closed ----

# The command's files are not its input and not its output: nothing is read from the arena, nothing is written into a trace
# or a report. The program finds /dev/null.
closed() # STATUS REDIRECTIONS COMMAND…
{
	expected=$1 how=$2
	shift 2
	checks=$((checks + 1))
	rm -rf .sleave
	(eval "exec timeout $limit \"\$@\" >out 2>err <$input $how")
	status=$?
	[ $status = "$expected" ] || { fail "status $status instead of $expected with $how: $*"; tail -n 30 out err; }
	[ ! -e .sleave ] || fail "something is left in .sleave with $how: $*"
}

for how in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	closed 1 "$how" "$sleave" run -q --races=off ./deposit
	[ -s deposit-1.sleave ] || fail "no replay file with $how"
	rm -f deposit-1.sleave
	closed 0 "$how" "$sleave" run -q -n 50 ./fine
	closed 1 "$how" "$sleave" replay finding
	closed 0 "$how" "$sleave" replay --as-schedule finding
	closed 0 "$how" "$sleave" record -q --controlled -o it.trace ./fine
	closed 0 '' "$sleave" trace it.trace
	says '^# the end: exit status 0'
	closed 0 "$how" "$sleave" record -q -o it.trace ./sections
	closed 0 '' "$sleave" trace it.trace
	says '^# the end: exit status 0'
	closed 0 "$how" "$sleave" trace it.trace
	closed 0 "$how" "$sleave" cover -q --no-store ./fine
	closed 0 "$how" "$sleave" test --junit it.xml ./fine ./sections
	python3 -c 'import xml.etree.ElementTree as e; assert len(e.parse("it.xml").findall(".//testcase")) == 2' ||
		fail "the file of JUnit is damaged with $how"
	closed 0 "$how" env SLEAVE_LOG=it.log ./sections
	grep -q '^EVENT.*here' it.log && ! grep -q 'nor this\|not into' it.log || fail "the log is damaged with $how"
	closed 0 "$how" "$sleave" schedule --help
	closed 2 "$how" "$sleave" nonsense
done

# ---- signals that are ignored or blocked ----

for signal in HUP INT TERM PIPE CHLD ALRM BUS XFSZ; do
	for way in ignore block; do
		with="env --$way-signal=$signal"
		expect 1 $with "$sleave" run -q --races=off ./deposit
		rm -f deposit-1.sleave
		expect 0 $with "$sleave" run -q --world=fork -n 20 ./fine
		expect 1 $with "$sleave" replay finding
		expect 0 $with "$sleave" record -q -o it.trace ./fine
		expect 0 $with "$sleave" record -q --controlled -o it.trace ./fine
		expect 0 $with "$sleave" cover -q --no-store ./fine
		expect 0 $with "$sleave" test ./fine ./sections
	done
done

# What the program finds is the same.
cat >finds.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1};
	pthread_t thread;
	sigset_t mask;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction action;

		sigaction(signals[i], NULL, &action);
		assert(action.sa_handler == SIG_DFL && !sigismember(&mask, signals[i]));
	}
	return 0;
}
END
compile finds
expect 0 env --ignore-signal --block-signal "$sleave" run -q ./finds
expect 0 env --ignore-signal --block-signal "$sleave" test ./finds

# nohup(1) is not undone, and a signal that is not ignored ends a run that is told what it has.
cat >endless.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int count;

static void *add(void *arg)
{
	for (int i = 0; i < 100; i++)
		count++;
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	close(open("begun", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
compile endless
signalled() # STATUS OPTION-OF-ENV SIGNAL
{
	rm -f begun
	checks=$((checks + 1))
	env $2 "$sleave" run -q -s random --time 3s ./endless >out 2>err &
	pid=$!
	for _ in $(seq 300); do
		[ ! -e begun ] || break
		sleep 0.1
	done
	kill -$3 $pid
	wait $pid
	status=$?
	[ $status = "$1" ] || { fail "status $status instead of $1 after $3 with $2"; tail -n 30 out err; }
}
signalled 3 --default-signal=HUP HUP
says 'interrupted'
signalled 0 --ignore-signal=HUP HUP
never 'interrupted'
signalled 3 --ignore-signal=TERM TERM
says 'interrupted'
rm -rf .sleave

# ---- files of other users ----

# A replay file says which program is started; a run file also with which environment.
evil=$folder/evil
mkdir "$evil"
cat >"$evil/evil.c" <<'END'
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void run(void)
{
	close(open("/proc/self/cwd/evil-ran", O_CREAT | O_WRONLY, 0600));
}
END
cc -shared -fPIC -o "$evil/evil.so" "$evil/evil.c" || exit 99
safe()
{
	checks=$((checks + 1))
	[ ! -e evil-ran ] || fail "code of another user was run"
	rm -f evil-ran
}
chmod o+w finding
expect 3 "$sleave" replay finding
says 'every user may write finding' 'deposit' '--trust'
expect 1 "$sleave" replay --trust finding
chmod o-w finding
if [ "$(id -u)" = 0 ]; then
	chown 12345 finding
	expect 3 "$sleave" replay finding
	says 'finding belongs to another user (12345)'
	expect 1 "$sleave" replay --trust finding
	chown 0 finding
	chown 12345 deposit
	expect 3 "$sleave" replay finding
	says 'deposit belongs to another user' '--trust'
	expect 1 "$sleave" replay --trust finding
	chown 0 deposit
fi
expect 1 "$sleave" replay finding

expect 0 env LD_PRELOAD="$evil/evil.so" "$sleave" run -q -s random -n 50 ./endless
mv .sleave/*.run kept.run
[ -e evil-ran ] || fail "the library was not loaded"
rm -f evil-ran
expect 0 "$sleave" run -q -s random -n 50 ./endless
run=$(echo .sleave/*.run)
expect 3 "$sleave" run -q -n 60 --resume=kept.run ./endless
says 'is not followed: the program would be started with LD_PRELOAD=' '--trust'
safe
if [ "$(id -u)" = 0 ]; then
	chown 12345 "$run"
	expect 3 "$sleave" run -q -n 60 --resume="$run" ./endless
	says 'belongs to another user (12345)' '--trust'
	expect 3 "$sleave" run -q -n 60 --resume ./endless
	says 'belongs to another user (12345)'
	expect 0 "$sleave" run -q -n 60 --trust --resume="$run" ./endless
	chown -R 12345 .sleave
	expect 0 "$sleave" run -q -n 50 ./fine
	says "note: this run can't go on if it is killed: .sleave belongs to another user"
	expect 3 "$sleave" run -q -n 70 --resume ./endless
	says '.sleave belongs to another user'
	expect 3 "$sleave" cover -q ./fine
	says 'this run is not kept: .sleave belongs to another user'
	chown -R 0 .sleave
fi
expect 0 "$sleave" run -q -n 80 --resume ./endless
rm -rf .sleave kept.run
mkdir elsewhere
ln -s elsewhere .sleave
expect 0 "$sleave" run -q -n 50 -s random ./endless
says "note: this run can't go on if it is killed: .sleave is not a folder"
expect 3 "$sleave" cover -q ./fine
says 'this run is not kept: .sleave is not a folder'
[ -z "$(ls -A elsewhere)" ] || fail "a link to another folder was followed"
rm -rf .sleave elsewhere

# Names that nobody has given are not written through links.
echo precious >precious
rm -f fine-coverage.svg fine.trace
ln -s precious fine-coverage.svg
ln -s precious fine.trace
expect 0 "$sleave" cover -q --no-store ./fine
says 'there is no plot: \./fine-coverage.svg is already there'
expect 3 "$sleave" record -q ./fine
says 'fine.trace is already there, and is no plain file of yours'
rm -f fine-coverage.svg fine.trace
ln precious fine.trace
expect 3 "$sleave" record -q ./fine
ln -s precious deposit-1.sleave
expect 1 "$sleave" run -q --races=off ./deposit
[ "$(cat precious)" = precious ] || fail "a link was followed"
rm -f deposit-?.sleave fine.trace
expect 0 "$sleave" record -q ./fine
expect 0 "$sleave" record -q ./fine
rm -f fine.trace

# A store is data, and what it says is looked at.
expect 0 "$sleave" cover -q ./fine
rm -f fine-coverage.svg
damage() # SQL
{
	python3 - "$1" <<'END'
import shutil, sqlite3, sys
db = sqlite3.connect(".sleave/store.db")
db.executescript(sys.argv[1])
db.commit()
END
}
store=$(echo .sleave/*)
[ -e .sleave/store.db ] || fail "the store is called otherwise: $store"
cp .sleave/store.db whole.db
for sql in 'UPDATE seen SET state = 99' 'UPDATE seen SET state = -1' "UPDATE seen SET state = 'x'" 'UPDATE seen SET execution = -1' \
	'UPDATE seen SET seconds = 9e999' 'UPDATE run SET executions = -5' 'UPDATE run SET seconds = -1' 'UPDATE run SET seconds = 9e999'; do
	cp whole.db .sleave/store.db
	damage "$sql"
	expect 3 "$sleave" cover --show --json
	says "damaged: a number in it can't be"
	expect 3 "$sleave" cover --show --all
done
for sql in 'CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM seen; END' 'CREATE VIEW v AS SELECT * FROM run'; do
	cp whole.db .sleave/store.db
	damage "$sql"
	expect 3 "$sleave" cover --show --json
	says 'has triggers, views or virtual tables'
	expect 3 "$sleave" cover -q ./fine
	says 'this run is not kept: .* has triggers'
done
cp whole.db .sleave/store.db
expect 0 "$sleave" cover --show --json
if [ "$(id -u)" = 0 ]; then
	chown 12345 .sleave/store.db
	expect 3 "$sleave" cover --show
	says 'store.db belongs to another user'
fi
rm -rf .sleave

# ---- names that control terminals and end lines ----

cat >names.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sleave.h>

static int x;

static void *write_it(void *arg)
{
	pthread_setname_np(pthread_self(), "a\nb\033[2Jc");
	sleave_event("an\nevent\033[1m");
	x++;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
strange=$(printf 'na\nmes\033[3m\377')
"$sleave" cc -g -o "$strange" names.c || exit 99
tame() # of the command before: no control character but the ends of lines, and no half of a name begins a line
{
	checks=$((checks + 1))
	cat out err | LC_ALL=C tr -d '\n\040-\176\200-\376' >raw
	[ ! -s raw ] || { fail "control characters are shown"; od -c raw | head -n 3; tail -n 20 out err; }
	! cat out err | grep -q '^\(b\\x1b\|event\|mes\)' || { fail "a name breaks a line"; tail -n 20 out err; }
}
expect 1 "$sleave" run --trace all.trace "./$strange"
tame
says 'T[12] a\\nb\\x1b\[2Jc'
expect 1 "$sleave" run --json "./$strange"
tame
says 'a\\nb'
expect 1 "$sleave" replay --trace na*1.sleave
tame
says 'an\\nevent\\x1b\[1m'
for format in '' --json --summary; do
	expect 0 "$sleave" trace $format all.trace
	tame
done
expect 0 "$sleave" trace --perfetto all.json all.trace
python3 -c 'import json; json.load(open("all.json", encoding="utf-8"))' || fail "not JSON for Perfetto"
for format in '' --tap --json '--junit all.xml'; do
	ends 0 "$sleave" test $format "./$strange"
	tame
done
expect 1 "$sleave" cover "./$strange"
tame
expect 0 "$sleave" cover --show
tame
ends 3 "$sleave" replay "$strange.none"
tame
ends 2 "$sleave" "$strange"
tame
rm -rf na* .sleave all.*

# A name that begins with a dash is no option where it is told how to go on.
cp deposit ./-x
expect 1 "$sleave" run -q --races=off ./-x
says 'sleave replay \./-x-1.sleave'
expect 1 "$sleave" replay ./-x-1.sleave
expect 1 "$sleave" replay -- -x-1.sleave
rm -f ./-x*

# ---- paths that are long ----

a=$(printf '%0150d' 1)
mkdir -p "$a/$a"
cp deposit.c "$a/$a/deposit.c"
"$sleave" cc -g -o "$a/$a/deposit" "$folder/$a/$a/deposit.c" || exit 99
expect 1 "$sleave" run -q --races=off "$a/$a/deposit"
says 'assertion failed: balance == 200 in main() at ….*/deposit.c:24' 'deposit.c:9 ' 'T[12] deposit .* writes balance' '24 | .*assert(balance'
expect 1 "$sleave" replay deposit-1.sleave
says 'deposit.c:24'
rm -rf "$a" deposit-1.sleave

# ---- limits and permissions: the true reason ----

(ulimit -s 64 && "$sleave" run -q ./fine >out 2>err)
[ $? = 3 ] || fail "a small stack does not end with 3"
says 'the stack is limited to 64 KiB'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && chmod 755 . && cp "$build/sleave" "$build/libsleave.so" . &&
	setpriv --reuid=12345 --regid=12345 --clear-groups ./sleave --version >/dev/null 2>&1; then
	cp fine other
	chmod 700 other
	as="setpriv --reuid=12345 --regid=12345 --clear-groups env LD_LIBRARY_PATH=$folder"
	mkdir theirs
	chmod 777 theirs
	cd theirs || exit 99
	expect 3 $as ../sleave run -q ../other
	says 'may not be executed by this user: it belongs to user 0, and its mode is 0700'
	chmod 711 ../other
	expect 3 $as ../sleave run -q ../other
	says 'may not be read by this user.*it belongs to user 0, and its mode is 0711'
	chmod 4755 ../other
	expect 3 $as ../sleave run -q ../other
	says 'runs as another user or group (its mode is 4755)'
	expect 3 $as prlimit --nproc=1 ../sleave run -q ../fine
	says 'is there a limit on processes, ulimit -u?'
	expect 3 $as prlimit --nproc=2 ../sleave run -q ../fine
	says 'is there a limit on processes, ulimit -u?'
	[ ! -e .sleave ] || fail "an empty .sleave is left behind"
	cd ..
	rm -rf theirs other sleave libsleave.so
fi

# ---- a disk that is full ----

mkdir -p disk
if mount -t tmpfs -o size=200k tmpfs disk 2>/dev/null; then
	cp fine deposit disk
	dd if=/dev/zero of=disk/filler bs=1k >/dev/null 2>&1
	in_it="env -C disk"
	expect 1 $in_it "$sleave" run -q --races=off ./deposit
	says 'there is no replay file: .*No space left'
	[ ! -e disk/.sleave ] || fail "an empty .sleave is left behind"
	expect 3 $in_it "$sleave" record -q ./fine
	says 'No space left'
	expect 3 $in_it "$sleave" cover -q ./fine
	says 'not kept'
	expect 3 $in_it "$sleave" test --junit it.xml ./fine
	says 'No space left'
	umount disk
fi

verdict
