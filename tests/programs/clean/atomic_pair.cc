/*
 * bug/assertion/atomic_pair.cc, repaired: in one std::atomic of sixteen bytes. Nothing is to be found.
 */
/* standard: c++20 */
#include <atomic>
#include <cassert>
#include <thread>

struct pair {
	long a, b;
};
static std::atomic<pair> both{pair{0, 0}};

int
main()
{
	std::thread other([] {
		pair seen = both.load();

		while (!both.compare_exchange_weak(seen, pair{seen.a + 1, seen.b + 1}))
			;
	});
	pair seen = both.load();
	long a = seen.a, b = seen.b;

	assert(a == b);
	other.join();
	return 0;
}
