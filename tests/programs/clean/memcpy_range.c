/*
 * bug/race/memcpy_range.c, repaired: the copy ends one byte before. Reading ranges together is no race. Nothing
 * is to be found.
 */
#include <pthread.h>
#include <string.h>

static char buffer[64], source[64];

static void *
copy(void *arg)
{
	memcpy(buffer, source, 37);
	memset(buffer + 38, 1, 26);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	char mine[64];

	pthread_create(&thread, NULL, copy, NULL);
	buffer[37] = 1;
	memcpy(mine, source, sizeof(mine));
	pthread_join(thread, NULL);
	return mine[0] + buffer[37] - 1;
}
