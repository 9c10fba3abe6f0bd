/* A test that fails, in the way of a test framework, and leaves a thread behind; and one after it. */
#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;

static void *
waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	sleave_event("b");
	return unused;
}

static void
first(void)
{
	SLEAVE_SCHEDULES("fails", "a -> b") {
		pthread_t thread;

		pthread_mutex_lock(&lock);
		pthread_create(&thread, NULL, waits, NULL);
		longjmp(out, 1);
	}
}

static void *
does(void *unused)
{
	sleave_event("c");
	return unused;
}

static void
second(void)
{
	SLEAVE_SCHEDULES("passes", "c -> d") {
		pthread_t thread;

		pthread_create(&thread, NULL, does, NULL);
		sleave_event("d");
		pthread_join(thread, NULL);
	}
}

int
main(void)
{
	if (!setjmp(out))
		first();
	second();
	return 0;
}
