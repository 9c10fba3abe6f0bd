/*
 * std::async, std::promise, std::call_once and a function's static variable: all ordered. Nothing is to be found.
 */
/* options: --schedules 3000 */
#include <cassert>
#include <future>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls;

struct table {
	int size;
	table() : size(7) { calls++; }
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
	std::promise<int> promise;
	std::future<int> answer = promise.get_future();
	std::thread giver([&promise] { promise.set_value(look()); });
	std::future<int> other = std::async(std::launch::async, look);

	assert(look() == 7);
	assert(answer.get() + other.get() == 14);
	giver.join();
	assert(calls == 2);
	return 0;
}
