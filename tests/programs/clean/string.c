/*
 * bug/race/string.c, repaired: under a lock. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[32] = "somebody";

static void *
rename_it(void *arg)
{
	pthread_mutex_lock(&lock);
	strcpy(name, arg);
	strcat(name, "!");
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	size_t length;
	char other[16] = "else";

	pthread_create(&thread, NULL, rename_it, other);
	pthread_mutex_lock(&lock);
	length = strlen(name);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	assert(length == 8 || length == 5);
	assert(strcmp(name, "else!") == 0);
	return 0;
}
