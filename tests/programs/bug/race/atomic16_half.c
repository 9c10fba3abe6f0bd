/* A 16-byte atomic, and a plain write to its upper half that is not ordered after it. */
/* flags: -mcx16 */
/* expect: data race on x */
#include <pthread.h>

__int128 x __attribute__((aligned(16)));

static void *
atomically(void *unused)
{
	__int128 old = 0;

	__atomic_compare_exchange_n(&x, &old, (__int128)1 << 100, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return unused;
}

static void *
plainly(void *unused)
{
	((volatile long *)&x)[1] = 7;
	return unused;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, atomically, NULL);
	pthread_create(&b, NULL, plainly, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
