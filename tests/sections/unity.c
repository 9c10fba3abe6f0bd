/* A test runner like Unity: macros, and a long jump out of a test that may have been inlined into main(). */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <sleave.h>

static jmp_buf abandoned;
static int failures;

#define TEST_ASSERT(condition)                                                                                     \
	do                                                                                                         \
		if (!(condition)) {                                                                                \
			failures++;                                                                                \
			longjmp(abandoned, 1);                                                                     \
		}                                                                                                  \
	while (0)
#define RUN_TEST(test)                                                                                             \
	do                                                                                                         \
		if (!setjmp(abandoned))                                                                            \
			test();                                                                                    \
	while (0)

static pthread_t thread;

static void *
add(void *unused)
{
	sleave_event("adding");
	return unused;
}

static void
test_fails(void)
{
	SLEAVE_SCHEDULE("never -> adding") {
		pthread_create(&thread, NULL, add, NULL);
		TEST_ASSERT(!sleave_schedule_name());
	}
}

static void
test_passes(void)
{
	pthread_join(thread, NULL);
	SLEAVE_SCHEDULE("first -> adding") {
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("first");
		pthread_join(thread, NULL);
		TEST_ASSERT(sleave_schedule_name());
	}
}

int
main(void)
{
	for (int i = 0; i < 3; i++) {
		RUN_TEST(test_fails);
		RUN_TEST(test_passes);
	}
	assert(failures == 3);
	return 0;
}
