/*
 * A read-write lock that prefers writers: a reader waits while a thread writes or waits
 * to write. The writer may become a reader without letting another writer in between.
 */
#ifndef RW_H
#define RW_H

#include <pthread.h>
#include <stdbool.h>

struct rw {
	pthread_mutex_t lock;
	pthread_cond_t can_read, can_write;
	unsigned readers, writers_waiting;
	bool writing;
};

void rw_init(struct rw *rw);
void rw_release(struct rw *rw);

void rw_read(struct rw *rw);
bool rw_try_read(struct rw *rw);
void rw_write(struct rw *rw);
bool rw_try_write(struct rw *rw);
/* In whichever way it is held. */
void rw_unlock(struct rw *rw);

/* From a writer to a reader: others that want to read may, unless a writer waits. */
void rw_downgrade(struct rw *rw);

#endif
