#include "paths/deps.h"

#include "base/room.h"

#include <string.h>

#define LIMIT (1u << 23)

static void
more_buckets(struct sl_deps *s)
{
	s->bucket_count = s->bucket_count ? 2 * s->bucket_count : 1024;
	free(s->buckets);
	s->buckets = sl_room_zeroed(s->bucket_count, sizeof(*s->buckets));
	for (uint32_t i = 2; i < s->count; i++) {
		uint32_t hash = 0;

		for (uint32_t k = 0; k < s->all[i].count; k++)
			hash = (hash ^ s->members[s->all[i].first + k]) * 0x01000193u;
		s->all[i].next = s->buckets[hash & (s->bucket_count - 1)];
		s->buckets[hash & (s->bucket_count - 1)] = i;
	}
}

void
sl_deps_init(struct sl_deps *s, void (*tell)(void *data, uint32_t member), void *data)
{
	*s = (struct sl_deps){.tell = tell, .data = data, .limit = LIMIT, .count = 2};
	s->all = sl_room_for(NULL, 0, &s->room, sizeof(*s->all));
	memset(s->all, 0, 2 * sizeof(*s->all));
	s->unions = sl_room_zeroed(SL_DEP_UNIONS, sizeof(*s->unions));
	more_buckets(s);
}

void
sl_deps_release(struct sl_deps *s)
{
	free(s->all);
	free(s->members);
	free(s->buckets);
	free(s->unions);
	free(s->singles);
	free(s->scratch);
}

/* The number of the set with these members, which ascend. */
static uint32_t
find(struct sl_deps *s, const uint32_t *members, uint32_t count)
{
	uint32_t hash = 0, at;

	for (uint32_t k = 0; k < count; k++)
		hash = (hash ^ members[k]) * 0x01000193u;
	for (at = s->buckets[hash & (s->bucket_count - 1)]; at; at = s->all[at].next)
		if (s->all[at].count == count &&
		    !memcmp(&s->members[s->all[at].first], members, count * sizeof(*members)))
			return at;
	if (s->member_count + count > s->limit)
		return SL_DEP_NONE;
	if (s->count >= s->bucket_count)
		more_buckets(s);
	s->all = sl_room_for(s->all, s->count, &s->room, sizeof(*s->all));
	at = (uint32_t)s->count++;
	s->all[at] = (struct sl_dep_set){.first = (uint32_t)s->member_count,
					 .count = count,
					 .next = s->buckets[hash & (s->bucket_count - 1)]};
	s->buckets[hash & (s->bucket_count - 1)] = at;
	for (uint32_t k = 0; k < count; k++) {
		s->members = sl_room_for(s->members, s->member_count, &s->member_room, sizeof(*s->members));
		s->members[s->member_count++] = members[k];
	}
	return at;
}

uint32_t
sl_deps_single(struct sl_deps *s, uint32_t member)
{
	if (member >= s->single_room) {
		size_t room = s->single_room ? s->single_room : 64;

		while (member >= room)
			room *= 2;
		s->singles = sl_must(realloc(s->singles, room * sizeof(*s->singles)));
		memset(s->singles + s->single_room, 0, (room - s->single_room) * sizeof(*s->singles));
		s->single_room = room;
	}
	if (!s->singles[member])
		s->singles[member] = find(s, &member, 1);
	if (!s->singles[member]) {
		s->full = true;
		s->tell(s->data, member);
		return SL_DEP_EMPTY;
	}
	return s->singles[member];
}

uint32_t
sl_deps_unite_slowly(struct sl_deps *s, uint32_t a, uint32_t b)
{
	uint32_t na = s->all[a].count, nb = s->all[b].count, n = 0, i = 0, k = 0, both;
	const uint32_t *x, *y;

	if (na + nb > s->scratch_room) {
		s->scratch_room = 2 * (na + nb);
		free(s->scratch);
		s->scratch = sl_room_zeroed(s->scratch_room, sizeof(*s->scratch));
	}
	x = s->members + s->all[a].first;
	y = s->members + s->all[b].first;
	while (i < na || k < nb) {
		uint32_t one = k == nb || (i < na && x[i] <= y[k]) ? x[i] : y[k];

		i += i < na && x[i] == one;
		k += k < nb && y[k] == one;
		s->scratch[n++] = one;
	}
	both = find(s, s->scratch, n);
	if (!both) { /* what is told need not be kept */
		s->full = true;
		sl_deps_tell(s, a);
		sl_deps_tell(s, b);
		return SL_DEP_EMPTY;
	}
	s->unions[(a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 18] = (struct sl_dep_union){a, b, both};
	return both;
}

void
sl_deps_tell_slowly(struct sl_deps *s, uint32_t set)
{
	s->all[set].told = true;
	for (uint32_t k = 0; k < s->all[set].count; k++)
		s->tell(s->data, s->members[s->all[set].first + k]);
}

/* ---- events of one execution ---- */

void
sl_event_graph_release(struct sl_event_graph *g)
{
	free(g->all);
	free(g->todo);
}

uint32_t
sl_event_add(struct sl_event_graph *g, enum sl_event_node kind, uint64_t number, uint32_t left, uint32_t right)
{
	g->all = sl_room_for(g->all, g->count, &g->room, sizeof(*g->all));
	g->all[g->count] =
		(struct sl_dep_event){.kind = kind, .number = number & 0x3fffffff, .left = left, .right = right};
	return (uint32_t)g->count++;
}

static size_t
push(struct sl_event_graph *g, size_t count, uint32_t node)
{
	if (!node)
		return count;
	g->todo = sl_room_for(g->todo, count, &g->todo_room, sizeof(*g->todo));
	g->todo[count] = node;
	return count + 1;
}

/* All reads are told of at the end: `found` may ask for more. */
void
sl_events_each(struct sl_event_graph *g, uint32_t value, void (*found)(void *data, uint32_t node), void *data)
{
	uint32_t *reads = NULL;
	size_t count = push(g, 0, value), read_count = 0, room = 0;

	while (count) {
		uint32_t at = g->todo[--count];

		if (g->all[at].visit == g->visits)
			continue;
		g->all[at].visit = g->visits;
		if (g->all[at].kind == SL_NODE_READ) {
			reads = sl_room_for(reads, read_count, &room, sizeof(*reads));
			reads[read_count++] = at;
		}
		count = push(g, count, g->all[at].left);
		count = push(g, count, g->all[at].right);
	}
	for (size_t i = 0; i < read_count; i++)
		found(data, reads[i]);
	free(reads);
}

void
sl_events_seen(struct sl_event_graph *g, uint32_t node, void (*found)(void *data, uint64_t write), void *data)
{
	size_t count = push(g, 0, g->all[node].left);

	g->looks++;
	while (count) {
		struct sl_dep_event *one = &g->all[g->todo[--count]];

		if (one->look == g->looks)
			continue;
		one->look = g->looks;
		if (one->kind == SL_NODE_BOTH) {
			uint32_t right = one->right;

			count = push(g, count, one->left);
			count = push(g, count, right);
		} else if (one->kind == SL_NODE_WRITE) {
			found(data, one->number);
		}
	}
}
