/* Events that occur more than once: the n-th, each, every; and the k-th of one before the k-th of the other. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static char trace[64];
static int length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
note(char c)
{
	pthread_mutex_lock(&lock);
	trace[length++] = c;
	trace[length] = 0;
	pthread_mutex_unlock(&lock);
}

static void *
adds(void *unused)
{
	for (int i = 0; i < 4; i++) {
		sleave_event("add");
		note('a');
		sleave_event("added");
	}
	return unused;
}

static int
is(const char *expected)
{
	int i = 0;

	while (expected[i] && expected[i] == trace[i])
		i++;
	return expected[i] == trace[i];
}

int
main(void)
{
	const char *expected[] = {"aataattt", "atatatat", "aaaatttt", "tttaaaat"};
	int runs = 0;

	SLEAVE_SCHEDULES("numbers", "added#2 -> take#1, taken#1 -> add#3, added#4 -> take#2",
			 "in turns", "added#* -> take#*, taken#1 -> add#2, taken#2 -> add#3, taken#3 -> add#4",
			 "every one before", "added#* -> take",
			 "all but one before", "taken#3 -> add, added#4 -> take#4") {
		pthread_t thread;

		length = 0;
		pthread_create(&thread, NULL, adds, NULL);
		for (int i = 0; i < 4; i++) {
			sleave_event("take");
			note('t');
			sleave_event("taken");
		}
		pthread_join(thread, NULL);
		if (runs == 0)
			assert(is("aataattt"));
		else
			assert(is(expected[runs]));
		runs++;
	}
	assert(runs == 4);
	return 0;
}
