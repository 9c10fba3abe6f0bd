/*
 * std::atomic: notifies first and changes the value then. A thread that goes to sleep in between is never woken.
 */
/* standard: c++20 */
/* expect: wake-up of  */
#include <atomic>
#include <thread>

static std::atomic<int> ready;
static int data;

int
main()
{
	std::thread other([] {
		ready.wait(0);
		if (data != 1)
			std::terminate();
	});

	data = 1;
	ready.notify_one();
	ready.store(1);
	other.join();
	return 0;
}
