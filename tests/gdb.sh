#!/bin/sh
# `sleave replay --gdb` as a user sees it: commands are typed at a terminal (gdb/terminal.py). gdb stops in the program's frame and
# says why, threads bear the names of Sleave's stories, no command shows a frame of the engine's, steps are steps of the program.
# usage: tests/gdb.sh BUILD
set -u

build=$(cd "${1:?usage: tests/gdb.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ] || ! command -v gdb >/dev/null; then
	echo "skipped: no gdb, or no libsleave.so or sleave in $build"
	exit 77
fi

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC DEBUGINFOD_URLS XDG_CONFIG_HOME
mkdir home && export HOME="$folder/home"

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$here/checks.sh"

# typed FILE [OPTION]… -- COMMAND…: what the terminal shows from where the program first stopped.
typed()
{
	file=$1 options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	printf '%s\n' "$@" >commands
	# shellcheck disable=SC2086 # words of options
	input=commands expect 1 python3 "$here/gdb/terminal.py" "$sleave" replay --gdb $options "$file"
	mv out whole
	sed -n '/^stopped: /,$p' whole >out
}

# follows FIRST SECOND: the line after one that is the first is the second; both are regular expressions of whole lines.
follows()
{
	checks=$((checks + 1))
	awk -v first="^$1\$" -v second="^$2\$" 'before && $0 ~ second { found = 1 } { before = $0 ~ first } END { exit !found }' out ||
		{ fail "'$2' does not follow '$1'"; cat out; }
}

# Nothing of the engine's is shown: no file, no function.
is_clean()
{
	never 'src/engine\|src/search\|[^_a-z]sl_[a-z]\|sleave_stop\|call_with_nothing\|lll_lock\|libsleave\|Traceback\|??'
}

# operation FILE WORDS: the number by which --trace knows it.
operation()
{
	"$sleave" replay --trace "$1" 2>/dev/null | sed -n "s/^ *\([0-9]*\)  .*$2.*/\1/p" | head -n 1
}

cat >locks.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *quick(void *arg)
{
	n++;
	return arg;
}
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *lockab(void *arg)
{
	both(&a, &b);
	return arg;
}
static void *lockba(void *arg)
{
	both(&b, &a);
	return arg;
}
int main(void)
{
	pthread_t q, x, y;
	pthread_create(&q, NULL, quick, NULL);
	pthread_join(q, NULL);
	pthread_create(&q, NULL, quick, NULL);
	pthread_create(&x, NULL, lockab, NULL);
	pthread_create(&y, NULL, lockba, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	pthread_join(q, NULL);
	return 0;
}
END
cat >steps.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static int n;
static int plus(int by)
{
	int sum = n;
	sum += by;
	return sum;
}
static void bump(void)
{
	n = plus(1);
}
static void *work(void *arg)
{
	pthread_setname_np(pthread_self(), "a worker");
	bump();
	return arg;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, NULL, work, NULL);
	pthread_create(&y, NULL, work, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	assert(n == 2);
	return 0;
}
END
cat >named.cc <<'END'
#include <pthread.h>
namespace bank {
struct account {
	int sum = 0;
};
template <class T> void *deposit(void *p)
{
	static_cast<T *>(p)->sum++;
	return p;
}
namespace {
void *with_a_name_that_is_long(void *p)
{
	static_cast<account *>(p)->sum++;
	return p;
}
} // namespace
} // namespace bank
int main()
{
	bank::account a;
	pthread_t x, y;
	pthread_create(&x, nullptr, bank::deposit<bank::account>, &a);
	pthread_create(&y, nullptr, bank::with_a_name_that_is_long, &a);
	pthread_join(x, nullptr);
	pthread_join(y, nullptr);
}
END
for name in locks steps; do
	"$sleave" cc -g -O0 -o $name $name.c || fail "$name is not built"
	expect 1 "$sleave" run -q --races=off -o . ./$name
done
"$sleave" c++ -g -O0 -o named named.cc || fail "named is not built"
expect 1 "$sleave" run -q -o . ./named
says 'T1 deposit<bank::account> .*T2 with_a_name_that_is_long'

# ---- at the failure ----
typed locks-1.sleave -- 'info threads' bt up down 'thread 1' up 'thread 4' bt up up down down 'frame 0' 'print first == &b' 'thread apply 3 print first == &a' \
	'thread apply all bt'
is_clean
# T2 has the kernel thread that was T1's
says '^stopped: deadlock: T3 lockab and T4 lockba wait for each other$'
follows 'stopped: .*' '#[0-9]* .* in both .* at locks.c:12'
says '^  1  *Thread 0x[0-9a-f]* (LWP [0-9]*) "main"  *0x[0-9a-f]* in main () at locks.c:34$'
says '^  2  *Thread 0x[0-9a-f]* (LWP [0-9]*) "T2 quick"  *has ended$'
says '^[* ] 3  *Thread 0x[0-9a-f]* (LWP [0-9]*) "T3 lockab"  *0x[0-9a-f]* in both (first=0x[0-9a-f]* <a>, .*) at locks.c:12$'
says '^[* ] 4  *Thread 0x[0-9a-f]* (LWP [0-9]*) "T4 lockba"  *0x[0-9a-f]* in both (first=0x[0-9a-f]* <b>, .*) at locks.c:12$'
says '^\[Switching to thread 4 "T4 lockba" '
follows '\[Switching to thread 4 .*' '#[0-9]* .* in both .* at locks.c:12'
follows '\[Switching to thread 1 .*' '#[0-9]* .* in main .* at locks.c:34'
follows '.gdb. frame 0' '#[0-9]* .* in both .* at locks.c:12'
follows '.gdb. up' '#[0-9]* .* in lock[ab]* .* at locks.c:[12][0-9]'
follows '.gdb. up' "Initial frame selected; you can't go up."
follows '.gdb. down' '#[0-9]* .* in both .* at locks.c:12'
follows '.gdb. down' "Bottom .innermost. frame selected; you can't go down."
follows '.gdb. print first == &b' '\$1 = 1'
follows 'Thread 3 .Thread .*"T3 lockab".:' '\$2 = 1' # the program's frame there, too
follows 'Thread 2 .Thread .*"T2 quick".:' '#[0-9]*  this thread has ended \(\)'

# what has ended can't be looked at, nor step
typed locks-1.sleave -- 'thread 2' bt up next frame 'thread 77' 'thread 3' next 'info threads'
is_clean
follows '\[Switching to thread 2 .*' 'T2 quick has ended'
follows '.gdb. bt' '#[0-9]*  this thread has ended \(\)'
follows '.gdb. next' 'T2 quick has ended.'
follows '.gdb. thread 77' 'Unknown thread 77.'
says '^next: the execution has ended.$' # nothing comes after a failure
says '^No threads.$'

# ---- before an operation, and on to the failure ----
typed steps-1.sleave --until "$(operation steps-1.sleave 'T1 a worker .*reads n ')" -- bt 'print n' step step step step 'info threads' continue bt 'info breakpoints'
is_clean
says '^stopped: before operation [0-9]* (continue goes on to the failure: assertion failed: n == 2 .*)$'
follows 'stopped: before .*' '#[0-9]* .* in plus .by=1. at steps.c:7'
follows '.gdb. step' '8.*sum \+= by;'
follows '.gdb. step' '9.*return sum;'
follows '.gdb. step' '10.*}'
follows '.gdb. step' 'bump .* at steps.c:14'
says '^\* 2  .*"T1 a worker"  *bump () at steps.c:14$'
says '^stopped: assertion failed: n == 2 in main() at steps.c:28$'
follows 'stopped: assertion .*' '#[0-9]* .* in main .* at steps.c:28'
says '^No breakpoints or watchpoints.$' # ours is not in the way of the user's

# into functions, over them, and out of the thread's own: then the program goes on
typed steps-1.sleave --until "$(operation steps-1.sleave 'T1 a worker .*starts')" -- 'info threads' next next step step next next next next 'info threads' frame
is_clean
follows 'stopped: before .*' 'T1 work has not begun'
says '^\* 2  .*"T1 work"  *has not begun$'
follows '.gdb. next' '17.*pthread_setname_np.*'
follows '.gdb. next' '18.*bump\(\);'
follows '.gdb. step' 'bump .* at steps.c:12'
follows '.gdb. step' '13.*n = plus\(1\);'
follows '.gdb. next' '20.*}'
says '^\* 1  .*"main"  .*in main () at steps.c:28$'
follows '.gdb. frame' '#[0-9]* .* in main .* at steps.c:28'

# of another thread, which first waits for its turn; and breakpoints of the user's
typed steps-1.sleave --until "$(operation steps-1.sleave 'T1 a worker .*reads n ')" -- 'thread 3' next finish finish
is_clean
follows '.gdb. next' '14.*}'
follows 'Run till exit from .* bump .*' 'work .* at steps.c:19'
says '^stopped: assertion failed'
typed steps-1.sleave --until 1 -- 'break plus' continue bt up 'thread 1' next next
is_clean
follows 'stopped: before .*' 'main has not begun'
says '^Thread 2 "T1 a worker" hit Breakpoint 1, plus (by=1) at steps.c:'
says '^#2 .* in work .* at steps.c:18$'
follows '.gdb. next' '#0  main .* at steps.c:25' # the call returns to where the next line begins
says '^Thread 3 "T2 a worker" hit Breakpoint 1, plus (by=1) at steps.c:'

# calls that the engine makes back into the program: its frames between them are skipped
cat >back.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n;
static void init(void)
{
	n++;
	assert(n == 2);
}
static void *work(void *arg)
{
	pthread_once(&once, init);
	return arg;
}
int main(void)
{
	pthread_t x;
	pthread_create(&x, NULL, work, NULL);
	pthread_join(x, NULL);
	return 0;
}
END
"$sleave" cc -g -O0 -o back back.c || fail "back is not built"
expect 1 "$sleave" run -q -o . ./back
typed back-1.sleave -- bt up up down
is_clean
follows '#[0-9]* .* in init .* at back.c:8' '#[0-9]* .* in work .* at back.c:12'
follows '.gdb. up' '#[0-9]* .* in work .* at back.c:12'
follows '.gdb. up' "Initial frame selected; you can't go up."
follows '.gdb. down' '#[0-9]* .* in init .* at back.c:8'

# ---- names, as in stories: without namespace and parameters, and whole ----
typed named-1.sleave -- 'info threads'
is_clean
says '"T1 deposit<bank::account>" '
says '"T2 with_a_name_that_is_long" '

cat >workers.c <<'END'
int main(void)
{
	static int n;
#pragma omp parallel num_threads(3)
	n++;
	return n != 3;
}
END
"$sleave" cc -g -O0 -fopenmp -o workers workers.c || fail "workers is not built"
expect 1 "$sleave" run -q -o . ./workers
typed workers-1.sleave -- 'info threads'
is_clean
says '"T1 omp worker 1"  *waits in OpenMP$' '"T2 omp worker 2"  *0x[0-9a-f]* in main._omp_fn.0 () at workers.c:5$'

# ---- the user's own: a hook, and all frames ----
printf 'define hook-stop\necho theirs\\n\nend\n' >home/.gdbinit
typed locks-1.sleave -- 'disable frame-filter global sleave' 'thread 3' bt up
grep -q '^theirs$' whole || fail 'the hook of the user is gone'
follows 'stopped: .*' '#[0-9]* .* in both .* at locks.c:12'
follows '.gdb. bt' '#0  [^b].*'
says '^#[0-9]* .* in call_with_nothing '
rm home/.gdbinit

# ---- a gdb without Python ----
mkdir without && printf '#!/bin/sh\ncase "$*" in *"python import"*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v gdb)" >without/gdb
chmod +x without/gdb
PATH=$folder/without:$PATH
typed steps-1.sleave --until "$(operation steps-1.sleave 'T1 a worker .*reads n ')" -- continue
says '^stopped: before operation ' '^#[0-9]* .* in plus (by=1) at steps.c:7$'
says '^stopped: assertion failed: n == 2' '^#[0-9]* .* in main () at steps.c:28$'
says '"T1 a worker"'
typed locks-1.sleave --
says '^stopped: deadlock' '^the thread to look at is LWP [0-9]*$\|^#[0-9]* .* in both .* at locks.c:12$'

verdict
