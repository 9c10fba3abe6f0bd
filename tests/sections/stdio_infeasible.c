/* A thread that waits for input of a stream that no thread will write is blocked for ever: seen at once, and not a hang. */
/* aborts */
/* says: schedule "nobody writes" can't happen: no thread can go on */
/* says: main is held at `write` */
/* says: T1 waits at sections/stdio_infeasible.c:18 for input or output */
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;

static void *
reader(void *unused)
{
	char text[64];

	fgets(text, sizeof(text), stream);
	sleave_event("read");
	return unused;
}

int
main(void)
{
	int ends[2];
	pthread_t thread;

	if (pipe(ends) != 0)
		return 1;
	stream = fdopen(ends[0], "r");
	SLEAVE_SCHEDULES("nobody writes", "read -> write") {
		pthread_create(&thread, NULL, reader, NULL);
		sleave_event("write");
		if (write(ends[1], "one\n", 4) != 4)
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
