#include "rw.h"

#include <assert.h>

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

static void *
reader(void *arg)
{
	rw_read_begin(&rw);
	assert(value % 2 == 0);
	rw_read_end(&rw);
	look();
	return arg;
}

static void *
writer(void *arg)
{
	rw_write_begin(&rw);
	value++;
	value++;
	rw_write_end(&rw);
	look();
	return arg;
}

int
main(void)
{
	pthread_t threads[THREADS];

	rw_init(&rw);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i % 2 ? reader : writer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(value == THREADS);
	assert(rw_uses(&rw) == THREADS);
	rw_release(&rw);
	return 0;
}
