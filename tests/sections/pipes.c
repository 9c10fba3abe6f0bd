/* A thread that has read the data, and is about to return from the call, does not count as blocked. */
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <unistd.h>

enum { TIMES = 30000 };

static int ends[2];
static sem_t taken;

static void *
reads(void *unused)
{
	char byte;

	for (int i = 0; i < TIMES; i++) {
		if (read(ends[0], &byte, 1) != 1)
			_exit(3);
		sem_post(&taken);
	}
	return unused;
}

int
main(void)
{
	pthread_t reader;

	if (pipe(ends))
		return 3;
	sem_init(&taken, 0, 0);
	SLEAVE_SCHEDULE("[@T1] -> written") {
		pthread_create(&reader, NULL, reads, NULL);
		for (int i = 0; i < TIMES; i++) {
			if (write(ends[1], "", 1) != 1)
				return 3;
			for (volatile int n = 0; n < i % 10000; n++) /* until it is about to return */
				;
			sem_wait(&taken);
		}
		sleave_event("written");
		pthread_join(reader, NULL);
	}
	return 0;
}
