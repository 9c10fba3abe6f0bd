/*
 * strtok_r and strsep in two threads, and strtok in one after the other: nothing
 * is shared without order. strtok continues where it was before the thread.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *
take_apart(void *text)
{
	char *rest, *second;

	assert(strcmp(strtok_r(text, " ", &rest), "c") == 0);
	second = strtok_r(NULL, " ", &rest);
	assert(strcmp(second, "d,e") == 0);
	assert(!strtok_r(NULL, " ", &rest));
	assert(strcmp(strsep(&second, ","), "d") == 0);
	assert(strcmp(strsep(&second, ","), "e") == 0);
	assert(!strsep(&second, ","));
	return NULL;
}

static void *
go_on(void *text)
{
	(void)text;
	assert(strcmp(strtok(NULL, " "), "b") == 0);
	return NULL;
}

int
main(void)
{
	static char mine[] = "  a b z ", first[] = "c  d,e", second[] = "c d,e ";
	pthread_t t;

	assert(strcmp(strtok(mine, " "), "a") == 0);
	pthread_create(&t, NULL, take_apart, first);
	take_apart(second);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, go_on, NULL);
	pthread_join(t, NULL);
	assert(strcmp(strtok(NULL, " "), "z") == 0);
	assert(!strtok(NULL, " "));
	assert(!strtok(NULL, " "));
	return 0;
}
