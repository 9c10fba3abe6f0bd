/* Work stealing: which worker does which task, and which is woken for it. */
#include "steal.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sleave.h>

#include "plain.h"

static atomic_int done;
static atomic_uint busy; /* the worker that has the long task */

static void
short_task(void *arg, unsigned worker)
{
	done++;
	sleave_event("did");
}

static void
long_task(void *arg, unsigned worker)
{
	busy = worker;
	sleave_event("began");
	usleep(60000);
	sleave_event("ending");
	done++;
}

static void
idle(void *arg, unsigned worker)
{
	sleave_event("found_nothing");
	usleep(40000);
	sleave_event("parking");
}

/* shows the bug: the worker sleeps although there is something to do */
static void
push_while_a_worker_parks(void)
{
	SLEAVE_SCHEDULE("found_nothing#1 -> pushing, pushed -> parking#1, did -> looking") {
		struct stealers *all = stealers_new(1, idle, NULL);

		done = 0;
		usleep(20000);
		sleave_event("pushing");
		assert(stealers_push(all, 0, short_task, NULL));
		sleave_event("pushed");
		usleep(50000);
		sleave_event("looking");
		assert(done == 1);
		stealers_stop(all);
	}
}

static void
who_is_idle_steals(void)
{
	SLEAVE_SCHEDULE("began -> pushing, did -> ending") {
		struct stealers *all = stealers_new(2, NULL, NULL);
		unsigned stolen;

		done = 0;
		assert(stealers_push(all, 0, long_task, NULL));
		usleep(20000);
		sleave_event("pushing");
		stolen = stealers_stolen(all);
		assert(stealers_push(all, busy, short_task, NULL));
		stealers_wait(all);
		assert(done == 2);
		assert(stealers_stolen(all) == stolen + 1);
		stealers_stop(all);
	}
}

static char order[8];
static atomic_int length;

static void
note(void *arg, unsigned worker)
{
	order[length++] = *(const char *)arg;
}

static void
the_newest_first(void)
{
	SLEAVE_SCHEDULE("began -> pushing, pushed -> ending") {
		struct stealers *all = stealers_new(1, NULL, NULL);

		length = 0;
		memset(order, 0, sizeof order);
		assert(stealers_push(all, 0, long_task, NULL));
		usleep(20000);
		sleave_event("pushing");
		stealers_push(all, 0, note, "a");
		stealers_push(all, 0, note, "b");
		stealers_push(all, 0, note, "c");
		sleave_event("pushed");
		stealers_stop(all);
		assert(!strcmp(order, "cba"));
	}
}

static void
wait_for_all_of_them(void)
{
	SLEAVE_SCHEDULE("[waiting] -> ending") {
		struct stealers *all = stealers_new(2, NULL, NULL);

		done = 0;
		assert(stealers_push(all, 0, long_task, NULL));
		assert(stealers_push(all, 1, short_task, NULL));
		sleave_event("waiting");
		stealers_wait(all);
		assert(done == 2);
		stealers_stop(all);
	}
}

/* A task that pushes one for its own worker, and waits until it is done: another worker has to steal it. */
static void
push_and_look(void *arg, unsigned worker)
{
	struct stealers *all = arg;

	stealers_push(all, worker, short_task, NULL);
	usleep(40000);
	sleave_event("looking");
	assert(done == 1);
}

static void
tasks_of_tasks_are_stolen(void)
{
	SLEAVE_SCHEDULE("did -> looking") {
		struct stealers *all = stealers_new(2, NULL, NULL);

		done = 0;
		assert(stealers_push(all, 0, push_and_look, all));
		stealers_stop(all);
	}
}

static void
work(void *arg, unsigned worker)
{
	usleep(8000); /* orders nothing: it stands for work */
	done++;
}

static void
all_tasks_are_done(void)
{
	struct stealers *all = stealers_new(3, NULL, NULL);

	done = 0;
	for (int i = 0; i < 9; i++)
		assert(stealers_push(all, i % 3, work, NULL));
	stealers_stop(all);
	assert(done == 9);
}

int
main(int argc, char **argv)
{
	const struct test tests[] = {
		TEST(push_while_a_worker_parks),
		TEST(who_is_idle_steals),
		TEST(the_newest_first),
		TEST(wait_for_all_of_them),
		TEST(tasks_of_tasks_are_stolen),
		TEST(all_tasks_are_done),
	};

	return RUN(tests, argc, argv);
}
