#include "scope.h"

#include <stdlib.h>

void
scopes_init(struct scopes *scopes, struct cache *cache)
{
	*scopes = (struct scopes){.cache = cache};
}

void
scopes_release(struct scopes *scopes)
{
	while (scopes->inner)
		scopes_leave(scopes);
}

void
scopes_enter(struct scopes *scopes)
{
	struct scope *scope = calloc(1, sizeof(*scope));

	if (!scope)
		abort();
	scope->outer = scopes->inner;
	scopes->inner = scope;
	scopes->depth++;
}

void
scopes_leave(struct scopes *scopes)
{
	struct scope *scope = scopes->inner;

	while (scope->variables) {
		struct variable *variable = scope->variables;

		scope->variables = variable->next;
		cache_release(scopes->cache, variable->name);
		free(variable);
	}
	scopes->inner = scope->outer;
	scopes->depth--;
	free(scope);
}

static struct variable *
find_in(const struct scope *scope, const struct string *name)
{
	for (struct variable *variable = scope->variables; variable; variable = variable->next)
		if (variable->name == name)
			return variable;
	return NULL;
}

int
scopes_declare(struct scopes *scopes, struct string *name, long value)
{
	struct variable *variable;

	if (find_in(scopes->inner, name))
		return 0;
	variable = calloc(1, sizeof(*variable));
	if (!variable)
		abort();
	variable->name = cache_hold(name);
	variable->value = value;
	variable->next = scopes->inner->variables;
	scopes->inner->variables = variable;
	return 1;
}

struct variable *
scopes_find(const struct scopes *scopes, const struct string *name)
{
	for (const struct scope *scope = scopes->inner; scope; scope = scope->outer) {
		struct variable *variable = find_in(scope, name);

		if (variable)
			return variable;
	}
	return NULL;
}
