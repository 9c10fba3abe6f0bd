/*
 * A futex with priority inheritance: not modelled.
 */
/* expect: FUTEX_LOCK_PI */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int lock;

static void *
worker(void *arg)
{
	syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
