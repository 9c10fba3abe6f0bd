/* Events that wait for blocked threads, again and again: what was known a moment ago must not be taken for the current state. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sleave.h>

#define ROUNDS 3000

static sem_t work;
static int busy, flips, over;

static void *
worker(void *unused)
{
	sleave_event("ready");
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&work);
		__atomic_store_n(&busy, 1, __ATOMIC_SEQ_CST);
		if (i % 64 == 0)
			sched_yield();
		__atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST);
	}
	sleave_event("done");
	sem_wait(&work);
	return unused;
}

/* Takes part in nothing, but performs events all the time. */
static void *
bystander(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		sleave_event("tick");
		sleave_event("tock");
		sleave_event("nobody asks for this");
	}
	return unused;
}

static void
run(void)
{
	pthread_t threads[2];

	sem_init(&work, 0, 0);
	over = 0;
	pthread_create(&threads[0], NULL, worker, NULL);
	pthread_create(&threads[1], NULL, bystander, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		/* the first waits until the worker does, and only the worker can wake it: so for the others */
		for (int k = 0; k < 3; k++) {
			sleave_event("asleep");
			assert(!__atomic_load_n(&busy, __ATOMIC_SEQ_CST));
		}
		flips++;
		sem_post(&work);
	}
	sleave_event("asleep");
	sleave_event("finished");
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	sem_post(&work);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	sem_destroy(&work);
}

int
main(void)
{
	SLEAVE_SCHEDULES("blocked", "[ready] -> asleep#*",
			 "beside numbers", "[ready] -> asleep#*, tick#* -> tock#*",
			 "with an event before", "([ready] && tick) -> asleep#*, done -> finished",
			 "in the logic", "[ready] -> asleep#*, !(finished -> done), !finished || (done -> finished), tick#* -> tock#*")
		run();
	assert(flips == 4 * ROUNDS);
	return 0;
}
