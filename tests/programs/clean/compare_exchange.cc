/*
 * bug/assertion/compare_exchange.cc, repaired: a loop with compare_exchange_weak. Nothing is to be found.
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest;

static void
raise_to(int value)
{
	int seen = highest.load();

	while (seen < value && !highest.compare_exchange_weak(seen, value))
		;
}

int
main()
{
	std::thread a(raise_to, 5), b(raise_to, 7);

	a.join();
	b.join();
	assert(highest == 7);
	return 0;
}
