/*
 * Sixteen bytes that belong together in two atomics: they are seen apart.
 */
/* standard: c++20 */
/* expect: a == b */
#include <atomic>
#include <cassert>
#include <thread>

struct pair {
	long a, b;
};
static std::atomic<long> first, second;

int
main()
{
	std::thread other([] {
		first++;
		second++;
	});
	long a = first.load(), b = second.load();

	assert(a == b);
	other.join();
	return 0;
}
