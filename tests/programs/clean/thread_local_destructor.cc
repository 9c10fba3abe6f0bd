/*
 * bug/assertion/thread_local_destructor.cc, repaired: after join() the destructors of thread_local objects have
 * run, and have happened before. Nothing is to be found.
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int total;

struct part {
	int count = 0;
	~part()
	{
		std::lock_guard<std::mutex> hold(lock);
		total += count;
	}
};

static thread_local part mine;

static void
work()
{
	mine.count++;
}

int
main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	assert(total == 2);
	return 0;
}
