/*
 * Two readers take a message each.
 */
#include "mailbox.h"

#include <assert.h>

static struct mailbox box;
static int taken[2];

static void *
reader(void *arg)
{
	int *result = arg;

	*result = mailbox_take(&box);
	return NULL;
}

int
main(void)
{
	pthread_t readers[2];

	mailbox_init(&box);
	for (int i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, reader, &taken[i]);
	mailbox_put(&box, 1);
	mailbox_put(&box, 2);
	for (int i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	assert(taken[0] + taken[1] == 3);
	return 0;
}
