/*
 * bug/race/atomic_ref.cc, repaired: both accesses use it. Nothing is to be found.
 */
/* standard: c++20 */
#include <atomic>
#include <thread>

static int counter;

int
main()
{
	std::thread other([] { std::atomic_ref<int>(counter).fetch_add(1); });

	std::atomic_ref<int>(counter)++;
	other.join();
	return counter != 2;
}
