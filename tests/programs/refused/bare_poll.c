/*
 * A thread waits by a raw system call, past libc: it would stop all threads. The message names the call.
 */
/* expect: not modelled: raw system call ppoll, called at .*bare_poll\.c:14 */
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *
wait_for_nothing(void *arg)
{
	(void)arg;
	syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return NULL;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_for_nothing, NULL);
	pthread_join(t, NULL);
	return 0;
}
