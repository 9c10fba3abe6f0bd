# What tests of the command share: to be read with `.`, in a folder of the test's own.
# shellcheck shell=sh disable=SC2034,SC2086 # the scripts that read this file use them; words of options
failures=0
checks=0
limit=60       # seconds for a command
input=/dev/null
grep_as=       # how words are meant: -F, -xF; a regular expression, if nothing is said

fail()
{
	echo "FAIL $*"
	failures=$((failures + 1))
}

# ends STATUS COMMAND…: with that status, in bounded time; leaves out and err.
ends()
{
	expected=$1
	shift
	checks=$((checks + 1))
	timeout $limit "$@" >out 2>err <"$input"
	status=$?
	[ $status = "$expected" ] || { fail "status $status instead of $expected: $*"; tail -n 30 out err; }
}

# expect STATUS COMMAND…
expect()
{
	ends "$@"
}

# says WORDS… / never WORDS: of the command before, on either stream, each of them.
says()
{
	for words; do
		checks=$((checks + 1))
		cat out err | grep -q $grep_as -e "$words" || { fail "'$words' is not said"; tail -n 30 out err; }
	done
}

never()
{
	checks=$((checks + 1))
	if cat out err | grep -q $grep_as -e "$1"; then
		fail "'$1' is said"
		tail -n 30 out err
	fi
}

# The last line of a test, and its status.
verdict()
{
	echo "$checks checks, $failures failed"
	[ $failures -eq 0 ]
}
