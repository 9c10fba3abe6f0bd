/* What C++ waits with: condition variables, futures, atomics, latches, semaphores, guards of static variables. */
/* standard: -std=c++20 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <semaphore>
#include <shared_mutex>
#include <sleave.h>
#include <thread>

static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable_any cond;
static std::atomic<int> word;
static std::binary_semaphore *semaphore;
static std::latch *latch;
static std::promise<int> *promise;
static std::atomic<bool> passed;
static bool ready;
static int made;

struct Slow {
	Slow() { std::lock_guard<std::mutex> wait(mutex); }
};

static void
check(const char *name, std::function<void()> before, std::function<void()> wait, std::function<void()> give)
{
	SLEAVE_SCHEDULES(name, "[waits] -> gives, looked -> waited") {
		passed = false;
		before();
		std::thread thread([&] {
			sleave_event("waits");
			wait();
			passed = true;
			sleave_event("waited");
		});
		sleave_event("gives");
		assert(!passed);
		give();
		sleave_event("looked");
		thread.join();
		made++;
	}
}

int
main()
{
	check("mutex", [] { mutex.lock(); }, [] { std::lock_guard<std::mutex> wait(mutex); }, [] { mutex.unlock(); });
	check("shared mutex", [] { shared.lock(); }, [] { std::shared_lock<std::shared_mutex> wait(shared); },
	      [] { shared.unlock(); });
	check("condition", [] { ready = false; },
	      [] {
		      std::unique_lock<std::mutex> lock(mutex);
		      cond.wait(lock, [] { return ready; });
	      },
	      [] {
		      std::lock_guard<std::mutex> lock(mutex);
		      ready = true;
		      cond.notify_one();
	      });
	check("atomic", [] { word = 0; }, [] { word.wait(0); }, [] { word = 1; word.notify_one(); });
	check("latch", [] { latch = new std::latch(1); }, [] { latch->wait(); }, [] { latch->count_down(); });
	check("semaphore", [] { semaphore = new std::binary_semaphore(0); }, [] { semaphore->acquire(); },
	      [] { semaphore->release(); });
	check("future", [] { promise = new std::promise<int>; }, [] { assert(promise->get_future().get() == 5); },
	      [] { promise->set_value(5); });
	check("static variable", [] { mutex.lock(); }, [] { static Slow slow; }, [] { mutex.unlock(); });
	assert(made == 8);
	return 0;
}
