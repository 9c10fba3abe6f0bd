/* Names may contain any characters: of events, threads and objects; in logs, too (tests/sections.sh). */
#include <pthread.h>
#include <sleave.h>

static int queue;

static void *
work(void *unused)
{
	sleave_thread_name("I/O 1");
	sleave_event("all is well");
	return unused;
}

static void
body(void)
{
	pthread_t thread;

	sleave_name(&queue, "my queue");
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	sleave_event_on("done", &queue);
	sleave_event("a{b}%20");
	sleave_event("-");
}

int
main(void)
{
	body();
	return 0;
}
