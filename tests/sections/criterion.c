/* Criterion has its own main() and runs each test in a process of its own. */
/* libraries: criterion */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sleave.h>

static int value;

static void *
add(void *unused)
{
	sleave_event("adding");
	value++;
	sleave_event("added");
	return unused;
}

Test(sections, order)
{
	int runs = 0;

	SLEAVE_SCHEDULES("before", "looked -> adding", "after", "added -> looking") {
		pthread_t thread;

		value = 0;
		pthread_create(&thread, NULL, add, NULL);
		sleave_event("looking");
		cr_assert_eq(value, runs);
		sleave_event("looked");
		pthread_join(thread, NULL);
		runs++;
	}
	cr_assert_eq(runs, 2);
}
