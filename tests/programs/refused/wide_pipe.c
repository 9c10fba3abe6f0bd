/*
 * Wide characters through a pipe: libc's streams with custom functions can't have them.
 */
/* expect: wide characters */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

static void *
worker(void *arg)
{
	int fds[2];

	if (!pipe(fds))
		fputwc(L'x', fdopen(fds[1], "w"));
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
