#!/bin/sh
# The folder is the verdict: of every program in tests/programs/bug/KIND exactly that kind is found, and shown again
# twice by its replay file; of every program in tests/programs/clean nothing, and the search comes to its end unless
# the program limits it; a program in tests/programs/refused is undecided. Each has one of two compilers, with -O0 or -O2: the
# four take turns from program to program, those in C and those in C++ each by themselves, because to compile takes longer than
# all the rest. One compiler alone does both levels. LEVELS=all has both do both of all, and takes four times as long; so do
# programs that are asked for by name.
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
# Data that only races is not static: the compiler would see that it is not needed.
#
# PART/PARTS is every so-many-th of all, from that one on, one after the other: meson runs the parts side by side.
#
# usage: tests/programs.sh BUILD [PART/PARTS | PART OF A NAME]
set -u

# What the first lines of a program say. A process for each word of each program would be a tenth of the test.
read_head() # PROGRAM
{
	options='' pattern='' standard='' flags='' arguments='' given='' only='' number=0
	while [ $number -lt 15 ] && IFS= read -r line; do
		number=$((number + 1))
		case $line in
		"/* "*": "*" */") ;;
		*) continue ;;
		esac
		line=${line#"/* "}
		line=${line%" */"}
		case $line in
		"options: "*) options=${line#*": "} ;;
		"expect: "*) pattern=${line#*": "} ;;
		"standard: "*) standard=${line#*": "} ;;
		"flags: "*) flags=${line#*": "} ;;
		"arguments: "*) arguments=${line#*": "} ;;
		"input: "*) given=${line#*": "} ;;
		"compiler: "*) only=${line#*": "} ;;
		esac
	done <"$1"
}

# What the JSON object on the last line of `out` says: some texts, and some words for what is so; warnings are something
# else and not looked at, but for whether there are any.
read_answer()
{
	lines='' verdict='' reason='' message='' replay='' kinds='' is=''
	while read -r key value; do
		case $key in
		verdict) verdict=$value ;;
		reason) reason=$value ;;
		message) message=$value ;;
		replay) replay=$value ;;
		kind | kinds) kinds="$kinds$value " ;;
		is) is="$is$value " ;;
		*) lines=$key ;;
		esac
	done <<-END
		$(sed -n -e '$=' -e '${h
			s/.*"warnings": \[\].*/is unwarned/p;g
			s/"warnings": .*//;h
			s/.*"verdict": "\(\([^"\\]\|\\.\)*\)".*/verdict \1/p;g
			s/.*"reason": "\(\([^"\\]\|\\.\)*\)".*/reason \1/p;g
			s/.*"message": "\(\([^"\\]\|\\.\)*\)".*/message \1/p;g
			s/.*"replay": "\(\([^"\\]\|\\.\)*\)".*/replay \1/p;g
			s/.*"kind": "\([a-z-]*\)".*/kind \1/p;g
			s/.*"kind": "[a-z-]*".*"kind": ".*/kinds and more/p;g
			s/.*"complete": true.*/is complete/p;g
			s/.*"findings": \[\].*/is empty/p;g
			s/.*"cut": 0[,}].*/is whole/p;g
			}' out)
	END
}

is() # WORD of read_answer
{
	case " $is" in *" $1 "*) return 0 ;; esac
	return 1
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
	kind=${program%/*}
	kind=${kind##*/}
	base=${program##*/}
	base=${base%.*}
	folder=$work/$$
	mkdir "$folder" && cd "$folder" || exit 1
	: >input
	read_head "$program"
	case $program in
	*.cc) set -- c++ "-std=${standard:-c++17}" ;;
	*) set -- cc ;;
	esac
	# shellcheck disable=SC2086 # several words
	SLEAVE_CC=$family timeout 60 "$sleave" "$@" "$level" -Wall -o "$base" "$program" $flags >out 2>err || fail "does not compile"
	[ ! -s err ] || fail "the compiler says something"
	[ -z "$given" ] || printf '%b' "$given" >input

	case ${program#"$programs"/} in
	bug/*) expected=1 ;;
	refused/*) expected=3 kind=refused ;;
	*) expected=0 kind= ;;
	esac
	# shellcheck disable=SC2086 # options and arguments are several words
	# time enough for a machine that is busy
	limited $expected "$sleave" run --json --time 90s $options "./$base" $arguments
	read_answer
	[ "$lines" = 1 ] || fail "more than one line on standard output"
	if [ -z "$kind" ]; then
		[ "$verdict" = clean ] || fail "the verdict is not clean"
		case $options in
		*--schedules*) ;;
		*) is complete || fail "the search did not come to its end" ;;
		esac
		is empty || fail "findings all the same"
		is whole || fail "an execution was cut short"
		if is unwarned; then
			for file in ./*.sleave; do
				[ ! -e "$file" ] || fail "a replay file all the same"
			done
		fi
	elif [ "$kind" = refused ]; then
		[ "$verdict" = undecided ] || fail "the verdict is not undecided"
		printf '%s\n' "$reason" | grep -Eq -e "$pattern" || fail "the reason lacks '$pattern'"
	else
		[ "$verdict" = finding ] || fail "the verdict is not finding"
		[ "$kinds" = "$kind " ] || fail "not just one finding of kind $kind"
		printf '%s\n' "$message" | grep -Eq -e "$pattern" || fail "the message lacks '$pattern'"
		[ -s "$replay" ] || fail "no replay file"
		shown=$message file=$replay
		for _ in 1 2; do
			limited 1 "$sleave" replay --json "$file"
			read_answer
			[ "$message" = "$shown" ] || fail "the replay shows something else"
			[ "$kinds" = "$kind " ] || fail "the replay is of another kind"
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

build=$(cd "${1:?usage: tests/programs.sh BUILD [PART/PARTS | PART OF A NAME]}" && pwd) || exit 99
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

part=1 parts=1 named='' processes=$(nproc)
case ${2-} in
[0-9]*/[0-9]*) part=${2%/*} parts=${2#*/} processes=1 ;;
?*) named=$2 LEVELS=all ;;
esac
families=
for family in gcc clang; do
	command -v $family >/dev/null && families="$families $family" || echo "no $family here" >&2
done
turn=0 turn_cc=0
find "$programs" -name '*.c' -o -name '*.cc' | sort | while read -r program; do
	read_head "$program"
	case ${LEVELS-}$only$families in
	" gcc clang")
		case $program in
		*.cc) turn_cc=$((turn_cc % 4 + 1)) now=$turn_cc ;;
		*) turn=$((turn % 4 + 1)) now=$turn ;;
		esac
		case $now in
		1) echo "gcc -O0 $program" ;;
		2) echo "clang -O2 $program" ;;
		3) echo "gcc -O2 $program" ;;
		4) echo "clang -O0 $program" ;;
		esac
		;;
	*)
		for family in $families; do
			[ "${only:-$family}" != "$family" ] || printf '%s\n' "$family -O0 $program" "$family -O2 $program"
		done
		;;
	esac
done | grep -e "programs/.*$named" | awk -v part="$part" -v parts="$parts" 'NR % parts == part % parts' >"$work/list"
xargs -P "$processes" -L 1 sh "$self" --one <"$work/list" >"$work/results"
grep -v '^ok ' "$work/results"

passed=$(grep -c '^ok ' "$work/results")
all=$(wc -l <"$work/list")
echo "$passed passed, $((all - passed)) failed"
[ "$all" -gt 0 ] && [ "$passed" = "$all" ]
