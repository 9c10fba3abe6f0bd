/* A doubly linked list; the ring is closed by a node without a value. */
#include "collection.h"

#include <stdlib.h>

struct node {
	struct node *next, *before;
	long value;
};

struct linked_list {
	struct collection base;
	struct node ring;
	size_t size;
};

static struct linked_list *
of(const struct collection *c)
{
	return (struct linked_list *)c;
}

static struct node *
node_at(struct linked_list *l, size_t index)
{
	struct node *n = l->ring.next;
	if (index > l->size / 2) {
		n = &l->ring;
		for (size_t i = l->size; i > index; i--)
			n = n->before;
		return n;
	}
	while (index--)
		n = n->next;
	return n;
}

static void
drop(struct linked_list *l, struct node *n)
{
	n->before->next = n->next;
	n->next->before = n->before;
	l->size--;
	free(n);
}

static void
clear(struct collection *c)
{
	while (of(c)->size)
		drop(of(c), of(c)->ring.next);
}

static void
destroy(struct collection *c)
{
	clear(c);
	free(c);
}

static size_t
size(const struct collection *c)
{
	return of(c)->size;
}

static struct node *
find(struct linked_list *l, long value)
{
	for (struct node *n = l->ring.next; n != &l->ring; n = n->next)
		if (n->value == value)
			return n;
	return NULL;
}

static bool
contains(const struct collection *c, long value)
{
	return find(of(c), value);
}

static bool
get(const struct collection *c, size_t index, long *value)
{
	if (index >= of(c)->size)
		return false;
	*value = node_at(of(c), index)->value;
	return true;
}

static bool
set(struct collection *c, size_t index, long value)
{
	if (index >= of(c)->size)
		return false;
	node_at(of(c), index)->value = value;
	return true;
}

static bool
insert(struct collection *c, size_t index, long value)
{
	struct linked_list *l = of(c);
	if (index > l->size)
		return false;
	struct node *after = node_at(l, index), *n = malloc(sizeof *n);
	if (!n)
		abort();
	*n = (struct node){.next = after, .before = after->before, .value = value};
	n->before->next = n;
	after->before = n;
	l->size++;
	return true;
}

static bool
take(struct collection *c, size_t index, long *value)
{
	if (!get(c, index, value))
		return false;
	drop(of(c), node_at(of(c), index));
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
	struct node *n = find(of(c), value);
	if (n)
		drop(of(c), n);
	return n;
}

static bool
next(const struct collection *c, struct cursor *at, long *value)
{
	const struct node *n = at->node ? at->node : &of(c)->ring;
	if (n->next == &of(c)->ring)
		return false;
	at->node = n->next;
	*value = n->next->value;
	return true;
}

static bool
check(const struct collection *c)
{
	const struct linked_list *l = of(c);
	size_t count = 0;
	for (const struct node *n = l->ring.next; n != &l->ring; n = n->next, count++)
		if (n->next->before != n || n->before->next != n)
			return false;
	return count == l->size;
}

struct collection *
linked_list_new(void)
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
	struct linked_list *l = calloc(1, sizeof *l);
	if (!l)
		abort();
	l->base.class = &class;
	l->ring.next = l->ring.before = &l->ring;
	return &l->base;
}
