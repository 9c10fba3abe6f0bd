/*
 * Through states instead of executions: a state that was seen before is not gone on from again (--stateful). Depth
 * first, or breadth first, which finds the shortest way to a bug.
 *
 * Each state has a name, by which the engine may have kept it: the next execution then goes on from there. What the
 * engine has dropped (memory is limited, processes die) is reached by the same answers from the start, or from the last
 * state above that is still kept.
 *
 * A step that leads back to a state on its own way closes a loop. If each thread that could go on at all states of the loop did so in
 * it, the loop can go on for ever on a fair machine: a livelock, of which nothing more is known here than that (`loops`).
 *
 * Counted as JPF does: each step from a choice to the next one, or to the end, is a transition; it leads to a new
 * state or to one that was visited. An end is a state, too.
 */
#include "strategy/strategy.h"

#include "base/rng.h"
#include "base/undo.h"

#include <stddef.h>

#define LEVEL_FIRST 12
#define LEVEL_LAST 26 /* 2^26 states: a GiB for what was seen, and half of that before the last growth */
#define NODES_MAX (1u << 25)

struct id {
	uint64_t a, b;
};

struct node {
	uint32_t parent; /* breadth first: the state above; NODES_MAX: none */
	uint32_t count;  /* of answers */
	uint32_t
		position; /* depth first: the answer taken now; breadth first: the one taken there, to come here */
	uint32_t tag;     /* some bits of the state; 0: it has none */
	uint32_t enabled; /* threads that could go on here, by number modulo 32: bits */
	uint32_t mover;   /* the thread whose step came here: a bit */
};

struct states {
	bool breadth;
	bool exhausted;
	bool partial; /* an execution was cut, or there was no room for a state */
	bool diverged;
	bool full;
	uint32_t level;  /* of the table: 2^level places, from seen[2^level] on */
	uint64_t filled; /* of them */
	uint64_t generation;
	uint32_t length;  /* nodes: of the path, or in all */
	uint32_t cursor;  /* how many of the answers of this execution have been given */
	uint32_t head;    /* breadth first: the state whose answers are tried now … */
	uint32_t try;     /* … and which of them */
	uint32_t highest; /* depth first: kept under a name up to this */
	uint32_t goal;    /* breadth first: how many answers lead to the head */
	bool counted;     /* the end of this execution */
	uint32_t mover;   /* the thread of the step under way: a bit */
	uint64_t fresh, visited, ends, unknown, loops;
	uint64_t sum, seen_sum; /* checksums of the nodes, and of what was seen */
	struct node nodes[NODES_MAX];
	uint32_t trail[NODES_MAX]; /* breadth first: the states from the first one to the head */
	struct id seen[2ul << LEVEL_LAST];
};

/* ---- what was seen ---- */

static uint64_t
weigh_id(struct id id)
{
	return sl_mix(id.a + sl_mix(id.b));
}

static bool
place(struct states *s, struct id id)
{
	struct id *table = s->seen + (1ul << s->level);
	uint64_t mask = (1ul << s->level) - 1;

	for (uint64_t at = id.a;; at++) {
		struct id *there = &table[at & mask];

		if (there->a == id.a && there->b == id.b)
			return false;
		if (!there->a && !there->b) {
			SL_SAVE(*there);
			*there = id;
			s->seen_sum += weigh_id(id);
			s->filled++;
			return true;
		}
	}
}

static void
grow(struct states *s)
{
	const struct id *old = s->seen + (1ul << s->level);
	uint64_t count = 1ul << s->level, filled = s->filled, sum = s->seen_sum;

	/* not written down: the larger one is empty, or has the same from a growth that was taken back */
	struct sl_undo *undo = sl_undo;

	sl_undo = NULL;
	s->level++;
	for (uint64_t i = 0; i < count; i++)
		if (old[i].a || old[i].b)
			place(s, old[i]);
	sl_undo = undo;
	s->filled = filled;
	s->seen_sum = sum;
}

/* Is it new? */
static bool
see(struct states *s, const uint64_t id[2])
{
	if (s->filled >= (1ul << s->level) / 4 * 3 && s->level < LEVEL_LAST)
		grow(s);
	if (s->filled >= (1ul << s->level) / 8 * 7) {
		s->full = s->partial = true; /* what is not noted would be gone on from again and again */
		return false;
	}
	/* what was seen before the search began anew is not cleared, but never found again */
	return place(s, (struct id){id[0] + sl_mix(s->generation), id[1] | 1});
}

/* What a node contributes to the checksum of all of them. */
static uint64_t
weigh(const struct states *s, uint32_t at)
{
	const struct node *n = &s->nodes[at];

	return sl_mix(at * 0x9e3779b97f4a7c15u + ((uint64_t)n->parent << 32 | n->count)) +
	       sl_mix(~(at * 0x9e3779b97f4a7c15u) + ((uint64_t)n->position << 32 | n->tag));
}

