/*
 * What children do after they have slept comes as late as that: a signal ends a longer sleep of the parent's and not a
 * shorter one, the end of a child ends a pause, and the clock has gone on by as much when the parent has waited
 * for a child, or for what it writes. Nothing is to be found.
 */
/* options: --races=off --schedules 20 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MUST(condition) ((condition) ? (void)0 : abort())
static volatile sig_atomic_t got;

static void
handler(int number)
{
	got = number;
}

static void *
nothing(void *arg)
{
	return arg;
}

static long
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t thread;
	int ends[2];
	char byte;
	long from;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (!fork()) {
		usleep(20000);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	MUST(usleep(1000) == 0 && !got);
	MUST(sleep(1) == 1 && got == SIGUSR1);
	wait(NULL);
	from = milliseconds();
	MUST(pipe(ends) == 0);
	if (!fork()) {
		usleep(20000);
		MUST(write(ends[1], "x", 1) == 1);
		usleep(20000);
		_exit(0);
	}
	MUST(read(ends[0], &byte, 1) == 1 && milliseconds() - from >= 20);
	MUST(wait(NULL) > 0 && milliseconds() - from >= 40);
	sigaction(SIGCHLD, &action, NULL);
	if (!fork()) {
		usleep(20000);
		_exit(0);
	}
	MUST(sleep(1) == 1 && got == SIGCHLD && wait(NULL) > 0);
	return 0;
}
