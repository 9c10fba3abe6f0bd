#!/bin/sh
# One section, one verdict: on real threads, in `sleave test` and in `sleave run`, what passes in one way passes in all.
# Usage: tests/modes.sh BUILD_DIR
set -u
if [ $# -ne 1 ] || [ ! -x "$1/sleave" ]; then
	echo "usage: tests/modes.sh BUILD_DIR" >&2
	exit 2
fi
build=$(cd "$1" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
sleave=$build/sleave
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 3
unset SLEAVE_MODE SLEAVE_LOG
# shellcheck source=tests/checks.sh
. "$here/checks.sh"
limit=100 grep_as=-F

try() { # STATUS COMMAND…, and of what
	ends "$@"
	[ "$status" = "$1" ] || echo "     of $PART, $SCHEDULE"
}

# PART SCHEDULE, exit statuses on real threads and of `sleave run`, what that says
ways() {
	PART=$1 SCHEDULE=$2 && export PART SCHEDULE
	try "$3" ./section
	try $(($3 ? 1 : 0)) "$sleave" test ./section
	for strategy in portfolio dfs dpor icb stateful-dfs; do
		try "$4" "$sleave" run -q -s $strategy ./section
		says "$5"
	done
	rm -f -- *.sleave
}

# … that is not followed because of a name that does not exist: `sleave run` and `sleave test` can't decide
slips() { # PART SCHEDULE what is said
	PART=$1 SCHEDULE=$2 && export PART SCHEDULE
	try 134 ./section
	says "$3"
	try 3 "$sleave" test ./section
	says "$3"
	for strategy in portfolio dfs dpor icb stateful-dfs; do
		try 3 "$sleave" run -q -s $strategy ./section
		says "$3"
	done
}

"$sleave" cc -g -O1 -rdynamic "$here/modes/section.c" -o section || exit 1

# what is wrong with a section
ways 'no name' 'a -> b' 134 3 'the schedule of a section is missing'
ways twins 'a -> b' 134 3 'schedule "x" appears twice'
ways 'no text' 'a -> b' 134 3 'a schedule without a text'

# an event that occurs, but never of that thread: there is nothing that the ordering is about
ways plain 'a@main#* -> c' 134 1 'a#*@main never happened'
ways plain 'a#* -> c' 0 0 'clean'

# what another section has is no name here
for SCHEDULE in '(a || d) -> c' '(a || a@T2) -> c'; do
	PART=second && export PART SCHEDULE
	try 134 ./section
	try 3 "$sleave" test ./section
	for strategy in portfolio dfs dpor icb stateful-dfs; do
		try 3 "$sleave" run -q -s $strategy ./section
		case $SCHEDULE in *@*) says 'there is no thread `T2`' ;; *) says 'event `d` never occurred' ;; esac
	done
done
ways second 'a -> c' 0 0 clean

# objects: a name that the program never gave is misspelt; if no name is near, the messages list those that exist
ways object 'b{o1} -> c' 0 0 clean
ways object '(a || b{o1}) -> c' 0 0 clean
ways object 'b{o9} -> c' 134 1 'sleave_name() has given no object the name `o9`; there is `o1`'
slips object '(a || b{o9}) -> c' 'sleave_name() has given no object the name `o9`; there is `o1`'
# a name that was given in one section is none in the next
ways names 'a -> c' 134 1 'sleave_name() has given no object the name `o`'
PART='many names' SCHEDULE= && export PART SCHEDULE
try 0 ./section
try 0 "$sleave" run -q -s dpor ./section
says clean
# global variables that the dynamic linker knows have names
ways global 'a -> g{global}' 0 0 clean
ways global 'a -> g{globe}' 134 1 'sleave_name() has given no object the name `globe`; did you mean `global`?'

# threads may have longer names than the kernel knows
ways 'long name' 'a@"longer than the kernel'"'"'s names" -> c' 0 0 clean
ways 'long name' 'a@"longer than the k" -> c' 134 1 'there is no thread'

# the story says what has no name
PART=object SCHEDULE='c -> b{o9}' && export PART SCHEDULE
try 1 "$sleave" run -q ./section
says 'reaches the end of the section'
never 'reaches an event'
SCHEDULE='[b] -> c, start@T1 -> a, a -> end@T1'
try 1 "$sleave" run -q ./section
says 'reaches its start' 'reaches its end'
never 'reaches an event'
rm -f -- *.sleave

# what may have been meant
slips plain '(a || bb) -> c' 'never occurred; there is `b`'
slips plain '(a || zz) -> c@main' 'never occurred; there is `b`'
slips plain '(a || zz) -> end@T1' 'never occurred; there are `b` and `c`'
slips plain '(a || a@T9) -> c' 'there is no thread `T9`; there are `main` and `T1`'

verdict
