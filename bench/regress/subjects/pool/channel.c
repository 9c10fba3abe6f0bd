#include "channel.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void
server_init(struct server *server, int limit)
{
	*server = (struct server){.limit = limit};
	pthread_mutex_init(&server->lock, NULL);
}

void
server_release(struct server *server)
{
	assert(!server->open);
	pthread_mutex_destroy(&server->lock);
}

int
server_opened(struct server *server)
{
	int opened;

	pthread_mutex_lock(&server->lock);
	opened = server->opened;
	pthread_mutex_unlock(&server->lock);
	return opened;
}

/* 0: the server is out of order for now. */
static int
connect_to(struct server *server)
{
	int connected;

	pthread_mutex_lock(&server->lock);
	connected = !server->failures;
	if (connected) {
		server->opened++;
		server->open++;
		assert(server->open <= server->limit);
	} else {
		server->failures--;
	}
	pthread_mutex_unlock(&server->lock);
	return connected;
}

struct channel *
channel_open(struct server *server, const char *name)
{
	struct channel *channel;

	if (!connect_to(server))
		return NULL;
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		abort();
	channel->server = server;
	channel->is_open = 1;
	snprintf(channel->name, sizeof(channel->name), "%s", name);
	return channel;
}

void
channel_close(struct channel *channel)
{
	struct server *server = channel->server;

	assert(channel->is_open);
	channel->is_open = 0;
	pthread_mutex_lock(&server->lock);
	server->open--;
	pthread_mutex_unlock(&server->lock);
	free(channel);
}

unsigned
channel_request(struct channel *channel, const char *what)
{
	struct server *server = channel->server;
	unsigned answer = 0;

	assert(channel->is_open && channel->is_ready);
	for (; *what; what++)
		answer = answer * 31 + (unsigned char)*what;
	channel->requests++;
	channel->last_answer = answer;
	pthread_mutex_lock(&server->lock);
	server->requests++;
	pthread_mutex_unlock(&server->lock);
	return answer;
}

static void *
make(void *server, const char *key)
{
	return channel_open(server, key);
}

static void
destroy(void *server, void *channel)
{
	(void)server;
	channel_close(channel);
}

static int
activate(void *server, void *resource)
{
	struct channel *channel = resource;

	(void)server;
	assert(!channel->is_ready);
	channel->is_ready = 1;
	return 1;
}

static int
passivate(void *server, void *resource)
{
	struct channel *channel = resource;

	(void)server;
	channel->is_ready = 0;
	channel->last_answer = 0;
	return 1;
}

static int
validate(void *server, void *resource)
{
	struct channel *channel = resource;

	return channel->is_open && channel->server == server;
}

void
channel_factory(struct pool_factory *factory, struct server *server)
{
	*factory = (struct pool_factory){
		.context = server,
		.make = make,
		.destroy = destroy,
		.activate = activate,
		.passivate = passivate,
		.validate = validate,
	};
}
