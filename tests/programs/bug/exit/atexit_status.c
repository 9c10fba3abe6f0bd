/*
 * A function registered with atexit() checks what the threads left and exits with another status.
 */
/* expect: status 9 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int last;

static void
look(void)
{
	if (last == 1)
		_exit(9);
}

static void *
work(void *number)
{
	last = *(int *)number;
	return NULL;
}

int
main(void)
{
	static int numbers[2] = {1, 2};
	pthread_t threads[2];

	atexit(look);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
