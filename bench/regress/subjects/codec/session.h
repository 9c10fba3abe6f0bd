/*
 * A session: a connection with its chain of filters, its attributes, and the encoded messages that are to be sent.
 */
#ifndef SESSION_H
#define SESSION_H

#include "chain.h"
#include "queue.h"
#include "transport.h"

#include <pthread.h>

enum session_state { SESSION_NEW, SESSION_OPEN, SESSION_CLOSED };

struct session {
	unsigned number;
	struct chain chain;
	struct queue outputs; /* struct buffer: encoded, not sent yet */
	struct transport transport;

	pthread_mutex_t lock; /* of what follows */
	enum session_state state;
	struct attribute *attributes;
	unsigned long messages_written, messages_received, bytes_written, errors;
};

/* `handler` gets the messages that come in; its last argument is `context`. */
struct session *session_new(unsigned number, chain_handler *handler, void *context);
void session_free(struct session *session);
void session_open(struct session *session);  /* the chain stays as it is from now on */
void session_close(struct session *session); /* sends what is in the queue */
enum session_state session_state(struct session *session);

/* Attributes belong to the session; free_value may be NULL. The value that was there before is freed. */
void session_set(struct session *session, const char *name, void *value, void (*free_value)(void *value));
void *session_get(struct session *session, const char *name); /* NULL: there is none */

enum chain_result session_write(struct session *session, const struct message *message);
enum chain_result session_receive(struct session *session, struct buffer *bytes); /* the bytes stay the caller's */

/* For filters. */
void session_count_written(struct session *session, size_t bytes);
void session_count_message(struct session *session, int is_received);
void session_count_error(struct session *session);
unsigned long session_errors(struct session *session);

#endif
