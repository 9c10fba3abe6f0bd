/*
 * std::condition_variable without a condition: notified before it waits.
 */
/* expect: lost wake-up */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;

int
main()
{
	std::thread other([] {
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold);
	});

	changed.notify_one();
	other.join();
	return 0;
}
