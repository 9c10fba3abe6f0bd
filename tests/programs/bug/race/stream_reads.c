/*
 * fread() writes into a buffer to which another thread writes; the other thread never touches the stream.
 */
/* expect: data race on buffer */
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
char buffer[4];

static void *
caller(void *arg)
{
	return fread(buffer, 1, sizeof(buffer), stream) ? arg : NULL;
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

	stream = fopen("/proc/version", "r");
	pthread_create(&a, NULL, caller, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
