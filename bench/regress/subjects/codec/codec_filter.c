/*
 * The codec in the chain: after the public description of a protocol codec's filter, which sends what the encoder has
 * left in the session's queue. Any number of threads may write to a session; each sends what is in the queue, its own and
 * others' messages, until the queue is empty.
 */
#include "filters.h"
#include "session.h"

#define REST "codec.rest" /* attribute: bytes that are not a whole message yet */

static void
free_rest(void *rest)
{
	buffer_free(rest);
}

static void
opened(struct filter *filter, struct session *session)
{
	(void)filter;
	session_set(session, REST, buffer_new(64), free_rest);
}

static enum chain_result
flush(struct filter_link *link, struct session *session, const struct message *message)
{
	enum chain_result result = CHAIN_OK;

	for (;;) {
		struct buffer *output = queue_poll(&session->outputs);

		if (!output)
			break;
		if (buffer_has_remaining(output)) {
			struct write_request encoded = {.message = message, .bytes = output};

			result = chain_write(link, session, &encoded);
		}
		buffer_free(output);
	}
	return result;
}

static void
closing(struct filter *filter, struct filter_link *link, struct session *session)
{
	(void)filter;
	flush(link, session, NULL);
}

/* What is encoded already, by a filter above, passes. */
static enum chain_result
filter_write(struct filter *filter, struct filter_link *link, struct session *session,
	     struct write_request *request)
{
	const struct codec_filter *self = filter->context;

	if (request->bytes)
		return chain_write(link, session, request);
	if (!self->codec->encode(self->codec, request->message, &session->outputs))
		return CHAIN_REJECTED;
	return flush(link, session, request->message);
}

/* One thread receives for a session, so that its messages keep their order. */
static enum chain_result
receive_bytes(struct filter *filter, struct filter_link *link, struct session *session, struct buffer *bytes)
{
	const struct codec_filter *self = filter->context;
	struct buffer *rest = session_get(session, REST);
	struct message *message;
	enum decode_result decoded;
	enum chain_result result = CHAIN_OK;

	buffer_put(rest, buffer_next(bytes), buffer_remaining(bytes));
	buffer_skip(bytes, buffer_remaining(bytes));
	while (result == CHAIN_OK && (decoded = self->codec->decode(self->codec, rest, &message)) != DECODE_MORE) {
		if (decoded == DECODE_ERROR)
			result = CHAIN_BROKEN;
		else
			result = chain_receive(link, session, message);
	}
	if (result == CHAIN_BROKEN)
		buffer_clear(rest);
	buffer_compact(rest);
	return result;
}

void
codec_filter_init(struct codec_filter *filter, const struct codec *codec)
{
	*filter = (struct codec_filter){.codec = codec};
	filter->filter = (struct filter){
		.name = "codec",
		.context = filter,
		.opened = opened,
		.closing = closing,
		.write = filter_write,
		.receive_bytes = receive_bytes,
	};
}
