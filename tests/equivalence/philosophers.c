/* N philosophers, all left-handed: a deadlock. */
#include "common.h"

static pthread_mutex_t forks[N];

static void *
eat(void *number)
{
	long i = (intptr_t)number;

	pthread_mutex_lock(&forks[i]);
	pthread_mutex_lock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[i]);
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], NULL);
	start(threads, N, eat);
	join(threads, N);
	return 0;
}
