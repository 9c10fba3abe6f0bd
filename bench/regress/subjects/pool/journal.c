#include "journal.h"

#include "text.h"

#include <stdio.h>

static const char *const words[] = {
	[JOURNAL_MADE] = "made",           [JOURNAL_LENT] = "lent",       [JOURNAL_RETURNED] = "returned",
	[JOURNAL_DESTROYED] = "destroyed", [JOURNAL_EVICTED] = "evicted", [JOURNAL_WAITS] = "a request waits",
	[JOURNAL_REFUSED] = "refused",     [JOURNAL_CLOSED] = "closed",
};

void
journal_init(struct journal *journal)
{
	pthread_mutex_init(&journal->lock, NULL);
	journal->count = 0;
}

void
journal_release(struct journal *journal)
{
	pthread_mutex_destroy(&journal->lock);
}

void
journal_add(struct journal *journal, enum journal_event event, const char *key, unsigned serial)
{
	struct journal_entry *entry;

	pthread_mutex_lock(&journal->lock);
	entry = &journal->ring[journal->count % JOURNAL_ENTRIES];
	entry->number = ++journal->count;
	entry->event = event;
	entry->serial = serial;
	snprintf(entry->key, sizeof(entry->key), "%s", key);
	pthread_mutex_unlock(&journal->lock);
}

unsigned long
journal_count(struct journal *journal)
{
	unsigned long count;

	pthread_mutex_lock(&journal->lock);
	count = journal->count;
	pthread_mutex_unlock(&journal->lock);
	return count;
}

static void
format_entry(struct text *text, const struct journal_entry *entry)
{
	text_add(text, "%lu", entry->number);
	text_pad(text, 8);
	text_add(text, "%s", entry->key);
	text_pad(text, 8 + JOURNAL_KEY);
	if (entry->serial)
		text_add(text, "#%u ", entry->serial);
	text_add(text, "%s\n", words[entry->event]);
}

size_t
journal_format(struct journal *journal, char *start, size_t size)
{
	struct text text;
	unsigned long i;

	text_init(&text, start, size);
	pthread_mutex_lock(&journal->lock);
	i = journal->count > JOURNAL_ENTRIES ? journal->count - JOURNAL_ENTRIES : 0;
	for (; i < journal->count; i++)
		format_entry(&text, &journal->ring[i % JOURNAL_ENTRIES]);
	pthread_mutex_unlock(&journal->lock);
	return text.length;
}
