#include "filters.h"
#include "session.h"

#include <stdio.h>

static void
note(struct log_filter *log, unsigned session, char direction, const struct message *message,
     const struct buffer *bytes)
{
	struct log_entry *entry;

	pthread_mutex_lock(&log->lock);
	entry = &log->entries[log->count++ % LOG_ENTRIES];
	entry->session = session;
	entry->direction = direction;
	if (bytes)
		snprintf(entry->text, sizeof(entry->text), "%zu bytes", buffer_remaining(bytes));
	else
		message_describe(message, entry->text, sizeof(entry->text));
	pthread_mutex_unlock(&log->lock);
}

static enum chain_result
filter_write(struct filter *filter, struct filter_link *link, struct session *session,
	     struct write_request *request)
{
	note(filter->context, session->number, '>', request->message, request->bytes);
	return chain_write(link, session, request);
}

static enum chain_result
receive_bytes(struct filter *filter, struct filter_link *link, struct session *session, struct buffer *bytes)
{
	note(filter->context, session->number, '<', NULL, bytes);
	return chain_receive_bytes(link, session, bytes);
}

static enum chain_result
receive(struct filter *filter, struct filter_link *link, struct session *session, struct message *message)
{
	note(filter->context, session->number, '<', message, NULL);
	return chain_receive(link, session, message);
}

void
log_filter_init(struct log_filter *log, const char *name)
{
	pthread_mutex_init(&log->lock, NULL);
	log->count = 0;
	log->filter = (struct filter){
		.name = name,
		.context = log,
		.write = filter_write,
		.receive_bytes = receive_bytes,
		.receive = receive,
	};
}

void
log_filter_release(struct log_filter *log)
{
	pthread_mutex_destroy(&log->lock);
}

unsigned long
log_filter_count(struct log_filter *log)
{
	unsigned long count;

	pthread_mutex_lock(&log->lock);
	count = log->count;
	pthread_mutex_unlock(&log->lock);
	return count;
}

size_t
log_filter_format(struct log_filter *log, char *text, size_t size)
{
	size_t length = 0;
	unsigned long i;

	pthread_mutex_lock(&log->lock);
	i = log->count > LOG_ENTRIES ? log->count - LOG_ENTRIES : 0;
	for (; i < log->count; i++) {
		const struct log_entry *entry = &log->entries[i % LOG_ENTRIES];
		size_t room = length < size ? size - length : 0;
		int more = snprintf(room ? text + length : NULL, room, "%lu session %u %c %s\n", i + 1,
				    entry->session, entry->direction, entry->text);

		length += more > 0 ? (size_t)more : 0;
	}
	pthread_mutex_unlock(&log->lock);
	return length;
}
