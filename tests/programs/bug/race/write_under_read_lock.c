/*
 * Readers may be many: a write under the read lock races with their reads.
 */
/* expect: data race on hits */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int hits;

static void *
look(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	hits++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, look, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
