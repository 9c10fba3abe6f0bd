/*
 * A reference into a vector is kept from one critical section to the next. In
 * between the other thread may make the vector grow, and its elements move away.
 */
/* expect: ^use after free: T1 .* 4 bytes of \*(first|numbers), at the start of a block of 4 bytes, freed by main */
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
	numbers.push_back(1);
	std::thread worker(raise);
	{
		std::lock_guard<std::mutex> guard(lock);
		numbers.push_back(2);
	}
	worker.join();
	return 0;
}
