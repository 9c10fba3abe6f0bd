/* Classes of the C++ library, which are described in the library's own debug information. */
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <sleave.h>

struct queue {
	std::mutex lock;
	std::condition_variable added;
	int count = 0;
	void put()
	{
		std::lock_guard<std::mutex> guard(lock);
		count++;
		added.notify_one();
	}
	void take()
	{
		std::unique_lock<std::mutex> guard(lock);
		while (!count)
			added.wait(guard);
		count--;
	}
};
static queue queue;

int
main()
{
	SLEAVE_SCHEDULES("x", getenv("SCHEDULE"))
	{
		std::thread putter([] { queue.put(); }), taker([] { queue.take(); });
		putter.join();
		taker.join();
		assert(queue.count == 0);
	}
	return 0;
}
