/*
 * Codecs: how messages become bytes, and bytes messages.
 */
#ifndef CODEC_H
#define CODEC_H

#include "buffer.h"
#include "message.h"
#include "queue.h"

enum decode_result { DECODE_MESSAGE, DECODE_MORE, DECODE_ERROR };

struct codec {
	const char *name;
	/* Offers one buffer or more to the queue. 0: the message cannot be encoded. */
	int (*encode)(const struct codec *codec, const struct message *message, struct queue *outputs);
	/* DECODE_MORE: the bytes that remain are not a whole message yet, and none was read. */
	enum decode_result (*decode)(const struct codec *codec, struct buffer *input, struct message **message);
	size_t most; /* bytes in a message */
};

/* Frames: a kind, a length, a number, the body and a checksum. A long body is a buffer of its own. */
extern const struct codec frame_codec;

/* Lines: "text 7 the body", for people. Bodies have no ends of lines. */
extern const struct codec line_codec;

#endif
