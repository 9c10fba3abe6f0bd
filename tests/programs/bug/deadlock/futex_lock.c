/*
 * A lock made with a futex. The owner looks for waiters before it releases
 * the lock: a thread that comes in between goes to sleep and is never woken.
 */
/* expect: waits for a wake-up of taken */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int taken, waiters;
static int counter;

static void
lock(void)
{
	while (atomic_exchange(&taken, 1)) {
		atomic_fetch_add(&waiters, 1);
		syscall(SYS_futex, &taken, FUTEX_WAIT_PRIVATE, 1, NULL);
		atomic_fetch_sub(&waiters, 1);
	}
}

static void
unlock(void)
{
	int wanted = atomic_load(&waiters);

	atomic_store(&taken, 0);
	if (wanted)
		syscall(SYS_futex, &taken, FUTEX_WAKE_PRIVATE, 1);
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
