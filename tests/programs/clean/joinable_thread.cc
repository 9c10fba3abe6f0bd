/*
 * bug/abort/joinable_thread.cc, repaired: joined in any case. Nothing is to be found.
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> done;

int
main()
{
	std::thread worker([] { done = true; });

	if (worker.joinable())
		worker.join();
	assert(done);
	return 0;
}
