/*
 * Records operations, call stacks and threads for the story of a finding, and computes the hash by which two
 * executions are compared operation by operation.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/debugger.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"

static struct sl_case *into; /* set while tracing */
static uint64_t carried[SL_TRACE_THREADS_MAX];
static uint64_t noted; /* the number of noted operations */

/* Compares with the previously noted execution, and overwrites it. */
static void
note(const struct sl_op *op, uint64_t value)
{
	struct sl_worker *w = E.worker;
	struct sl_record *n = &w->notes[noted];

	if (noted >= SL_NOTES_MAX)
		return;
	if (!w->parting.at && (noted >= w->note_count || n->op.kind != op->kind || n->op.thread != op->thread ||
			       n->op.index != op->index || n->op.object != op->object || n->op.pc != op->pc ||
			       n->op.size != op->size || n->value != value)) {
		w->parting = (struct sl_difference){noted + 1, *n, {.op = *op, .value = value}};
		if (noted >= w->note_count)
			w->parting.first.op.kind = SL_OP_KIND_COUNT;
	}
	*n = (struct sl_record){.op = *op, .value = value};
	noted++;
}

void
sl_notes_begin(void)
{
	noted = 0;
	E.worker->parting.at = 0;
}

void
sl_notes_end(void)
{
	struct sl_worker *w = E.worker;

	if (!w->parting.at && noted < w->note_count)
		w->parting =
			(struct sl_difference){noted + 1, w->notes[noted], {.op = {.kind = SL_OP_KIND_COUNT}}};
	w->note_count = noted;
}

/*
 * The address of an environment variable's value depends on the other variables, which differ in a replay: the
 * hash has the variable's name and the offset instead.
 */
static uint64_t environment_low, environment_size;

void
sl_recorder_environment(char *const *environment)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (; environment && *environment; environment++) {
		uint64_t at = (uint64_t)*environment;

		low = at < low ? at : low;
		high = at + sl_strlen(*environment) > high ? at + sl_strlen(*environment) : high;
	}
	environment_low = low;
	environment_size = high > low ? high - low : 0;
}

static uint64_t
settled(uint64_t address)
{
	const char *start = (const char *)address;
	uint64_t hash = 1;

	if (likely(address - environment_low >= environment_size))
		return address;
	while ((uint64_t)start > environment_low && start[-1])
		start--;
	for (const char *c = start; *c && *c != '='; c++)
		hash = sl_mix(hash + (unsigned char)*c);
	return hash + (address - (uint64_t)start);
}

/* ---- operations that enable, in other executions, the threads that are stuck in the finding ---- */

static struct sl_enablers *enablers; /* set while E.listen.enabling */

void
sl_enabling_begin(struct sl_enablers *into_these)
{
	enablers = into_these;
	for (uint32_t i = 0; i < enablers->count; i++)
		enablers->items[i].now = 0;
	for (uint32_t i = 0; i < enablers->stuck_count; i++)
		enablers->stuck[i].passed = 0;
}

void
sl_enabling_end(void)
{
	for (uint32_t i = 0; i < enablers->count; i++)
		if (enablers->items[i].now > enablers->items[i].most)
			enablers->items[i].most = enablers->items[i].now;
}

static void
note_enabler(const struct sl_op *op, uint64_t value)
{
	const struct sl_thread *t = E.current;
	uint64_t done[SL_FLAGS_MAX], path = E.ready.kin[t->id].path;
	uint32_t done_count = 0, k;
	bool after = true;

	for (uint32_t i = 0; i < enablers->stuck_count; i++) {
		struct sl_stuck *s = &enablers->stuck[i];

		if (s->path != path)
			continue;
		after = s->passed; /* the operation at that place is not counted */
		s->passed |= s->pc == op->pc;
	}

	for (uint32_t i = 0; i < enablers->flag_count; i++) {
		const struct sl_flag *flag = &enablers->flags[i];
		struct sl_enabler *e;

		if (!sl_enables(op, value, flag))
			continue;
		for (k = 0; k < done_count && done[k] != flag->address; k++)
			;
		if (k < done_count) /* two threads wait for it */
			continue;
		done[done_count++] = flag->address;
		e = sl_enabler_get(enablers, flag->address, path, op->pc);
		if (!e)
			continue;
		e->kind = op->kind;
		e->now++;
		e->after |= after;
		for (k = 0; k + 1 < SL_ENABLER_FRAMES && k < t->stack.depth; k++)
			e->pcs[k + 1] = t->kept.frames[t->stack.depth - 1 - k].pc;
	}
}

