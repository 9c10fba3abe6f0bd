/*
 * A finding in the second of two sections: the order that leads to it is one more schedule
 * of that section. Threads and occurrences are counted from its beginning, though there were
 * others of the same names before. With an argument, that text is the section's schedule.
 */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static int turn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void
set(int value)
{
	pthread_mutex_lock(&m);
	turn = value;
	pthread_mutex_unlock(&m);
}

static void *
first(void *unused)
{
	sleave_event("first begins");
	set(1);
	sleave_event("first ends");
	return unused;
}

static void *
second(void *unused)
{
	sleave_event("second begins");
	set(2);
	sleave_event("second ends");
	return unused;
}

static void
both(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

int
main(int argc, char **argv)
{
	both();
	SLEAVE_SCHEDULES("either", "\"first ends\" -> \"second begins\"", "or", "\"second ends\" -> \"first begins\"") {
		both();
	}
	SLEAVE_SCHEDULES("open", argc > 1 ? argv[1] : "\"first begins\" -> \"second begins\"") {
		both();
		assert(turn == 2);
	}
	return 0;
}
