/*
 * The address of the loop variable is given to every thread.
 */
/* expect: data race */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *
add(void *arg)
{
	sum += *(int *)arg;
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, &i);
	for (int j = 0; j < 2; j++)
		pthread_join(threads[j], NULL);
	return 0;
}
