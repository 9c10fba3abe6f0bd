/*
 * A test fails and leaves its threads behind, one that waits and one that runs. They take no part in the
 * tests after it: not by their events, not by their numbers; and a section that is tried in a child is tried.
 */
/* says: schedule "mended" is tried without the threads that an earlier section has left behind (2) */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sleave.h>

static sem_t never, begun;
static jmp_buf back;

static void *
wait(void *unused)
{
	sleave_thread_name("waits");
	sem_post(&begun);
	sem_wait(&never);
	return unused;
}

static void *
run(void *unused)
{
	sem_post(&begun);
	for (;;)
		sleave_event("a");
	return unused;
}

static void *
work(void *unused)
{
	sleave_event("a");
	return unused;
}

static void
fails(void)
{
	pthread_t thread;

	SLEAVE_SCHEDULES("left", "x -> y") {
		pthread_create(&thread, NULL, wait, NULL);
		pthread_create(&thread, NULL, run, NULL);
		sem_wait(&begun);
		sem_wait(&begun);
		longjmp(back, 1);
	}
}

int
main(void)
{
	pthread_t thread;

	sem_init(&never, 0, 0);
	sem_init(&begun, 0, 0);
	if (!setjmp(back))
		fails();
	SLEAVE_INFEASIBLE("mended", "b -> a") {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		sleave_event("b");
	}
	for (int i = 0; i < 100; i++) {
		SLEAVE_SCHEDULES("the first is T1", "b -> a@T1, b -> a") {
			pthread_create(&thread, NULL, work, NULL);
			sleave_event("b");
			pthread_join(thread, NULL);
		}
	}
	return 0;
}
