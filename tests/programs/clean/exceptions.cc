/*
 * Exceptions while threads switch in the middle of them: each thread throws, unwinds through a lock_guard, catches,
 * throws again, and hands one over to main by std::exception_ptr. Nothing is to be found.
 */
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int thrown;

static void
fail(int number)
{
	std::lock_guard<std::mutex> hold(lock);

	thrown++;
	throw std::runtime_error(std::to_string(number));
}

static void
work(int number, std::exception_ptr *result)
{
	try {
		try {
			fail(number);
		} catch (const std::runtime_error &e) {
			assert(std::stoi(e.what()) == number);
			lock.lock();
			lock.unlock();
			throw;
		}
	} catch (...) {
		*result = std::current_exception();
	}
}

int
main()
{
	std::exception_ptr results[2];
	std::thread a(work, 1, &results[0]);

	work(2, &results[1]);
	a.join();
	try {
		std::rethrow_exception(results[0]);
	} catch (const std::exception &e) {
		assert(e.what() == std::string("1") && thrown == 2);
	}
	return 0;
}
