/*
 * bug/race/thread.cc, repaired: joined first. The thread has been moved to
 * another object in between, which changes nothing. There is one interleaving.
 */
#include <cassert>
#include <functional>
#include <thread>
#include <utility>

static void
count(int &counter)
{
	counter++;
}

int
main()
{
	int counter = 0;
	std::thread t(count, std::ref(counter)), other = std::move(t);

	assert(!t.joinable() && other.joinable());
	other.join();
	assert(counter == 1);
	return 0;
}
