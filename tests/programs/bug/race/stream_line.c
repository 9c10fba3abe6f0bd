/*
 * getline() writes into a line that another thread writes to.
 */
/* expect: data race on buffer */
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
char buffer[4096];

static void *
caller(void *arg)
{
	char *line = buffer;
	size_t room = sizeof(buffer);

	return getline(&line, &room, stream) < 0 ? arg : NULL;
}

static void *
other(void *arg)
{
	((char *)&buffer)[1] = 1;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	stream = fopen("/proc/version", "r");
	pthread_create(&a, NULL, caller, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
