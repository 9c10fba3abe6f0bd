/*
 * bug/race/shared_pointer.cc, repaired: each thread has a std::shared_ptr of its own; the last one destroys what
 * it points at, once. Nothing is to be found.
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed;

struct thing {
	int value = 7;
	~thing()
	{
		destroyed++;
	}
};

int
main()
{
	auto mine = std::make_shared<thing>();
	std::weak_ptr<thing> weak = mine;
	std::thread other([copy = mine]() mutable {
		assert(copy->value == 7);
		copy.reset();
	});

	assert(mine->value == 7);
	mine.reset();
	if (auto again = weak.lock())
		assert(again->value == 7);
	other.join();
	assert(destroyed == 1);
	return 0;
}
