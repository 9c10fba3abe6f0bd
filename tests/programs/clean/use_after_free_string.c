/*
 * bug/use-after-free/string.c, repaired: the name is copied under the same lock under which the pointer was taken.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name;
char copy[16];

static void *
read_name(void *unused)
{
	char *now;

	pthread_mutex_lock(&lock);
	now = name;
	strcpy(copy, now);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	char *old;

	name = strdup("first");
	pthread_create(&thread, NULL, read_name, NULL);
	pthread_mutex_lock(&lock);
	old = name;
	name = strdup("second");
	free(old);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	free(name);
	return 0;
}
