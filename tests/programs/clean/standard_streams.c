/*
 * Standard input and output become pipes between threads (dup2): what was printed before but not flushed goes along,
 * macros and functions read and write the same, and a reader waits for a writer. At the end output goes back.
 * dprintf to a pipe, scanf from one.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int in[2], out[2];

static void *
reader(void *arg)
{
	char word[20], line[64], *more = NULL;
	size_t room = 0;
	int number;

	assert(scanf("%d %19s", &number, word) == 2 && number == 12 && !strcmp(word, "abc"));
	assert(getchar() == '\n' && !feof(stdin));
	assert(fgets(line, sizeof(line), stdin) && !strcmp(line, "line\n"));
	assert(getline(&more, &room, stdin) == 2 && !strcmp(more, "x\n"));
	assert(getchar_unlocked() == EOF && feof(stdin));
	clearerr(stdin);
	assert(!feof(stdin) && fgetc(stdin) == EOF && feof(stdin));
	return arg;
}

int
main(void)
{
	char got[64] = "";
	pthread_t thread;
	int before = dup(1);

	assert(before >= 0 && !pipe(in) && !pipe(out));
	fputs("early ", stdout);
	assert(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1 && !close(in[0]) && !close(out[1]));
	pthread_create(&thread, NULL, reader, NULL);
	assert(dprintf(in[1], "%d ", 12) == 3 && dprintf(in[1], "%s\nline\nx\n", "abc") == 11);
	assert(!close(in[1]));
	assert(printf("hello %d\n", 5) == 8 && puts("x") == 2 && putchar('y') == 'y' && putchar_unlocked('z') == 'z');
	assert(fwrite("!", 1, 1, stdout) == 1 && !fflush(stdout));
	assert(read(out[0], got, sizeof(got)) == 19 && !strcmp(got, "early hello 5\nx\nyz!"));
	assert(fprintf(stdout, "late") == 4 && dup2(before, 1) == 1 && !fflush(NULL));
	assert(read(out[0], got, sizeof(got)) == 0);
	pthread_join(thread, NULL);
	return 0;
}
