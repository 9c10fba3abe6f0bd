/*
 * A std::thread is neither joined nor detached when its work is already done: its destructor calls std::terminate.
 */
/* expect: ^abort in main at .*: std::terminate\(\) was called: a std::thread was destroyed that had been neither joined nor detached */
#include <atomic>
#include <thread>

static std::atomic<bool> done;

int
main()
{
	std::thread worker([] { done = true; });

	if (!done)
		worker.join();
	return 0;
}
