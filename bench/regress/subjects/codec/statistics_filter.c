#include "filters.h"

static void
count(struct statistics_filter *statistics, unsigned long *kinds, const struct message *message)
{
	pthread_mutex_lock(&statistics->lock);
	kinds[message->kind]++;
	if (message->length > statistics->largest)
		statistics->largest = message->length;
	pthread_mutex_unlock(&statistics->lock);
}

static enum chain_result
filter_write(struct filter *filter, struct filter_link *link, struct session *session,
	     struct write_request *request)
{
	struct statistics_filter *statistics = filter->context;

	count(statistics, statistics->written, request->message);
	return chain_write(link, session, request);
}

static enum chain_result
receive(struct filter *filter, struct filter_link *link, struct session *session, struct message *message)
{
	struct statistics_filter *statistics = filter->context;

	count(statistics, statistics->received, message);
	return chain_receive(link, session, message);
}

void
statistics_filter_init(struct statistics_filter *statistics)
{
	*statistics = (struct statistics_filter){0};
	pthread_mutex_init(&statistics->lock, NULL);
	statistics->filter = (struct filter){
		.name = "statistics",
		.context = statistics,
		.write = filter_write,
		.receive = receive,
	};
}

void
statistics_filter_release(struct statistics_filter *statistics)
{
	pthread_mutex_destroy(&statistics->lock);
}

unsigned long
statistics_filter_written(struct statistics_filter *statistics, enum message_kind kind)
{
	unsigned long written;

	pthread_mutex_lock(&statistics->lock);
	written = statistics->written[kind];
	pthread_mutex_unlock(&statistics->lock);
	return written;
}
