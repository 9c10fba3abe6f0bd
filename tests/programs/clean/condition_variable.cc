/*
 * bug/deadlock/condition_variable.cc, repaired: wait(lock, condition). Nothing is to be found.
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int
main()
{
	std::thread other([] {
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [] { return ready; });
	});

	{
		std::lock_guard<std::mutex> hold(lock);
		ready = true;
	}
	changed.notify_one();
	other.join();
	return 0;
}
