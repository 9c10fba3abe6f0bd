/*
 * A new thread initialises a spin lock that its creator takes: it may
 * come too late. A spin lock that is all zero is held for ever in glibc.
 */
/* expect: ^misuse: main uses lock, which was never initialised at .*spin_before_init.c: */
#include <pthread.h>

static pthread_spinlock_t lock;

static void *
work(void *unused)
{
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&lock);
	pthread_spin_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_spin_lock(&lock);
	pthread_spin_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
