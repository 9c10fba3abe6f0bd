/*
 * The process's user and group, and what they allow with named objects that are the engine's own (named_semaphore.c, mqueue.c).
 */
#ifndef SL_ENGINE_MODEL_PROCESS_USERS_H
#define SL_ENGINE_MODEL_PROCESS_USERS_H

#include <stdbool.h>

/* What a file of that name would have. */
struct sl_owner {
	unsigned user, group, mode;
};

struct sl_owner sl_owner_new(unsigned mode); /* now, by this process; the umask counts */
bool sl_owner_allows(const struct sl_owner *owner, bool reads, bool writes);
bool sl_may_schedule(void); /* as it likes */
bool sl_may_use_more(void); /* than what the administrator's limits say */

/* A raw system call that changes the user or group: false if it is none. */
bool sl_users_call(long number, const long arguments[6], long *result);

#endif
