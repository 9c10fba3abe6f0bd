/*
 * A handler interrupts accesses, thousands of times, and makes some of its own.
 * None is lost, and none is mixed up: the ten of each handler are its own.
 * counts: ATOMIC_LOAD 200000
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

int seen[10];
long handled;
atomic_int a;

static void
handler(int signal)
{
	for (int i = 0; i < 10; i++)
		((volatile int *)seen)[i] = signal;
	handled++;
}

static void *
run(void *unused)
{
	for (int i = 0; i < 200000; i++)
		(void)atomic_load(&a);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handler);
	pthread_create(&thread, NULL, run, NULL);
	for (int i = 0; i < 5000; i++)
		pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	fprintf(stderr, "expect WRITE %ld\n", handled * 11);
	return 0;
}
