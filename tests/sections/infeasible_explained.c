/* A held thread holds a lock: the message says where each thread is held, by what, and what the other one waits for. */
/* aborts */
/* says: (main): schedule "crossed" can't happen: no thread can go on */
/* says: infeasible_explained.c:32) by `finished -> locked` */
/* says: `finished` has not occurred */
/* says: T1 (second) waits at sections/infeasible_explained.c:17 for a mutex (lock), which main holds */
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
second(void *unused)
{
	sleave_thread_name("second");
	sleave_event("second");
	pthread_mutex_lock(&lock);
	sleave_event("finished");
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	SLEAVE_SCHEDULES("crossed", "first -> second, finished -> locked") {
		pthread_t thread;

		pthread_create(&thread, NULL, second, NULL);
		pthread_mutex_lock(&lock);
		sleave_event("first");
		sleave_event("locked");
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	return 0;
}
