/*
 * PART=… SCHEDULE=… section: sections that must get the same verdict in three ways, on real threads,
 * in `sleave test` and in `sleave run`. PART says what is wrong with the section, or with its body.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *part, *schedule;
static char object;
char global;
static jmp_buf way_out;

static int
is(const char *name)
{
	return !strcmp(part, name);
}

static void *
thread(void *unused)
{
	if (is("long name"))
		sleave_thread_name("longer than the kernel's names");
	sleave_event("a");
	if (is("crash"))
		*(volatile int *)8 = 1;
	if (is("assert"))
		assert(!"bad");
	if (is("exit"))
		exit(0);
	if (is("_exit"))
		_exit(0);
	if (is("deadlock")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock);
	}
	sleave_event_on("b", &object);
	return unused;
}

static void
body(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	if (is("global"))
		sleave_event_on("g", &global);
	sleave_event("c");
	if (is("jump"))
		longjmp(way_out, 1);
	pthread_join(t, NULL);
}

static void
infeasible(void)
{
	SLEAVE_INFEASIBLE("never", schedule)
		body();
}

static void
named(void)
{
	SLEAVE_SCHEDULES("first", "b{o} -> c") {
		sleave_name(&object, "o");
		body();
	}
}

int
main(void)
{
	part = getenv("PART");
	schedule = getenv("SCHEDULE");
	if (is("no name")) {
		SLEAVE_SCHEDULES(NULL, schedule)
			abort();
	} else if (is("twins")) {
		SLEAVE_SCHEDULES("x", schedule, "x", schedule)
			body();
	} else if (is("no text")) {
		SLEAVE_SCHEDULES("x", NULL)
			body();
	} else if (is("object")) {
		SLEAVE_SCHEDULES("x", schedule) {
			sleave_name(&object, "o1");
			body();
		}
	} else if (is("plain") || is("global") || is("long name")) {
		SLEAVE_SCHEDULES("x", schedule)
			body();
	} else if (is("second")) {
		SLEAVE_SCHEDULES("first", "e -> d") {
			pthread_t t;

			pthread_create(&t, NULL, thread, NULL);
			pthread_join(t, NULL);
			pthread_create(&t, NULL, thread, NULL);
			pthread_join(t, NULL);
			sleave_event("e");
			sleave_event("d");
		}
		SLEAVE_SCHEDULES("x", schedule)
			body();
	} else if (is("names")) {
		named();
		SLEAVE_SCHEDULES("second", "b{o} -> c")
			body();
	} else if (is("many names")) {
		body(); /* so that there is something to interleave */
		for (int i = 0; i < 600; i++)
			SLEAVE_SCHEDULE("b{o} -> c") {
				char *block = malloc(64);

				sleave_name(block + i % 64, "o");
				sleave_event_on("b", block + i % 64);
				sleave_event("c");
			}
	} else if (!setjmp(way_out)) {
		infeasible();
	}
	return 0;
}
