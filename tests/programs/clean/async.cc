/*
 * bug/race/async.cc, repaired: the sum is read after it. Nothing is to be found.
 */
#include <future>

static int sum;

int
main()
{
	auto task = std::async(std::launch::async, [] {
		sum = 3;
		return 4;
	});
	int four = task.get();
	int seen = sum;

	return seen + four != 7;
}
