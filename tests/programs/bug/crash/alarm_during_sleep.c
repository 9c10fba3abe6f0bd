/*
 * The alarm ends the program before the thread has slept long enough: in every schedule.
 */
/* expect: SIGALRM|signal 14 */
#include <pthread.h>
#include <unistd.h>

static void *
sleep_on(void *arg)
{
	sleep(3);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	alarm(2);
	pthread_create(&thread, NULL, sleep_on, NULL);
	pthread_join(thread, NULL);
	return 0;
}
