/* A list in one block that grows by half. */
#include "collection.h"

#include <stdlib.h>
#include <string.h>

struct array_list {
	struct collection base;
	long *values;
	size_t size, room;
};

static struct array_list *
of(const struct collection *c)
{
	return (struct array_list *)c;
}

static void
destroy(struct collection *c)
{
	free(of(c)->values);
	free(c);
}

static size_t
size(const struct collection *c)
{
	return of(c)->size;
}

static size_t
find(const struct array_list *l, long value)
{
	size_t i = 0;
	while (i < l->size && l->values[i] != value)
		i++;
	return i;
}

static bool
contains(const struct collection *c, long value)
{
	return find(of(c), value) < of(c)->size;
}

static bool
get(const struct collection *c, size_t index, long *value)
{
	if (index >= of(c)->size)
		return false;
	*value = of(c)->values[index];
	return true;
}

static bool
set(struct collection *c, size_t index, long value)
{
	if (index >= of(c)->size)
		return false;
	of(c)->values[index] = value;
	return true;
}

static bool
insert(struct collection *c, size_t index, long value)
{
	struct array_list *l = of(c);
	if (index > l->size)
		return false;
	if (l->size == l->room) {
		size_t room = l->room + l->room / 2 + 4;
		long *values = realloc(l->values, room * sizeof *values);
		if (!values)
			abort();
		l->values = values;
		l->room = room;
	}
	memmove(l->values + index + 1, l->values + index, (l->size - index) * sizeof *l->values);
	l->values[index] = value;
	l->size++;
	return true;
}

static bool
take(struct collection *c, size_t index, long *value)
{
	struct array_list *l = of(c);
	if (index >= l->size)
		return false;
	*value = l->values[index];
	l->size--;
	memmove(l->values + index, l->values + index + 1, (l->size - index) * sizeof *l->values);
	return true;
}

static bool
add(struct collection *c, long value)
{
	return insert(c, of(c)->size, value);
}

static bool
remove_value(struct collection *c, long value)
{
	return take(c, find(of(c), value), &value);
}

static void
clear(struct collection *c)
{
	of(c)->size = 0;
}

static bool
next(const struct collection *c, struct cursor *at, long *value)
{
	return get(c, at->index, value) && ++at->index;
}

static bool
check(const struct collection *c)
{
	return of(c)->size <= of(c)->room && (of(c)->values || !of(c)->room);
}

struct collection *
array_list_new(void)
{
	static const struct collection_class class = {
		.free = destroy,
		.size = size,
		.contains = contains,
		.add = add,
		.remove = remove_value,
		.clear = clear,
		.next = next,
		.check = check,
		.get = get,
		.set = set,
		.insert = insert,
		.take = take,
	};
	struct array_list *l = calloc(1, sizeof *l);
	if (!l)
		abort();
	l->base.class = &class;
	return &l->base;
}
