/*
 * Searches through states instead of executions: a state that was seen before is not continued from again
 * (--stateful). Depth first, or breadth first, which finds the shortest path to a bug.
 *
 * Each state has a name, by which the engine may have kept it: the next execution then continues from there. A
 * state that the engine has dropped (memory is limited, processes die) is reached by the same answers from the
 * start, or from the last state above it that is still kept.
 *
 * A step that leads back to a state on its own path closes a loop. If each thread that was enabled at all states
 * of the loop moves in it, a fair machine can repeat the loop for ever: a livelock. No more than that is known of
 * it here (`loops`).
 *
 * With prioritisation (prioritise.h) answers are tried iteration by iteration, as the published algorithm has it: a
 * list of states with answers to be tried now, and one for the next iteration. Depth first takes the newest state of
 * the list, breadth first the oldest. A state that is reached again is not gone on from, in whatever iteration.
 *
 * Counted as in JPF: each step from a choice to the next one, or to the end, is a transition; it leads to a new
 * state or to a visited one. An end is a state, too.
 */
#include "strategy/prioritise.h"

#include "base/rng.h"
#include "base/undo.h"

#include <stddef.h>

#define LEVEL_FIRST 12
#define LEVEL_LAST 26 /* 2^26 states: 1 GiB, and half of that for the table before the last growth */
#define NODES_MAX (1u << 25)

struct id {
	uint64_t a, b;
};

struct node {
	uint32_t parent;   /* in a tree: the state above; NODES_MAX: none */
	uint32_t count;    /* of answers */
	uint32_t position; /* on a path: the answer taken now; in a tree: the one taken there, to come here */
	uint32_t next;     /* in a tree: the answer to try next, … */
	uint32_t only;     /* … the one that is not postponed; count: none is … */
	uint32_t rest;     /* … and 1 if the postponed ones are tried */
	uint32_t tag;      /* some bits of the state; 0: it has none */
	uint32_t enabled;  /* threads that could go on here, by number modulo 32: bits */
	uint32_t mover;    /* the thread whose step came here: a bit */
};

struct states {
	bool breadth;
	bool tree; /* every state is kept, with the way to it; else only those of the path under way */
	bool shuffled;
	bool limited; /* it is over, though there are more iterations */
	enum sl_prioritise prioritise;
	uint16_t impacted; /* flags of operations */
	uint64_t seed;
	uint32_t iteration, iterations; /* under way, and the most; 0: all */
	uint32_t finished;              /* iterations that are done */
	bool exhausted;
	bool partial; /* an execution was cut, or there was no room for a state */
	bool diverged;
	bool full;
	uint32_t level;  /* of the table: 2^level slots, from seen[2^level] on */
	uint64_t filled; /* slots in use */
	uint64_t generation;
	uint32_t length;  /* nodes: of the path, or in all */
	uint32_t cursor;  /* how many of the answers of this execution have been given */
	uint32_t head;    /* in a tree: the state whose answers are tried now … */
	uint32_t try;     /* … and which of them */
	uint32_t highest; /* on a path: kept under a name up to this */
	uint32_t goal;    /* in a tree: how many answers lead to the head */
	struct {
		uint32_t now;               /* which of the lists is the one of this iteration */
		uint32_t first[2], last[2]; /* where they begin and end */
		uint32_t popped;            /* how many states have just left the list */
	} work;                             /* in a tree */
	bool counted;                       /* the end of this execution */
	uint32_t mover;                     /* the thread of the step under way: a bit */
	uint64_t fresh, visited, ends, unknown, loops;
	uint64_t sum, seen_sum, list_sum; /* checksums of the nodes, of what was seen, of the lists */
	struct node nodes[NODES_MAX];
	uint32_t trail[NODES_MAX];    /* in a tree: the states from the first one to the head */
	uint32_t lists[2][NODES_MAX]; /* … states with answers to be tried in this iteration, and in the next */
	uint16_t order[SL_STRATEGY_THREADS]; /* of the answers of the choice at hand, if they are shuffled */
	struct id seen[2ul << LEVEL_LAST];
};

