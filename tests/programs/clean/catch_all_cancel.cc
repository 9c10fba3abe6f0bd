/*
 * bug/abort/catch_all_cancel.cc, repaired: the exception of a cancellation is thrown again, and destructors
 * run on the way, the innermost first, before those of thread_local objects. Nothing is to be found.
 */
#include <cassert>
#include <cxxabi.h>
#include <pthread.h>
#include <string>
#include <unistd.h>

static std::string order;

struct note {
	char letter;
	explicit note(char l) : letter(l) {}
	~note() { order += letter; }
};

static void *
work(void *arg)
{
	thread_local note last('t');
	note outer('o');

	last.letter = 't';
	try {
		note inner('i');

		sleep(1);
	} catch (abi::__forced_unwind &) {
		order += 'c';
		throw;
	} catch (...) {
		order += '?';
	}
	return arg;
}

int
main()
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, nullptr, work, nullptr);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	assert(order == (result == PTHREAD_CANCELED ? "icot" : "iot"));
	return 0;
}
