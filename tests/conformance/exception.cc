/* pthread_once and C++: a function that throws counts as not called. */
#include "conformance.h"
#include <mutex>
#include <thread>

static int calls, throws;

static void
count(void)
{
	if (throws-- > 0)
		throw 7;
	calls++;
}

static int
attempt(pthread_once_t *once)
{
	try {
		return pthread_once(once, count);
	} catch (int i) {
		return 1000 + i;
	}
}

CASE(pthread_once_throws)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	throws = 2;
	for (int i = 0; i < 4; i++)
		value(attempt(&once));
	value(calls);
}

static pthread_once_t shared_once = PTHREAD_ONCE_INIT;

static int
attempt_shared(void *)
{
	return attempt(&shared_once);
}

CASE(other_thread_goes_on)
{
	throws = 1;
	calls = 0;
	value(other(attempt_shared, NULL));
	value(calls);
	value(other(attempt_shared, NULL));
	value(calls);
	value(attempt(&shared_once));
	value(calls);
}

CASE(call_once_throws)
{
	static std::once_flag flag;

	throws = 2;
	calls = 0;
	for (int i = 0; i < 4; i++) {
		try {
			std::call_once(flag, count);
			value(0);
		} catch (int e) {
			value(e);
		}
	}
	value(calls);
}

static int destroyed;

struct local {
	~local() { destroyed++; }
};

static void *
exits(void *)
{
	local l;

	pthread_exit(NULL);
}

CASE(exit_runs_destructors)
{
	pthread_t t;

	destroyed = 0;
	returns(pthread_create(&t, NULL, exits, NULL));
	returns(pthread_join(t, NULL));
	value(destroyed);
}

static void *
exits_through_catch(void *)
{
	local l;

	try {
		local m;

		pthread_exit((void *)5);
	} catch (...) {
		destroyed += 100;
		throw;
	}
}

CASE(exit_passes_catch_all)
{
	pthread_t t;
	void *result;

	destroyed = 0;
	returns(pthread_create(&t, NULL, exits_through_catch, NULL));
	returns(pthread_join(t, &result));
	value((intptr_t)result);
	value(destroyed);
}

static thread_local local of_thread;
static pthread_key_t key;
static int at_destructor;

static void
key_destructor(void *)
{
	at_destructor = destroyed;
}

static void *
uses_thread_local(void *)
{
	(void)&of_thread;
	static thread_local local other_local;
	(void)&other_local;
	pthread_setspecific(key, &key);
	return NULL;
}

CASE(thread_local_before_keys)
{
	pthread_t t;

	destroyed = 0;
	returns(pthread_key_create(&key, key_destructor));
	returns(pthread_create(&t, NULL, uses_thread_local, NULL));
	returns(pthread_join(t, NULL));
	value(destroyed > 0);
	value(at_destructor == destroyed);
}
