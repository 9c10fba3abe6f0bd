# What tests of the command share: to be read with `.`, in a folder of the test's own.
# shellcheck shell=sh disable=SC2034 # whoever reads this uses them
failures=0
checks=0

fail()
{
	echo "FAIL $*"
	failures=$((failures + 1))
}

# expect STATUS COMMAND…: ends with that status, in bounded time; leaves out and err.
expect()
{
	expected=$1
	shift
	checks=$((checks + 1))
	timeout 60 "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$expected" ] || { fail "status $status instead of $expected: $*"; tail -n 20 out err; }
}

# says WORDS / never WORDS: of the command before, on either stream.
says()
{
	checks=$((checks + 1))
	cat out err | grep -q -e "$1" || { fail "'$1' is not said"; tail -n 20 out err; }
}

never()
{
	checks=$((checks + 1))
	if cat out err | grep -q -e "$1"; then
		fail "'$1' is said"
		tail -n 20 out err
	fi
}
