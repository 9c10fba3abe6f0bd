#!/bin/sh
# The law of the engine: what libsleave needs from outside is on a list, and folders depend in one direction only.
# Usage: tests/symbols.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
passed=0 failed=0

check() # what, command output that must be empty
{
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED: %s:\n%s\n' "$1" "$2"
	fi
}

allowed='
_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __gmon_start__ __cxa_finalize __popcountdi2
_Unwind_Backtrace _Unwind_ForcedUnwind _Unwind_GetCFA _Unwind_GetIP _Unwind_Resume __gcc_personality_v0
__libc_malloc __libc_calloc __libc_realloc __libc_memalign __libc_free malloc_trim __libc_single_threaded
__errno_location __environ environ getenv unsetenv getauxval getpid
_setjmp dl_iterate_phdr dladdr dlopen dlsym dlvsym _r_debug __libc_stack_end
on_exit __cxa_at_quick_exit
access close open open64 fcntl fcntl64 fstat fstat64 ftruncate ftruncate64 memfd_create waitpid fflush fflush_unlocked
stdout stderr stdin raise fopencookie posix_spawn_file_actions_init posix_spawn_file_actions_adddup2
posix_spawn_file_actions_destroy __fsetlocking __fpurge
pthread_attr_init pthread_attr_destroy pthread_attr_setstack pthread_attr_getstack pthread_attr_setdetachstate pthread_attr_getstacksize
pthread_attr_getdetachstate pthread_attr_getsigmask_np pthread_attr_getguardsize pthread_attr_setguardsize
vsnprintf strerror_r sigdescr_np __progname __progname_full program_invocation_name program_invocation_short_name
error_message_count error_one_per_line error_print_progname
'
for symbol in $(nm -D --undefined-only "$build/libsleave.so" | awk '{print $NF}' | sed 's/@.*//'); do
	case " $(echo $allowed) " in
	*" $symbol "*) passed=$((passed + 1)) ;;
	*) check "libsleave.so needs only what is on the list" "$symbol" ;;
	esac
done

# Exported is what export.map says and nothing of ours by another name.
check "no sl_ symbol is exported" "$(nm -D --defined-only "$build/libsleave.so" | awk '{print $NF}' | grep '^sl_')"

# What the list names, the library has: a name that is only on the list would be libc's, out of control.
defined=" $(nm -D --defined-only "$build/libsleave.so" | awk '{print $NF}' | tr '\n' ' ')"
for symbol in $(sed -n '/global:/,/local:/p' "$root/src/engine/interpose/export.map" | tr -d '\t' | tr ';' '\n' |
	grep -E '^ *[A-Za-z_0-9]+$'); do
	case "$defined" in
	*" $symbol "*) passed=$((passed + 1)) ;;
	*) check "every name in export.map is defined" "$symbol" ;;
	esac
done

check "libgit2 is not loaded when the command starts, but when it is needed" "$(readelf -d "$build/sleave" | grep 'NEEDED.*libgit2')"

# Rooms depend in one direction only, and no two files of src have one name. (In the engine a header may be in a lower room than the file
# whose functions it declares: those are asked from below.)
check "each room includes only what it may (tests/rooms.py)" "$(python3 "$root/tests/rooms.py" "$root")"
check "what kinds of operations have in common is in op.def alone (tests/kinds.py)" "$(python3 "$root/tests/kinds.py" "$root")"
check "no file name means two things" "$(cd "$root/src" && find . -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.hh' |
	sed '/^\.\/engine\//!s/\.[a-z]*$//' | sort -u | sed 's|.*/||' | sort | uniq -d)"
check "files that comments name exist (tests/references.py)" "$(python3 "$root/tests/references.py" "$root")"
check "structs have parts, and a tag means one thing (tests/structs.py)" "$(python3 "$root/tests/structs.py" "$root")"
check "a strategy is asked for its traits, never whether it is a certain one" "$(cd "$root/src" &&
	grep -rnE '[=!]= *&sl_strategy_|&sl_strategy_[a-z_]+ *[=!]=|(cmp|same|equal)\([^;,)]*strategy[^;,)]*, *("|sl_strategy_)' --include=*.[ch] . | grep -vE '^\./(strategy|search)/')"
check "struct sl_strategy has at most ten members" "$(awk '/^struct sl_strategy \{/ { inside = 1 } inside && /;/ { count++ }
	/^}/ { inside = 0 } END { if (count < 5 || count - 1 > 10) print count - 1, "members" }' "$root/src/strategy/strategy.h")"
check "includes are written from src/" "$(grep -rn '#include "\.\./' "$root/src" "$root/include")"

# Every header compiles alone.
check "every header compiles alone" "$(cd "$root/src" && find -- * -name '*.h' ! -path engine/under/redirect.h ! -path engine/under/poison.h |
	xargs cc -std=gnu11 -D_GNU_SOURCE -I. -I"$root/include" -fsyntax-only -x c 2>&1 | grep error)"
check "sleave.h compiles alone as C99 and C++" "$(
	{ cc -std=c99 -pedantic-errors -fsyntax-only -x c "$root/include/sleave.h"
	  c++ -std=c++11 -pedantic-errors -fsyntax-only -x c++ "$root/include/sleave.h"; } 2>&1)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
