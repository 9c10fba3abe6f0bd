/*
 * Two threads write to the same session; the bytes that were sent are decoded again. Short messages are one buffer, so
 * that messages of two threads do not mix.
 */
#include "filters.h"
#include "session.h"

#include <assert.h>

#define WRITERS 2

static struct session *session;
static int received[WRITERS];

static void *
writer(void *number)
{
	unsigned writer_number = *(unsigned *)number;
	struct message *message = message_text(writer_number, "hello");
	enum chain_result result = session_write(session, message);

	assert(result == CHAIN_OK);
	message_free(message);
	return NULL;
}

static void
handle(struct session *from, struct message *message, void *context)
{
	struct message *expected = message_text(message->number, "hello");

	(void)from;
	(void)context;
	assert(message->number < WRITERS && message_is_equal(message, expected));
	received[message->number]++;
	message_free(expected);
}

int
main(void)
{
	struct codec_filter codec;
	struct statistics_filter statistics;
	struct limit_filter limit;
	struct log_filter log;
	struct session *reader;
	struct buffer *sent;
	pthread_t threads[WRITERS];
	unsigned numbers[WRITERS];
	enum chain_result result;

	codec_filter_init(&codec, &frame_codec);
	statistics_filter_init(&statistics);
	limit_filter_init(&limit, 10);
	log_filter_init(&log, "log");
	session = session_new(1, NULL, NULL);
	chain_add_top(&session->chain, &codec.filter);
	chain_add_top(&session->chain, &statistics.filter);
	chain_add_top(&session->chain, &limit.filter);
	chain_add_bottom(&session->chain, &log.filter);
	session_open(session);
	for (unsigned i = 0; i < WRITERS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, writer, &numbers[i]);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	session_close(session);

	reader = session_new(2, handle, NULL);
	chain_add_top(&reader->chain, &codec.filter);
	session_open(reader);
	sent = transport_take(&session->transport);
	result = session_receive(reader, sent);
	assert(result == CHAIN_OK);
	for (int i = 0; i < WRITERS; i++)
		assert(received[i] == 1);
	assert(statistics_filter_written(&statistics, MESSAGE_TEXT) == WRITERS && !session_errors(session));
	buffer_free(sent);
	session_free(reader);
	session_free(session);
	log_filter_release(&log);
	statistics_filter_release(&statistics);
	return 0;
}
