/*
 * A futex with priority inheritance that its owner keeps while it waits for the thread that wants it.
 */
/* expect: ^deadlock */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t lock;

static void *
wants(void *arg)
{
	syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL);
	syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wants, NULL);
	syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL);
	pthread_join(t, NULL);
	return 0;
}
