/*
 * A std::thread is forgotten when the work is already done: its destructor calls std::terminate.
 */
/* expect: ^abort */
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
