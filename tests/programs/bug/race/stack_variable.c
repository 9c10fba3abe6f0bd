/*
 * A local variable of main, shared by its address.
 */
/* expect: data race on .*(local variable|result) */
#include <pthread.h>

static void *
answer(void *arg)
{
	*(int *)arg = 42;
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	int result = 0, seen;

	pthread_create(&thread, NULL, answer, &result);
	seen = result;
	pthread_join(thread, NULL);
	return seen == 1;
}
