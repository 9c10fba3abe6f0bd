/*
 * Where the bytes of a session go to, and come from: here a pipe in memory.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "buffer.h"

#include <pthread.h>

struct transport {
	pthread_mutex_t lock;
	struct buffer *sent;
	int writes;
	int is_closed;
};

void transport_init(struct transport *transport);
void transport_release(struct transport *transport);
int transport_write(struct transport *transport, const void *bytes, size_t length); /* 0: it is closed */
void transport_close(struct transport *transport);
int transport_writes(struct transport *transport);
struct buffer *transport_take(struct transport *transport); /* what has been sent until now; the caller's */

#endif
