/*
 * Room for the letters but not for the end of the string, whose byte lies in the same eight bytes
 * as the last letters: within what the allocator rounds up to, so that nothing ever crashes.
 */
/* expect: ^out of bounds: .* writes 6 bytes, past the end of a block of 5 bytes, allocated at .*string_end.c */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *
copy(void *name)
{
	char *mine = malloc(strlen(name));

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
