/* The example of the IMUnit paper (Fig. 3.1 and 3.9): one test, once with a take that blocks and once with one that does not. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int items[1], count, waited;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};

static void
add(int item)
{
	pthread_mutex_lock(&queue.lock);
	assert(queue.count == 0);
	queue.items[queue.count++] = item;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

static int
take(void)
{
	int item;

	pthread_mutex_lock(&queue.lock);
	while (!queue.count) {
		queue.waited++;
		pthread_cond_wait(&queue.filled, &queue.lock);
	}
	item = queue.items[--queue.count];
	pthread_mutex_unlock(&queue.lock);
	return item;
}

static void *
adder(void *unused)
{
	pthread_setname_np(pthread_self(), "addThread");
	add(1);
	sleave_event("finishedAdd1");
	sleave_event("startingAdd2");
	add(2);
	sleave_event("finishedAdd2");
	return unused;
}

int
main(void)
{
	int runs = 0;

	assert(!sleave_schedule_name());
	SLEAVE_SCHEDULES("blocking take", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
			 "non-blocking take",
			 "finishedAdd1 -> startingTake1, startingTake2 -> startingAdd2, finishedAdd2 -> takes2") {
		pthread_t thread;

		queue.waited = 0;
		pthread_create(&thread, NULL, adder, NULL);
		sleave_event("startingTake1");
		assert(take() == 1);
		sleave_event("startingTake2");
		if (runs)
			sleave_event("takes2");
		assert(take() == 2);
		pthread_join(thread, NULL);
		assert(queue.waited == (strcmp(sleave_schedule_name(), "blocking take") == 0));
		runs++;
	}
	assert(runs == 2 && !sleave_schedule_name());
	return 0;
}
