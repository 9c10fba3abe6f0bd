/*
 * What values depend on, as numbers: sets of places that read, each set once, so that the union of two sets that were united before is
 * looked up. Sets are kept over all executions; there are about as many as there are values that differ in the source.
 *
 * For reports there are also graphs of events of one execution: what a value depends on, event by event. They are made only if asked for.
 */
#ifndef SL_PATHS_DEPS_H
#define SL_PATHS_DEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_DEP_NONE 0  /* there is no value */
#define SL_DEP_EMPTY 1 /* it depends on nothing */

struct sl_deps {
	struct sl_dep_set {
		uint32_t first, count; /* in members */
		uint32_t next;         /* with the same hash */
		bool told;
	} * all;
	size_t count, room;
	uint32_t *members;
	size_t member_count, member_room;
	uint32_t *buckets;
	size_t bucket_count;
	struct sl_dep_union {
		uint32_t a, b, both;
	} * unions;        /* the last ones, by a hash of a and b */
	uint32_t *singles; /* by member: the set of it alone */
	size_t single_room;
	uint32_t *scratch;
	size_t scratch_room;
	/* Called for each member of a set that is told, and for what no longer fits: then `full` is set. */
	void (*tell)(void *data, uint32_t member);
	void *data;
	size_t limit; /* of members, over all sets */
	bool full;
};

void sl_deps_init(struct sl_deps *sets, void (*tell)(void *data, uint32_t member), void *data);
void sl_deps_release(struct sl_deps *sets);
uint32_t sl_deps_single(struct sl_deps *sets, uint32_t member);
uint32_t sl_deps_unite_slowly(struct sl_deps *sets, uint32_t a, uint32_t b);
void sl_deps_tell_slowly(struct sl_deps *sets, uint32_t set);

#define SL_DEP_UNIONS (1u << 14)

/* With NONE it is the other one. */
static inline uint32_t
sl_deps_unite(struct sl_deps *sets, uint32_t a, uint32_t b)
{
	const struct sl_dep_union *known;

	if (a > b) {
		uint32_t c = a;

		a = b;
		b = c;
	}
	if (a <= SL_DEP_EMPTY || a == b)
		return b;
	known = &sets->unions[(a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 18];
	return known->a == a && known->b == b ? known->both : sl_deps_unite_slowly(sets, a, b);
}

/* Each member is told of once, in one of the sets that have it at least. */
static inline void
sl_deps_tell(struct sl_deps *sets, uint32_t set)
{
	if (set > SL_DEP_EMPTY && !sets->all[set].told)
		sl_deps_tell_slowly(sets, set);
}

/* ---- events of one execution ---- */

enum sl_event_node { SL_NODE_BOTH, SL_NODE_READ, SL_NODE_WRITE };

struct sl_event_graph {
	struct sl_dep_event {
		uint32_t kind : 2;
		uint32_t number : 30; /* of the event */
		uint32_t left, right; /* what it depends on */
		uint32_t visit, look; /* when it was met */
	} * all;
	size_t count, room;
	uint32_t visits, looks;
	uint32_t *todo;
	size_t todo_room;
};

static inline void
sl_event_graph_clear(struct sl_event_graph *graph)
{
	graph->count = 1; /* 0 is nothing */
	graph->visits = graph->looks = 0;
}
void sl_event_graph_release(struct sl_event_graph *graph);
uint32_t sl_event_add(struct sl_event_graph *graph, enum sl_event_node kind, uint64_t number, uint32_t left,
		      uint32_t right);

static inline uint32_t
sl_events_both(struct sl_event_graph *graph, uint32_t a, uint32_t b)
{
	return !a || a == b ? b : !b ? a : sl_event_add(graph, SL_NODE_BOTH, 0, a, b);
}

/*
 * Goes through what a value depends on: calls `found` for each read that was not met since sl_events_start(), with its node; what it saw is on the
 * left of that.
 */
static inline void
sl_events_start(struct sl_event_graph *graph)
{
	graph->visits++;
}
void sl_events_each(struct sl_event_graph *graph, uint32_t value, void (*found)(void *data, uint32_t node),
		    void *data);
/* The writes that a read saw, by their events. */
void sl_events_seen(struct sl_event_graph *graph, uint32_t node, void (*found)(void *data, uint64_t write),
		    void *data);

#endif
