/*
 * Double-checked locking with a plain flag: the check without the lock races with the write under it.
 */
/* expect: data race on (ready|value) */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, value;

static void *
use(void *arg)
{
	if (!ready) {
		pthread_mutex_lock(&lock);
		if (!ready) {
			value = 42;
			ready = 1;
		}
		pthread_mutex_unlock(&lock);
	}
	return value == 42 ? arg : NULL;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
