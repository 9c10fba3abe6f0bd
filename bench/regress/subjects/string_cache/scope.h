/*
 * Variables of a script, in scopes that are nested. A thread has its own.
 */
#ifndef SCOPE_H
#define SCOPE_H

#include "cache.h"

struct variable {
	struct variable *next;
	struct string *name; /* a reference */
	long value;
};

struct scope {
	struct scope *outer;
	struct variable *variables;
};

struct scopes {
	struct cache *cache;
	struct scope *inner; /* NULL: none has been entered */
	unsigned depth;
};

void scopes_init(struct scopes *scopes, struct cache *cache);
void scopes_release(struct scopes *scopes);
void scopes_enter(struct scopes *scopes);
void scopes_leave(struct scopes *scopes);
int scopes_declare(struct scopes *scopes, struct string *name, long value); /* 0: the scope has it already */
struct variable *scopes_find(const struct scopes *scopes, const struct string *name); /* NULL: in no scope */

#endif
