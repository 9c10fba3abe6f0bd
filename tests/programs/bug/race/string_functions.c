/*
 * One thread clears a buffer with memset and copies into it with strcpy, another reads it with memcmp,
 * without order. Compilers like to turn such calls into a few instructions, which would not be seen.
 */
/* expect: text */
#include <pthread.h>
#include <string.h>

static char text[8] = "aaaaaaa";

static void *
clear(void *arg)
{
	memset(text, 0, sizeof(text));
	strcpy(text, "abc");
	return arg;
}

int
main(void)
{
	pthread_t t;
	volatile int equal;

	pthread_create(&t, NULL, clear, NULL);
	equal = memcmp(text, "abc", 4) == 0;
	(void)equal;
	pthread_join(t, NULL);
	return 0;
}
