#!/bin/sh
# Outcome sets: every tests/outcomes/*.c and *.cc, with both compilers, one unoptimised and the other optimised (which, takes
# turns; LEVELS=all has both do both), each in a process of its own with a time limit. The first lines of a file may say, as in tests/programs.sh: flags, compiler.
#
# PART/PARTS is every so-many-th file, from that one on: meson runs the parts side by side.
#
#	tests/outcomes.sh BUILD_DIR [PART/PARTS | compiler]
set -u
# Messages have numbers of descriptors, so those that the caller has left open are closed.
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-

if [ $# -lt 1 ] || [ ! -x "$1/sleave" ]; then
	echo "usage: tests/outcomes.sh BUILD_DIR [PART/PARTS | compiler]   (BUILD_DIR has the sleave command)" >&2
	exit 2
fi
build=$(cd "$1" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
part=1 parts=1
case ${2-} in
[0-9]*/[0-9]*) part=${2%/*} parts=${2#*/} compilers="gcc clang" ;;
*) compilers=${2:-gcc clang} ;;
esac
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT INT TERM
passed=0 failed=0 searched=' '

head_of() { # KEY FILE
	sed -n "1,15s|^/\* $1: \(.*\) \*/\$|\1|p" "$2"
}

fail() {
	failed=$((failed + 1))
	echo "FAILED $1"
	sed 's/^/    /' "$work/log" | head -40
}

# Other searches must show the same. dpor says that it does not know what signals, cancellation and timers commute with;
# elsewhere all of them must be complete. Once for each: whichever compiler has made the unoptimised one.
others() { # NAME
	case "$searched twin " in *" $1 "*) return ;; esac
	searched="$searched$1 "
	for strategy in dpor stateful-dfs stateful-bfs; do
		incomplete=
		case $strategy-$1 in dpor-aio | dpor-cancel | dpor-children | dpor-files | dpor-findings | dpor-io | dpor-openmp | dpor-queues | dpor-settings | dpor-signalfd | dpor-signals) incomplete=INCOMPLETE=yes ;; esac
		(cd "$work" && env STRATEGY=$strategy $incomplete timeout 120 "./$1") >"$work/log" 2>&1
		status=$?
		if [ $status -eq 0 ] && tail -1 "$work/log" | grep -q '^[1-9][0-9]* passed, 0 failed$'; then
			passed=$((passed + 1))
		else
			fail "$1 ($strategy): status $status"
		fi
	done
}

for compiler in $compilers; do
	if ! command -v "$compiler" >/dev/null; then
		echo "there is no $compiler" >"$work/log"
		fail "$compiler"
		continue
	fi
	for level in -O0 -O2; do
		[ "$compiler" = clang ] && turn=-O2 || turn=-O0
		number=0
		for source in "$here"/outcomes/*.c "$here"/outcomes/*.cc; do
			[ $turn = -O0 ] && turn=-O2 || turn=-O0
			number=$((number + 1))
			[ $((number % parts)) = $((part % parts)) ] || continue
			only=$(head_of compiler "$source")
			[ "${only:-$compiler}" = "$compiler" ] || continue
			[ "${LEVELS-}$only$compilers" != "gcc clang" ] || [ $turn = $level ] || continue
			name=$(basename "$source")
			name=${name%.*}
			case $source in
			*.cc) front="c++ -std=c++20 -Wno-missing-field-initializers" ;;
			*) front=cc ;;
			esac
			# shellcheck disable=SC2086 # several words
			if ! SLEAVE_CC=$compiler "$build/sleave" $front -g $level -mcx16 -Wall -Wextra -Werror "$source" \
				$(head_of flags "$source") -o "$work/$name" -latomic >"$work/log" 2>&1; then
				fail "$name ($compiler $level): does not compile"
				continue
			fi
			(cd "$work" && timeout 300 "./$name") >"$work/log" 2>&1
			status=$?
			if [ $status -eq 0 ] && tail -1 "$work/log" | grep -q '^[1-9][0-9]* passed, 0 failed$'; then
				passed=$((passed + 1))
			else
				fail "$name ($compiler $level): status $status"
			fi
			case $level$source in -O0*.c) others "$name" ;; esac
			rm -f "$work/$name"
		done
	done
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
