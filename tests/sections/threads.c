/*
 * Threads in schedules: by number, by a name that is given late, by itself or by its creator, by prctl; starts and ends;
 * groups. Numbers begin anew in each run.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>

static atomic_int order;

static void *
early(void *unused)
{
	sleave_event("e");
	return unused;
}

static void *
named_late(void *name)
{
	prctl(PR_SET_NAME, name);
	order = order * 10 + 2;
	return NULL;
}

static void *
says(void *digit)
{
	sleave_event("says");
	order = order * 10 + (int)(long)digit;
	sleave_event("said");
	return NULL;
}

int
main(void)
{
	pthread_t a, b, c;

	for (int i = 0; i < 3; i++) {
		SLEAVE_SCHEDULE("said@T2 -> says@T1, end@T1 -> says@T3") {
			order = 0;
			pthread_create(&a, NULL, says, (void *)1l);
			pthread_create(&b, NULL, says, (void *)2l);
			pthread_create(&c, NULL, says, (void *)3l);
			pthread_join(a, NULL), pthread_join(b, NULL), pthread_join(c, NULL);
			assert(order == 213);
		}
	}
	SLEAVE_SCHEDULE("go -> start@late") {
		order = 0;
		pthread_create(&a, NULL, named_late, "late");
		order = order * 10 + 1;
		sleave_event("go");
		pthread_join(a, NULL);
		assert(order == 12);
	}
	SLEAVE_SCHEDULE("named -> says@T2, said@second -> says@first") {
		order = 0;
		pthread_create(&a, NULL, early, NULL);
		pthread_join(a, NULL);
		sleave_thread_name("first");
		pthread_create(&b, NULL, says, (void *)7l);
		pthread_setname_np(b, "second");
		sleave_event("named");
		sleave_event("says");
		assert(order == 7);
		pthread_join(b, NULL);
	}
	/* main is first now, wherever it goes */
	SLEAVE_SCHEDULE("start@T1 -> hello@first, bye@first -> end@T1") {
		pthread_create(&a, NULL, early, NULL);
		sleave_event("hello");
		sleave_event("bye");
		pthread_join(a, NULL);
	}
	return 0;
}
