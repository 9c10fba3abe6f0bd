/*
 * Initialises once, by a hand-made flag.
 */
/* expect: tries|once */
#include <mutex>
#include <stdexcept>
#include <thread>

static bool once;
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
			if (!once)
				init();
			once = true;
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
