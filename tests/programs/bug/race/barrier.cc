/*
 * A std::barrier at which one thread only arrives: it does not wait for what the other one writes.
 */
/* standard: c++20 */
/* expect: part */
#include <barrier>
#include <thread>

static int part[2], sums[2];
static std::barrier<> meet(2);

static void
work(int i)
{
	part[i] = i + 1;
	if (i)
		meet.arrive_and_wait();
	else
		(void)meet.arrive();
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
