#include "transport.h"

void
transport_init(struct transport *transport)
{
	pthread_mutex_init(&transport->lock, NULL);
	transport->sent = buffer_new(256);
	transport->writes = 0;
	transport->is_closed = 0;
}

void
transport_release(struct transport *transport)
{
	buffer_free(transport->sent);
	pthread_mutex_destroy(&transport->lock);
}

int
transport_write(struct transport *transport, const void *bytes, size_t length)
{
	int written;

	pthread_mutex_lock(&transport->lock);
	written = !transport->is_closed;
	if (written) {
		buffer_put(transport->sent, bytes, length);
		transport->writes++;
	}
	pthread_mutex_unlock(&transport->lock);
	return written;
}

void
transport_close(struct transport *transport)
{
	pthread_mutex_lock(&transport->lock);
	transport->is_closed = 1;
	pthread_mutex_unlock(&transport->lock);
}

int
transport_writes(struct transport *transport)
{
	int writes;

	pthread_mutex_lock(&transport->lock);
	writes = transport->writes;
	pthread_mutex_unlock(&transport->lock);
	return writes;
}

struct buffer *
transport_take(struct transport *transport)
{
	struct buffer *empty = buffer_new(256), *sent;

	pthread_mutex_lock(&transport->lock);
	sent = transport->sent;
	transport->sent = empty;
	pthread_mutex_unlock(&transport->lock);
	return sent;
}
