/*
 * A spin lock that is all zero, because it was not initialised: not
 * free in glibc on this machine, where locking it would never end.
 */
/* expect: ^misuse: T1 .* uses lock, which was never initialised at .*spin_zeroed.c:13$ */
#include <pthread.h>

static pthread_spinlock_t lock;

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
