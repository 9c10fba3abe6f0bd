/* stdio on a pipe between threads, a stream that is held while others print, random numbers that are the same each time. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static FILE *in, *out;

static void *writer(void *unused)
{
	fprintf(out, "hello %s", "wor");
	fflush(out);
	fputs("ld\nsecond\n", out);
	fclose(out);
	flockfile(stdout);
	printf("one ");
	printf("line\n");
	funlockfile(stdout);
	return unused;
}

static void *reader(void *unused)
{
	char line[64], *other = NULL;
	size_t room = 0;

	assert(fgets(line, sizeof(line), in) && !strcmp(line, "hello world\n"));
	assert(getline(&other, &room, in) == 7);
	free(other);
	assert(!fgets(line, sizeof(line), in));
	fclose(in);
	puts("another");
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	unsigned number[4];
	int fds[2];

	assert(!pipe(fds));
	in = fdopen(fds[0], "r");
	out = fdopen(fds[1], "w");
	assert(fileno(in) == fds[0]);
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(getrandom(number, sizeof(number), 0) == sizeof(number));
	for (unsigned i = 0; i < number[0] % 8; i++)
		putchar('.');
	return 0;
}
