/* The event is sent before the data is written: the reader of the event races with that. */
/* expect: result */
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int result;
static int event;

static void *worker(void *unused)
{
	eventfd_write(event, 1);
	result = 42;
	return unused;
}

int main(void)
{
	pthread_t thread;
	eventfd_t n;

	event = eventfd(0, 0);
	pthread_create(&thread, NULL, worker, NULL);
	eventfd_read(event, &n);
	int seen = result;

	pthread_join(thread, NULL);
	return seen && seen != 42;
}
