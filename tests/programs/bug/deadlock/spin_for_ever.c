/*
 * A loop that waits for an atomic to be exactly 1, which the other thread has meanwhile
 * made 2. There is no lock at all; it is reported as a deadlock, not as a hang.
 */
/* expect: deadlock */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int step;

static void *
work(void *arg)
{
	step = 1;
	step = 2;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	while (step != 1)
		;
	pthread_join(thread, NULL);
	return 0;
}
