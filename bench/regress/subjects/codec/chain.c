#include "chain.h"

#include "session.h"

#include <stdlib.h>
#include <string.h>

void
chain_init(struct chain *chain, chain_handler *handler, void *context)
{
	*chain = (struct chain){.handler = handler, .context = context};
	chain->bottom.up = &chain->top;
	chain->top.down = &chain->bottom;
}

void
chain_release(struct chain *chain)
{
	while (chain->bottom.up != &chain->top) {
		struct filter_link *link = chain->bottom.up;

		chain->bottom.up = link->up;
		free(link);
	}
	chain->top.down = &chain->bottom;
}

static int
insert(struct chain *chain, struct filter_link *down, struct filter *filter)
{
	struct filter_link *link;

	if (chain->is_fixed || chain_find(chain, filter->name))
		return 0;
	link = calloc(1, sizeof(*link));
	if (!link)
		abort();
	link->filter = filter;
	link->down = down;
	link->up = down->up;
	link->up->down = link;
	down->up = link;
	return 1;
}

static struct filter_link *
find_link(const struct chain *chain, const char *name)
{
	for (struct filter_link *link = chain->bottom.up; link != &chain->top; link = link->up)
		if (strcmp(link->filter->name, name) == 0)
			return link;
	return NULL;
}

struct filter *
chain_find(const struct chain *chain, const char *name)
{
	struct filter_link *link = find_link(chain, name);

	return link ? link->filter : NULL;
}

int
chain_add_top(struct chain *chain, struct filter *filter)
{
	return insert(chain, chain->top.down, filter);
}

int
chain_add_bottom(struct chain *chain, struct filter *filter)
{
	return insert(chain, &chain->bottom, filter);
}

int
chain_add_below(struct chain *chain, const char *name, struct filter *filter)
{
	struct filter_link *link = find_link(chain, name);

	return link && insert(chain, link->down, filter);
}

int
chain_remove(struct chain *chain, const char *name)
{
	struct filter_link *link = find_link(chain, name);

	if (!link || chain->is_fixed)
		return 0;
	link->up->down = link->down;
	link->down->up = link->up;
	free(link);
	return 1;
}

void
chain_opened(struct chain *chain, struct session *session)
{
	for (struct filter_link *link = chain->bottom.up; link != &chain->top; link = link->up)
		if (link->filter->opened)
			link->filter->opened(link->filter, session);
}

void
chain_closing(struct chain *chain, struct session *session)
{
	for (struct filter_link *link = chain->top.down; link != &chain->bottom; link = link->down)
		if (link->filter->closing)
			link->filter->closing(link->filter, link, session);
}

/* At the bottom is the transport. What has not been encoded by then cannot be sent. */
static enum chain_result
send(struct session *session, struct write_request *request)
{
	size_t length;

	if (!request->bytes)
		return CHAIN_REJECTED;
	length = buffer_remaining(request->bytes);
	if (!transport_write(&session->transport, buffer_next(request->bytes), length))
		return CHAIN_CLOSED;
	session_count_written(session, length);
	return CHAIN_OK;
}

enum chain_result
chain_write(struct filter_link *link, struct session *session, struct write_request *request)
{
	struct filter_link *next = link->down;

	while (next->filter && !next->filter->write)
		next = next->down;
	if (!next->filter)
		return send(session, request);
	return next->filter->write(next->filter, next, session, request);
}

enum chain_result
chain_receive_bytes(struct filter_link *link, struct session *session, struct buffer *bytes)
{
	struct filter_link *next = link->up;

	while (next->filter && !next->filter->receive_bytes)
		next = next->up;
	if (!next->filter)
		return CHAIN_REJECTED;
	return next->filter->receive_bytes(next->filter, next, session, bytes);
}

/* The message belongs to the last that gets it. */
enum chain_result
chain_receive(struct filter_link *link, struct session *session, struct message *message)
{
	struct filter_link *next = link->up;

	while (next->filter && !next->filter->receive)
		next = next->up;
	if (next->filter)
		return next->filter->receive(next->filter, next, session, message);
	session_count_message(session, 1);
	if (session->chain.handler)
		session->chain.handler(session, message, session->chain.context);
	message_free(message);
	return CHAIN_OK;
}
