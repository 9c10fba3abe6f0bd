/* A sorted set: an AA tree (Andersson 1993), balanced by two rotations, skew and split. */
#include "collection.h"

#include <limits.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
	long value;
	unsigned level; /* of leaves 1 */
};

struct tree_set {
	struct collection base;
	struct node *root;
	size_t size;
};

static struct tree_set *
of(const struct collection *c)
{
	return (struct tree_set *)c;
}

static unsigned
level(const struct node *n)
{
	return n ? n->level : 0;
}

/* No node has a left child of its own level. */
static struct node *
skew(struct node *n)
{
	struct node *left = n ? n->left : NULL;
	if (!left || left->level != n->level)
		return n;
	n->left = left->right;
	left->right = n;
	return left;
}

/* No node has a right grandchild of its own level. */
static struct node *
split(struct node *n)
{
	struct node *right = n ? n->right : NULL;
	if (!right || level(right->right) != n->level)
		return n;
	n->right = right->left;
	right->left = n;
	right->level++;
	return right;
}

static struct node *
put(struct node *n, long value, bool *added)
{
	if (!n) {
		n = calloc(1, sizeof *n);
		if (!n)
			abort();
		n->value = value;
		n->level = 1;
		*added = true;
		return n;
	}
	if (value < n->value)
		n->left = put(n->left, value, added);
	else if (value > n->value)
		n->right = put(n->right, value, added);
	return split(skew(n));
}

static struct node *
lower(struct node *n)
{
	unsigned least = level(n->left) < level(n->right) ? level(n->left) : level(n->right);
	if (n->level <= least + 1)
		return n;
	n->level = least + 1;
	if (level(n->right) > n->level)
		n->right->level = n->level;
	n = skew(n);
	n->right = skew(n->right);
	if (n->right)
		n->right->right = skew(n->right->right);
	n = split(n);
	n->right = split(n->right);
	return n;
}

static struct node *
drop(struct node *n, long value, bool *removed)
{
	if (!n)
		return NULL;
	if (value < n->value) {
		n->left = drop(n->left, value, removed);
	} else if (value > n->value) {
		n->right = drop(n->right, value, removed);
	} else if (!n->right) { /* nor has it a left child: both would be of the same level */
		struct node *left = n->left;
		free(n);
		*removed = true;
		return left;
	} else {
		struct node *follower = n->right;
		while (follower->left)
			follower = follower->left;
		n->value = follower->value;
		n->right = drop(n->right, n->value, removed);
	}
	return lower(n);
}

static void
drop_all(struct node *n)
{
	if (!n)
		return;
	drop_all(n->left);
	drop_all(n->right);
	free(n);
}

static void
clear(struct collection *c)
{
	drop_all(of(c)->root);
	of(c)->root = NULL;
	of(c)->size = 0;
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

static bool
floor_of(const struct collection *c, long limit, long *value)
{
	bool found = false;
	for (const struct node *n = of(c)->root; n;) {
		if (n->value > limit) {
			n = n->left;
			continue;
		}
		*value = n->value;
		found = true;
		n = n->right;
	}
	return found;
}

static bool
ceiling(const struct collection *c, long limit, long *value)
{
	bool found = false;
	for (const struct node *n = of(c)->root; n;) {
		if (n->value < limit) {
			n = n->right;
			continue;
		}
		*value = n->value;
		found = true;
		n = n->left;
	}
	return found;
}

static bool
contains(const struct collection *c, long value)
{
	long found;
	return floor_of(c, value, &found) && found == value;
}

static bool
add(struct collection *c, long value)
{
	bool added = false;
	of(c)->root = put(of(c)->root, value, &added);
	of(c)->size += added;
	return added;
}

static bool
remove_value(struct collection *c, long value)
{
	bool removed = false;
	of(c)->root = drop(of(c)->root, value, &removed);
	of(c)->size -= removed;
	return removed;
}

static bool
next(const struct collection *c, struct cursor *at, long *value)
{
	long least = LONG_MIN;
	if (at->node) {
		least = ((const struct node *)at->node)->value;
		if (least++ == LONG_MAX)
			return false;
	}
	const struct node *best = NULL;
	for (const struct node *n = of(c)->root; n;) {
		if (n->value >= least)
			best = n;
		n = n->value >= least ? n->left : n->right;
	}
	if (!best)
		return false;
	at->node = best;
	*value = best->value;
	return true;
}

/* How many nodes, or -1 if something is wrong. */
static long
count(const struct node *n)
{
	if (!n)
		return 0;
	long left = count(n->left), right = count(n->right);
	bool sorted = (!n->left || n->left->value < n->value) && (!n->right || n->right->value > n->value);
	bool balanced = level(n->left) == n->level - 1 && n->level - level(n->right) <= 1 &&
	                (!n->right || level(n->right->right) < n->level);
	return left < 0 || right < 0 || !sorted || !balanced ? -1 : left + right + 1;
}

static bool
check(const struct collection *c)
{
	return count(of(c)->root) == (long)of(c)->size;
}

struct collection *
tree_set_new(void)
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
		.floor = floor_of,
		.ceiling = ceiling,
	};
	struct tree_set *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->base.class = &class;
	return &s->base;
}
