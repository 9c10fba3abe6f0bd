/*
 * What users of a session send and receive.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stddef.h>

enum message_kind { MESSAGE_PING, MESSAGE_TEXT, MESSAGE_DATA, MESSAGE_BYE, MESSAGE_KINDS };

struct message {
	enum message_kind kind;
	unsigned number; /* its sender's */
	size_t length;
	char body[]; /* ends with a 0 that is not in the length */
};

struct message *message_new(enum message_kind kind, unsigned number, const void *body, size_t length);
struct message *message_text(unsigned number, const char *text);
void message_free(struct message *message); /* NULL: nothing */
int message_is_equal(const struct message *a, const struct message *b);
const char *message_kind_text(enum message_kind kind);
size_t message_describe(const struct message *message, char *text, size_t size); /* as snprintf() */

#endif
