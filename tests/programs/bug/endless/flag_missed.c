/* A thread waits for a flag that is set only if the other thread came late: it counts meanwhile, so no two rounds are the same. */
/* options: --schedules 500 */
/* expect: does not end: T1 waits at .* loops for ever */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int here, done;
long count;

static void *waits(void *p)
{
	atomic_store(&here, 1);
	while (!atomic_load(&done))
		count++;
	return p;
}
static void *sets(void *p)
{
	if (atomic_load(&here))
		atomic_store(&done, 1);
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, sets, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
