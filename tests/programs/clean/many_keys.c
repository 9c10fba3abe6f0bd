/*
 * From the 32nd key on, libc keeps a thread's values in blocks that it allocates when the first of them
 * is set, and frees when the thread ends. Here three threads set such keys in some schedules only. The
 * blocks are libc's own, so nothing is lost, and there must be no warning (tests/sessions/run/warnings.session).
 */
#include <pthread.h>
#include <stdatomic.h>

enum { KEYS = 140 };

static pthread_key_t keys[KEYS];
static atomic_int go;

static void *
work(void *arg)
{
	if (atomic_load(&go))
		for (int i = 0; i < KEYS; i++)
			pthread_setspecific(keys[i], arg);
	return NULL;
}

int
main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < KEYS; i++)
		pthread_key_create(&keys[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &go);
	atomic_store(&go, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
