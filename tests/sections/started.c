/* A thread that exists when a section begins has started: by its number, and by its name. */
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>

static sem_t named, go;

static void *
work(void *unused)
{
	sleave_thread_name("worker");
	sem_post(&named);
	sem_wait(&go);
	sleave_event("b");
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&named, 0, 0);
	sem_init(&go, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	sem_wait(&named);
	SLEAVE_SCHEDULES("main", "start@main -> a", "number", "start@T1 -> a", "name", "start@worker -> a", "all",
			 "(start@main && start@T1 && start@worker) -> a, a -> b") {
		sleave_event("a");
		if (sleave_schedule_name()[0] == 'a')
			sem_post(&go);
	}
	pthread_join(thread, NULL);
	return 0;
}
