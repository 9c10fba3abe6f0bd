#include "buffer.h"

#include <assert.h>

#define PRODUCERS 2
#define CONSUMERS 2
#define EACH 2

static struct buffer buffer;

static void *
produce(void *arg)
{
	for (int i = 0; i < EACH; i++)
		buffer_put(&buffer, 1);
	return arg;
}

static void *
consume(void *sum)
{
	for (int i = 0; i < EACH; i++)
		*(int *)sum += buffer_get(&buffer);
	return NULL;
}

int
main(void)
{
	pthread_t threads[PRODUCERS + CONSUMERS];
	int sums[CONSUMERS] = {0}, sum = 0;

	buffer_init(&buffer);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&threads[i], NULL, produce, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&threads[PRODUCERS + i], NULL, consume, &sums[i]);
	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CONSUMERS; i++)
		sum += sums[i];
	assert(sum == PRODUCERS * EACH);
	buffer_release(&buffer);
	return 0;
}
