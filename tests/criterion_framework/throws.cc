/* An exception out of a test, and out of a section, is a failure of the test. */
#include <criterion/criterion.h>
#include <sleave.h>

#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> sum;

static void
add()
{
	int seen = sum;

	sleave_event("read");
	sum = seen + 1;
}

static void
run()
{
	sum = 0;
	std::thread first(add), second(add);
	first.join();
	second.join();
}

Test(throws, after)
{
	SLEAVE_SCHEDULES("one by one", "end@T1 -> start@T2")
		run();
	throw std::runtime_error("outside");
}

Test(throws, inside)
{
	SLEAVE_SCHEDULES("one by one", "end@T1 -> start@T2", "any", "start@T1 -> read@T2") {
		run();
		if (sum != 2)
			throw std::runtime_error("lost");
	}
}
