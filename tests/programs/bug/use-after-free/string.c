/*
 * A string function reads a name that another thread has replaced and freed, under the lock: by then the pointer that
 * was taken before is stale.
 */
/* expect: ^use after free: .* block of 6 bytes, freed by */
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
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
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
