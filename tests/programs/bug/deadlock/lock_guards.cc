/*
 * Two std::lock_guard in two orders.
 */
/* expect: deadlock */
#include <mutex>
#include <thread>

static std::mutex a, b;
static int moved;

static void
move(std::mutex &from, std::mutex &to)
{
	std::lock_guard<std::mutex> first(from), second(to);

	moved++;
}

int
main()
{
	std::thread other([] { move(b, a); });

	move(a, b);
	other.join();
	return 0;
}
