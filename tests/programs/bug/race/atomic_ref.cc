/*
 * std::atomic_ref in one thread, a plain access in the other.
 */
/* standard: c++20 */
/* expect: counter */
#include <atomic>
#include <thread>

static int counter;

int
main()
{
	std::thread other([] { std::atomic_ref<int>(counter).fetch_add(1); });

	counter++;
	other.join();
	return counter != 2;
}
