/*
 * Thread-specific data: a value for each thread, destructors when a thread ends and before join returns, again as
 * long as they leave something. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void
destroy(void *value)
{
	int *left = value;

	pthread_mutex_lock(&lock);
	destroyed++;
	pthread_mutex_unlock(&lock);
	if (--*left > 0)
		pthread_setspecific(key, left);
	else
		free(left);
}

static void *
work(void *arg)
{
	int *value = malloc(sizeof(*value));

	assert(!pthread_getspecific(key));
	*value = 2;
	pthread_setspecific(key, value);
	assert(pthread_getspecific(key) == value);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	assert(pthread_key_create(&key, destroy) == 0);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(destroyed == 4 && !pthread_getspecific(key));
	pthread_key_delete(key);
	return 0;
}
