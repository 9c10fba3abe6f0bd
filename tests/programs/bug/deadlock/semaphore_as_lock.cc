/*
 * A std::binary_semaphore as a lock. The program is right, but libstdc++ up to 12 is not: a thread that sees the counter
 * at 1, finds the semaphore taken, and goes to sleep when the counter is 1 again sleeps for ever (GCC bug 104928).
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
