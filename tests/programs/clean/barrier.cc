/*
 * bug/race/barrier.cc, repaired: both threads wait. Nothing is to be found.
 */
/* standard: c++20 */
#include <barrier>
#include <thread>

static int part[2], sums[2];
static std::barrier<> meet(2);

static void
work(int i)
{
	part[i] = i + 1;
	meet.arrive_and_wait();
	sums[i] = part[0] + part[1];
}

int
main()
{
	std::thread other(work, 1);

	work(0);
	other.join();
	return sums[0] != 3 || sums[1] != 3;
}
