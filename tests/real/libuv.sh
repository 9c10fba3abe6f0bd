# libuv (C): its own tests of threads, locks, the pool and wake-ups of a loop by other threads; each by itself, in one process.
name=libuv
. "$here/common.sh"
fetch libuv1
compilers

program=$source/b/uv_run_tests_a
if stale "$program"; then
	mkdir -p "$source/b" && cd "$source/b" || exit 1
	quietly cmake .. -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g"
	quietly make -j2 uv_run_tests_a
fi

begin
UV_RUN_AS_ROOT=1 && export UV_RUN_AS_ROOT
for test in barrier_1 barrier_2 barrier_3 barrier_serial_thread condvar_1 condvar_2 semaphore_2 async async_null_cb \
	threadpool_queue_work_simple threadpool_cancel_single threadpool_cancel_work thread_local_storage thread_stack_size \
	thread_rwlock_trylock thread_create thread_equal random_async; do
	passes --volatile=atomic -- "$program" $test $test
done
# Without that option a volatile access is a plain one, and a wake-up is looked for with such a one.
finds '^data race on async.pending' -- "$program" async async
# Tests that count on time: the other thread has to be faster than 100 ms, or a second.
finds 'abort .*test-semaphore.c:62' -- "$program" semaphore_1 semaphore_1
finds 'abort .*test-condvar.c:179' -- "$program" condvar_3 condvar_3
