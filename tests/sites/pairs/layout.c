/*
 * Structs that have got a member: what is changed is what depends on their size, or copies them as a whole; not what uses their
 * other members, or goes from one element of an array to the next.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

struct list all;
static struct {
	ONE_MORE(nameless_before)
	int value;
} nameless;
static item items[4];

/* ---- no change ---- */

int
reads_member(struct node *n)
{
	return n->value;
}

void
writes_member(struct node *n, int value)
{
	n->value = value;
	n->number = 0;
	n->counts[value] = 1;
}

int *
address_of_member(struct node *n)
{
	return &n->where.depth;
}

int
of_global(int index)
{
	return all.length + all.nodes[index].value + all.nodes[2].where.depth;
}

int
of_nameless(void)
{
	return nameless.value++;
}

double
of_typedef(item *i)
{
	return i->weight + items[1].weight + items[i->tag].weight;
}

int
walks(struct list *l)
{
	int sum = 0;

	for (struct node *n = l->first; n; n = n->next)
		sum += n->value;
	return sum;
}

int
steps(struct node *n, int count)
{
	int sum = 0;

	for (struct node *end = n + count; n != end; n++)
		sum += n->value;
	return sum + n[1].value + n[count].value + (n - count)->value;
}

long
distance_of(struct node *a, struct node *b)
{
	return b - a;
}

int
local_struct(int value)
{
	struct node n;

	n.value = value;
	writes_member(&n, value);
	return reads_member(&n);
}

int
static_struct(int value)
{
	static struct node n;
	static struct node given = {.value = 2};

	n.value += value + given.value;
	return n.value;
}

int
of_reordered(struct reordered *r)
{
	return r->first * 2 + r->second;
}

int
bit(struct flags *f)
{
	return f->ready;
}

void
set_bit(struct flags *f)
{
	f->done = 1;
	f->level = 3;
}

int
of_padded(struct padded *p)
{
	return p->value;
}

/* ---- changed ---- */

/* It is one place in memory with the new bit-field: both are written. */
void
set_bit_with_new_neighbour(struct flags *f)
{
	f->alone = 2;
}

size_t
size_of(void)
{
	return sizeof(struct node);
}

size_t
offset_of(void)
{
	return offsetof(struct node, value);
}

struct node *
container(int *value)
{
	return (struct node *)((char *)value - offsetof(struct node, value));
}

struct node *
allocates(void)
{
	return malloc(sizeof(struct node));
}

void
clears(struct node *n)
{
	memset(n, 0, sizeof(*n));
}

void
copies(struct node *to, struct node *from)
{
	*to = *from;
}

void
copies_padded(struct padded *to, struct padded *from)
{
	*to = *from;
}

void
copies_global(int number)
{
	all.nodes[number] = all.nodes[number + 1];
}

int
given_by_value(struct node n)
{
	return n.value;
}

int
gives_by_value(struct node *n)
{
	return given_by_value(*n);
}

struct node
returned_by_value(struct node *n)
{
	return *n;
}

int
begins(int value)
{
	struct node n = {.value = value};

	return reads_member(&n);
}

int
by_bytes(struct node *n)
{
	return ((char *)n)[sizeof(*n) - 1];
}

int
counts_elements(void)
{
	return (int)(sizeof(all) / sizeof(char));
}
