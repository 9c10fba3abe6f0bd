/*
 * A cycle of three: each thread holds one lock and wants the next. No two of them alone can deadlock.
 */
/* expect: deadlock */
#include <pthread.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				   PTHREAD_MUTEX_INITIALIZER};
static int numbers[3] = {0, 1, 2};

static void *
work(void *arg)
{
	int first = *(int *)arg, second = (first + 1) % 3;

	pthread_mutex_lock(&locks[first]);
	pthread_mutex_lock(&locks[second]);
	pthread_mutex_unlock(&locks[second]);
	pthread_mutex_unlock(&locks[first]);
	return NULL;
}

int
main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
