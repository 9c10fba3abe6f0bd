/*
 * The program calls exec before a thread has left what the new
 * program needs. The status is 1 only if the thread was late.
 */
/* expect: status 1 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;

static void *
worker(void *arg)
{
	ready = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	execl("/bin/sh", "sh", "-c", ready ? "exit 0" : "exit 1", NULL);
	return 0;
}
