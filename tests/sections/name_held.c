/*
 * A thread without a name waits for one at an event that the schedule asks of a thread whose name no
 * thread has had yet. The thread that gets this name may be held at the naming, until the other continues.
 */
#include <pthread.h>
#include <sleave.h>
#include <unistd.h>

static void *
works(void *unused)
{
	sleave_event("works");
	return unused;
}

static void *
named(void *unused)
{
	usleep(1000); /* in most runs the other thread is held by then */
	pthread_setname_np(pthread_self(), "second");
	return unused;
}

int
main(void)
{
	pthread_t first, second;

	for (int i = 0; i < 50; i++)
		SLEAVE_SCHEDULE("works@T1 -> start@second, (start@main -> works@second) || works") {
			pthread_create(&first, NULL, works, NULL);
			pthread_create(&second, NULL, named, NULL);
			pthread_join(first, NULL);
			pthread_join(second, NULL);
		}
	return 0;
}
