/*
 * Finds the blocks that can be reached at the end of an execution: from the program's data, from the stacks and
 * thread-local variables of live threads, and from other reachable blocks. Every word that may be an address in a
 * block counts as a pointer. The remaining blocks are lost (search/leak.h).
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "search/leak.h"
#include "engine/under/poison.h"

struct entry {
	struct sl_block *block;
	bool reached;
};

static struct entry *blocks; /* sorted by address: parts, then huge blocks */
static uint64_t block_count;
static uint64_t *pending; /* reached blocks that must be scanned */
static uint64_t pending_count;

static void
count(struct sl_block *block)
{
	(void)block;
	block_count++;
}

static void
collect(struct sl_block *block)
{
	blocks[block_count++] = (struct entry){block, false};
}

static void
look_at(uint64_t value)
{
	uint64_t low = 0, high = block_count;

	if (!sl_block_covers(value))
		return;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if ((uint64_t)(blocks[middle].block + 1) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return;
	struct entry *e = &blocks[low - 1];

	/* one past the end may be the end of an iteration */
	if (e->reached || value - (uint64_t)(e->block + 1) > e->block->size)
		return;
	e->reached = true;
	pending[pending_count++] = low - 1;
}

/* Scans memory by sl_probe(), because some pages may not be readable. */
static void
scan(uint64_t low, uint64_t high)
{
	for (uint64_t at = (low + 7) & ~7ul; at + 8 <= high; at += 8)
		look_at(sl_probe(at));
	while (pending_count) {
		struct sl_block *b = blocks[pending[--pending_count]].block;
		uint64_t start = (uint64_t)(b + 1);

		for (uint64_t at = start; at + 8 <= start + b->size; at += 8)
			look_at(*(uint64_t *)at);
	}
}

static void
scan_thread(const struct sl_thread *t)
{
	uint64_t low = t->stack.lowest - 4 * SL_PAGE, high = t->stack.low + t->stack.size, values[2];

	values[0] = (uint64_t)t->born.argument;
	values[1] = (uint64_t)t->ends.result;
	if (!t->ends.joined && (t->alive || !t->ends.detached))
		scan((uint64_t)values, (uint64_t)(values + 2));
	if (!t->alive)
		return;
	if (low < t->stack.low)
		low = t->stack.low;
	if (t == E.current && E.outcome.exit_frame > low && E.outcome.exit_frame < high)
		low = E.outcome.exit_frame; /* the stack below has frames that were left, such as main's */
	if (t->id && sl_carrier_handle(t->slot) + SL_PAGE > high)
		high = sl_carrier_handle(t->slot) + SL_PAGE; /* thread-local variables, keys */
	scan(low, high);
}

static void
mark_reached(void)
{
	block_count = pending_count = 0;
	sl_heap_each(count);
	blocks = sl_scratch_alloc((block_count + 1) * sizeof(*blocks));
	pending = sl_scratch_alloc((block_count + 1) * sizeof(*pending));
	block_count = 0;
	sl_heap_each(collect);
	sl_world_each(scan);
	sl_mappings_each(scan);
	for (uint32_t i = 0; i < E.thread_count; i++)
		scan_thread(&E.threads[i]);
}

static uint64_t
place_of(const struct sl_block *b)
{
	return b->made & ((1ul << 48) - 1);
}

void
sl_reach(uint32_t n)
{
	mark_reached();
	for (uint64_t i = 0; i < block_count; i++) {
		struct sl_block *b = blocks[i].block;

		if (!blocks[i].reached && b->family != SL_BLOCK_KEYS)
			sl_leak_lost(E.worker, n, place_of(b), (uint32_t)(b->made >> 48), b->size);
	}
}

static bool
is_subject(uint64_t signature)
{
	return E.arena->cases[E.worker->subject].finding.signature == signature;
}

bool
sl_reach_again(struct sl_finding *found)
{
	*found = E.arena->cases[E.worker->subject].finding;
	found->block_size = found->extent = 0;
	mark_reached();
	for (uint64_t i = 0; i < block_count; i++) {
		struct sl_block *b = blocks[i].block;
		struct sl_culprit *c = &found->culprits[0];

		if (blocks[i].reached || !is_subject(sl_leak_signature(place_of(b))))
			continue;
		if (!found->block_size++) {
			*c = (struct sl_culprit){.thread = (uint32_t)(b->made >> 48),
						 .pc = place_of(b),
						 .kind = SL_ALLOC};
			if (E.worker->repeats == 0) /* only the first is recorded */
				sl_recorder_find(c, (uint64_t)(b + 1));
		}
		found->extent += b->size;
	}
	found->culprit_count = 1;
	return found->block_size;
}
