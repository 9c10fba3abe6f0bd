/*
 * std::async: the shared sum is read before the result was asked for.
 */
/* expect: sum */
#include <future>

static int sum;

int
main()
{
	auto task = std::async(std::launch::async, [] {
		sum = 3;
		return 4;
	});
	int seen = sum;
	int four = task.get();

	return seen + four != 7;
}
