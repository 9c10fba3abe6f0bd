/*
 * A worker reads its thread-specific data while main deletes the key: nothing
 * orders the two, so both orders are tried, and in one the key is gone.
 */
/* expect: ^misuse: T1 .* uses key [0-9]+, which was deleted by main at .*key_deleted.c:18$ */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	/* NULL after the end of the key, or the value of another one */
	return pthread_getspecific(key) ? arg : NULL;
}

int
main(void)
{
	pthread_t thread;

	if (pthread_key_create(&key, NULL))
		abort();
	pthread_create(&thread, NULL, work, NULL);
	pthread_key_delete(key);
	pthread_join(thread, NULL);
	return 0;
}
