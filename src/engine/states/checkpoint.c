/*
 * Checkpoints: saved states in the middle of an execution (state.h).
 *
 * Everything has a fixed address, so a checkpoint is a list of (address, bytes), and restoring it copies them over
 * the initial state of an execution. The host makes and restores checkpoints while no thread runs. Memory is taken
 * in pages, up to the user's limit; then the state that will be wanted last is dropped.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/under/bulk.h"
#include "engine/under/poison.h"

#define PAGE_BYTES (SL_PAGE - 8)
#define NONE UINT32_MAX

struct page {
	uint32_t next, used;
	char bytes[PAGE_BYTES];
};

/* The header of a piece; size 0: the last one. */
struct piece {
	uint64_t address, size;
};

struct checkpoint {
	uint64_t name;
	uint32_t first, pages;
	uint32_t older, newer; /* ordered by age */
	uint32_t chain; /* the next one in the same bucket, or among the free ones */
};

#define BUCKETS (1u << 16)

static struct page *pool;
static uint32_t pool_size, pool_used, free_page = NONE, pages_held;
static struct checkpoint *all;
static uint32_t all_used, free_checkpoint = NONE, oldest = NONE, newest = NONE;
static uint32_t *buckets; /* indices plus one */
static uint64_t wanted; /* the name under which the state is to be saved */
static bool asked;
static bool restored; /* … and whether the engine has just restored it */
static struct page *into; /* the page that is being written */
static uint32_t old_sequence;

/* ---- the store ---- */

static void
prepare(void)
{
	uint32_t size = (uint32_t)(E.arena->config.limit.state_memory / sizeof(struct page));

	if (pool && size <= pool_size)
		return;
	sl_checkpoints_drop_all();
	pool_size = size;
	pool_used = all_used = pages_held = 0;
	free_page = free_checkpoint = NONE;
	pool = sl_private_alloc(((size_t)pool_size + 1) * sizeof(*pool));
	all = sl_private_alloc(((size_t)pool_size + 1) * sizeof(*all));
	buckets = sl_private_alloc(BUCKETS * sizeof(*buckets));
}

static uint32_t
find(uint64_t name)
{
	uint32_t at = buckets ? buckets[name % BUCKETS] : 0;

	while (at && all[at - 1].name != name)
		at = all[at - 1].chain;
	return at ? at - 1 : NONE;
}

static void
give_pages(uint32_t first)
{
	while (first != NONE) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a page there is the pool */
		uint32_t next = pool[first].next;

		pool[first].next = free_page;
		free_page = first;
		pages_held--;
		first = next;
	}
}

static void
drop(uint32_t at)
{
	struct checkpoint *c = &all[at];
	uint32_t *link = &buckets[c->name % BUCKETS];

	while (*link != at + 1)
		link = &all[*link - 1].chain;
	*link = c->chain;
	if (c->older != NONE)
		all[c->older].newer = c->newer;
	else
		oldest = c->newer;
	if (c->newer != NONE)
		all[c->newer].older = c->older;
	else
		newest = c->older;
	give_pages(c->first);
	c->chain = free_checkpoint;
	free_checkpoint = at;
	E.worker->checkpoints.kept--;
}

bool
sl_checkpoint_has(uint64_t name)
{
	return find(name) != NONE;
}

void
sl_checkpoint_drop(uint64_t name)
{
	uint32_t at = find(name);

	if (at != NONE)
		drop(at);
}

void
sl_checkpoints_drop_all(void)
{
	while (oldest != NONE)
		drop(oldest);
}

/* Takes another page for writing: if necessary, that of a state that will be wanted later than this one. */
static struct page *
take_page(void)
{
	uint32_t at = free_page;

	if (at == NONE && pool_used < pool_size) {
		at = pool_used++;
	} else if (at == NONE) {
		if (oldest == NONE || !E.strategy->traits.newest_first)
			return NULL;
		drop(oldest);
		E.worker->checkpoints.evicted++;
		at = free_page;
		free_page = pool[at].next;
	} else {
		free_page = pool[at].next;
	}
	pages_held++;
	if (pages_held * sizeof(struct page) > E.worker->checkpoints.bytes)
		E.worker->checkpoints.bytes = pages_held * sizeof(struct page);
	pool[at].next = NONE;
	pool[at].used = 0;
	return &pool[at];
}

/* ---- writing ---- */

static void
put(const void *from, size_t size)
{
	const char *at = from;

	while (size && into) {
		size_t n = PAGE_BYTES - into->used < size ? PAGE_BYTES - into->used : size;

		sl_memcpy(into->bytes + into->used, at, n);
		into->used += (uint32_t)n;
		at += n;
		size -= n;
		if (size) {
			struct page *next = take_page();

			if (next)
				into->next = (uint32_t)(next - pool);
			into = next;
		}
	}
}

void
sl_checkpoint_bytes(void *at, size_t size)
{
	struct piece piece = {(uint64_t)at, size};

	if (!size)
		return;
	put(&piece, sizeof(piece));
	put(at, size);
}

#define BYTES_OF(variable) sl_checkpoint_bytes(&(variable), sizeof(variable))

