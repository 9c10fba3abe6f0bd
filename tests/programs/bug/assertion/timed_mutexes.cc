/*
 * std::timed_mutex and std::shared_timed_mutex: assumes that five seconds are enough.
 */
/* expect: in */
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::timed_mutex lock;
static std::shared_timed_mutex shared;
static int data;

int
main()
{
	std::thread other([] {
		std::lock_guard<std::timed_mutex> hold(lock);
		std::lock_guard<std::shared_timed_mutex> writes(shared);

		data++;
	});
	bool in = lock.try_lock_for(std::chrono::seconds(5));

	assert(in);
	if (in)
		lock.unlock();
	if (shared.try_lock_shared_for(std::chrono::seconds(5))) {
		in = data == 1;
		shared.unlock_shared();
	}
	other.join();
	return 0;
}
