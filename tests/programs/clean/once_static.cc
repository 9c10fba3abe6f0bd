/*
 * std::call_once and a function's static variable: initialised once, by the first
 * thread that needs it, and ordered before all uses. Nothing is to be found.
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls;

struct table {
	int size;
	table() : size(7)
	{
		calls++;
	}
};

static int
look()
{
	static table only;

	std::call_once(once, [] { calls++; });
	return only.size;
}

int
main()
{
	std::thread a([] { assert(look() == 7); });

	assert(look() == 7);
	a.join();
	assert(calls == 2);
	return 0;
}
