/*
 * bug/abort/uncaught_exception.cc, repaired: the exception is caught in the thread that threw it, while another
 * thread may be in the middle of its own. Nothing is to be found.
 */
#include <atomic>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <thread>

static std::atomic<int> stock{1}, sent_away;

static void
take()
{
	try {
		if (stock.fetch_sub(1) <= 0)
			throw std::runtime_error("sold out");
	} catch (const std::exception &e) {
		assert(std::strcmp(e.what(), "sold out") == 0);
		sent_away++;
	}
}

int
main()
{
	std::thread a(take), b(take);

	take();
	a.join();
	b.join();
	assert(sent_away == 2);
	return 0;
}
