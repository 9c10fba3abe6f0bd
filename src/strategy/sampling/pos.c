/*
 * Partial order sampling (Yuan, Yang and Gu, CAV 2018): every operation gets a random priority when it is
 * announced, and the highest goes; operations that conflict with it draw again, the others keep their priorities.
 * So the order of independent operations does not influence the choice, and the partial orders are sampled much
 * more evenly than with a uniform choice.
 *
 * A thousand threads at one lock would draw a thousand times for every operation. So only the priorities that
 * matter are drawn. Instead of a uniform priority, of which the highest goes, an operation has an exponential
 * alarm -ln(priority), of which the earliest goes: the same order. Operations that conflict with the same others
 * (same object, same size, both writing or not) form a group. Of its `count` members [0, drawn) have known alarms,
 * the latest first; of the others it is known only that their alarms are after `bound`. Since the exponential
 * distribution has no memory, these alarms are independent, and each is bound plus an exponential. So the earliest
 * of k of them is bound plus an exponential divided by k, and belongs to each with the same probability; a group
 * that draws again has bound 0 and no drawn member. One member is always drawn, the earliest, and a heap of the
 * groups yields the earliest of all. A step costs the same among any number of threads, except for the heap, whose
 * depth is the logarithm of the number of groups.
 *
 * Deviation: with probability 1/8 a late operation draws like any other, else from below them all. (If it drew
 * from a lower range, its order relative to the operations that it overtakes would be biased: only low ones, which
 * then stay behind for long.) When a late operation goes, the other late ones draw again: otherwise a polling
 * thread would starve one that drew very low. They draw again one at a time.
 */
#include "strategy/sampling/sample.h"

#include <string.h>

#define LOW 0x8000u        /* flag of a key: late, and below all others */
#define BELOW (1ull << 62) /* their alarms are later than this */
#define LINE 64u           /* groups are found by the line in which their object begins */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_pos *s = state;

	(void)err;
	sl_sample_start(&s->sample, options);
	return 0;
}

static bool
begin(void *state)
{
	struct sl_pos *s = state;

	sl_sample_begin(&s->sample);
	s->free_group = s->last_group = s->heap_count = s->pending = s->exits = s->again_count = 0;
	s->widest = 1;
	memset(s->free_block, 0, sizeof(s->free_block));
	memset(s->end_of_blocks, 0, sizeof(s->end_of_blocks));
	return true;
}

/* ---- the heap ---- */

static void
heap_put(struct sl_pos *s, uint32_t at, struct sl_pos_top top)
{
	s->heap[at] = top;
	s->groups[top.group].heap = at;
}

/* Puts the group at this position, or where it belongs above or below. */
static void
heap_move(struct sl_pos *s, uint32_t at, struct sl_pos_top top)
{
	for (; at && s->heap[(at - 1) / 2].alarm > top.alarm; at = (at - 1) / 2)
		heap_put(s, at, s->heap[(at - 1) / 2]);
	for (uint32_t child; (child = 2 * at + 1) < s->heap_count; at = child) {
		if (child + 1 < s->heap_count && s->heap[child + 1].alarm < s->heap[child].alarm)
			child++;
		if (s->heap[child].alarm >= top.alarm)
			break;
		heap_put(s, at, s->heap[child]);
	}
	heap_put(s, at, top);
}

static void
heap_remove(struct sl_pos *s, uint32_t at)
{
	if (at != --s->heap_count)
		heap_move(s, at, s->heap[s->heap_count]);
}

/* ---- blocks of members ---- */

static uint32_t
block_take(struct sl_pos *s, uint32_t size)
{
	uint32_t block = s->free_block[size]; /* plus 1 */

	if (block) {
		s->free_block[size] = s->members[size][block - 1];
		return block - 1;
	}
	block = s->end_of_blocks[size];
	s->end_of_blocks[size] += SL_POS_BLOCK << size;
	return block;
}

static void
block_give(struct sl_pos *s, uint32_t block, uint32_t size)
{
	s->members[size][block] = s->free_block[size];
	s->free_block[size] = block + 1;
}

static void
resize(struct sl_pos *s, struct sl_pos_group *g, uint32_t size)
{
	uint32_t block = block_take(s, size);

	memcpy(&s->members[size][block], &s->members[g->size][g->block], g->count * sizeof(uint32_t));
	block_give(s, g->block, g->size);
	g->block = block;
	g->size = size;
}

static void
place(struct sl_pos *s, struct sl_pos_group *g, uint32_t at, uint32_t thread)
{
	s->members[g->size][g->block + at] = thread;
	s->slots[thread].at = at;
}

static uint32_t
member(const struct sl_pos *s, const struct sl_pos_group *g, uint32_t at)
{
	return s->members[g->size][g->block + at];
}

