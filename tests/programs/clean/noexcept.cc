/*
 * bug/abort/noexcept.cc, repaired: the promise is kept, because the exception is caught inside. Nothing is to be found.
 */
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
take() noexcept
{
	try {
		if (stock.fetch_sub(1) <= 0)
			throw shop::sold_out();
	} catch (const std::exception &) {
	}
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
