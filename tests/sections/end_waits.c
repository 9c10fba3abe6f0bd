/*
 * The block is left while a thread still has an event of the schedule to perform: the end of the block waits for
 * it, whichever thread joins it later. It does not wait for a helper that sleeps all the time, nor for ever.
 */
/* aborts */
/* says: schedule "never" was not fulfilled */
/* says: `b` never occurred */
/* says: T2 waits at sections/end_waits.c:27 for a semaphore (semaphore) */
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <unistd.h>

static sem_t semaphore;

static void *
work(void *unused)
{
	sleave_event("a");
	return unused;
}

static void *
wait(void *unused)
{
	sleave_event("a");
	sem_wait(&semaphore);
	sleave_event("b");
	return unused;
}

static void *
help(void *unused)
{
	for (;;)
		usleep(1000);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < 300; i++) {
		SLEAVE_SCHEDULES("later", "m -> a") {
			pthread_create(&thread, NULL, work, NULL);
			sleave_event("m");
		}
		pthread_join(thread, NULL);
	}
	pthread_create(&thread, NULL, help, NULL);
	SLEAVE_SCHEDULES("never", "m -> a, a -> b") {
		pthread_create(&thread, NULL, wait, NULL);
		sleave_event("m");
	}
	return 0;
}
