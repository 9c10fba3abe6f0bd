/*
 * An exception is not caught inside a thread, and is thrown in one order only: std::terminate aborts.
 */
/* expect: ^abort in T1 at .*uncaught_exception.cc:15 .take.: uncaught exception of type std::runtime_error: sold out$ */
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> stock{1};

static void
take()
{
	if (stock.fetch_sub(1) <= 0)
		throw std::runtime_error("sold out");
}

int
main()
{
	std::thread customer(take);

	if (stock > 0)
		stock--;
	customer.join();
	return 0;
}