/* ---- groups ---- */

static struct sl_pos_key
key_of(const struct sl_op *op)
{
	if (op->kind == SL_EXIT)
		return (struct sl_pos_key){.kind = SL_EXIT, .flags = op->flags & SL_OP_LATE};
	if (!op->object)
		return (struct sl_pos_key){.flags = op->flags & SL_OP_LATE};
	return (struct sl_pos_key){
		.object = op->object,
		.size = op->size,
		.flags = op->flags & (SL_OP_WRITES | SL_OP_LATE),
	};
}

static bool
same(const struct sl_pos_key *a, const struct sl_pos_key *b)
{
	return a->object == b->object && a->kind == b->kind && a->size == b->size && a->flags == b->flags;
}

static bool
conflict(const struct sl_pos_key *a, const struct sl_pos_key *b)
{
	struct sl_op x = {.kind = a->kind, .size = a->size, .flags = a->flags, .object = a->object};
	struct sl_op y = {.kind = b->kind, .size = b->size, .flags = b->flags, .object = b->object};

	return sl_op_conflicts(&x, &y);
}

static uint32_t *
bucket(struct sl_pos *s, uint64_t line)
{
	struct sl_pos_bucket *b = &s->buckets[line * 0x9e3779b97f4a7c15u >> 52];

	_Static_assert(SL_POS_BUCKETS == 1u << (64 - 52), "as many as the hash has values");
	if (b->stamp != s->sample.stamp)
		*b = (struct sl_pos_bucket){.stamp = s->sample.stamp};
	return &b->first;
}

static struct sl_pos_group *
group_get(struct sl_pos *s, const struct sl_pos_key *key)
{
	uint32_t *first = bucket(s, key->object / LINE), number;

	for (number = *first; number; number = s->groups[number].next)
		if (same(&s->groups[number].key, key))
			return &s->groups[number];
	number = s->free_group;
	if (number)
		s->free_group = s->groups[number].next;
	else
		number = ++s->last_group;
	s->groups[number] = (struct sl_pos_group){
		.key = *key,
		.block = block_take(s, 0),
		.heap = s->heap_count++,
		.next = *first,
	};
	*first = number;
	if (key->size > s->widest)
		s->widest = key->size;
	return &s->groups[number];
}

static void
group_free(struct sl_pos *s, struct sl_pos_group *g)
{
	uint32_t number = (uint32_t)(g - s->groups), *link = bucket(s, g->key.object / LINE);

	while (*link != number)
		link = &s->groups[*link].next;
	*link = g->next;
	heap_remove(s, g->heap);
	block_give(s, g->block, g->size);
	g->count = 0;
	g->next = s->free_group;
	s->free_group = number;
}

/* Makes sure that the earliest member is drawn, and updates the heap. */
static void
settle(struct sl_pos *s, struct sl_pos_group *g)
{
	if (!g->drawn) {
		uint32_t at = g->count > 1 ? sl_rng_below(&s->sample.rng, g->count) : 0;
		uint32_t thread = member(s, g, at);

		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): take() frees a group when its last member leaves */
		g->bound += sl_rng_exponential(&s->sample.rng) / g->count;
		place(s, g, at, member(s, g, 0));
		place(s, g, 0, thread);
		s->slots[thread].alarm = g->bound;
		g->drawn = 1;
	}
	heap_move(s, g->heap,
		  (struct sl_pos_top){s->slots[member(s, g, g->drawn - 1)].alarm, (uint32_t)(g - s->groups)});
}

static uint64_t
earliest(const struct sl_pos_group *g)
{
	return g->key.flags & LOW ? BELOW : 0;
}

static void
add(struct sl_pos *s, uint32_t thread)
{
	struct sl_pos_slot *slot = &s->slots[thread];
	struct sl_pos_key key = slot->key;

	if ((key.flags & SL_OP_LATE) && (sl_rng_next(&s->sample.rng) & 7))
		key.flags |= LOW;
	struct sl_pos_group *g = group_get(s, &key);
	uint32_t at = g->count;

	if (at == SL_POS_BLOCK << g->size)
		resize(s, g, g->size + 1);
	g->count++;
	slot->group = (uint32_t)(g - s->groups);
	s->pending++;
	s->exits += key.kind == SL_EXIT;
	if (at == 0) {
		g->bound = earliest(g);
		place(s, g, 0, thread);
		settle(s, g);
		return;
	}
	slot->alarm = earliest(g) + sl_rng_exponential(&s->sample.rng);
	if (slot->alarm < g->bound) {
		if (g->drawn < at)
			place(s, g, at, member(s, g, g->drawn));
		for (at = g->drawn++; at && s->slots[member(s, g, at - 1)].alarm < slot->alarm; at--)
			place(s, g, at, member(s, g, at - 1));
	}
	place(s, g, at, thread);
	if (at + 1 == g->drawn)
		settle(s, g);
}

