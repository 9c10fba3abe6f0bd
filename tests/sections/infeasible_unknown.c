/* A schedule that can't happen because it names what does not exist proves nothing. */
/* aborts */
/* says: schedule "misspelt" is declared infeasible, but names what does not exist */
/* says: `finisht` never occurred; did you mean `finished`? */
#include <pthread.h>
#include <sleave.h>

static void *
work(void *unused)
{
	sleave_event("begun");
	sleave_event("finished");
	return unused;
}

int
main(void)
{
	pthread_t thread;

	/* `finished` does not occur when this is tried: no thread gets so far */
	SLEAVE_INFEASIBLE("right", "finished -> begun") {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	SLEAVE_INFEASIBLE("misspelt", "finisht -> begun") {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
