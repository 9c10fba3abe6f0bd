#ifndef BUFFER_H
#define BUFFER_H

#include <pthread.h>

#define SLOTS 8
#define END (-1)

struct buffer {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is an item more, or one less; or there will be none any more */
	int items[SLOTS];
	int first, count, closed;
	int most; /* that were in it at a time */
};

void buffer_init(struct buffer *buffer);
void buffer_release(struct buffer *buffer);
void buffer_put(struct buffer *buffer, int item); /* waits for room */
int buffer_get(struct buffer *buffer);            /* waits for an item; END: there will be none any more */
void buffer_close(struct buffer *buffer);         /* nothing more will be put */
int buffer_count(struct buffer *buffer);

#endif
