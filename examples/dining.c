/*
 * Three philosophers who deadlock: each takes the fork on the left, then the one on the right. If all have
 * taken the left one, all wait forever. (Repair: the last one takes the right fork first.)
 */
#include <assert.h>
#include <pthread.h>

#define PHILOSOPHERS 3

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *
philosopher(void *arg)
{
	int *meal = arg;
	int seat = (int)(meal - meals);
	pthread_mutex_t *left = &forks[seat], *right = &forks[(seat + 1) % PHILOSOPHERS];

	pthread_mutex_lock(left);
	pthread_mutex_lock(right);
	++*meal;
	pthread_mutex_unlock(right);
	pthread_mutex_unlock(left);
	return NULL;
}

int
main(void)
{
	pthread_t threads[PHILOSOPHERS];

	for (int i = 0; i < PHILOSOPHERS; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < PHILOSOPHERS; i++)
		pthread_create(&threads[i], NULL, philosopher, &meals[i]);
	for (int i = 0; i < PHILOSOPHERS; i++) {
		pthread_join(threads[i], NULL);
		assert(meals[i] == 1);
	}
	return 0;
}
