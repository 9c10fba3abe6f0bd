/*
 * bug/race/atomic_shared_pointer.cc, repaired: a std::atomic. Nothing is to be found.
 */
/* standard: c++20 */
#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> shared = std::make_shared<int>(1);

int
main()
{
	std::thread other([] { shared.store(std::make_shared<int>(2)); });
	auto seen = shared.load();
	int value = *seen;

	other.join();
	return value != 1 && value != 2;
}
