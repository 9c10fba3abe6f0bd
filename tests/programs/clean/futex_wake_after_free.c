/*
 * A lock of futexes, in a block that its last user frees. Releasing it is an exchange and then a wake-up: in
 * between the other thread can take the lock, be the last and free the block. A wake-up only names the address,
 * and the kernel does not read the word; the locks of glibc and of GLib do the same. Nothing is to be found.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct shared {
	atomic_int lock; /* 0 free, 1 taken, 2 taken and waited for */
	int users;
};

static struct shared *shared;

static void *
leave(void *arg)
{
	struct shared *s = arg;
	int last;

	if (atomic_exchange(&s->lock, 1))
		while (atomic_exchange(&s->lock, 2))
			syscall(SYS_futex, &s->lock, FUTEX_WAIT_PRIVATE, 2, NULL);
	last = --s->users == 0;
	if (atomic_exchange(&s->lock, 0) == 2)
		syscall(SYS_futex, &s->lock, FUTEX_WAKE_PRIVATE, 1);
	if (last)
		free(s);
	return NULL;
}

int
main(void)
{
	pthread_t other;

	shared = calloc(1, sizeof(*shared));
	shared->users = 2;
	pthread_create(&other, NULL, leave, shared);
	leave(shared);
	pthread_join(other, NULL);
	return 0;
}
