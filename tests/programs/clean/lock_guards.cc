/*
 * bug/deadlock/lock_guards.cc, repaired: std::scoped_lock takes both or none, in any order. Nothing is to be
 * found.
 */
/* options: --schedules 3000 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int moved;

static void
move(std::mutex &from, std::mutex &to)
{
	std::scoped_lock both(from, to);

	moved++;
}

int
main()
{
	std::thread other([] { move(b, a); });

	move(a, b);
	other.join();
	assert(moved == 2);
	return 0;
}
