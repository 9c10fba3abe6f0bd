/*
 * Checks under the read lock, releases it, takes the write lock and relies on the old result.
 */
/* expect: balance >= 0 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int balance = 10;

static void *
withdraw(void *arg)
{
	int enough;

	pthread_rwlock_rdlock(&lock);
	enough = balance >= 10;
	pthread_rwlock_unlock(&lock);
	if (!enough)
		return NULL;
	pthread_rwlock_wrlock(&lock);
	balance -= 10;
	assert(balance >= 0);
	pthread_rwlock_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, withdraw, NULL);
	pthread_create(&b, NULL, withdraw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
