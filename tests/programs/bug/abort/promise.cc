/*
 * Two threads fulfil the same std::promise: the second one gets an exception that is not caught.
 */
#include <future>
#include <thread>

int
main()
{
	std::promise<int> first, second;
	auto one = first.get_future(), two = second.get_future();
	std::thread t([&] { first.set_value(1); });
	std::thread u([&] { first.set_value(2); });
	int sum = one.get();

	t.join();
	u.join();
	return sum != 3;
}
