/*
 * Channels to a server that allows only so many at a time: the resources that the tests of the pool borrow. The server
 * is in memory; it checks how it is used.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include "pool.h"

#include <pthread.h>

struct server {
	pthread_mutex_t lock;
	int limit, open, opened, requests;
	int failures; /* so many of the next attempts to open a channel fail */
};

struct channel {
	struct server *server;
	char name[16];
	int is_open, is_ready;
	unsigned requests, last_answer;
};

void server_init(struct server *server, int limit);
void server_release(struct server *server); /* all channels are closed */
int server_opened(struct server *server);   /* how many channels there have been */

struct channel *channel_open(struct server *server, const char *name); /* NULL: the server is out of order */
void channel_close(struct channel *channel);
unsigned channel_request(struct channel *channel, const char *what); /* the answer: a sum of the characters */

/* A factory of channels for a pool; the key is the channel's name. */
void channel_factory(struct pool_factory *factory, struct server *server);

#endif
