/*
 * strcpy() into a name that another thread measures.
 */
/* expect: data race */
#include <pthread.h>
#include <string.h>

static char name[32] = "somebody";

static void *
rename_it(void *arg)
{
	strcpy(name, arg);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	size_t length;
	char other[16] = "else";

	pthread_create(&thread, NULL, rename_it, other);
	length = strlen(name);
	pthread_join(thread, NULL);
	return length == 20;
}
