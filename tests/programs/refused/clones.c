/*
 * clone() by libc's function: a process or thread that Sleave does not know.
 */
/* expect: clone */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static char stack[65536];

static int
child(void *arg)
{
	return arg != NULL;
}

static void *
worker(void *arg)
{
	clone(child, stack + sizeof(stack), SIGCHLD, arg);
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
