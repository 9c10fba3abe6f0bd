/*
 * The same lock as in the bug of this name, initialised by a constructor: before anything is under control.
 */
#include <pthread.h>

static pthread_spinlock_t lock;

__attribute__((constructor)) static void
before_main(void)
{
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
}

static void *
work(void *arg)
{
	pthread_spin_lock(&lock);
	pthread_spin_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
