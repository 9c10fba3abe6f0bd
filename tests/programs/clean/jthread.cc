/*
 * bug/race/jthread.cc, repaired: its scope ends before the next use. A thread that takes no token is only joined.
 */
/* standard: c++20 */
#include <cassert>
#include <thread>

int counter;

int
main()
{
	{
		std::jthread t([] { counter++; });
	}
	counter++;
	assert(counter == 2);
	return 0;
}
