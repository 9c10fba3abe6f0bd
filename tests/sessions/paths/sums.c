/* Three threads add to a sum, and nothing is decided by it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *
add(void *amount)
{
	pthread_mutex_lock(&lock);
	sum = 2 * sum + *(int *)amount;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	static int amounts[] = {1, 2, 3};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, &amounts[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum);
	return 0;
}
