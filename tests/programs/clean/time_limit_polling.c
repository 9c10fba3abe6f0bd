/*
 * Polls a flag every tenth of a second, for two seconds, and then waits for the thread instead of assuming it is done.
 */
/* options: --schedules 2000 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static void *
work(void *arg)
{
	sleep(10);
	done = 1;
	return arg;
}

int
main(void)
{
	pthread_t t;
	time_t limit;

	pthread_create(&t, NULL, work, NULL);
	limit = time(NULL) + 2;
	while (!done && time(NULL) < limit)
		usleep(100000);
	pthread_join(t, NULL);
	assert(done);
	return 0;
}
