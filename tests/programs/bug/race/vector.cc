/*
 * std::vector::push_back() by two threads without a lock.
 */
/* expect: data race */
#include <thread>
#include <vector>

static std::vector<int> numbers;

int
main()
{
	std::thread other([] { numbers.push_back(1); });

	numbers.push_back(2);
	other.join();
	return 0;
}
