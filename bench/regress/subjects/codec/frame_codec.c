/*
 * A frame: 0xc5, the kind, the length as a varint, the number, the body, and a checksum of all that.
 */
#include "codec.h"

#include <stdlib.h>

#define MARK 0xc5
#define SMALL 8 /* bodies up to this length share a buffer with the header */

static int
encode(const struct codec *codec, const struct message *message, struct queue *outputs)
{
	struct buffer *header, *body;
	uint16_t sum;

	if (message->length > codec->most)
		return 0;
	header = buffer_new(16 + SMALL);
	buffer_put_u8(header, MARK);
	buffer_put_u8(header, (uint8_t)message->kind);
	buffer_put_varint(header, (uint32_t)message->length);
	buffer_put_u32(header, message->number);
	sum = (uint16_t)(buffer_checksum(header->bytes, header->length) ^
			 buffer_checksum(message->body, message->length));
	body = header;
	if (message->length > SMALL)
		body = buffer_new(message->length + 2);
	buffer_put(body, message->body, message->length);
	buffer_put_u16(body, sum);
	queue_offer(outputs, header);
	if (body != header)
		queue_offer(outputs, body);
	return 1;
}

static enum decode_result
fail(struct buffer *input, size_t start, enum decode_result result)
{
	input->position = start;
	return result;
}

static enum decode_result
decode(const struct codec *codec, struct buffer *input, struct message **message)
{
	size_t start = input->position, header;
	uint8_t mark, kind;
	uint32_t length, number;
	uint16_t sum, expected;
	const unsigned char *body;

	if (!buffer_get_u8(input, &mark) || !buffer_get_u8(input, &kind) || !buffer_get_varint(input, &length) ||
	    !buffer_get_u32(input, &number))
		return fail(input, start, DECODE_MORE);
	if (mark != MARK || kind >= MESSAGE_KINDS || length > codec->most)
		return fail(input, start, DECODE_ERROR);
	header = input->position - start;
	body = buffer_next(input);
	if (buffer_remaining(input) < (size_t)length + 2)
		return fail(input, start, DECODE_MORE);
	buffer_skip(input, length);
	buffer_get_u16(input, &sum);
	expected = (uint16_t)(buffer_checksum(input->bytes + start, header) ^ buffer_checksum(body, length));
	if (sum != expected)
		return fail(input, start, DECODE_ERROR);
	*message = message_new((enum message_kind)kind, number, body, length);
	return DECODE_MESSAGE;
}

const struct codec frame_codec = {.name = "frame", .encode = encode, .decode = decode, .most = 4096};
