/*
 * The process's user and group, and their permissions for named objects of the engine (named_semaphore.c,
 * mqueue.c).
 */
#ifndef SL_ENGINE_MODEL_PROCESS_USERS_H
#define SL_ENGINE_MODEL_PROCESS_USERS_H

#include <stdbool.h>

/* The owner and mode that a file of that name would have. */
struct sl_owner {
	unsigned user, group, mode;
};

struct sl_owner sl_owner_new(unsigned mode); /* for an object that this process creates now, with its umask */
bool sl_owner_allows(const struct sl_owner *owner, bool reads, bool writes);
bool sl_may_schedule(void); /* whether the process may set any scheduling */
bool sl_may_use_more(void); /* whether it may exceed the administrator's limits */

/* Handles a raw system call that changes the user or group; false: it is another call. */
bool sl_users_call(long number, const long arguments[6], long *result);

#endif
