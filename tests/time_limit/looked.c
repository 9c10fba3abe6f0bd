/*
 * A lost update, found soon. Once it was found, executions wait until the test says how they are to continue: as
 * always, or without end. It does so in a file that is mapped before main, so that Sleave neither sees nor restores it.
 *
 *	-DPLACE    inside of sleave_explore(), in executions that are long enough to be written down early
 *	-DENDLESS  no execution ends while the file says so; none is found
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_sanitize("thread"), section(".text.unseen"), noinline))

enum { FOUND, GO, RUNS };          /* bytes of the file */
enum { WAIT, AS_ALWAYS, FOREVER }; /* GO */

static volatile char *word;
static atomic_int total;
static volatile long table[64];

__attribute__((constructor)) UNSEEN static void
open_word(void)
{
	int fd = open("word", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		abort();
	word = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (word == MAP_FAILED)
		abort();
	close(fd);
}

UNSEEN static int
how_to_go_on(void)
{
#ifndef ENDLESS
	while (word[FOUND] && word[GO] == WAIT)
		;
#endif
	return word[GO];
}

UNSEEN static void
note(int what)
{
	word[what] = 1;
}

static void
fill(long rounds)
{
	for (long r = 0; r != rounds; r++)
		for (int i = 0; i < 64; i++)
			table[i] += r;
}

static void *
work(void *arg)
{
	int seen = total;

	total = seen + 1;
	return arg;
}

static void
body(void *arg)
{
	pthread_t threads[2];

	(void)arg;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (how_to_go_on() == FOREVER) {
		note(RUNS);
		fill(-1);
	}
#ifdef PLACE
	fill(10000);
#endif
#ifndef ENDLESS
	if (total != 2)
		note(FOUND);
	assert(total == 2);
#endif
}

int
main(int argc, char **argv)
{
#ifdef PLACE
	struct sleave_options options = {.seconds = argc > 1 ? atof(argv[1]) : 1000, .operations = 1000000000000};

	return sleave_explore(body, NULL, &options);
#else
	(void)argc;
	body(argv);
	return 0;
#endif
}
