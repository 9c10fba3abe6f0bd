/* A thread that waits at an event, or in a primitive, can be cancelled: it ends, and the state of the other threads is right. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void
cleanup(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *
held(void *unused)
{
	pthread_cleanup_push(cleanup, NULL);
	sleave_event("here");
	sleave_event("held");
	pthread_cleanup_pop(0);
	return unused;
}

static void
unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *
waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	sleave_event("waits");
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(0);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	void *result;

	SLEAVE_SCHEDULE("here -> cancels, joined -> held") {
		pthread_create(&thread, NULL, held, NULL);
		sleave_event("cancels");
		pthread_cancel(thread);
		pthread_join(thread, &result);
		assert(result == PTHREAD_CANCELED && cleaned == 1);
		sleave_event("joined");
		sleave_event("held");
	}
	SLEAVE_SCHEDULE("[waits] -> cancels") {
		pthread_create(&thread, NULL, waits, NULL);
		sleave_event("cancels");
		pthread_cancel(thread);
		pthread_join(thread, &result);
		assert(result == PTHREAD_CANCELED);
		assert(pthread_mutex_trylock(&lock) == 0);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}