/* ---- the table of states ---- */

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

	/* not recorded: the larger table is empty, or has the same contents from a growth that was undone */
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

/* Is the state new? */
static bool
see(struct states *s, const uint64_t id[2])
{
	if (s->filled >= (1ul << s->level) / 4 * 3 && s->level < LEVEL_LAST)
		grow(s);
	if (s->filled >= (1ul << s->level) / 8 * 7) {
		/* states that are not recorded would be continued from again and again */
		s->full = s->partial = true;
		return false;
	}
	/* states from before the search was restarted are not cleared, but never found again */
	return place(s, (struct id){id[0] + sl_mix(s->generation), id[1] | 1});
}

/* Contribution of a node to the checksum of all nodes. */
static uint64_t
weigh(const struct states *s, uint32_t at)
{
	const struct node *n = &s->nodes[at];

	return sl_mix(at * 0x9e3779b97f4a7c15u + ((uint64_t)n->parent << 32 | n->count)) +
	       sl_mix(~(at * 0x9e3779b97f4a7c15u) + ((uint64_t)n->position << 32 | n->tag)) +
	       sl_mix(at * 0xd1342543de82ef95u + ((uint64_t)n->next << 32 | n->only << 1 | n->rest));
}

static uint64_t
weigh_entry(const struct states *s, unsigned list, uint32_t at)
{
	return sl_mix(((uint64_t)list << 32 | at) * 0x9e3779b97f4a7c15u + s->lists[list][at]);
}

/* ---- answers ---- */

static void
shuffle(struct states *s, const struct sl_choice *c, uint32_t tag)
{
	struct sl_rng rng = sl_rng_derive(s->seed, tag);

	for (unsigned i = 0; s->shuffled && c->count <= SL_STRATEGY_THREADS && i < c->count; i++) {
		unsigned at = sl_rng_below(&rng, i + 1);

		s->order[i] = s->order[at];
		s->order[at] = (uint16_t)i;
	}
}

static unsigned
answer_at(const struct states *s, const struct sl_choice *c, uint32_t position)
{
	unsigned first = sl_choice_default(c);

	if (s->shuffled && c->count <= SL_STRATEGY_THREADS)
		return s->order[position];
	if (position == 0)
		return first;
	return position <= first ? position - 1 : position;
}

