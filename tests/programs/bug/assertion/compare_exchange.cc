/*
 * A maximum kept by std::atomic: load, compare, store. A smaller value may win.
 */
/* expect: highest == 7 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest;

static void
raise_to(int value)
{
	if (highest.load() < value)
		highest.store(value);
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
