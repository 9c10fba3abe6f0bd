/*
 * All threads wait, and none is held: but a timer runs, and its handler lets them continue. So this is no deadlock.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sleave.h>
#include <sys/time.h>

static sem_t semaphore;

static void
handle(int number)
{
	(void)number;
	sem_post(&semaphore);
}

static void *
work(void *unused)
{
	while (sem_wait(&semaphore))
		;
	sleave_event("alarm");
	return unused;
}

int
main(void)
{
	struct itimerval time = {.it_value = {.tv_usec = 20000}};
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	signal(SIGALRM, handle);
	SLEAVE_SCHEDULE("set -> alarm") {
		pthread_create(&thread, NULL, work, NULL);
		sleave_event("set");
		setitimer(ITIMER_REAL, &time, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
