#include "mailbox.h"

void
mailbox_init(struct mailbox *box)
{
	pthread_mutex_init(&box->lock, NULL);
	pthread_cond_init(&box->filled, NULL);
	pthread_cond_init(&box->drained, NULL);
	box->first = 0;
	box->count = 0;
}

void
mailbox_put(struct mailbox *box, int message)
{
	pthread_mutex_lock(&box->lock);
	while (box->count == MAILBOX_SIZE)
		pthread_cond_wait(&box->drained, &box->lock);
	box->messages[(box->first + box->count) % MAILBOX_SIZE] = message;
	box->count++;
	pthread_cond_signal(&box->filled);
	pthread_mutex_unlock(&box->lock);
}

int
mailbox_take(struct mailbox *box)
{
	int message;

	pthread_mutex_lock(&box->lock);
	while (box->count == 0)
		pthread_cond_wait(&box->filled, &box->lock);
	message = box->messages[box->first];
	box->first = (box->first + 1) % MAILBOX_SIZE;
	box->count--;
	pthread_cond_signal(&box->drained);
	pthread_mutex_unlock(&box->lock);
	return message;
}
