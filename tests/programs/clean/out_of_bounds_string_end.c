/*
 * bug/out-of-bounds/string_end.c, repaired: there is room for the end of the string too, the last byte of the block.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *
copy(void *name)
{
	char *mine = malloc(strlen(name) + 1);

	strcpy(mine, name);
	free(mine);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	char name[] = "hello";

	pthread_create(&thread, NULL, copy, name);
	pthread_join(thread, NULL);
	return 0;
}
