/* An event that the program contains, and that does not happen, is not taken for a misspelling of a similar one. */
/* aborts */
/* says: `added2` has not occurred */
/* says not: did you mean */
#include <pthread.h>
#include <sleave.h>

static void *
add(void *unused)
{
	sleave_event("added1");
	sleave_event("waiting");
	sleave_event("added2");
	return unused;
}

int
main(void)
{
	SLEAVE_SCHEDULE("added2 -> looked, looked -> waiting") {
		pthread_t thread;

		pthread_create(&thread, NULL, add, NULL);
		sleave_event("looked");
		pthread_join(thread, NULL);
	}
	return 0;
}