/* Of the answer that is not postponed; the count: none is. */
static uint32_t
only_of(const struct states *s, const struct sl_choice *c)
{
	unsigned only = sl_prioritised(s->prioritise, s->impacted, c, UINT32_MAX);
	uint32_t position = 0;

	while (only < c->count && answer_at(s, c, position) != only)
		position++;
	return only < c->count ? position : c->count;
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

/*
 * The current step leads to a state that is not new: is it on the path, and does every thread that was enabled
 * since then move?
 */
static bool
closes_fair_loop(const struct states *s, uint32_t tag)
{
	uint32_t count = s->tree ? s->length ? s->goal + 1 : 0 : s->length, enabled = UINT32_MAX, moved = s->mover;

	while (count--) {
		const struct node *n = &s->nodes[s->tree ? s->trail[count] : count];

		enabled &= n->enabled;
		if (n->tag == tag)
			return !(enabled & ~moved);
		moved |= n->mover;
	}
	return false;
}

/* A choice that has come before: repeats its answer, or gives the answer that is tried now. */
static unsigned
follow(struct states *s, const struct sl_choice *c)
{
	uint32_t position, at = s->cursor;

	if (!s->tree)
		position = s->nodes[at].position;
	else if (at < s->goal)
		position = s->nodes[s->trail[at + 1]].position;
	else
		position = s->try;
	const struct node *n = &s->nodes[s->tree ? s->trail[at] : at];

	if (n->count != c->count) {
		s->diverged = true;
		return SL_CHOICE_ABANDON;
	}
	s->cursor++;

	shuffle(s, c, n->tag);
	unsigned answer = answer_at(s, c, position);

	if (c->kind == SL_CHOOSE_THREAD)
		s->mover = bit_of(c->ops[answer]);
	return answer;
}

static uint32_t
known(const struct states *s)
{
	if (!s->tree)
		return s->length;
	return s->length ? s->goal + 1 : 0;
}

static uint64_t
name_of(uint32_t node)
{
	return node + 1ul;
}

/* A state with answers to be tried, in this iteration or in the next. */
static void
list_add(struct states *s, unsigned list, uint32_t node)
{
	uint32_t at = s->work.last[list]++;

	SL_SAVE(s->lists[list][at]);
	s->lists[list][at] = node;
	s->list_sum += weigh_entry(s, list, at);
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
		.parent = s->tree && at ? s->head : NODES_MAX, .count = c->count, .position = s->tree ? s->
		try:
			0, .only = c->count, .tag = tag, .enabled = enabled_of(c), .mover = s->mover
	};
	if (s->tree) {
		if (s->prioritise) {
			shuffle(s, c, tag);
			s->nodes[at].only = only_of(s, c);
		}
		list_add(s, s->work.now, at);
		if (s->nodes[at].only < c->count)
			list_add(s, !s->work.now, at);
	}
	s->sum += weigh(s, at);
	if (!s->tree && s->highest < at + 1)
		s->highest = at + 1;
	if (c->keep && c->keep(name_of(at)))
		return follow(s, c); /* a later execution, which continues from the kept state */
	if (s->tree) {
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
	s->prioritise = o->prioritise;
	s->impacted = o->impacted;
	s->iterations = o->prioritise ? o->iterations : 0;
	s->tree = breadth || o->prioritise;
	s->shuffled = o->shuffled;
	s->seed = o->seed;
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

	if (s->tree) {
		for (; s->work.popped; s->work.popped--)
			drop(name_of(s->lists[s->work.now]
					     [s->breadth ? s->work.first[s->work.now] - s->work.popped
							 : s->work.last[s->work.now] + s->work.popped - 1]));
	} else {
		for (; s->highest > s->length; s->highest--)
			drop(name_of(s->highest - 1));
	}
	while (count--) {
		uint64_t name = name_of(s->tree ? s->trail[count] : count);

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

	if (s->cursor < known(s)) { /* the program did not reach the state that it reached before */
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

/* Finds the path to the next state whose answers are to be tried. */
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

/* Of n->next: every answer of its part has been tried, and what came of the last one, too. */
#define ALL_TRIED(n) ((n)->count + 1)

/* The next answer of a state that belongs to this iteration; false: there is none. */
static bool
next_answer(struct states *s, uint32_t at)
{
	struct node *n = &s->nodes[at];
	uint32_t next = n->next;

	while (next < n->count && n->only < n->count && (next == n->only) == n->rest)
		next++;
	SL_SAVE(n->next);
	s->sum -= weigh(s, at);
	n->next = next < n->count ? next + 1 : ALL_TRIED(n);
	s->sum += weigh(s, at);
	s->try = next;
	return next < n->count;
}

static void
list_drop(struct states *s)
{
	uint32_t at = s->breadth ? s->work.first[s->work.now]++ : --s->work.last[s->work.now];

	s->list_sum -= weigh_entry(s, s->work.now, at);
	s->work.popped++;
}

/* The next iteration begins with all that was postponed; false: nothing was, or no more iterations are wanted. */
static bool
next_iteration(struct states *s)
{
	unsigned next = !s->work.now;

	s->finished = s->prioritise ? s->iteration + 1 : 0;
	if (s->work.first[next] == s->work.last[next])
		return false;
	if (s->iterations && s->iteration + 1 >= s->iterations) {
		s->limited = true;
		return false;
	}
	s->work.first[s->work.now] = s->work.last[s->work.now] = 0;
	s->work.now = next;
	s->work.popped = 0;
	s->iteration++;
	return true;
}

static void
next_in_tree(struct states *s)
{
	s->work.popped = 0;
	for (;;) {
		if (s->work.first[s->work.now] == s->work.last[s->work.now]) {
			if (next_iteration(s))
				continue;
			s->exhausted = true;
			return;
		}
		uint32_t at = s->lists[s->work.now]
				      [s->breadth ? s->work.first[s->work.now] : s->work.last[s->work.now] - 1];
		struct node *n = &s->nodes[at];

		if (!n->rest && n->next == ALL_TRIED(n) && n->only < n->count) {
			/* it comes from the list of postponed answers */
			SL_SAVE(n->next);
			SL_SAVE(n->rest);
			s->sum -= weigh(s, at);
			n->next = 0;
			n->rest = 1;
			s->sum += weigh(s, at);
		}
		if (next_answer(s, at)) {
			if (at != s->head) {
				s->head = at;
				find_trail(s);
			}
			return;
		}
		list_drop(s);
	}
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct states *s = state;

	if (execution->cut)
		s->partial = true;
	if (!s->counted) { /* a finding: no other execution ends in this state */
		s->fresh++;
		s->ends++;
	}
	if (s->tree) {
		next_in_tree(s);
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
	s->limited = false;
	s->length = s->head = s->try = s->goal = 0;
	s->work.now = s->work.first[0] = s->work.first[1] = s->work.last[0] = s->work.last[1] = s->work.popped = 0;
	s->iteration = s->finished = 0;
	s->sum = s->list_sum = 0;
	s->fresh = s->visited = s->ends = s->unknown = s->loops = 0;
}

/* The path to the head is not saved for the undo: it follows from the nodes. */
static void
recover(void *state)
{
	struct states *s = state;

	if (s->tree && s->length && !s->exhausted)
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
				  s->list_sum,
				  (uint64_t)s->work.first[0] << 32 | s->work.last[0],
				  (uint64_t)s->work.first[1] << 32 | s->work.last[1],
				  (uint64_t)s->iteration << 32 | s->work.now << 1 | s->limited,
				  s->exhausted | s->partial << 1 | s->diverged << 2 | s->full << 3};

	if (whole && s->length > NODES_MAX)
		return 0;
	for (uint32_t i = 0; whole && i < s->length; i++)
		rest += weigh(s, i);
	if (whole && (rest != sum || s->level > LEVEL_LAST))
		return 0;
	rest = 0;
	for (unsigned list = 0; whole && list < 2; list++) {
		if (s->work.last[list] > NODES_MAX || s->work.first[list] > s->work.last[list])
			return 0;
		for (uint32_t i = s->work.first[list]; i < s->work.last[list]; i++)
			rest += weigh_entry(s, list, i);
	}
	if (whole && rest != s->list_sum)
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
		.complete = s->exhausted && !s->limited && !s->partial && !s->diverged,
		.selected = s->limited,
		.over = s->exhausted,
		.bound = -1,
		.iterations = s->finished,
		.stateful = true,
		.states = s->fresh,
		.visited = s->visited,
		.ends = s->ends,
		.opaque = s->unknown,
		.loops = s->loops,
	};
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.sum = sum,
	.recover = recover,
	.from = from,
	.ended = ended,
};

const struct sl_strategy sl_strategy_states = {
	.name = "stateful-dfs",
	.summary = "visits every state, depth first",
	.state_size = sizeof(struct states),
	.traits = {.prioritises = true, .heeds = true, .stateful = true, .newest_first = true},
	.start = start_depth,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};

const struct sl_strategy sl_strategy_states_breadth = {
	.name = "stateful-bfs",
	.summary = "visits every state, breadth first",
	.state_size = sizeof(struct states),
	.traits = {.prioritises = true, .heeds = true, .stateful = true},
	.start = start_breadth,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};