/* With drawn_again the group is about to draw again, so it need not be settled before. */
static void
take(struct sl_pos *s, uint32_t thread, bool drawn_again)
{
	struct sl_pos_slot *slot = &s->slots[thread];
	struct sl_pos_group *g = &s->groups[slot->group];
	uint32_t at = slot->at;

	bool first = at + 1 == g->drawn;

	slot->group = 0;
	s->pending--;
	s->exits -= g->key.kind == SL_EXIT;
	if (!--g->count) {
		group_free(s, g);
		return;
	}
	if (at < g->drawn) {
		for (g->drawn--; at < g->drawn; at++)
			place(s, g, at, member(s, g, at + 1));
	}
	if (at < g->count)
		place(s, g, at, member(s, g, g->count));
	if (g->size && g->count <= SL_POS_BLOCK << g->size >> 2)
		resize(s, g, g->size - 1);
	if (first && !drawn_again)
		settle(s, g);
}

/* ---- choosing ---- */

static void
redraw(struct sl_pos *s, struct sl_pos_group *g)
{
	if (!(g->key.flags & SL_OP_LATE)) {
		g->drawn = 0;
		g->bound = earliest(g);
		settle(s, g);
		return;
	}
	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t thread = member(s, g, i);

		s->slots[thread].group = 0;
		s->again[s->again_count++] = thread;
	}
	s->pending -= g->count;
	s->exits -= g->key.kind == SL_EXIT ? g->count : 0;
	group_free(s, g);
}

static void
redraw_line(struct sl_pos *s, const struct sl_pos_key *key, uint64_t line)
{
	for (uint32_t number = *bucket(s, line), next; number; number = next) {
		struct sl_pos_group *g = &s->groups[number];

		next = g->next;
		if (g->key.object / LINE == line && conflict(key, &g->key))
			redraw(s, g);
	}
}

static bool
draws_again(const struct sl_pos_key *key, const struct sl_pos_key *going)
{
	return conflict(going, key) || (going->flags & key->flags & SL_OP_LATE);
}

static void
redraw_others(struct sl_pos *s, const struct sl_pos_key *key)
{
	bool all = key->kind == SL_EXIT || (key->flags & SL_OP_LATE);

	if (all) {
		for (uint32_t number = 1; number <= s->last_group; number++)
			if (s->groups[number].count && draws_again(&s->groups[number].key, key))
				redraw(s, &s->groups[number]);
	} else if (key->object) {
		uint64_t begins = key->object < s->widest ? 0 : key->object - s->widest + 1;
		uint64_t last = key->object + (key->size ? key->size - 1u : 0);

		for (uint64_t line = begins / LINE; line <= last / LINE; line++)
			redraw_line(s, key, line);
	}
	if (s->exits && !all)
		redraw_line(s, key, 0);
	while (s->again_count)
		add(s, s->again[--s->again_count]);
}

void
sl_pos_update(struct sl_pos *s, const struct sl_choice *c, uint32_t thread, bool held)
{
	struct sl_pos_slot *slot = &s->slots[thread];
	const struct sl_op *op = c->places[thread] < c->count && !held ? c->ops[c->places[thread]] : NULL;

	if (slot->stamp != s->sample.stamp)
		*slot = (struct sl_pos_slot){.stamp = s->sample.stamp};
	if (op) {
		struct sl_pos_key key = key_of(op);

		if (slot->group && slot->index == op->index && same(&slot->key, &key))
			return;
		slot->key = key;
		slot->index = op->index;
	}
	if (slot->group)
		take(s, thread, false);
	if (op)
		add(s, thread);
}

unsigned
sl_pos_pick(struct sl_pos *s, const struct sl_choice *c)
{
	const struct sl_pos_group *g = &s->groups[s->heap[0].group];
	uint32_t thread = member(s, g, g->drawn - 1);

	take(s, thread, draws_again(&g->key, &g->key));
	redraw_others(s, &s->slots[thread].key);
	return c->places[thread];
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_pos *s = state;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	for (unsigned i = 0; i < c->changed_count; i++)
		sl_pos_update(s, c, c->changed[i], false);
	if (s->pending != c->count)
		return c->count; /* `changed` was incomplete: a bug of the engine, which reports the answer */
	return sl_pos_pick(s, c);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_pos = {
	.name = "pos",
	.summary = "gives operations random priorities: every partial order gets its chance",
	.state_size = sizeof(struct sl_pos),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
