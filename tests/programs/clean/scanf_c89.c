/* scanf by its old name, which a program for C89 gets (and %as in it), from a pipe. */
/* flags: -std=gnu89 */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fds[2];

static int
read_list(FILE *from, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = vfscanf(from, format, list);
	va_end(list);
	return result;
}

static void *
writer(void *arg)
{
	assert(write(fds[1], "1 wor", 5) == 5);
	assert(write(fds[1], "d 3 4", 5) == 5);
	assert(!close(fds[1]));
	return arg;
}

int
main(void)
{
	pthread_t thread;
	FILE *in;
	int one, three;
	char word[16];

	assert(!pipe(fds));
	in = fdopen(fds[0], "r");
	pthread_create(&thread, NULL, writer, NULL);
	assert(fscanf(in, "%d %15s", &one, word) == 2 && one == 1 && !strcmp(word, "word"));
	assert(read_list(in, "%d", &three) == 1 && three == 3);
	assert(fscanf(in, "%d%d", &one, &three) == 1 && one == 4 && fscanf(in, "%d", &one) == EOF);
	pthread_join(thread, NULL);
	return 0;
}
