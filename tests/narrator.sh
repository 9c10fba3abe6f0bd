#!/bin/sh
# Stories and traces tell an operation in the same words: of every third program of tests/programs/bug the search is recorded
# (`sleave run --trace`), what it found is replayed (`sleave replay --trace`), and narrator.py compares the two. Of the
# programs in C++ two are enough, which take the compiler as long as fourteen in C.
#
# A third is enough for every day, because the words depend on the kind of an operation, its object and its result, not on the
# program: narrator.py counts the verbs, of which a third of the programs has nearly all. LEVELS=all takes all programs of
# bug and clean, in C and C++. What is "found" in a clean one is that a schedule was not followed, because its event never occurs:
# that is known when the program ends, so all of the execution is compared.
#
# usage: tests/narrator.sh BUILD
set -u

build=$(cd "${1:?usage: tests/narrator.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
sleave=$build/sleave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset SLEAVE_CC SLEAVE_CXX
LC_ALL=C && export LC_ALL
cd "$work" || exit 99

# What the program's first lines say, as in programs.sh.
word()
{
	sed -n "1,15s,^/\* $1: \(.*\) \*/\$,\1,p" "$program"
}

status=0
{
	if [ "${LEVELS-}" = all ]; then
		find "$here/programs/bug" "$here/programs/clean" -name '*.c' -o -name '*.cc' | sort
	else
		find "$here/programs/bug" -name '*.c' ! -name 'semaphore_set.c' | sort | awk 'NR % 3 == 0'
		find "$here/programs/bug" -name 'semaphore_set.c' # what System V's sets of semaphores have are kinds of their own
		echo "$here/programs/bug/deadlock/latch.cc"
		echo "$here/programs/bug/race/thread.cc"
	fi
} >list
while read -r program; do
	[ -z "$(word input)" ] || continue
	kind=${program%/*}
	folder=$work/${kind##*/}-$(basename "$program")
	mkdir "$folder" && cd "$folder" || exit 99
	case $program in
	*.cc) set -- c++ "-std=$(word standard | grep . || echo c++17)" ;;
	*) set -- cc ;;
	esac
	# shellcheck disable=SC2046 # several words
	SLEAVE_CC=$(word compiler) timeout 60 "$sleave" "$@" -O0 -o program "$program" $(word flags) >out 2>&1 || {
		echo "$folder does not compile: $(cat out)"
		status=1
		continue
	}
	# shellcheck disable=SC2046
	case $kind in
	*/clean) timeout 120 "$sleave" run -q --trace out.trace $(word options) --check --schedule 'start@main -> nothing' ./program $(word arguments) ;;
	*) timeout 120 "$sleave" run -q --trace out.trace $(word options) ./program $(word arguments) ;;
	esac >out 2>&1 </dev/null
	found=$?
	timeout 120 "$sleave" replay --trace program-1.sleave >replayed 2>err </dev/null
	again=$?
	timeout 120 "$sleave" trace out.trace >traced 2>>err
	status_traced=$?
	case $kind:$found:${program##*/} in
	*/clean:[03]:becomes_another.c | */clean:[03]:libc_maps_files.c) # ends as another program; leaves something behind
		continue
		;;
	esac
	if [ "$found $again $status_traced" != "1 1 0" ]; then
		echo "$folder: run ended with $found, replay with $again: $(tail -n 3 out err)"
		status=1
		continue
	fi
	echo "$folder" >>"$work/folders"
done <list

# shellcheck disable=SC2046
python3 "$here/narrator.py" $(cat "$work/folders") || status=1
exit $status
