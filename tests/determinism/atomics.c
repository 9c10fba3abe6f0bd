/*
 * Atomics of all widths and orders, fences, and loops that wait for one: by the value, with sched_yield() and with
 * short sleeps. More interleavings than can be run; no finding.
 */
#include <pthread.h>
#include <sched.h>
#include <sleave.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_uchar a;
static atomic_ushort b;
static atomic_int c, turn;
static atomic_llong d;

static void *
work(void *arg)
{
	int me = *(int *)arg;
	unsigned short old = 1;

	atomic_fetch_add_explicit(&a, 1, memory_order_relaxed);
	atomic_compare_exchange_strong(&b, &old, 3);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_fetch_xor_explicit(&c, me, memory_order_acq_rel);
	atomic_exchange(&d, me);
	while (atomic_load(&turn) != me)
		if (me == 1)
			sched_yield();
		else
			usleep(10);
	atomic_fetch_add(&turn, 1);
	atomic_fetch_sub(&d, (long long)sleave_choose(2));
	return NULL;
}

int
main(void)
{
	static int numbers[3] = {0, 1, 2};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	while (atomic_load(&turn) < 1)
		;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
