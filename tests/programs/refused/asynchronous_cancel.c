/*
 * Cancelling a request of asynchronous input that is under way: whether that succeeds is not modelled.
 */
/* expect: aio_cancel */
#include <aio.h>
#include <pthread.h>
#include <unistd.h>

static void *
worker(void *arg)
{
	static char byte;
	struct aiocb request = {.aio_buf = &byte, .aio_nbytes = 1};
	int fds[2];

	if (!pipe(fds)) {
		request.aio_fildes = fds[0];
		aio_read(&request);
		aio_cancel(fds[0], &request);
	}
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
