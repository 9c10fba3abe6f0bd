/* A thread counts until a sleeper stops it: it never waits, and each round is another state. */
/* options: --strategy dpor --schedules 20 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stop;
long count;

static void *counts(void *p)
{
	while (!atomic_load(&stop))
		count++;
	return p;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, counts, NULL);
	sleep(1);
	atomic_store(&stop, 1);
	pthread_join(t, NULL);
	return 0;
}
