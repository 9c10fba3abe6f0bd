#include "rw.h"

#include <assert.h>

static struct rw rw;
static int value;

static void *
reader(void *arg)
{
	rw_read_begin(&rw);
	assert(value % 2 == 0);
	rw_read_end(&rw);
	return arg;
}

static void *
writer(void *arg)
{
	rw_write_begin(&rw);
	value++;
	value++;
	rw_write_end(&rw);
	return arg;
}

int
main(void)
{
	pthread_t threads[4];

	rw_init(&rw);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i % 2 ? writer : reader, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert(value == 4);
	rw_release(&rw);
	return 0;
}