/* ---- answers ---- */

static unsigned
answer_at(uint32_t position, unsigned first)
{
	if (position == 0)
		return first;
	return position <= first ? position - 1 : position;
}

static uint32_t
bit_of(const struct sl_op *op)
{
	return 1u << op->thread % 32;
}

static uint32_t
enabled_of(const struct sl_choice *c)
{
	uint32_t bits = 0;

	for (unsigned i = 0; c->kind == SL_CHOOSE_THREAD && i < c->count; i++)
		bits |= bit_of(c->ops[i]);
	return bits;
}

static uint32_t
tag_of(const uint64_t id[2])
{
	return (uint32_t)(id[0] >> 32) | 1;
}

/* The step under way leads to a state that is not new: is it on the way there, and does every thread move in between that could? */
static bool
closes_fair_loop(const struct states *s, uint32_t tag)
{
	uint32_t count = s->breadth ? s->length ? s->goal + 1 : 0 : s->length, enabled = UINT32_MAX, moved = s->mover;

	while (count--) {
		const struct node *n = &s->nodes[s->breadth ? s->trail[count] : count];

		enabled &= n->enabled;
		if (n->tag == tag)
			return !(enabled & ~moved);
		moved |= n->mover;
	}
	return false;
}

/* A choice that has come before: as it was answered then, or with the answer that is tried now. */
static unsigned
follow(struct states *s, const struct sl_choice *c)
{
	uint32_t position, at = s->cursor;

	if (!s->breadth)
		position = s->nodes[at].position;
	else if (at < s->goal)
		position = s->nodes[s->trail[at + 1]].position;
	else
		position = s->try;
	if (s->nodes[s->breadth ? s->trail[at] : at].count != c->count) {
		s->diverged = true;
		return SL_CHOICE_ABANDON;
	}
	s->cursor++;

	unsigned answer = answer_at(position, sl_choice_default(c));

	if (c->kind == SL_CHOOSE_THREAD)
		s->mover = bit_of(c->ops[answer]);
	return answer;
}

static uint32_t
known(const struct states *s)
{
	if (!s->breadth)
		return s->length;
	return s->length ? s->goal + 1 : 0;
}

static uint64_t
name_of(uint32_t node)
{
	return node + 1ul;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct states *s = state;
	uint64_t id[2];
	uint32_t tag = 0;

	if (s->cursor < known(s))
		return follow(s, c);
	if (c->identify && c->identify(id)) {
		tag = tag_of(id);
		if (!see(s, id)) {
			s->visited += !s->full;
			s->loops += closes_fair_loop(s, tag);
			s->counted = true;
			return SL_CHOICE_ABANDON;
		}
	} else if (c->kind == SL_CHOOSE_THREAD) {
		s->unknown++;
	}
	s->fresh++;
	if (s->length == NODES_MAX) {
		s->full = s->partial = true;
		s->counted = true;
		return SL_CHOICE_ABANDON;
	}
	uint32_t at = s->length++;

	s->nodes[at] = (struct node)
	{
		.parent = s->breadth && at ? s->head : NODES_MAX, .count = c->count, .position = s->breadth ? s->
		try:
			0,
		.tag = tag, .enabled = enabled_of(c), .mover = s->mover
	};
	s->sum += weigh(s, at);
	if (!s->breadth && s->highest < at + 1)
		s->highest = at + 1;
	if (c->keep && c->keep(name_of(at)))
		return follow(s, c); /* a later execution, which has come back */
	if (s->breadth) {
		s->counted = true;
		return SL_CHOICE_ABANDON;
	}
	return follow(s, c);
}

/* ---- executions ---- */

static int
start(struct states *s, const struct sl_strategy_options *o, bool breadth, struct sl_err *err)
{
	if (o->workers > 1)
		return sl_err_set(err,
				  "a search through states can't be shared among processes: leave --jobs out");
	s->breadth = breadth;
	s->level = LEVEL_FIRST;
	return 0;
}

static int
start_depth(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	return start(state, options, false, err);
}

static int
start_breadth(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	return start(state, options, true, err);
}

static bool
begin(void *state)
{
	struct states *s = state;

	sl_undo_save(s, offsetof(struct states, nodes));
	s->cursor = 0;
	s->counted = false;
	return !s->exhausted;
}

static uint64_t
from(void *state, bool (*has)(uint64_t name), void (*drop)(uint64_t name))
{
	struct states *s = state;
	uint32_t count = known(s);

	if (s->breadth) {
		if (s->head && s->try == 0)
			drop(name_of(s->head - 1));
	} else {
		for (; s->highest > s->length; s->highest--)
			drop(name_of(s->highest - 1));
	}
	while (count--) {
		uint64_t name = name_of(s->breadth ? s->trail[count] : count);

		if (has(name)) {
			s->cursor = count;
			return name;
		}
	}
	return 0;
}

