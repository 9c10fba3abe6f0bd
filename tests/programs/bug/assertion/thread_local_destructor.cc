/*
 * Each thread adds its part to the total when its thread_local object is destroyed, which is after the function
 * has set the flag that main waits for.
 */
/* expect: total == 2 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> total, finished;

struct part {
	int count = 0;
	~part()
	{
		total += count;
	}
};

static thread_local part mine;

static void
work()
{
	mine.count++;
	finished++;
}

int
main()
{
	std::thread a(work), b(work);

	while (finished != 2)
		std::this_thread::yield();
	assert(total == 2);
	a.join();
	b.join();
	return 0;
}
