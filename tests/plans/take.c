/*
 * IMUnit's example: a queue, a thread that adds twice, one that takes twice. With the first schedule the
 * second take blocks, with the second it does not. -DINFEASIBLE: an order that the queue does not permit,
 * declared infeasible. -DIMPOSSIBLE: the same, but not declared. -DLOST: an add that signals before it adds.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items[4], count, waited;

static void
add(int item)
{
#ifdef LOST
	pthread_cond_signal(&filled);
#endif
	pthread_mutex_lock(&lock);
	items[count++] = item;
#ifndef LOST
	pthread_cond_signal(&filled);
#endif
	pthread_mutex_unlock(&lock);
}

static int
take(void)
{
	int item;

	pthread_mutex_lock(&lock);
	while (!count) {
		waited++;
		pthread_cond_wait(&filled, &lock);
	}
	item = items[0];
	memmove(items, items + 1, sizeof(items) - sizeof(items[0]));
	count--;
	pthread_mutex_unlock(&lock);
	return item;
}

static void *
adder(void *unused)
{
	pthread_setname_np(pthread_self(), "adder");
	add(1);
	sleave_event("finishedAdd1");
	sleave_event("startingAdd2");
	add(2);
	sleave_event("finishedAdd2");
	return unused;
}

static void
body(void)
{
	pthread_t thread;
	int first, second;

	count = waited = 0;
	pthread_create(&thread, NULL, adder, NULL);
	sleave_event("startingTake1");
	first = take();
	sleave_event("startingTake2");
	second = take();
	sleave_event("finishedTake2");
	pthread_join(thread, NULL);
	assert(first == 1 && second == 2);
}

int
main(void)
{
#ifdef INFEASIBLE
	SLEAVE_INFEASIBLE("two takes of one", "finishedTake2 -> startingAdd2")
	{
		body();
	}
#elif defined(IMPOSSIBLE)
	SLEAVE_SCHEDULE("finishedTake2 -> startingAdd2")
	{
		body();
	}
#elif defined(NOT_SO)
	SLEAVE_INFEASIBLE("an add before", "finishedAdd2 -> startingTake2")
	{
		body();
	}
#else
	SLEAVE_SCHEDULES("blocking take", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
			 "non-blocking take", "finishedAdd1 -> startingTake1, finishedAdd2 -> startingTake2")
	{
		body();
		assert(waited == !strcmp(sleave_schedule_name(), "blocking take"));
	}
#endif
	return 0;
}
