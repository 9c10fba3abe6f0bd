/*
 * A child is not stuck while a process that it reads from works, or one of its threads, or while it waits with a time limit: no
 * deadlock. No two threads of the program run at the same time: one interleaving.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *
work(void *arg)
{
	nanosleep(&(struct timespec){0, 5000000}, NULL);
	return arg;
}

static void
joins(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
}

static void
gives_up(void)
{
	struct timespec limit;
	sem_t never;

	sem_init(&never, 0, 0);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += (limit.tv_nsec += 5000000) / 1000000000;
	limit.tv_nsec %= 1000000000;
	sem_timedwait(&never, &limit);
}

static void
in_child(void (*function)(void))
{
	pid_t child = fork();

	if (!child) {
		function();
		_exit(0);
	}
	assert(waitpid(child, NULL, 0) == child);
}

int
main(void)
{
	joins(); /* threads of ours, too */
	assert(system("x=$(sleep 0.005; echo 1); test $x = 1") == 0);
	in_child(joins);
	in_child(gives_up);
	return 0;
}
