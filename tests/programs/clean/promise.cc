/*
 * bug/abort/promise.cc, repaired: each has its own. Nothing is to be found.
 */
#include <future>
#include <thread>

int
main()
{
	std::promise<int> first, second;
	auto one = first.get_future(), two = second.get_future();
	std::thread t([&] { first.set_value(1); });
	std::thread u([&] { second.set_value(2); });
	int sum = one.get() + two.get();

	t.join();
	u.join();
	return sum != 3;
}
