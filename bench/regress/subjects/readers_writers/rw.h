#ifndef RW_H
#define RW_H

#include <pthread.h>

/* A lock for readers and writers; writers that wait keep new readers out. */
struct rw {
	pthread_mutex_t lock;
	pthread_cond_t may_read, may_write;
	int readers, writing, writers_waiting, readers_waiting;
	pthread_mutex_t count_lock;
	int reads, writes;
};

void rw_init(struct rw *rw);
void rw_release(struct rw *rw);
void rw_read_begin(struct rw *rw);
void rw_read_end(struct rw *rw);
void rw_write_begin(struct rw *rw);
void rw_write_end(struct rw *rw);
int rw_uses(struct rw *rw); /* how often it was read or written until now */

#endif
