/*
 * A timed wait in a loop, which may time out again and again, and then an exception: unwinding computes for long in
 * code that is not instrumented, which is neither spinning nor a deadlock. Nothing is to be found.
 */
/* options: --strategy dfs --schedules 1500 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static int late, caught;

static void
work()
{
	std::unique_lock<std::mutex> hold(lock);

	while (!changed.wait_for(hold, std::chrono::milliseconds(5), [] { return ready; }))
		late++;
	hold.unlock();
	try {
		throw std::runtime_error("late");
	} catch (const std::exception &) {
		hold.lock();
		caught++;
	}
}

int
main()
{
	std::thread worker(work);

	{
		std::lock_guard<std::mutex> hold(lock);
		ready = true;
		changed.notify_one();
	}
	worker.join();
	return caught - 1;
}
