/*
 * Filters in a row between a session's user and its transport. What is written passes them from the last to the first,
 * what is received from the first to the last. A chain changes only before its session opens: so events need no lock.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include "buffer.h"
#include "message.h"

struct session;
struct filter_link;

enum chain_result {
	CHAIN_OK,
	CHAIN_CLOSED,   /* the session is closed */
	CHAIN_REJECTED, /* a filter does not let it pass */
	CHAIN_BROKEN    /* the bytes that came in make no sense */
};

/* A message on its way down: first a message, below the codec bytes. */
struct write_request {
	const struct message *message;
	struct buffer *bytes; /* NULL: not encoded yet */
};

/* A filter; members that are NULL let everything pass. Each calls chain_write() or chain_receive() to pass on. */
struct filter {
	const char *name;
	void *context;
	void (*opened)(struct filter *filter, struct session *session);
	void (*closing)(struct filter *filter, struct filter_link *link, struct session *session);
	enum chain_result (*write)(struct filter *filter, struct filter_link *link, struct session *session,
				   struct write_request *request);
	enum chain_result (*receive_bytes)(struct filter *filter, struct filter_link *link,
					   struct session *session, struct buffer *bytes);
	enum chain_result (*receive)(struct filter *filter, struct filter_link *link, struct session *session,
				     struct message *message);
};

typedef void chain_handler(struct session *session, struct message *message, void *context);

struct filter_link {
	struct filter *filter;
	struct filter_link *up, *down; /* up: towards the user */
};

struct chain {
	struct filter_link bottom, top; /* without a filter: the transport, the user */
	int is_fixed;
	chain_handler *handler;
	void *context;
};

void chain_init(struct chain *chain, chain_handler *handler, void *context);
void chain_release(struct chain *chain); /* the filters are the caller's */
int chain_add_top(struct chain *chain, struct filter *filter);
int chain_add_bottom(struct chain *chain, struct filter *filter);
int chain_add_below(struct chain *chain, const char *name, struct filter *filter); /* 0: no such filter */
int chain_remove(struct chain *chain, const char *name);
struct filter *chain_find(const struct chain *chain, const char *name);

/* From the session: the whole chain. */
void chain_opened(struct chain *chain, struct session *session);
void chain_closing(struct chain *chain, struct session *session);

/* From a link on: the rest of the chain. */
enum chain_result chain_write(struct filter_link *link, struct session *session, struct write_request *request);
enum chain_result chain_receive_bytes(struct filter_link *link, struct session *session, struct buffer *bytes);
enum chain_result chain_receive(struct filter_link *link, struct session *session, struct message *message);

#endif
