/*
 * Not built by sleave cc, only linked: its calls are seen, its accesses are not.
 * compiled: bare
 * counts: MUTEX_LOCK 20 MUTEX_UNLOCK 20 READ 0 WRITE 0 CALL 0 CREATE 2
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;

static void *
run(void *unused)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		x++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
