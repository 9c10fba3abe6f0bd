/*
 * bug/race/call_once.cc, repaired: std::call_once, whose function may throw: then it is called again. Nothing is to be found.
 */
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int tries, value;

static void
init()
{
	if (++tries == 1)
		throw std::runtime_error("not yet");
	value = 7;
}

static void
work()
{
	for (int done = 0; !done;) {
		try {
			std::call_once(once, init);
			done = 1;
		} catch (const std::runtime_error &) {
		}
	}
}

int
main()
{
	std::thread other(work);

	work();
	int seen = value;

	other.join();
	return seen != 7 || tries != 2;
}
