#!/bin/sh
# Every way to touch memory in tests/accesses is seen: a race without a lock, clean with one. Both compilers, all levels of
# optimisation, C and C++. Each program explores all of them itself; of each source, the first that a compiler makes is also
# run by the command, with every fourth way: what the command adds is not the way's own. The compilers take turns at levels,
# standards of C++ and runs by the command; LEVELS=all has both do all of them, and the command all ways.
# usage: tests/accesses.sh BUILD
# shellcheck disable=SC2015,SC2086 # no surprise in a && b || c; $more is two words
set -u

build=$(cd "${1:?usage: tests/accesses.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
source=$(cd "$(dirname "$0")" && pwd)/accesses
# shellcheck source=tests/levels.sh
. "$source/../levels.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset SLEAVE_CC SLEAVE_CXX
checks=0 failures=0

fail()
{
	failures=$((failures + 1))
	echo "FAIL $what: $*"
	tail -n 5 out
}

expect() # STATUS COMMAND…
{
	wanted=$1
	shift
	checks=$((checks + 1))
	timeout 60 "$build/sleave" run -q "$@" >out 2>&1 </dev/null
	status=$?
	[ $status = "$wanted" ] || fail "status $status instead of $wanted: $*"
}

itself() # ARGUMENT…: the program, of all ways; it says which one is wrong
{
	checks=$((checks + count))
	timeout 300 ./program "$@" >out 2>&1 </dev/null || fail "$*: status $?"
}

# all COMPILE-COMMAND…: the program is ./program
all()
{
	what="$SLEAVE_CC $*"
	if ! timeout 120 "$build/sleave" "$@" -w -Wno-psabi -o program >out 2>&1; then
		failures=$((failures + 1))
		echo "FAIL does not compile: $what"
		head -n 10 out
		return
	fi
	names=$(./program list)
	count=$(echo "$names" | wc -l)
	[ "$count" -gt 15 ] || fail "only $count ways"
	itself all
	for source_file; do :; done
	case " $by_command " in *" $source_file "*) return ;; esac
	by_command="$by_command $source_file"
	if [ "${LEVELS-}" != all ] && command -v gcc clang >/dev/null; then # the compilers take turns
		turn=$((turn + 1))
		case $((turn % 2))$SLEAVE_CC in 1gcc | 0clang) ;; *) return ;; esac
	fi
	number=$turn
	for name in $names; do
		number=$((number + 1))
		[ "${LEVELS-}" = all ] || [ $((number % 4)) = 0 ] || continue
		case $name in
		not_*) expect 0 ./program "$name" ;;
		*) expect 1 ./program "$name" ;;
		esac
	done
}

# With a lock nothing is found. If Sleave has no plugin for the compiler, the verdict says what it is not about.
none()
{
	itself all lock
	expect 0 ./program "$(echo "$names" | head -n 1)" lock
	[ "$(grep -c '^not seen' out)" = $((1 - plugin)) ] || fail "with plugin: $plugin, and: $(grep 'not seen' out)"
}

for SLEAVE_CC in gcc clang; do
	export SLEAVE_CC
	by_command='' turn=0
	command -v $SLEAVE_CC >/dev/null || { echo "no $SLEAVE_CC here"; continue; }
	find "$build/src/plugin" -name "$SLEAVE_CC-*.so" | grep -q . && plugin=1 || plugin=0
	case ${LEVELS-}$SLEAVE_CC in
	gcc) levels="-O0 -O1 -O3" standards="-std=c++11 -O2,-std=c++2b -O3" ;;
	clang) levels="-O2 -Os" standards="-std=c++17 -O0,-std=c++20 -O2" ;;
	allgcc) levels="-O0 -O1 -O2 -O3 -Os" ;;
	*) levels="-O0 -O2 -Os" ;;
	esac
	case ${LEVELS-} in all) standards="-std=c++11 -O2,-std=c++17 -O0,-std=c++20 -O2,-std=c++2b -O3" ;; esac
	for level in $levels; do
		all cc "$level" "$source/builtins.c"
	done
	for level in $(levels $SLEAVE_CC); do
		all cc "$level" "$source/ends.c"
		itself all lock
		all cc "$level" "$source/libc.c"
		itself all lock
	done
	# -P, the preprocessor apart and link time optimisation have ways of their own
	all cc -O2 -P -DFORTIFY -flto "$source/builtins.c"
	all cc -O2 -save-temps -std=gnu89 -fgnu89-inline -std=gnu99 "$source/builtins.c"
	for level in $(echo "$standards" | tr ' ,' '+ '); do
		all c++ ${level%+*} ${level##*+} "$source/library.cc"
	done
	none
	[ $plugin = 1 ] || { echo "no plugin for $SLEAVE_CC here"; continue; }
	for level in $(levels $SLEAVE_CC); do
		all cc "$level" "$source/by_value.c"
		all c++ "$level" "$source/by_value.cc"
		all cc "$level" "$source/assembly.c"
	done
	all c++ -O2 -x c++ "$source/assembly.c"
	none
	all cc -O2 -flto "$source/by_value.c"
	none
	# wide vectors, masks, elements from all over the place
	grep -qw avx2 /proc/cpuinfo || { echo "no wide vectors here"; continue; }
	[ $SLEAVE_CC = gcc ] || all cc -O3 -mavx2 "$source/by_value.c"
	[ $SLEAVE_CC = gcc ] && more= || more="-mllvm -force-vector-interleave=1"
	all cc -O3 -mavx2 -mtune=skylake $more "$source/builtins.c"
done

echo "$checks checks, $failures failures"
[ $failures = 0 ]
