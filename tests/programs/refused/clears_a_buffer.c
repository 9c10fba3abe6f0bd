/* A thread does nothing but clear a buffer, again and again: ranges are operations, too, and are looked at as others are. */
/* options: --schedules 50 --operations 100000 */
/* expect: every execution was cut at the limit of 100000 operations */
#include <pthread.h>
#include <string.h>

static char buffer[100];

static void *
clears(void *arg)
{
	for (;;)
		memset(buffer, 0, sizeof(buffer));
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, clears, NULL);
	pthread_join(thread, NULL);
	return 0;
}