static void
keep_thread(struct sl_thread *t)
{
	uintptr_t sp = (uintptr_t)E.contexts[t->id].sp;

	if (!t->alive && t != E.current) /* a thread that has just ended still asks for the next one */
		return;
	sl_checkpoint_bytes((void *)sp, t->stack.low + t->stack.size - sp);
	sl_checkpoint_bytes(t->kept.frames, t->stack.depth * sizeof(t->kept.frames[0]));
	if (t->spin.pc) {
		uint64_t words = (t->stack.low + t->stack.size - t->kept.look->entry.rsp) / 8;

		sl_checkpoint_bytes(t->kept.look, offsetof(struct sl_look, words) +
							  (words < SL_LOOK_WORDS ? words : SL_LOOK_WORDS) * 8);
	}
	struct sl_storage storage = sl_carrier_storage(t->slot);

	sl_checkpoint_bytes(storage.bytes, storage.size);
	sl_checkpoint_bytes(storage.table, storage.table_size);
}

static void
put_all(void)
{
	struct sl_items *items = &E.worker->schedule;

	BYTES_OF(sl_engine);
	sl_checkpoint_bytes(E.threads, E.thread_count * sizeof(E.threads[0]));
	sl_checkpoint_bytes(E.contexts, E.thread_count * sizeof(E.contexts[0]));
	sl_checkpoint_bytes(E.ready.places, E.thread_count * sizeof(E.ready.places[0]));
	sl_checkpoint_bytes(E.ready.kin, E.thread_count * sizeof(E.ready.kin[0]));
	sl_checkpoint_bytes(E.ready.changed, E.ready.changed_count * sizeof(E.ready.changed[0]));
	sl_checkpoint_bytes(E.ready.ops, E.ready.count * sizeof(E.ready.ops[0]));
	BYTES_OF(items->count);
	sl_checkpoint_bytes(items->items, items->count * sizeof(items->items[0]));
	for (uint32_t i = 0; i < E.thread_count; i++)
		keep_thread(&E.threads[i]);
	sl_state_keep_memory();
	sl_memory_keep();
	sl_carriers_keep();
	sl_objects_keep();
	sl_time_keep();
	sl_threads_keep();
	sl_token_keep();
	sl_hidden_keep();
	sl_plan_keep();
	put(&(struct piece){0, 0}, sizeof(struct piece));
}

bool
sl_checkpoint_wanted(void)
{
	return asked;
}

void
sl_checkpoint_make(void)
{
	struct page *first;
	uint32_t at;

	asked = false;

	prepare();
	first = into = take_page();
	if (!first)
		return;
	put_all();
	E.control = false;
	if (!into) { /* states that are wanted earlier use all the memory */
		give_pages((uint32_t)(first - pool));
		E.worker->checkpoints.evicted++;
		return;
	}
	at = free_checkpoint;
	if (at == NONE)
		at = all_used++;
	else
		free_checkpoint = all[at].chain;
	all[at] = (struct checkpoint){.name = wanted,
				      .first = (uint32_t)(first - pool),
				      .older = newest,
				      .newer = NONE,
				      .chain = buckets[wanted % BUCKETS]};
	buckets[wanted % BUCKETS] = at + 1;
	if (newest != NONE)
		all[newest].newer = at;
	else
		oldest = at;
	newest = at;
	E.worker->checkpoints.kept++;
}

/* ---- reading ---- */

static const struct page *out;
static uint32_t out_at;

static void
get(void *to, size_t size)
{
	char *at = to;

	while (size) {
		if (out_at == out->used) {
			out = &pool[out->next];
			out_at = 0;
		}
		size_t n = out->used - out_at < size ? out->used - out_at : size;

		sl_memcpy(at, out->bytes + out_at, n);
		out_at += (uint32_t)n;
		at += n;
		size -= n;
	}
}

void
sl_checkpoint_restore(uint64_t name)
{
	struct sl_engine now = E;
	struct piece piece;

	out = &pool[all[find(name)].first];
	out_at = 0;
	for (get(&piece, sizeof(piece)); piece.size; get(&piece, sizeof(piece)))
		get((void *)piece.address, piece.size);
	old_sequence = E.sequence;
	/* the fields that belong to executions, not to the program */
	E.sequence = now.sequence;
	E.time.base = now.time.base;
	E.time.base_next = now.time.base_next;
	E.listen.hashing = now.listen.hashing;
	E.listen.comparing = now.listen.comparing;
	E.slow = now.slow;
	E.progress.step_limit = now.progress.step_limit;
	E.listen.probing = false; /* livelock.c checks again later */
	E.progress.probe_at = E.steps + now.progress.probe_at < E.progress.step_limit
				      ? E.steps + now.progress.probe_at
				      : E.progress.step_limit;
	sl_deadline_reset();
	sl_carriers_kept();
	sl_objects_kept();
	sl_threads_kept();
	restored = true;
	E.worker->checkpoints.restored++;
}

uint32_t
sl_checkpoint_sequence(void)
{
	return old_sequence;
}

/* ---- the thread's side ---- */

bool
sl_checkpoint_keep(uint64_t name)
{
	if (!sl_state_is_identified()) /* a state without an identity can't be saved, either */
		return false;
	if (E.listen.reeling) /* a recording begins at the start of an execution: see docs/decisions/traces.md */
		return false;
	wanted = name;
	asked = true;
	restored = false;
	sl_host_pause();
	E.control = true;
	return restored;
}
