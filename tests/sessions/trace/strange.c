#include <pthread.h>
#include <sleave.h>

static void *worker(void *unused)
{
	sleave_thread_name("a\tb");
	sleave_event("first\nsecond");
	sleave_event("back\\slash");
	sleave_event("\001\177");
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
