#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message *
message_new(enum message_kind kind, unsigned number, const void *body, size_t length)
{
	struct message *message = calloc(1, sizeof(*message) + length + 1);

	if (!message)
		abort();
	message->kind = kind;
	message->number = number;
	message->length = length;
	if (length)
		memcpy(message->body, body, length);
	return message;
}

struct message *
message_text(unsigned number, const char *text)
{
	return message_new(MESSAGE_TEXT, number, text, strlen(text));
}

void
message_free(struct message *message)
{
	free(message);
}

int
message_is_equal(const struct message *a, const struct message *b)
{
	return a->kind == b->kind && a->number == b->number && a->length == b->length &&
	       memcmp(a->body, b->body, a->length) == 0;
}

const char *
message_kind_text(enum message_kind kind)
{
	static const char *const words[MESSAGE_KINDS] = {"ping", "text", "data", "bye"};

	return kind < MESSAGE_KINDS ? words[kind] : "unknown";
}

size_t
message_describe(const struct message *message, char *text, size_t size)
{
	int length;

	if (message->kind == MESSAGE_TEXT)
		length = snprintf(text, size, "%s %u: %s", message_kind_text(message->kind), message->number,
				  message->body);
	else
		length = snprintf(text, size, "%s %u, %zu bytes", message_kind_text(message->kind),
				  message->number, message->length);
	return length > 0 ? (size_t)length : 0;
}
