/*
 * A line: the kind as a word, the number, the body.
 */
#include "codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
encode(const struct codec *codec, const struct message *message, struct queue *outputs)
{
	struct buffer *line;
	char start[32];
	int length;

	if (message->length > codec->most || memchr(message->body, '\n', message->length))
		return 0;
	length = snprintf(start, sizeof(start), "%s %u ", message_kind_text(message->kind), message->number);
	line = buffer_new((size_t)length + message->length + 1);
	buffer_put(line, start, (size_t)length);
	buffer_put(line, message->body, message->length);
	buffer_put_u8(line, '\n');
	queue_offer(outputs, line);
	return 1;
}

static int
find_kind(const char *word, size_t length, enum message_kind *kind)
{
	for (int i = 0; i < MESSAGE_KINDS; i++) {
		const char *text = message_kind_text((enum message_kind)i);

		if (strlen(text) == length && memcmp(text, word, length) == 0) {
			*kind = (enum message_kind)i;
			return 1;
		}
	}
	return 0;
}

/* The line ends with a 0 instead of its end. */
static struct message *
parse(const char *line)
{
	const char *word_end = strchr(line, ' ');
	enum message_kind kind;
	unsigned long number;
	char *end;

	if (!word_end || !find_kind(line, (size_t)(word_end - line), &kind))
		return NULL;
	number = strtoul(word_end + 1, &end, 10);
	if (end == word_end + 1 || *end != ' ')
		return NULL;
	return message_new(kind, (unsigned)number, end + 1, strlen(end + 1));
}

static enum decode_result
decode(const struct codec *codec, struct buffer *input, struct message **message)
{
	long length = buffer_find(input, '\n');
	char *line;

	if (length < 0)
		return buffer_remaining(input) > codec->most + 32 ? DECODE_ERROR : DECODE_MORE;
	line = strndup((const char *)buffer_next(input), (size_t)length);
	if (!line)
		abort();
	*message = parse(line);
	free(line);
	if (!*message)
		return DECODE_ERROR;
	buffer_skip(input, (size_t)length + 1);
	return DECODE_MESSAGE;
}

const struct codec line_codec = {.name = "line", .encode = encode, .decode = decode, .most = 1024};
