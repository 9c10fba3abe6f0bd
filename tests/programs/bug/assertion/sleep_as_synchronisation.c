/*
 * "One second is enough": it is on the author's machine. A sleep orders nothing.
 */
/* expect: result == 42 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int result;

static void *
work(void *arg)
{
	usleep(1000);
	atomic_store(&result, 42);
	return arg;
}

int
main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	sleep(1);
	assert(result == 42);
	pthread_join(worker, NULL);
	return 0;
}
