/*
 * Two threads write to the same session; one of them also receives the answers. What was sent is decoded again. Short
 * messages are one buffer, so that those of two threads do not mix.
 */
#include "filters.h"
#include "session.h"

#include <assert.h>
#include <stdlib.h>

#define WRITERS 2
#define ANSWERS 3

static struct session *session;
static struct statistics_filter statistics;
static struct log_filter log_;
static int sent[WRITERS], answers;

static void
write_text(unsigned number)
{
	struct message *message = message_text(number, "hello");
	enum chain_result result = session_write(session, message);

	assert(result == CHAIN_OK);
	message_free(message);
}

/* What the other side would send. */
static struct buffer *
make_answer(unsigned number)
{
	struct message *message = message_text(number, "welcome");
	struct queue outputs;
	struct buffer *bytes;

	queue_init(&outputs);
	frame_codec.encode(&frame_codec, message, &outputs);
	bytes = queue_poll(&outputs);
	queue_release(&outputs, free);
	message_free(message);
	return bytes;
}

static void
client(void)
{
	write_text(0);
	for (unsigned i = 0; i < ANSWERS; i++) {
		struct buffer *bytes = make_answer(i);
		enum chain_result result = session_receive(session, bytes);

		assert(result == CHAIN_OK);
		buffer_free(bytes);
	}
	assert(answers == ANSWERS);
}

static void *
watch(void *arg)
{
	for (int i = 0; i < 2; i++) {
		assert(statistics_filter_written(&statistics, MESSAGE_TEXT) <= WRITERS);
		assert(log_filter_count(&log_) <= WRITERS + ANSWERS);
	}
	return arg;
}

static void *
reporter(void *arg)
{
	for (int i = 0; i < 3; i++) {
		session_set(session, "report", arg, NULL);
		assert(session_get(session, "report") == arg && !session_errors(session));
	}
	write_text(1);
	return NULL;
}

static void
count_answer(struct session *from, struct message *message, void *context)
{
	(void)from;
	(void)context;
	assert(message->number == (unsigned)answers);
	answers++;
}

static void
count_sent(struct session *from, struct message *message, void *context)
{
	(void)from;
	(void)context;
	assert(message->kind == MESSAGE_TEXT && message->number < WRITERS);
	sent[message->number]++;
}

/* The other side. */
static void
check_sent(struct codec_filter *codec)
{
	struct session *reader = session_new(2, count_sent, NULL);
	struct buffer *bytes = transport_take(&session->transport);
	enum chain_result result;

	chain_add_top(&reader->chain, &codec->filter);
	session_open(reader);
	result = session_receive(reader, bytes);
	assert(result == CHAIN_OK && sent[0] == 1 && sent[1] == 1);
	session_close(reader);
	session_free(reader);
	buffer_free(bytes);
}

int
main(void)
{
	struct codec_filter codec;
	struct limit_filter limit;
	pthread_t threads[3];

	codec_filter_init(&codec, &frame_codec);
	statistics_filter_init(&statistics);
	limit_filter_init(&limit, 10);
	log_filter_init(&log_, "log");
	session = session_new(1, count_answer, NULL);
	chain_add_top(&session->chain, &codec.filter);
	chain_add_top(&session->chain, &statistics.filter);
	chain_add_top(&session->chain, &limit.filter);
	chain_add_bottom(&session->chain, &log_.filter);
	session_open(session);
	pthread_create(&threads[0], NULL, watch, NULL);
	pthread_create(&threads[1], NULL, watch, NULL);
	pthread_create(&threads[2], NULL, reporter, &codec);
	client();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	session_close(session);
	check_sent(&codec);
	session_free(session);
	log_filter_release(&log_);
	statistics_filter_release(&statistics);
	return 0;
}
