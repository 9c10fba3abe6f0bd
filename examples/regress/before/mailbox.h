/*
 * A mailbox: threads put messages in, other threads take them out.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#include <pthread.h>

#define MAILBOX_SIZE 4

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t filled, drained;
	int messages[MAILBOX_SIZE];
	int first, count;
};

void mailbox_init(struct mailbox *box);

/* Waits while the mailbox is full. */
void mailbox_put(struct mailbox *box, int message);

/* Waits while it is empty. */
int mailbox_take(struct mailbox *box);

#endif
