#!/bin/sh
# Lock orders: a cycle is confirmed by steering into the deadlock, or reported as not confirmed; what can't deadlock
# is not reported at all.
# usage: tests/lock_orders.sh BUILD
set -u

build=$(cd "${1:?usage: tests/lock_orders.sh BUILD}" && pwd) || exit 99
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
passed=0 failed=0

# expect STATUS WAY [WORDS]: with WORDS in the output; without, "lock-order" must not be there.
expect()
{
	timeout 60 "$build/sleave" run --strategy random --seed 3 -n 2 ./orders "$2" >out 2>&1 </dev/null
	status=$?
	if [ $status = "$1" ] && { [ -n "${3:-}" ] && grep -q "$3" out || { [ -z "${3:-}" ] && ! grep -q lock-order out; }; }; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $compiler $2: status $status"
		tail -5 out
	fi
}

for compiler in gcc clang; do
	SLEAVE_CC=$compiler "$build/sleave" cc -g -o orders "$here/lock_orders/orders.c" || exit 1
	expect 1 two 'deadlock: T1 ab and T2 ba wait for each other'
	expect 1 three 'deadlock: T1 ab, T2 bc and T3 ca wait for each other'
	expect 1 write 'deadlock: T1 read_write and T2 read_write wait for each other'
	rm -f ./*.sleave
	expect 0 semaphore 'lock-order inversion: T2 locks a at .*orders.c:[0-9]* holding b, T1 locks b at .* holding a; not confirmed'
	timeout 60 "$build/sleave" replay --json orders-1.sleave >out 2>&1 </dev/null
	if [ $? = 1 ] && grep -q '"message": "lock-order inversion: T2 locks a at .* holding b, T1 locks b' out && grep -q 'T1 ab_posts locks in another order' out; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $compiler: the replay of a lock order"
		tail -n 15 out
	fi
	rm -f ./*.sleave
	expect 0 joined
	expect 0 gate
	expect 0 try
	expect 0 read
	expect 0 same
	expect 1 wait 'deadlock'
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
