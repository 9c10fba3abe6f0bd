/*
 * bug/deadlock/atomic_wait.cc, repaired: the value changes before the notification. Nothing is to be found.
 */
/* standard: c++20 */
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
	ready.store(1);
	ready.notify_one();
	other.join();
	return 0;
}
