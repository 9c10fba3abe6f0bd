/*
 * pthread_exit() out of a nested call runs the cleanup handlers, the last one first, and join gets the value.
 * Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void
unlock(void *arg)
{
	order = order * 10 + 1;
	pthread_mutex_unlock(arg);
}

static void
note(void *arg)
{
	order = order * 10 + *(int *)arg;
}

static void
leave(void *value)
{
	int two = 2;

	pthread_cleanup_push(note, &two);
	pthread_exit(value);
	pthread_cleanup_pop(0);
}

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	order = 0;
	pthread_cleanup_push(unlock, &lock);
	leave(arg);
	pthread_cleanup_pop(1);
	return NULL;
}

int
main(void)
{
	pthread_t a, b;
	void *value;

	pthread_create(&a, NULL, work, &lock);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, &value);
	assert(value == &lock);
	pthread_join(b, &value);
	assert(!value && order == 21);
	return 0;
}
