#include <pthread.h>
#include <sleave.h>

static void *worker(void *unused)
{
	sleave_event("here");
	return unused;
}

int main(void)
{
	pthread_t thread;

	SLEAVE_SCHEDULE("here -> there") {
		pthread_create(&thread, NULL, worker, NULL);
		sleave_event("there");
		pthread_join(thread, NULL);
	}
	return 0;
}
