/*
 * errno belongs to a thread: it survives what the other one does in between. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int step;

static void *
other(void *arg)
{
	assert(errno == 0);
	errno = ERANGE;
	step++;
	sched_yield();
	assert(errno == ERANGE);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	errno = 0;
	pthread_create(&thread, NULL, other, NULL);
	assert(close(-1) == -1 && errno == EBADF);
	step++;
	sched_yield();
	assert(errno == EBADF);
	pthread_join(thread, NULL);
	assert(errno == EBADF);
	return 0;
}
