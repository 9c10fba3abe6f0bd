/*
 * std::thread: a counter is passed by reference, and read before the thread is joined.
 */
/* expect: ^data race on counter \(a local variable of main\): T1 writes at .*thread.cc:11, main reads at .*thread.cc:20$ */
#include <functional>
#include <thread>

static void
count(int &counter)
{
	counter++;
}

int
main()
{
	int counter = 0, seen;
	std::thread t(count, std::ref(counter));

	seen = counter;
	t.join();
	return seen > 1;
}
