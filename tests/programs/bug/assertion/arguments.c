/*
 * Fails only with the right arguments, and if the second thread comes first: the replay file has them.
 */
/* arguments: 3 4 */
/* expect: last == 4 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int last;

static void *
set(void *arg)
{
	last = atoi(arg);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc != 3)
		return 0;
	pthread_create(&a, NULL, set, argv[1]);
	pthread_create(&b, NULL, set, argv[2]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(last == 4);
	return 0;
}
