/* The richer logic: blocking and unblocking as events, which can be held back too; negation; a condition that contains an ordering. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdatomic.h>

static sem_t semaphore;
static atomic_int went;

static void *
waits(void *unused)
{
	sleave_thread_name("waiter");
	sleave_event("comes");
	sem_wait(&semaphore);
	went = 1;
	return unused;
}

int
main(void)
{
	sem_init(&semaphore, 0, 0);
	SLEAVE_SCHEDULES("goes on late", "block@waiter -> post, posted -> unblock#1@waiter",
			 "blocks before", "block@waiter -> post",
			 "is blocked", "([@waiter] && !looked) -> post") {
		pthread_t thread;

		went = 0;
		pthread_create(&thread, NULL, waits, NULL);
		sleave_event("post");
		sem_post(&semaphore);
		if (sleave_schedule_name()[0] == 'g')
			assert(!went);
		sleave_event("posted");
		sleave_event("looked");
		pthread_join(thread, NULL);
		assert(went);
	}
	return 0;
}
