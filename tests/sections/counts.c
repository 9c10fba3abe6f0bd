/*
 * Events that threads count by themselves: many threads put and get at the same time, each get after a put of its own; and
 * a thread that never stops, whose events are now mentioned and now not, while sections begin and end.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

#define THREADS 4
#define ROUNDS 2000
#define SECTIONS 100

static int puts_, gets_, stop;

static void *
put(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		__atomic_fetch_add(&puts_, 1, __ATOMIC_SEQ_CST);
		sleave_event("put");
	}
	return unused;
}

static void *
get(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		sleave_event("get");
		assert(__atomic_add_fetch(&gets_, 1, __ATOMIC_SEQ_CST) <= __atomic_load_n(&puts_, __ATOMIC_SEQ_CST));
	}
	return unused;
}

static void *
tick(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		sleave_event("tick");
		sleave_event("tock");
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[2 * THREADS], ticking;
	int runs = 0;

	SLEAVE_SCHEDULES("each", "put#* -> get#*", "and the last", "put#* -> get#*, put#8000 -> over, over -> finished",
			 "or", "put#* -> get#*, (put#3 || finished) -> over") {
		puts_ = gets_ = 0;
		for (int i = 0; i < 2 * THREADS; i++)
			pthread_create(&threads[i], NULL, i < THREADS ? get : put, NULL);
		sleave_event("over");
		if (runs == 1)
			assert(puts_ == THREADS * ROUNDS);
		sleave_event("finished");
		for (int i = 0; i < 2 * THREADS; i++)
			pthread_join(threads[i], NULL);
		assert(puts_ == gets_);
		runs++;
	}
	assert(runs == 3);
	pthread_create(&ticking, NULL, tick, NULL);
	for (int i = 0; i < SECTIONS; i++) {
		SLEAVE_SCHEDULES("mentioned", "tick#3 -> over, tock#3 -> over", "not mentioned", "over -> finished",
				 "otherwise", "x -> tick#*, tock#2 -> over, over -> finished") {
			sleave_event("x");
			sleave_event("over");
			sleave_event("finished");
		}
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	pthread_join(ticking, NULL);
	return 0;
}
