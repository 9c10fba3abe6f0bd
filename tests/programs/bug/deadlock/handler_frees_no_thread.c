/*
 * A timer's handler only counts, and the wait is resumed after it, each time: the thread waits for a semaphore that is never posted.
 */
/* expect: deadlock: main waits for s */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t count;
static sem_t s;

static void
handler(int number)
{
	(void)number;
	count++;
}

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 50000}, {0, 50000}};
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sem_init(&s, 0, 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sem_wait(&s);
	return 0;
}
