/*
 * The count of a std::shared_ptr is atomic, the pointer itself is not: assigned while it is copied.
 */
/* expect: data race */
#include <memory>
#include <thread>

static std::shared_ptr<int> current = std::make_shared<int>(1);

int
main()
{
	std::thread other([] { current = std::make_shared<int>(2); });
	std::shared_ptr<int> mine = current;

	other.join();
	return *mine == 3;
}
