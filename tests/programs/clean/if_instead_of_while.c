/*
 * The consumers of bug/assertion/if_instead_of_while.c, repaired: they
 * check again. Nothing is to be found, not even with spurious wake-ups.
 */
/* options: --spurious --schedules 1000 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *
consume(void *arg)
{
	pthread_mutex_lock(&lock);
	while (items == 0)
		pthread_cond_wait(&filled, &lock);
	assert(items > 0);
	items--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
