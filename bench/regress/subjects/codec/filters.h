/*
 * Filters: each is initialised by its user, and added to the chains of any number of sessions.
 */
#ifndef FILTERS_H
#define FILTERS_H

#include "chain.h"
#include "codec.h"

#include <pthread.h>

/* Messages become bytes, and bytes messages. A session has one such filter. */
struct codec_filter {
	struct filter filter;
	const struct codec *codec;
};

void codec_filter_init(struct codec_filter *filter, const struct codec *codec);

#define LOG_ENTRIES 32

/* Notes what passes, and keeps the last of it. */
struct log_filter {
	struct filter filter;
	pthread_mutex_t lock;
	unsigned long count;
	struct log_entry {
		unsigned session;
		char direction; /* '>': written, '<': received */
		char text[48];
	} entries[LOG_ENTRIES];
};

void log_filter_init(struct log_filter *filter, const char *name);
void log_filter_release(struct log_filter *filter);
unsigned long log_filter_count(struct log_filter *filter);
size_t log_filter_format(struct log_filter *filter, char *text, size_t size); /* as snprintf() */

/* Counts messages by kind, and bytes below a codec. */
struct statistics_filter {
	struct filter filter;
	pthread_mutex_t lock;
	unsigned long written[MESSAGE_KINDS], received[MESSAGE_KINDS];
	unsigned long largest; /* body */
};

void statistics_filter_init(struct statistics_filter *filter);
void statistics_filter_release(struct statistics_filter *filter);
unsigned long statistics_filter_written(struct statistics_filter *filter, enum message_kind kind);

/* Lets only so many messages a session pass; 0: all. */
struct limit_filter {
	struct filter filter;
	unsigned long most;
};

void limit_filter_init(struct limit_filter *filter, unsigned long most);

#endif
