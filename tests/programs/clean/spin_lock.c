/*
 * pthread_spin_lock orders plain data; trylock of a held one returns EBUSY. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int total;

static void *
add(void *arg)
{
	pthread_spin_lock(&lock);
	total++;
	assert(pthread_spin_trylock(&lock) == EBUSY);
	pthread_spin_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(total == 2);
	pthread_spin_destroy(&lock);
	return 0;
}
