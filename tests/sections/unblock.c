/* A thread does not continue from a wait before an event, also if the schedule does not say which wait it means. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gone, through;

static void *
locks(void *unused)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&through, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	int runs = 0;

	SLEAVE_SCHEDULES("one", "(unlocking && [@T1]) -> unlocking, go -> unblock@T1",
			 "the first", "(unlocking && [@T1]) -> unlocking, go -> unblock@T1#1",
			 /* it comes too early, but there is another */
			 "the last will do", "(unlocking && [@T1]) -> unlocking, joined -> unblock@*") {
		pthread_t thread;

		gone = through = 0;
		pthread_mutex_lock(&lock);
		pthread_create(&thread, NULL, locks, NULL);
		sleave_event("unlocking");
		pthread_mutex_unlock(&lock);
		if (runs < 2)
			assert(!__atomic_load_n(&through, __ATOMIC_SEQ_CST));
		sleave_event("go");
		if (runs == 2)
			sleave_event("joined");
		pthread_join(thread, NULL);
		assert(through);
		runs++;
	}
	assert(runs == 3);
	return 0;
}
