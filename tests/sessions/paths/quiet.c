/* Both ways of the branch only compute with what no other thread sees. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int on;

static void *
turn_on(void *unused)
{
	on = 1;
	return unused;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, turn_on, NULL);
	if (on)
		seen = 1;
	else
		seen = 2;
	pthread_join(thread, NULL);
	return seen == 0;
}
