/*
 * bug/deadlock/latch.cc, repaired: a latch for two. Nothing is to be found.
 */
/* standard: c++20 */
#include <latch>
#include <thread>

static std::latch done(2);
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
