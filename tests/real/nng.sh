# nng (C): sockets that exchange messages, with a thread for time limits, threads for callbacks and one that frees what is left; its
# own tests.
name=nng
. "$here/common.sh"
fetch nng
compilers

tests=$source/b/src/core
if stale "$tests/aio_test"; then
	mkdir -p "$source/b" && cd "$source/b" || exit 1
	# NNG_RACE_DETECTOR puts assertions under a lock that otherwise look without it.
	quietly cmake .. -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=None -DNNG_TESTS=ON -DNNG_TOOLS=OFF -DNNG_NUM_TASKQ_THREADS=2 \
		-DNNG_RESOLV_CONCURRENCY=1 -DCMAKE_C_FLAGS="-O1 -g -DNNG_EXPIRE_THREADS=1 -DNNG_RACE_DETECTOR"
	quietly make -j2 aio_test sock_test
fi

begin
passes -- "$tests/aio_test" --no-exec "provider cancel"
for test in "recv timeout" "late connection" "address busy"; do
	passes -- "$tests/sock_test" --no-exec "$test"
done
# The thread for time limits does not look again whether it is to end, and sleeps for ever.
finds '^lost wake-up: main waits for a signal' -- "$tests/aio_test" --no-exec "aio reap"
# The test gives an answer a second, and then looks at a message that it does not have.
finds '^crash: segmentation fault .*message.c:492' -- "$tests/aio_test" --no-exec traffic
