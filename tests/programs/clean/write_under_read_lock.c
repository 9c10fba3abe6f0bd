/*
 * bug/race/write_under_read_lock.c, repaired: readers read, writers write; a writer knows what all the readers
 * before it did. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *
look(void *arg)
{
	int first, second;

	pthread_rwlock_rdlock(&lock);
	first = value;
	second = value;
	pthread_rwlock_unlock(&lock);
	assert(first == second);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, look, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_rwlock_wrlock(&lock);
	value = 1;
	pthread_rwlock_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
