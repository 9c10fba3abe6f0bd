/*
 * A copy of a shared_ptr before the first thread is created: libstdc++ counts it without
 * an atomic then, and with an atomic when there are other threads. Two threads then lock
 * in two orders. The schedule is the same in a replay, where no execution came before it.
 */
#include <memory>
#include <mutex>
#include <thread>

static std::mutex a, b;

int
main()
{
	std::shared_ptr<int> one = std::make_shared<int>(1), copy = one;
	std::thread t([copy] {
		std::lock_guard<std::mutex> first(a);
		std::lock_guard<std::mutex> second(b);
	});
	{
		std::lock_guard<std::mutex> first(b);
		std::lock_guard<std::mutex> second(a);
	}
	t.join();
	return 0;
}
