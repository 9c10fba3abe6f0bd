#include "rw.h"

#include <assert.h>
#include <stdint.h>

#define THREADS 4
#define LOOKS 8

static struct rw rw;
static int value;

static void
look(void)
{
	for (int i = 0, uses = 0; i < LOOKS; i++) {
		int now = rw_uses(&rw);

		assert(now > 0 && now >= uses && now <= THREADS);
		uses = now;
	}
}

static void
read_it(void)
{
	rw_read_begin(&rw);
	assert(value % 2 == 0);
	rw_read_end(&rw);
}

static void
write_it(void)
{
	rw_write_begin(&rw);
	value++;
	value++;
	rw_write_end(&rw);
}

/* Each thread starts the next one: a writer, a reader, and so on. */
static void *
use(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;

	if (mine + 1 < THREADS)
		pthread_create(&next, NULL, use, (void *)(mine + 1));
	if (mine % 2)
		read_it();
	else
		write_it();
	look();
	if (mine + 1 < THREADS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	rw_init(&rw);
	pthread_create(&first, NULL, use, (void *)0);
	pthread_join(first, NULL);
	assert(value == THREADS);
	assert(rw_uses(&rw) == THREADS);
	rw_release(&rw);
	return 0;
}
