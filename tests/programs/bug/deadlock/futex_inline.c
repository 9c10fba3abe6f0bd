/*
 * The lock of futex_lock.c, whose system calls are instructions of the program's own: the kernel hands them to Sleave.
 */
/* expect: waits for a wake-up of taken */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int taken, waiters;
static int counter;

/* Not a function of libc: an instruction of the program's own. */
static long
call(long number, void *word, long operation, long value)
{
	register long none __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(word), "S"(operation), "d"(value), "r"(none)
			 : "rcx", "r11", "memory");
	return result;
}

static void
lock(void)
{
	while (atomic_exchange(&taken, 1)) {
		atomic_fetch_add(&waiters, 1);
		call(SYS_futex, &taken, FUTEX_WAIT_PRIVATE, 1);
		atomic_fetch_sub(&waiters, 1);
	}
}

static void
unlock(void)
{
	int wanted = atomic_load(&waiters);

	atomic_store(&taken, 0);
	if (wanted)
		call(SYS_futex, &taken, FUTEX_WAKE_PRIVATE, 1);
}

static void *
worker(void *arg)
{
	lock();
	counter++;
	unlock();
	return arg;
}

int
main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return counter != 2;
}
