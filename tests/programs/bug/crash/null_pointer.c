/*
 * The pointer is checked, then used; in between the other thread clears it. One preemption, exactly there.
 */
/* expect: crash.*null pointer */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data = 7;
static _Atomic(int *) shared = &data;

static void *
take_away(void *arg)
{
	atomic_store(&shared, NULL);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int sum = 0;

	pthread_create(&thread, NULL, take_away, NULL);
	if (atomic_load(&shared))
		sum += *atomic_load(&shared);
	pthread_join(thread, NULL);
	return sum == 100;
}