void
sl_hash_op(uint64_t value)
{
	const struct sl_op *op = &E.current->op;

	if (unlikely(E.listen.looping))
		sl_endless_operation();
	if (unlikely(E.listen.enabling))
		note_enabler(op, value);

	if (unlikely(E.listen.probing))
		sl_livelock_operation(value);
	if (!E.listen.comparing)
		return;
	note(op, value);
	E.listen.hash = sl_mix(E.listen.hash ^ settled(op->object) ^ (uint64_t)op->thread << 48 ^
			       (uint64_t)op->kind << 56) +
			sl_mix(op->pc ^ op->index << 20 ^ (uint64_t)op->size << 8) * 3 + settled(value);
}

void
sl_recorder_begin(struct sl_case *c)
{
	into = c;
	c->record_count = 0;
	c->frame_count = 1; /* 0 is "unknown" */
	c->thread_count = 0;
	c->mapped_count = 0;
	c->setting.signature = 0;
	E.listen.tracing = true;
}

struct sl_setting *
sl_recorder_setting(void)
{
	if (!E.listen.tracing)
		return NULL;
	into->setting.from = into->record_count;
	for (uint32_t i = 0; i < SL_TRACE_THREADS_MAX; i++)
		carried[i] = i < E.thread_count && E.threads[i].alive && &E.threads[i] != E.current
				     ? E.threads[i].op.index
				     : 0;
	return &into->setting;
}

static uint32_t
stack_now(struct sl_thread *t)
{
	return t->stack.depth ? t->kept.frames[t->stack.depth - 1].stack : 0;
}

void
sl_record(uint64_t value)
{
	struct sl_record *r = &into->records[into->record_count++ % SL_RECORDS_MAX];

	if (unlikely(into->record_count == E.arena->config.trace.until) && E.arena->config.trace.stop_at_failure)
		sl_debugger_stop_before();

	r->op = E.current->op;
	if (E.listen.took)
		r->op.kind = E.listen.took;
	r->value = value;
	r->stack = stack_now(E.current);
	r->cost = E.preemptions.cost;
	E.preemptions.cost = 0;
}

void
sl_record_swap_failed(enum sl_op_kind kind)
{
	struct sl_op *op = &into->records[(into->record_count - 1) % SL_RECORDS_MAX].op;

	op->flags &= (uint16_t)~SL_OP_WRITES;
	op->kind = (uint8_t)kind;
}

/*
 * There are few different call stacks: a child is found by a hash. If all operations are traced, each call has its
 * own frame while there is room.
 *
 * The table is not cleared for each execution, which would take longer than most executions do: an entry is valid
 * if its frame exists and says that it is in this slot. So each frame has one entry at most, and half of the table
 * is free.
 */
uint32_t
sl_recorder_stack(uint32_t parent, uint64_t pc)
{
	static uint32_t table[SL_FRAMES_MAX * 2], put[SL_FRAMES_MAX];
	static struct sl_case *table_of;
	static uint32_t table_sequence;

	if (!into)
		return 0;
	if (E.arena->config.trace.all && into->frame_count < SL_FRAMES_MAX / 2) {
		into->frames[into->frame_count] = (struct sl_frame){pc, parent, 0};
		return into->frame_count++;
	}
	/* stale entries must not refer to frames that are not in the table */
	if (E.arena->config.trace.all && (table_of != into || table_sequence != E.sequence)) {
		sl_memset(table, 0, sizeof(table));
		table_of = into;
		table_sequence = E.sequence;
	}
	for (uint32_t at = (uint32_t)sl_mix(pc + parent * 0x9e3779b97f4a7c15u);; at++) {
		uint32_t here = at % (SL_FRAMES_MAX * 2), frame = table[here];
		bool used = frame && frame < into->frame_count && put[frame] == here;

		if (used && into->frames[frame].pc == pc && into->frames[frame].parent == parent)
			return frame;
		if (used)
			continue;
		if (into->frame_count == SL_FRAMES_MAX)
			return parent;
		frame = into->frame_count++;
		into->frames[frame] = (struct sl_frame){pc, parent, 0};
		table[here] = frame;
		put[frame] = here;
		return frame;
	}
}

