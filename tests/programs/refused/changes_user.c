/*
 * A thread that becomes another user while a second one waits: libc would tell the second one by a
 * signal, and a process that has given up its user could not begin the next execution. Without the
 * privilege to do so the call fails, and the program makes a call that is refused in any case.
 */
/* options: --watchdog 20s */
/* expect: setresuid|killpg */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
wait_for_lock(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, wait_for_lock, NULL);
	if (setresuid(2, 2, 2))
		killpg(0, 0);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return geteuid() != 2;
}
