#include "engine/listen/covering.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "coverage/locks.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"
#include "search/phase.h"

static struct sl_coverage *table;

void
sl_cover_begin(void)
{
	const struct sl_criterion *criterion = sl_arena_criterion(E.arena);
	const struct sl_phase_ops *phase = sl_phase_of(E.worker);

	E.listen.covering = criterion && phase->observes;
	E.listen.covering_all = E.listen.covering && criterion->accesses;
	if (!E.listen.covering)
		return;
	table = &E.arena->coverage[E.worker_number];
	sl_coverage_use(table, criterion);
	table->free_waits = E.arena->config.spurious;
	sl_coverage_begin(table, phase->explores);
}

void
sl_cover_end(void)
{
	E.listen.covering = E.listen.covering_all = false;
	sl_coverage_end(table, sl_coverage_is_growing(table) ? sl_nanoseconds() - E.arena->started : 0);
}

static void
tell(const struct sl_op *op, uint8_t kind, uint8_t size, uint64_t value)
{
	struct sl_item item = {.kind = kind,
			       .size = size,
			       .flags = op->flags | (op->kind == SL_MUTEX_TRYLOCK ? SL_ITEM_TRIED : 0),
			       .thread = op->thread,
			       .object = op->object,
			       .pc = op->pc,
			       .value = value};

	sl_coverage_item(table, &item);
}

void
sl_cover_operation(uint64_t value)
{
	const struct sl_op *op = &E.current->op;

	/* the place may be in a library that is new here, and unloaded when places are named */
	if (sl_kind_is(op->kind, SL_KIND_TAKES) && !sl_libraries_had(op->pc))
		sl_libraries_note_more();
	tell(op, E.listen.took ? E.listen.took : op->kind, op->size, value);
}

void
sl_cover_request(const struct sl_thread *t)
{
	if (table->criterion->requests && sl_kind_awaits_lock(t->op.kind))
		tell(&t->op, SL_ITEM_REQUEST, t->op.kind, 0);
}
