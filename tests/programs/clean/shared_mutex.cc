/*
 * bug/race/shared_mutex.cc, repaired: under the exclusive lock. Nothing is to be found.
 */
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int value;

static void
write()
{
	std::unique_lock<std::shared_mutex> hold(lock);

	value++;
}

int
main()
{
	int seen;
	std::thread t(write), u(write);

	{
		std::shared_lock<std::shared_mutex> hold(lock);

		seen = value;
	}
	t.join();
	u.join();
	return value != 2 || seen > 2;
}