static void
ended(void *state, const uint64_t id[2])
{
	struct states *s = state;

	if (s->cursor < known(s)) { /* the program did not come to where it came before */
		s->diverged = true;
		return;
	}
	s->counted = true;
	s->unknown += !id;
	if (id && !see(s, (const uint64_t[]){~id[0], id[1]})) {
		s->visited += !s->full;
		return;
	}
	s->fresh++;
	s->ends++;
}

/* The way to the next state whose answers are to be tried. */
static void
find_trail(struct states *s)
{
	uint32_t depth = 0;

	for (uint32_t at = s->head; s->nodes[at].parent != NODES_MAX; at = s->nodes[at].parent)
		depth++;
	s->goal = depth;
	for (uint32_t at = s->head;; at = s->nodes[at].parent) {
		s->trail[depth] = at;
		if (!depth--)
			break;
	}
}

static void
next_breadth(struct states *s, bool first)
{
	if (!s->length) {
		s->exhausted = true; /* there is nothing to choose */
		return;
	}
	if (!first && ++s->try == s->nodes[s->head].count) {
		s->try = 0;
		s->head++;
		if (s->head == s->length) {
			s->exhausted = true;
			return;
		}
		find_trail(s);
	}
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct states *s = state;
	bool first = s->cursor == 0;

	if (execution->cut)
		s->partial = true;
	if (!s->counted) { /* a finding: where it ends is nowhere else */
		s->fresh++;
		s->ends++;
	}
	if (s->breadth) {
		next_breadth(s, first);
		return;
	}
	for (; s->length; s->length--) {
		struct node *n = &s->nodes[s->length - 1];

		SL_SAVE(n->position);
		s->sum -= weigh(s, s->length - 1);
		if (++n->position < n->count) {
			s->sum += weigh(s, s->length - 1);
			return;
		}
	}
	s->exhausted = true;
}

static void
grown(void *state)
{
	struct states *s = state;

	s->generation++;
	s->exhausted = s->partial = s->diverged = s->full = false;
	s->length = s->head = s->try = s->goal = 0;
	s->sum = 0;
	s->fresh = s->visited = s->ends = s->unknown = s->loops = 0;
}

/* The way to the head is not written down. */
static void
recover(void *state)
{
	struct states *s = state;

	if (s->breadth && s->length && !s->exhausted)
		find_trail(s);
}

static uint64_t
sum(const void *state, bool whole)
{
	const struct states *s = state;
	uint64_t sum = s->sum, rest = 0;
	const uint64_t words[] = {(uint64_t)s->length << 32 | s->head,
				  (uint64_t)s->try << 32 | s->goal,
				  s->fresh,
				  s->visited,
				  s->ends,
				  s->loops,
				  s->generation,
				  s->filled + s->level,
				  s->seen_sum,
				  s->exhausted | s->partial << 1 | s->diverged << 2 | s->full << 3};

	if (whole && s->length > NODES_MAX)
		return 0;
	for (uint32_t i = 0; whole && i < s->length; i++)
		rest += weigh(s, i);
	if (whole && (rest != sum || s->level > LEVEL_LAST))
		return 0;
	rest = 0;
	for (uint64_t i = 1ul << s->level; whole && i < 2ul << s->level; i++)
		if (s->seen[i].a || s->seen[i].b)
			rest += weigh_id(s->seen[i]);
	if (whole && rest != s->seen_sum)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		sum = sl_mix(sum + words[i]);
	return sum | 1;
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct states *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->partial && !s->diverged,
		.over = s->exhausted,
		.bound = -1,
		.stateful = true,
		.states = s->fresh,
		.visited = s->visited,
		.ends = s->ends,
		.opaque = s->unknown,
		.loops = s->loops,
	};
}

#define SAME_IN_BOTH                                                                                              \
	.state_size = sizeof(struct states), .begin = begin, .choose = choose, .end = end, .grown = grown,        \
	.progress = progress, .recover = recover, .sum = sum, .heeds = sl_heeds_always, .stateful = true, .from = from, .ended = ended

const struct sl_strategy sl_strategy_states = {
	.name = "stateful-dfs",
	.summary = "visits every state, depth first",
	.start = start_depth,
	SAME_IN_BOTH,
	.newest_first = true,
};

const struct sl_strategy sl_strategy_states_breadth = {
	.name = "stateful-bfs",
	.summary = "visits every state, breadth first",
	.start = start_breadth,
	SAME_IN_BOTH,
};
