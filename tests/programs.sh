#!/bin/sh
# The folder is the verdict: of every program in tests/programs/bug/KIND exactly that kind is found, and shown again
# twice by its replay file; of every program in tests/programs/clean nothing, and the search comes to its end unless
# the program limits it; a program in tests/programs/refused is undecided. Both compilers, one with -O0 and the other with
# -O2: which, takes turns from program to program; one compiler alone does both. LEVELS=all has both do both, and takes
# twice as long; so do programs that are asked for by name.
#
# The first lines of a program may say, each in a comment of its own:
#	options: …	further options of `sleave run`
#	expect: …	an extended regular expression for the finding's message, or the reason of a refusal
#	standard: …	of a C++ program, if not c++17
#	flags: …	further options of the compiler
#	arguments: …	of the program
#	input: …	its standard input; else there is none
#	compiler: …	the only family for it
#
# Data that only races is not static: the compiler would see that nobody needs it.
#
# usage: tests/programs.sh BUILD [PART OF A NAME]
set -u

head_of() # KEY PROGRAM
{
	sed -n "1,15s|^/\* $1: \(.*\) \*/\$|\1|p" "$2"
}

# Of the JSON object on the last line of a file; warnings are not looked at.
text_of() # KEY FILE
{
	tail -n 1 "$2" | sed 's/, "warnings": .*//' | sed -n 's/.*"'"$1"'": "\(\([^"\\]\|\\.\)*\)".*/\1/p'
}

# Of the findings: warnings are something else.
kinds()
{
	tail -n 1 out | sed 's/"warnings": .*//' | grep -o '"kind": "[a-z-]*"'
}

fail()
{
	echo "FAIL $name: $*"
	[ ! -s out ] || sed 's/^/    out: /' out | tail -n 3 | cut -c 1-600
	[ ! -s err ] || sed 's/^/    err: /' err | tail -n 25
	exit 0
}

# limited STATUS COMMAND…: it must end with this status; the program reads `input`.
limited()
{
	expected=$1
	shift
	timeout 120 "$@" >out 2>err <input
	status=$?
	[ $status = "$expected" ] || fail "status $status instead of $expected: $*"
}

# one FAMILY LEVEL PROGRAM: prints one line that begins with ok or FAIL.
one()
{
	family=$1 level=$2 program=$3
	name="$family $level ${program#"$programs"/}"
	base=$(basename "$program" | sed 's/\.[a-z]*$//')
	folder=$(mktemp -d "$work/XXXXXX") && cd "$folder" || exit 1
	: >input
	case $program in
	*.cc)
		standard=$(head_of standard "$program")
		set -- c++ "-std=${standard:-c++17}"
		;;
	*) set -- cc ;;
	esac
	# shellcheck disable=SC2046 # several words
	SLEAVE_CC=$family timeout 60 "$sleave" "$@" "$level" -Wall -o "$base" "$program" $(head_of flags "$program") >out 2>err || fail "does not compile"
	[ ! -s err ] || fail "the compiler says something"
	options=$(head_of options "$program")
	arguments=$(head_of arguments "$program")
	input=$(head_of input "$program")
	[ -z "$input" ] || printf '%b' "$input" >input

	case ${program#"$programs"/} in
	bug/*) expected=1 kind=$(basename "$(dirname "$program")") ;;
	refused/*) expected=3 kind=refused ;;
	*) expected=0 kind= ;;
	esac
	# shellcheck disable=SC2086 # options and arguments are several words
	# time enough for a machine that is busy
	limited $expected "$sleave" run --json --time 90s $options "./$base" $arguments
	[ "$(wc -l <out)" = 1 ] || fail "more than one line on standard output"
	if [ -z "$kind" ]; then
		[ "$(text_of verdict out)" = clean ] || fail "the verdict is not clean"
		case $options in
		*--schedules*) ;;
		*) grep -q '"complete": true' out || fail "the search did not come to its end" ;;
		esac
		grep -q '"findings": \[\]' out || fail "findings all the same"
		grep -q '"cut": 0[,}]' out || fail "an execution was cut short"
		! grep -q '"warnings": \[\]' out || [ -z "$(ls ./*.sleave 2>/dev/null)" ] || fail "a replay file all the same"
	elif [ $kind = refused ]; then
		[ "$(text_of verdict out)" = undecided ] || fail "the verdict is not undecided"
		pattern=$(head_of expect "$program")
		text_of reason out | grep -Eq -e "$pattern" || fail "the reason lacks '$pattern'"
	else
		[ "$(text_of verdict out)" = finding ] || fail "the verdict is not finding"
		[ "$(kinds)" = "\"kind\": \"$kind\"" ] || fail "not just one finding of kind $kind"
		message=$(text_of message out)
		pattern=$(head_of expect "$program")
		printf '%s\n' "$message" | grep -Eq -e "$pattern" || fail "the message lacks '$pattern'"
		replay=$(text_of replay out)
		[ -s "$replay" ] || fail "no replay file"
		for _ in 1 2; do
			limited 1 "$sleave" replay --json "$replay"
			[ "$(text_of message out)" = "$message" ] || fail "the replay shows something else"
			[ "$(kinds)" = "\"kind\": \"$kind\"" ] || fail "the replay is of another kind"
		done
	fi
	echo "ok   $name"
	cd "$work" && rm -rf "$folder"
}

if [ "${1-}" = --one ]; then
	shift
	one "$@"
	exit 0
fi

build=$(cd "${1:?usage: tests/programs.sh BUILD [PART OF A NAME]}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
programs=$(dirname "$self")/programs
sleave=$build/sleave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export programs sleave work
unset SLEAVE_CC SLEAVE_CXX
LC_ALL=C && export LC_ALL

[ -z "${2-}" ] || LEVELS=all
families=
for family in gcc clang; do
	command -v $family >/dev/null && families="$families $family" || echo "no $family here" >&2
done
level=-O0
find "$programs" -name '*.c' -o -name '*.cc' | sort | while read -r program; do
	[ $level = -O0 ] && level=-O2 || level=-O0
	only=$(head_of compiler "$program")
	for family in $families; do
		[ $level = -O0 ] && level=-O2 || level=-O0
		[ "${only:-$family}" = "$family" ] || continue
		case ${LEVELS-}$only$families in
		" gcc clang") echo "$family $level $program" ;;
		*) printf '%s\n' "$family -O0 $program" "$family -O2 $program" ;;
		esac
	done
done | grep -e "programs/.*${2-}" >"$work/list"
xargs -P "$(nproc)" -L 1 sh "$self" --one <"$work/list" >"$work/results"
grep -v '^ok ' "$work/results"

passed=$(grep -c '^ok ' "$work/results")
all=$(wc -l <"$work/list")
echo "$passed passed, $((all - passed)) failed"
[ "$all" -gt 0 ] && [ "$passed" = "$all" ]
