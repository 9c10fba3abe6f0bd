/*
 * std::binary_semaphore: tries to take it, and goes on even if that fails.
 */
/* standard: c++20 */
/* expect: slot */
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

	(void)full.try_acquire();
	seen = slot;
	taken.release();
	producer.join();
	return seen > 2;
}
