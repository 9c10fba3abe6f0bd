/*
 * Two threads print a time with localtime, whose result lies in the same place for both.
 */
/* expect: result_of_gmtime */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *
print(void *arg)
{
	char text[32];
	time_t now = 86400;

	strftime(text, sizeof(text), "%F", localtime(&now));
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, print, NULL);
	print(NULL);
	pthread_join(t, NULL);
	return 0;
}
