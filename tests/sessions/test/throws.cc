/* An exception leaves the section, in some of the interleavings: explored, that is a failure, as a long jump is. */
#include <atomic>
#include <sleave.h>
#include <stdexcept>
#include <thread>
static std::atomic<int> sum;
static void add()
{
	int seen = sum;
	sleave_event("read");
	sum = seen + 1;
}
static void test()
{
	SLEAVE_SCHEDULES("one by one", "end@T1 -> start@T2", "any", "start@T1 -> read@T2") {
		sum = 0;
		std::thread first(add), second(add);
		first.join();
		second.join();
		try { /* one that stays inside is none of our business */
			throw 1;
		} catch (int) {
		}
		if (sum != 2)
			throw std::runtime_error("lost");
	}
}
int main()
{
	try {
		test();
	} catch (const std::exception &) {
		return 1;
	}
}
