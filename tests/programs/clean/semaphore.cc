/*
 * bug/race/semaphore.cc, repaired: waits for the semaphore. Nothing is to be found.
 */
/* standard: c++20 */
#include <semaphore>
#include <thread>

static std::binary_semaphore full(0);
static std::counting_semaphore<4> taken(0);
int slot;

int
main()
{
	int seen;
	std::thread producer([] {
		slot = 1;
		full.release();
		taken.acquire();
		slot = 2;
	});

	full.acquire();
	seen = slot;
	taken.release();
	producer.join();
	return seen != 1 || slot != 2;
}
