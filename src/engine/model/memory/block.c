/*
 * Checks of the heap: what is wrong with an access, to which block it belongs, and the findings.
 */
#include "engine/core/block.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define NEAR 4096ul /* bytes: an address farther away from every block is attributed to none */

static uint64_t
start_of(const struct sl_block *b)
{
	return (uint64_t)(b + 1);
}

static bool
in_parts(uint64_t address)
{
	return address - SL_HEAP_ADDRESS < SL_HEAP_SPAN;
}

/* Returns the block that contains the address or is near it; NULL if there is none. */
static struct sl_block *
near_block(uint64_t address)
{
	uint64_t at = address & ~7ul, after = 0, before = 0, low, high;

	if (!in_parts(address))
		return sl_block_huge(address);
	low = SL_HEAP_ADDRESS + (address - SL_HEAP_ADDRESS) / SL_HEAP_PART * SL_HEAP_PART;
	high = low + SL_HEAP_PART;
	/* search downwards, through a block or a gap, for a header */
	for (uint64_t gap = 0; at > low && gap < NEAR; at -= 8) {
		uint8_t state = *sl_block_map(at);

		if (state == SL_BLOCK_NONE || (state == SL_BLOCK_HEADER && !before))
			gap += 8;
		if (state != SL_BLOCK_HEADER && state != SL_BLOCK_NONE)
			before = at;
		if (before && *sl_block_map(at - 8) == SL_BLOCK_HEADER)
			break;
	}
	if (before && (at <= low || *sl_block_map(at - 8) != SL_BLOCK_HEADER))
		before = 0;
	else if (before)
		before = at;
	/* search upwards for a block that begins after the address */
	for (at = address & ~7ul; at < high && at < address + NEAR; at += 8) {
		uint8_t state = *sl_block_map(at);

		if (state != SL_BLOCK_HEADER && state != SL_BLOCK_NONE)
			break;
		if (state == SL_BLOCK_HEADER && *sl_block_map(at + 8) != SL_BLOCK_HEADER) {
			after = at + 8;
			break;
		}
	}
	if (!before)
		return after ? (struct sl_block *)after - 1 : NULL;
	struct sl_block *b = (struct sl_block *)before - 1;

	if (after && address >= before + b->size && address - (before + b->size) > after - address)
		b = (struct sl_block *)after - 1;
	return b;
}

/* The thread that allocated or freed a block, and the place. */
static struct sl_culprit
earlier(uint64_t by, enum sl_op_kind kind, uint64_t block)
{
	struct sl_culprit c = {.thread = (uint32_t)(by >> 48),
			       .pc = by & ((1ul << 48) - 1),
			       .kind = (uint8_t)kind};

	if (E.listen.tracing)
		sl_recorder_find(&c, block);
	return c;
}

static void
about(struct sl_finding *f, const struct sl_block *b)
{
	f->block = start_of(b);
	f->block_size = b->size;
	if (b->freed)
		f->culprits[f->culprit_count++] = earlier(b->freed, SL_FREE, start_of(b));
	f->culprits[f->culprit_count++] = earlier(b->made, SL_ALLOC, start_of(b));
}

static void
wrong(uint64_t address, uint64_t start, size_t size, enum sl_op_kind kind, uint64_t pc)
{
	struct sl_block *b = near_block(address);
	bool freed = b && b->freed && address - start_of(b) < b->size;
	struct sl_finding f = {.kind = freed ? SL_FINDING_USE_AFTER_FREE : SL_FINDING_OUT_OF_BOUNDS,
			       .object = address,
			       .culprit_count = 1,
			       .start = start,
			       .extent = size};

	sl_culprit_fill(&f.culprits[0], pc);
	f.culprits[0].kind = (uint8_t)kind; /* an access that is not a point was not announced */
	f.culprits[0].size = size > 255 ? 0 : (uint8_t)size;
	if (b)
		about(&f, b);
	if (freed)
		/* the signature of a race of these two, if they are not ordered: it is the same bug */
		f.signature = sl_mix(sl_place_hash(pc) + sl_place_hash(f.culprits[1].pc) + 7);
	else
		f.signature = sl_mix(sl_place_hash(pc) + (b ? sl_place_hash(f.culprits[1].pc) : 0) + 77);
	sl_found_error(&f, E.arena->config.memory);
}

void
sl_block_check(uint64_t address, size_t size, enum sl_op_kind kind, uint64_t pc)
{
	uint64_t end = address + size;

	if (!E.arena->config.memory)
		return;
	if (!in_parts(address)) {
		const struct sl_block *b = sl_block_huge(address);

		if (!b || b->freed || address < start_of(b))
			wrong(address, address, size, kind, pc);
		else if (end > start_of(b) + b->size)
			wrong(address > start_of(b) + b->size ? address : start_of(b) + b->size, address, size,
			      kind, pc);
		return;
	}
	for (uint64_t at = address; at < end; at = (at & ~7ul) + 8) {
		uint8_t state = *sl_block_map(at);
		uint64_t stop = (at & ~7ul) + 8 < end ? (at & ~7ul) + 8 : end;

		if (state == 8 || (state && state < 8 && stop - (at & ~7ul) <= state))
			continue;
		if (state && state < 8 && (at & 7) < state)
			at = (at & ~7ul) + state;
		wrong(at, address, size, kind, pc);
		return;
	}
}

void
sl_block_bad_free(uint64_t address, uint64_t pc)
{
	struct sl_block *b = near_block(address);
	bool twice = b && start_of(b) == address && b->freed;
	struct sl_finding f = {.kind = SL_FINDING_DOUBLE_FREE, .object = address, .culprit_count = 1};

	if (!twice || !E.arena->config.memory)
		sl_found(SL_FINDING_ABORT, 6, address, pc,
			 twice ? "free() of a block that was freed before"
			       : "free() of something that malloc() did not return");
	sl_culprit_fill(&f.culprits[0], pc);
	about(&f, b);
	f.signature = sl_mix(sl_place_hash(pc) + sl_place_hash(f.culprits[1].pc) + 7);
	sl_found_error(&f, E.arena->config.memory);
}

void
sl_block_mismatch(const struct sl_block *b, enum sl_block_family family, uint64_t pc)
{
	static const char *const messages[3][3] = {
		{NULL, "frees a block from malloc() with delete",
		 "frees a block from malloc() with delete[]"},
		{"frees a block from new with free()", NULL, "frees a block from new with delete[]"},
		{"frees a block from new[] with free()", "frees a block from new[] with delete", NULL},
	};
	struct sl_finding f = {.kind = SL_FINDING_MISUSE, .object = start_of(b), .culprit_count = 1};
	const char *message = messages[b->family % 3][family];

	if (!E.arena->config.memory)
		return;
	sl_culprit_fill(&f.culprits[0], pc);
	about(&f, b);
	sl_text_copy(f.message, sizeof(f.message), message);
	f.signature = sl_mix(sl_place_hash(pc) + sl_place_hash(f.culprits[1].pc) + 777);
	sl_warn(&f);
}
