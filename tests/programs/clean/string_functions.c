/*
 * The functions of the race of this name, but the thread has ended before its buffer is read.
 */
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
	pthread_join(t, NULL);
	equal = memcmp(text, "abc", 4) == 0;
	return !equal;
}
