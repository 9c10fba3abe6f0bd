/*
 * A std::shared_ptr that one thread replaces while another copies it.
 */
/* standard: c++20 */
/* expect: shared */
#include <atomic>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(1);

int
main()
{
	std::thread other([] { shared = std::make_shared<int>(2); });
	auto seen = shared;
	int value = *seen;

	other.join();
	return value != 1 && value != 2;
}
