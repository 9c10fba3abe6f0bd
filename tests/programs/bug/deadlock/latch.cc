/*
 * A std::latch for three threads, and only two arrive.
 */
/* standard: c++20 */
/* expect: wake-up of  */
#include <latch>
#include <thread>

static std::latch done(3);
static int a, b;

int
main()
{
	std::thread t([] {
		a = 1;
		done.count_down();
	});
	std::thread u([] {
		b = 1;
		done.count_down();
	});

	done.wait();
	int sum = a + b;

	t.join();
	u.join();
	return sum != 2;
}
