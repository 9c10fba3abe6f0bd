/* pthread_once. */
#include "conformance.h"

static int calls;

static void
count(void)
{
	calls++;
}

CASE(twice)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	calls = 0;
	returns(pthread_once(&once, count));
	returns(pthread_once(&once, count));
	value(calls);
}

static pthread_once_t shared = PTHREAD_ONCE_INIT;

static int
once_shared(void *unused)
{
	(void)unused;
	return pthread_once(&shared, count);
}

CASE(by_other_first)
{
	calls = 0;
	returns(other(once_shared, NULL));
	returns(pthread_once(&shared, count));
	returns(other(once_shared, NULL));
	value(calls);
}

static pthread_once_t crowd = PTHREAD_ONCE_INIT;

static void *
once_crowd(void *unused)
{
	(void)unused;
	pthread_once(&crowd, count);
	return (void *)(intptr_t)calls; /* done, by either thread */
}

CASE(many_threads)
{
	pthread_t t[4];
	void *result;

	calls = 0;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, once_crowd, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &result);
		value((intptr_t)result);
	}
	value(calls);
}

static pthread_once_t inner = PTHREAD_ONCE_INIT, outer = PTHREAD_ONCE_INIT;

static void
nest(void)
{
	pthread_once(&inner, count);
	calls += 10;
}

CASE(nested)
{
	calls = 0;
	returns(pthread_once(&outer, nest));
	returns(pthread_once(&inner, count));
	returns(pthread_once(&outer, nest));
	value(calls);
}

CASE(control_set_again)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;

	calls = 0;
	returns(pthread_once(&once, count));
	once = PTHREAD_ONCE_INIT;
	returns(pthread_once(&once, count));
	value(calls);
}

/* The thread ends inside the function: the next thread calls it. */
static pthread_once_t left = PTHREAD_ONCE_INIT;
static int leave;

static void
leave_or_count(void)
{
	if (leave)
		pthread_exit(NULL);
	calls++;
}

static void *
once_left(void *unused)
{
	pthread_once(&left, leave_or_count);
	return unused;
}

CASE(exit_inside)
{
	pthread_t t;

	calls = 0;
	leave = 1;
	returns(pthread_create(&t, NULL, once_left, NULL));
	returns(pthread_join(t, NULL));
	value(calls);
	leave = 0;
	returns(pthread_once(&left, leave_or_count));
	value(calls);
	returns(pthread_once(&left, leave_or_count));
	value(calls);
}
