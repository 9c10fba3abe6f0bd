/* A thread that waits for input of a stream is blocked: in each of the functions that read, and only if they have to. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int way, ends[2];
static FILE *stream;
static char text[64];
static int later;

static void *
reader(void *unused)
{
	char *line = NULL;
	size_t size = 0;

	sleave_event("reading");
	switch (way) {
	case 0:
		assert(fgets(text, sizeof(text), stream) == text && strcmp(text, "one\n") == 0);
		break;
	case 1:
		assert(getline(&line, &size, stream) == 4 && strcmp(line, "one\n") == 0);
		break;
	case 2:
		assert(getdelim(&line, &size, 'e', stream) == 3 && getc(stream) == '\n');
		break;
	case 3:
		assert(fread(text, 2, 2, stream) == 2);
		break;
	case 4:
		assert(getc(stream) == 'o' && fgetc(stream) == 'n' && fgets(text, sizeof(text), stream));
		break;
	case 5:
		assert(fscanf(stream, "%3s", text) == 1 && getc(stream) == '\n');
		break;
	case 6:
		flockfile(stream);
		assert(getc_unlocked(stream) == 'o');
		funlockfile(stream);
		assert(fgets(text, sizeof(text), stream));
		break;
	}
	free(line);
	return unused;
}

/* The second line is in the buffer when the first was read: no thread waits for it. */
static void *
takes_two(void *unused)
{
	sleave_event("first");
	assert(fgets(text, sizeof(text), stream));
	sleave_event("second");
	assert(fgets(text, sizeof(text), stream) && strcmp(text, "two\n") == 0);
	later = 1;
	sleave_event("done");
	return unused;
}

static void
begin(void *(*start)(void *), pthread_t *thread)
{
	assert(pipe(ends) == 0);
	stream = fdopen(ends[0], "r");
	pthread_create(thread, NULL, start, NULL);
}

static void
end(pthread_t thread)
{
	pthread_join(thread, NULL);
	fclose(stream);
	close(ends[1]);
}

int
main(void)
{
	pthread_t thread;

	for (way = 0; way < 7; way++)
		SLEAVE_SCHEDULE("[reading] -> write") {
			begin(reader, &thread);
			sleave_event("write");
			assert(write(ends[1], "one\n", 4) == 4);
			end(thread);
		}
	SLEAVE_SCHEDULE("[first] -> write, done -> look") {
		begin(takes_two, &thread);
		sleave_event("write");
		assert(write(ends[1], "one\ntwo\n", 8) == 8);
		sleave_event("look");
		assert(later);
		end(thread);
	}
	/* by a stream as well; and unblocked as soon as it is written */
	SLEAVE_SCHEDULE("[reading] -> write, unblock@T1 -> look") {
		FILE *to;

		way = 0;
		begin(reader, &thread);
		to = fdopen(dup(ends[1]), "w");
		sleave_event("write");
		fputs("one\n", to);
		fflush(to);
		sleave_event("look");
		fclose(to);
		end(thread);
	}
}
