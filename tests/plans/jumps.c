/*
 * A test framework that leaves a failed test by a long jump, and whose tests may be inlined into the function
 * with its setjmp(). The assertion is reported at its place, and the next test has a section of its own.
 */
#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>

static jmp_buf failed;
static int failures, count;

#define EXPECT(what)                                                                                              \
	do {                                                                                                      \
		if (!(what))                                                                                      \
			longjmp(failed, 1);                                                                       \
	} while (0)
#define RUN(test)                                                                                                 \
	do {                                                                                                      \
		if (!setjmp(failed))                                                                              \
			test();                                                                                   \
		else                                                                                              \
			failures++;                                                                               \
	} while (0)

static void *
add(void *unused)
{
	(void)unused;
	sleave_event("adding");
	count++;
	return NULL;
}

static void
fails(void)
{
	pthread_t thread;

	SLEAVE_SCHEDULES("first", "here -> adding") {
		count = 0;
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("here");
		pthread_join(thread, NULL);
		EXPECT(count == 2);
	}
}

static void
passes(void)
{
	pthread_t thread;

	SLEAVE_SCHEDULES("second", "here -> adding") {
		count = 0;
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("here");
		pthread_join(thread, NULL);
		EXPECT(count == 1);
	}
}

int
main(void)
{
	RUN(fails);
	RUN(passes);
	return failures;
}
