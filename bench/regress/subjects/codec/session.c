#include "session.h"

#include <stdlib.h>
#include <string.h>

struct attribute {
	struct attribute *next;
	char *name;
	void *value;
	void (*free_value)(void *value);
};

struct session *
session_new(unsigned number, chain_handler *handler, void *context)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		abort();
	session->number = number;
	pthread_mutex_init(&session->lock, NULL);
	chain_init(&session->chain, handler, context);
	queue_init(&session->outputs);
	transport_init(&session->transport);
	return session;
}

static void
free_output(void *output)
{
	buffer_free(output);
}

static void
free_attribute(struct attribute *attribute)
{
	if (attribute->free_value)
		attribute->free_value(attribute->value);
	free(attribute->name);
	free(attribute);
}

void
session_free(struct session *session)
{
	while (session->attributes) {
		struct attribute *attribute = session->attributes;

		session->attributes = attribute->next;
		free_attribute(attribute);
	}
	queue_release(&session->outputs, free_output);
	transport_release(&session->transport);
	chain_release(&session->chain);
	pthread_mutex_destroy(&session->lock);
	free(session);
}

void
session_open(struct session *session)
{
	session->chain.is_fixed = 1;
	chain_opened(&session->chain, session);
	pthread_mutex_lock(&session->lock);
	session->state = SESSION_OPEN;
	pthread_mutex_unlock(&session->lock);
}

void
session_close(struct session *session)
{
	int was_open;

	pthread_mutex_lock(&session->lock);
	was_open = session->state == SESSION_OPEN;
	session->state = SESSION_CLOSED;
	pthread_mutex_unlock(&session->lock);
	if (!was_open)
		return;
	chain_closing(&session->chain, session);
	transport_close(&session->transport);
}

enum session_state
session_state(struct session *session)
{
	enum session_state state;

	pthread_mutex_lock(&session->lock);
	state = session->state;
	pthread_mutex_unlock(&session->lock);
	return state;
}

/* With the lock. */
static struct attribute *
find_attribute(const struct session *session, const char *name)
{
	for (struct attribute *attribute = session->attributes; attribute; attribute = attribute->next)
		if (strcmp(attribute->name, name) == 0)
			return attribute;
	return NULL;
}

void
session_set(struct session *session, const char *name, void *value, void (*free_value)(void *value))
{
	struct attribute *attribute, old = {0};

	pthread_mutex_lock(&session->lock);
	attribute = find_attribute(session, name);
	if (attribute) {
		old = *attribute;
	} else {
		attribute = calloc(1, sizeof(*attribute));
		if (!attribute || !(attribute->name = strdup(name)))
			abort();
		attribute->next = session->attributes;
		session->attributes = attribute;
	}
	attribute->value = value;
	attribute->free_value = free_value;
	pthread_mutex_unlock(&session->lock);
	if (old.free_value)
		old.free_value(old.value);
}

void *
session_get(struct session *session, const char *name)
{
	struct attribute *attribute;
	void *value;

	pthread_mutex_lock(&session->lock);
	attribute = find_attribute(session, name);
	value = attribute ? attribute->value : NULL;
	pthread_mutex_unlock(&session->lock);
	return value;
}

enum chain_result
session_write(struct session *session, const struct message *message)
{
	struct write_request request = {.message = message};
	enum chain_result result;

	if (session_state(session) != SESSION_OPEN)
		return CHAIN_CLOSED;
	result = chain_write(&session->chain.top, session, &request);
	if (result == CHAIN_OK)
		session_count_message(session, 0);
	else
		session_count_error(session);
	return result;
}

enum chain_result
session_receive(struct session *session, struct buffer *bytes)
{
	enum chain_result result;

	if (session_state(session) != SESSION_OPEN)
		return CHAIN_CLOSED;
	result = chain_receive_bytes(&session->chain.bottom, session, bytes);
	if (result != CHAIN_OK)
		session_count_error(session);
	return result;
}

void
session_count_written(struct session *session, size_t bytes)
{
	pthread_mutex_lock(&session->lock);
	session->bytes_written += bytes;
	pthread_mutex_unlock(&session->lock);
}

void
session_count_message(struct session *session, int is_received)
{
	pthread_mutex_lock(&session->lock);
	if (is_received)
		session->messages_received++;
	else
		session->messages_written++;
	pthread_mutex_unlock(&session->lock);
}

void
session_count_error(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	session->errors++;
	pthread_mutex_unlock(&session->lock);
}

unsigned long
session_errors(struct session *session)
{
	unsigned long errors;

	pthread_mutex_lock(&session->lock);
	errors = session->errors;
	pthread_mutex_unlock(&session->lock);
	return errors;
}
