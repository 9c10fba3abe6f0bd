/*
 * The last events of a pool, for people who want to know what it did.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <pthread.h>
#include <stddef.h>

#define JOURNAL_ENTRIES 64
#define JOURNAL_KEY 16

enum journal_event {
	JOURNAL_MADE,
	JOURNAL_LENT,
	JOURNAL_RETURNED,
	JOURNAL_DESTROYED,
	JOURNAL_EVICTED,
	JOURNAL_WAITS,
	JOURNAL_REFUSED,
	JOURNAL_CLOSED
};

struct journal_entry {
	unsigned long number;
	enum journal_event event;
	char key[JOURNAL_KEY];
	unsigned serial; /* of the object; 0: the event has none */
};

struct journal {
	pthread_mutex_t lock;
	unsigned long count; /* of all events; the ring has the last JOURNAL_ENTRIES */
	struct journal_entry ring[JOURNAL_ENTRIES];
};

void journal_init(struct journal *journal);
void journal_release(struct journal *journal);
void journal_add(struct journal *journal, enum journal_event event, const char *key, unsigned serial);
unsigned long journal_count(struct journal *journal);
size_t journal_format(struct journal *journal, char *text, size_t size);

#endif
