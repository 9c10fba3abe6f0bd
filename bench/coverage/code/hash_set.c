/* A set with open addressing: a value stands in the first free slot from its hash on, and removing closes the gap. */
#include "collection.h"

#include <stdlib.h>

struct hash_set {
	struct collection base;
	long *slots;
	bool *used;
	size_t size, room; /* room is a power of two, at most three quarters of it are used */
};

static struct hash_set *
of(const struct collection *c)
{
	return (struct hash_set *)c;
}

static size_t
home(const struct hash_set *s, long value)
{
	return (size_t)value * 0x9e3779b97f4a7c15u >> 32 & (s->room - 1);
}

static void
make_room(struct hash_set *s, size_t room)
{
	s->slots = calloc(room, sizeof *s->slots);
	s->used = calloc(room, sizeof *s->used);
	if (!s->slots || !s->used)
		abort();
	s->room = room;
	s->size = 0;
}

/* The slot of the value, or the slot where it belongs. */
static size_t
find(const struct hash_set *s, long value)
{
	size_t i = home(s, value);
	while (s->used[i] && s->slots[i] != value)
		i = (i + 1) & (s->room - 1);
	return i;
}

static void
destroy(struct collection *c)
{
	free(of(c)->slots);
	free(of(c)->used);
	free(c);
}

static size_t
size(const struct collection *c)
{
	return of(c)->size;
}

static bool
contains(const struct collection *c, long value)
{
	return of(c)->used[find(of(c), value)];
}

static void
put(struct hash_set *s, long value)
{
	size_t i = find(s, value);
	s->slots[i] = value;
	s->used[i] = true;
	s->size++;
}

static bool
add(struct collection *c, long value)
{
	struct hash_set *s = of(c);
	if (contains(c, value))
		return false;
	if (4 * (s->size + 1) > 3 * s->room) {
		struct hash_set old = *s;
		make_room(s, 2 * old.room);
		for (size_t i = 0; i < old.room; i++)
			if (old.used[i])
				put(s, old.slots[i]);
		free(old.slots);
		free(old.used);
	}
	put(s, value);
	return true;
}

static bool
remove_value(struct collection *c, long value)
{
	struct hash_set *s = of(c);
	size_t gap = find(s, value), mask = s->room - 1;
	if (!s->used[gap])
		return false;
	for (size_t i = (gap + 1) & mask; s->used[i]; i = (i + 1) & mask) {
		/* may it go back as far as the gap? */
		if (((i - home(s, s->slots[i])) & mask) >= ((i - gap) & mask)) {
			s->slots[gap] = s->slots[i];
			gap = i;
		}
	}
	s->used[gap] = false;
	s->size--;
	return true;
}

static void
clear(struct collection *c)
{
	for (size_t i = 0; i < of(c)->room; i++)
		of(c)->used[i] = false;
	of(c)->size = 0;
}

static bool
next(const struct collection *c, struct cursor *at, long *value)
{
	const struct hash_set *s = of(c);
	while (at->index < s->room)
		if (s->used[at->index++]) {
			*value = s->slots[at->index - 1];
			return true;
		}
	return false;
}

static bool
check(const struct collection *c)
{
	const struct hash_set *s = of(c);
	size_t count = 0;
	for (size_t i = 0; i < s->room; i++)
		if (s->used[i]) {
			if (find(s, s->slots[i]) != i)
				return false;
			count++;
		}
	return count == s->size && 4 * count <= 3 * s->room;
}

struct collection *
hash_set_new(void)
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
	};
	struct hash_set *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->base.class = &class;
	make_room(s, 16);
	return &s->base;
}
