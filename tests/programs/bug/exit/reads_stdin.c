/*
 * Two threads share the standard input and read two numbers each; the thread that reads first decides the status.
 */
/* input: 1 2 3 4\n */
/* expect: status (3|4|5|6|7) */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sums[2];

static void *
add(void *arg)
{
	int number;

	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		if (scanf("%d", &number) == 1)
			*(int *)arg += number;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, &sums[0]);
	pthread_create(&b, NULL, add, &sums[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sums[1] == 7 ? 0 : sums[1];
}
