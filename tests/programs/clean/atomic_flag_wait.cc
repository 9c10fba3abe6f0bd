/*
 * bug/deadlock/atomic_flag_wait.cc, repaired: both flags are set. Nothing is to be found.
 */
/* standard: c++20 */
#include <atomic>
#include <thread>

static std::atomic_flag go[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
static int data;

int
main()
{
	int seen[2];
	std::thread one([&] {
		go[0].wait(false);
		seen[0] = data;
	});

	data = 1;
	go[0].test_and_set();
	go[0].notify_all();
	one.join();
	return seen[0] != 1;
}