void
sl_recorder_mapped(uint64_t address, uint64_t size, int fd, uint64_t offset)
{
	char link[32], path[4096];
	struct sl_mapped_file *m;
	long length, from;
	size_t used = 0;

	if (!into || into->mapped_count == SL_MAPPED_MAX)
		return;
	sl_text_add(link, sizeof(link), &used, "/proc/self/fd/");
	sl_text_add_number(link, sizeof(link), &used, (unsigned long)fd);
	length = sl_raw(SYS_readlink, link, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	m = &into->mapped[into->mapped_count++];
	*m = (struct sl_mapped_file){address, address + size, offset, into->record_count, ""};
	path[length] = '\0';
	for (from = length; from > 0 && path[from - 1] != '/'; from--)
		;
	sl_text_copy(m->name, sizeof(m->name), path + from);
}

/* Returns one of the readers that hold the lock; -1 if unknown. */
static int32_t
reader_of(const struct sl_object *o)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_held_book held = sl_thread_held(&E.threads[i]);

		if (E.threads[i].alive && sl_held_find(&held, o->address))
			return (int32_t)i;
	}
	return -1;
}

static void
describe(struct sl_thread *t, struct sl_thread_record *r)
{
	*r = (struct sl_thread_record){
		.id = t->id,
		.parent = t->born.parent,
		.ordinal = t->born.ordinal,
		.start = t->born.address,
		.create_pc = t->born.pc,
		.pending = t->op,
		.stack = stack_now(t),
		.waits_for = -1,
		.mutex = t->awaited.relock ? t->awaited.relock->address : 0,
		.number = sl_plan_number(t),
		.named = t->called.given,
		.carried = into->setting.signature ? carried[t->id] : 0,
	};
	sl_memcpy(r->name, t->called.name, sizeof(r->name));
	if (t->alive && t->born.agent && t->op.kind == SL_TIMER && !t->idle) {
		int signal = 0;

		r->state = SL_THREAD_READY;
		r->pending.object = sl_timer_deadly(t, &signal);
		r->mutex = (uint64_t)signal;
	} else if (!t->alive || t->idle)
		r->state = SL_THREAD_ENDED;
	else if (t->looks.spinning)
		r->state = SL_THREAD_SPINNING;
	else
		r->state = E.ready.places[t->id] == SL_NOWHERE ? SL_THREAD_BLOCKED : SL_THREAD_READY;
	if (t->awaited.joins)
		r->waits_for = (int32_t)t->awaited.joins->id;
	else if (t->waits.object && t->waits.object->owner && t->waits.object->owner != t)
		r->waits_for = (int32_t)t->waits.object->owner->id;
	else if (t->waits.object && t->waits.object->owner == t)
		r->waits_for = (int32_t)t->id;
	else if (t->waits.object && t->waits.object->readers)
		r->waits_for = reader_of(t->waits.object);
}

void
sl_recorder_end(void)
{
	for (uint32_t i = 0; i < E.thread_count && i < SL_TRACE_THREADS_MAX; i++)
		describe(&E.threads[i], &into->threads[into->thread_count++]);
	E.listen.tracing = false;
}

/* The shadow has the thread and place of an earlier access; the trace has the rest. */
void
sl_recorder_find(struct sl_culprit *c, uint64_t address)
{
	uint64_t oldest = into->record_count > SL_RECORDS_MAX ? into->record_count - SL_RECORDS_MAX : 0;

	for (uint64_t i = into->record_count; i-- > oldest;) {
		const struct sl_record *r = &into->records[i % SL_RECORDS_MAX];
		uint64_t size = r->op.flags & SL_OP_RANGE || r->op.kind == SL_FREE ? r->value : r->op.size;

		if (r->op.thread != c->thread || r->op.pc != c->pc || address - r->op.object >= (size ? size : 1))
			continue;
		c->index = r->op.index;
		c->stack = r->stack;
		c->kind = r->op.kind;
		return;
	}
}
