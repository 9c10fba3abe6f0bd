/*
 * bug/race/two_locks.c, repaired: two locks, and two totals. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static struct part {
	pthread_mutex_t lock;
	int total;
} parts[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *
add(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&parts[i].lock);
		parts[i].total++;
		pthread_mutex_unlock(&parts[i].lock);
	}
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	assert(parts[0].total == 2 && parts[1].total == 2);
	return 0;
}
