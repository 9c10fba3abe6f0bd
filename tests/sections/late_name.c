/*
 * A thread that its creator names has no name when it begins. Its events wait for one, if the schedule asks for such
 * an event of a thread with a name that no thread has yet; but not for ever: not if its creator waits for it first.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>

static sem_t begun;

static void *
work(void *unused)
{
	sleave_event("works");
	sem_post(&begun);
	sleave_event("works");
	return unused;
}

int
main(void)
{
	pthread_t thread, other;

	sem_init(&begun, 0, 0);
	for (int i = 0; i < 200; i++) {
		SLEAVE_SCHEDULES("right after it", "works@worker -> y, y -> end@worker", "twice", "works#2@worker -> y") {
			pthread_create(&thread, NULL, work, NULL);
			pthread_setname_np(thread, "worker");
			sleave_event("y");
			pthread_join(thread, NULL);
			sem_wait(&begun);
		}
		SLEAVE_SCHEDULES("after it has begun", "works@worker -> y") {
			pthread_create(&thread, NULL, work, NULL);
			sem_wait(&begun);
			pthread_setname_np(thread, "worker");
			sleave_event("y");
			pthread_join(thread, NULL);
		}
		SLEAVE_SCHEDULES("two of them", "works#2@worker -> works@other") {
			pthread_create(&thread, NULL, work, NULL);
			pthread_create(&other, NULL, work, NULL);
			pthread_setname_np(other, "other");
			pthread_setname_np(thread, "worker");
			pthread_join(thread, NULL);
			pthread_join(other, NULL);
			sem_wait(&begun);
			sem_wait(&begun);
		}
	}
	return 0;
}
