/*
 * bug/use-after-free/iterator.cc, repaired: the vector has room for all
 * elements from the start, so that they do not move. Nothing is to be found.
 */
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> numbers;

static void
raise()
{
	int *first;
	{
		std::lock_guard<std::mutex> guard(lock);
		first = &numbers.front();
	}
	std::lock_guard<std::mutex> guard(lock);
	*first = 2;
}

int
main()
{
	numbers.reserve(8);
	numbers.push_back(1);
	std::thread worker(raise);
	{
		std::lock_guard<std::mutex> guard(lock);
		numbers.push_back(2);
	}
	worker.join();
	return 0;
}
