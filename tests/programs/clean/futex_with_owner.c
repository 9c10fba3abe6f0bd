/*
 * Futexes with priority inheritance, by syscall(): a lock that the kernel
 * hands over, and that a thread gets when its owner has ended with it.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t lock, left;
static int count;

static void *
add(void *arg)
{
	assert(syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL) == 0);
	assert((__atomic_load_n(&lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == (uint32_t)gettid());
	count++;
	assert(syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE) == 0);
	return arg;
}

static void *
leave(void *arg)
{
	assert(syscall(SYS_futex, &left, FUTEX_LOCK_PI_PRIVATE, 0, NULL) == 0);
	return arg;
}

int
main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, add, NULL);
	pthread_create(&t[1], NULL, add, NULL);
	add(NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(count == 3 && lock == 0);

	pthread_create(&t[2], NULL, leave, NULL);
	/* before it: another thread may wait; after it: it has ended with the lock, or before (ESRCH) */
	if (syscall(SYS_futex, &left, FUTEX_LOCK_PI_PRIVATE, 0, NULL) == 0)
		assert((__atomic_load_n(&left, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == (uint32_t)gettid());
	syscall(SYS_futex, &left, FUTEX_UNLOCK_PI_PRIVATE);
	pthread_join(t[2], NULL);
	return 0;
}
