/*
 * The pointer is checked under the lock, but cleared too late: two threads free the buffer.
 */
/* expect: ^double free: .* frees a block of 40 bytes at .*, which .* freed at */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *buffer;

static void *
drop(void *unused)
{
	void *mine;

	pthread_mutex_lock(&lock);
	mine = buffer;
	pthread_mutex_unlock(&lock);
	free(mine);
	pthread_mutex_lock(&lock);
	buffer = NULL;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	buffer = malloc(40);
	pthread_create(&thread, NULL, drop, NULL);
	drop(NULL);
	pthread_join(thread, NULL);
	return 0;
}
