/*
 * Atomics of every width and kind, by two threads on the same words: what is added is there. Nothing is to be
 * found.
 */
/* options: --schedules 3000 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint8_t a;
static uint16_t b;
static uint32_t c;
static uint64_t d;
static void *p;

static void *
work(void *arg)
{
	__atomic_add_fetch(&a, 1, __ATOMIC_RELAXED);
	__atomic_fetch_or(&b, (uintptr_t)arg & 3, __ATOMIC_ACQ_REL);
	__atomic_fetch_xor(&c, 5, __ATOMIC_SEQ_CST);
	__sync_fetch_and_sub(&d, 1);
	__atomic_fetch_nand(&c, 0, __ATOMIC_RELAXED);
	__sync_synchronize();
	if (__atomic_exchange_n(&p, arg, __ATOMIC_ACQ_REL) == &p)
		return arg;
	return NULL;
}

int
main(void)
{
	pthread_t x, y;

	d = 2;
	pthread_create(&x, NULL, work, (void *)1);
	pthread_create(&y, NULL, work, (void *)2);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	assert(a == 2 && b == 3 && d == 0 && c == UINT32_MAX);
	assert(p == (void *)1 || p == (void *)2);
	return 0;
}
