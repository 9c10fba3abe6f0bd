/*
 * An exception of a type of the program's own leaves a function that promised not to throw, in one order only.
 */
/* expect: ^abort in T1 at .*noexcept.cc:20 .*: uncaught exception of type shop::sold_out: nothing left of 1$ */
#include <atomic>
#include <exception>
#include <thread>

namespace shop {
struct sold_out : std::exception {
	const char *what() const noexcept override { return "nothing left of 1"; }
};
}

static std::atomic<int> stock{1};

static void
refuse()
{
	throw shop::sold_out();
}

static void
take() noexcept
{
	if (stock.fetch_sub(1) <= 0)
		refuse();
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
