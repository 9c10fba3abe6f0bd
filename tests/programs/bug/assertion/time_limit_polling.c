/*
 * Polls a flag every tenth of a second, for two seconds; the other thread takes
 * ten. The loop reads the clock, so it ends although nothing else changes.
 */
/* expect: done */
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
	assert(done);
	pthread_join(t, NULL);
	return 0;
}
