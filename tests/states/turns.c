/* Two threads take turns, seemingly for ever: the states repeat after two rounds, so there are few
 * of them, however many executions there are. Each thread ends when a third one has told it to. */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int turn, stop;

static void *
player(void *number)
{
	int me = number != 0;

	while (!atomic_load(&stop))
		if (atomic_load(&turn) == me)
			atomic_store(&turn, !me);
	return 0;
}

int
main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], 0, player, 0);
	pthread_create(&threads[1], 0, player, &turn);
	atomic_store(&stop, 1);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
