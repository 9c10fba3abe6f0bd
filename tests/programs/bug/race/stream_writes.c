/*
 * fwrite() reads from a buffer to which another thread writes.
 */
/* expect: data race on buffer */
#include <pthread.h>
#include <stdio.h>

char buffer[4] = "abc";

static void *
caller(void *arg)
{
	return fwrite(buffer, 1, sizeof(buffer), stdout) ? arg : NULL;
}

static void *
other(void *arg)
{
	((char *)&buffer)[1] = 1;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, caller, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
