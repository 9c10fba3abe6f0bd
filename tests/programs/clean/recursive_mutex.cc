/*
 * bug/deadlock/recursive_mutex.cc, repaired: a std::recursive_mutex, and a std::recursive_timed_mutex. Nothing is to be found.
 */
#include <chrono>
#include <mutex>
#include <thread>

static std::recursive_mutex lock;
static std::recursive_timed_mutex timed;
static int depth;

static void
go_down(int n)
{
	std::lock_guard<decltype(lock)> hold(lock);
	std::unique_lock<std::recursive_timed_mutex> second(timed, std::chrono::seconds(1));

	if (!second)
		return;
	depth++;
	if (n)
		go_down(n - 1);
}

int
main()
{
	std::thread other(go_down, 1);

	go_down(1);
	other.join();
	return depth > 4;
}
