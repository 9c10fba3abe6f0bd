/*
 * A std::binary_semaphore as a lock. Nothing is wrong with that, but with libstdc++ up to 12: a thread that looks at the
 * counter while it is 1, finds it taken, and goes to sleep when it is 1 again sleeps for ever (GCC bug 104928).
 */
/* standard: c++20 */
/* expect: wake-up of gate */
#include <semaphore>
#include <thread>

static std::binary_semaphore gate(1);
static int counter;

static void
work()
{
	gate.acquire();
	counter++;
	gate.release();
}

int
main()
{
	std::thread other(work);

	work();
	other.join();
	return counter != 2;
}
