/* THREADS threads, each with STEPS steps that all can see. A state is the progress of each of them: nothing else differs. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic int flag; /* not static: the compiler would see that it is not read */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
run(void *unused)
{
	(void)unused;
	for (int i = 0; i < STEPS; i++) {
#ifdef LOCKS
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
#else
		atomic_store(&flag, 1);
#endif
	}
	return 0;
}

int
main(void)
{
	pthread_t threads[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], 0);
	return 0;
}
