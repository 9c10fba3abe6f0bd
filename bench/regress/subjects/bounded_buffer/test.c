#include "buffer.h"

#include <assert.h>
#include <stdint.h>

#define CONSUMERS 3
#define ITEMS 6

static struct buffer buffer;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, consumed;

/* Each consumer starts the next one. */
static void *
consume(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;
	int item;

	if (mine + 1 < CONSUMERS)
		pthread_create(&next, NULL, consume, (void *)(mine + 1));
	while ((item = buffer_get(&buffer)) != END) {
		pthread_mutex_lock(&result_lock);
		sum += item;
		consumed++;
		pthread_mutex_unlock(&result_lock);
	}
	if (mine + 1 < CONSUMERS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	buffer_init(&buffer);
	pthread_create(&first, NULL, consume, (void *)0);
	for (int i = 1; i <= ITEMS; i++)
		buffer_put(&buffer, i);
	buffer_close(&buffer);
	pthread_join(first, NULL);
	assert(consumed == ITEMS && sum == ITEMS * (ITEMS + 1) / 2);
	assert(buffer_count(&buffer) == 0);
	buffer_release(&buffer);
	return 0;
}
