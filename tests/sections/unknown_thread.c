/* A thread that does not exist. */
/* aborts */
/* says: the schedule can't happen */
/* says: `added@addThred` has not occurred; there is no thread `addThred`; did you mean `addThread`? */
#include <pthread.h>
#include <sleave.h>

static void *
adds(void *unused)
{
	sleave_thread_name("addThread");
	sleave_event("added");
	return unused;
}

int
main(void)
{
	SLEAVE_SCHEDULE("added@addThred -> taken") {
		pthread_t thread;

		pthread_create(&thread, NULL, adds, NULL);
		sleave_event("taken");
		pthread_join(thread, NULL);
	}
	return 0;
}
