/*
 * Two threads wait for a std::atomic_flag, which is one byte (libstdc++ sleeps on a word
 * of its own instead), and each has a flag of its own; only one of the flags is set.
 */
/* standard: c++20 */
/* expect: wake-up of  */
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
	go[1].test_and_set();
	go[1].notify_all();
	one.join();
	return seen[0] != 1;
}
