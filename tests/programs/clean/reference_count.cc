/*
 * A reference count whose decrement itself tells whether it was the last. The last
 * owner deletes the object; no other touches it again. Nothing is to be found.
 */
#include <atomic>
#include <thread>

struct shared {
	std::atomic<int> references{2};
	long payload = 1;
};

static shared *object;

static void
drop()
{
	if (--object->references == 0)
		delete object;
}

int
main()
{
	object = new shared;
	std::thread other(drop);

	drop();
	other.join();
	return 0;
}
