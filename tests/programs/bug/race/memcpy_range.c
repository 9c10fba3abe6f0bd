/*
 * memcpy() of 64 bytes over one byte that the other thread writes.
 */
/* expect: data race on (buffer|.*buffer) */
#include <pthread.h>
#include <string.h>

char buffer[64], source[64];

static void *
copy(void *arg)
{
	memcpy(buffer, source, sizeof(buffer));
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, copy, NULL);
	buffer[37] = 1;
	pthread_join(thread, NULL);
	return 0;
}
