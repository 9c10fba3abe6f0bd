#include "report/lines.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 256
#define INLINED_MAX 8
#define CALLS UINT32_MAX /* instead of a kind of operation */

/* A line that a function is on; the lines of inlined calls count, too. */
struct spot {
	const char *file;
	uint32_t line;
	uint64_t pc; /* the place of the arrival: when the thread is at this place again, it has come to the line again */
	uint32_t how, last; /* what the thread did on arrival, and since */
	size_t arrival; /* the arrival's number */
};

/* A function that a thread is in. */
struct level {
	uint32_t frame;
	unsigned count;
	struct spot spots[INLINED_MAX];
};

struct counter {
	uint64_t key;
	uint32_t count;
};

/* The way of one thread, from its beginning to the end of the trace. */
struct journey {
	const struct sl_words *words;
	struct sl_lines *lines;
	size_t capacity;
	uint32_t thread;
	struct level levels[LEVELS_MAX];
	uint32_t depth;
	struct counter *counters;
	size_t counter_count, counter_capacity;
};

/* ---- how often ---- */

static struct counter *
slot_for(struct journey *j, uint64_t key)
{
	size_t i;

	if (j->counter_count * 2 >= j->counter_capacity) {
		struct counter *old = j->counters;
		size_t count = j->counter_capacity;

		j->counter_capacity = count ? count * 2 : 256;
		j->counters = sl_must(calloc(j->counter_capacity, sizeof(*j->counters)));
		for (i = 0; i < count; i++)
			if (old[i].key)
				*slot_for(j, old[i].key) = old[i];
		free(old);
	}
	for (i = key % j->counter_capacity; j->counters[i].key && j->counters[i].key != key;)
		i = (i + 1) % j->counter_capacity;
	return &j->counters[i];
}

static uint32_t
count(struct journey *j, const char *file, uint32_t line)
{
	uint64_t key = sl_mix(line + 1);
	struct counter *c;

	for (; *file; file++)
		key = sl_mix(key + (unsigned char)*file);
	key += !key;
	c = slot_for(j, key);
	j->counter_count += !c->key;
	c->key = key;
	return ++c->count;
}

/* ---- where it is ---- */

static void
arrive(struct journey *j, const char *file, uint32_t line, uint64_t record)
{
	struct sl_lines *l = j->lines;

	if (l->count == j->capacity) {
		j->capacity = j->capacity ? j->capacity * 2 : 1024;
		l->arrivals = sl_must(realloc(l->arrivals, j->capacity * sizeof(*l->arrivals)));
	}
	l->arrivals[l->count++] = (struct sl_arrival){file, line, count(j, file, line), j->thread, record};
}

static struct spot *
find_spot(struct spot *spots, unsigned n, const char *file, uint32_t line)
{
	for (unsigned i = 0; i < n; i++)
		if (spots[i].line == line && !strcmp(spots[i].file, file))
			return &spots[i];
	return NULL;
}

/*
 * The thread does something in a function that it is in. Returns the arrival with which it came to the innermost
 * line there.
 */
static size_t
act(struct journey *j, struct level *level, uint64_t pc, uint32_t how, bool direct, uint64_t record)
{
	struct sl_place places[INLINED_MAX];
	struct spot spots[INLINED_MAX] = {{0}};
	size_t n = pc && j->words->names ? sl_names_places(j->words->names, pc, places, INLINED_MAX) : 0;
	unsigned kept = 0;

	/*
	 * the place is in a library that was not built with `sleave cc`: the caller of that is still where it was
	 */
	if (!n || !places[n - 1].line || sl_place_is_foreign(&places[n - 1]))
		return level->count ? level->spots[level->count - 1].arrival : SIZE_MAX;
	for (size_t i = n; i-- > 0;) { /* the outermost first: the thread comes to that one first */
		const char *file = places[i].path ? strrchr(places[i].path, '/') : NULL;
		struct spot *there;

		if (!places[i].path || !places[i].line || sl_place_is_library(&places[i]) ||
		    sl_place_is_foreign(&places[i]))
			continue;
		file = file ? file + 1 : places[i].path;
		if (find_spot(spots, kept, file, places[i].line))
			continue;
		there = find_spot(level->spots, level->count, file, places[i].line);
		if (there && there->pc == pc && there->how == SL_HANDLE) /* now the thread does what the signal interrupted */
			there->how = how;
		if (there && !(there->pc == pc && there->how == how && (direct || there->last != how))) {
			spots[kept] = *there;
			spots[kept++].last = how;
			continue;
		}
		spots[kept++] = (struct spot){file, places[i].line, pc, how, how, j->lines->count};
		arrive(j, file, places[i].line, record);
	}
	memcpy(level->spots, spots, kept * sizeof(*spots));
	level->count = kept;
	return kept ? spots[kept - 1].arrival : SIZE_MAX;
}

/* Follows calls and returns until this frame is the innermost. */
static void
go_to(struct journey *j, uint32_t frame, uint64_t record)
{
	const struct sl_trace *trace = j->words->trace;
	uint32_t chain[LEVELS_MAX] = {0}, n = 0, same = 1;

	for (; frame && frame < trace->frame_count && n < LEVELS_MAX - 1; frame = trace->frames[frame].parent)
		chain[n++] = frame;
	while (same < j->depth && same <= n && j->levels[same].frame == chain[n - same])
		same++;
	for (j->depth = same; j->depth <= n; j->depth++) {
		uint32_t callee = chain[n - j->depth];

		act(j, &j->levels[j->depth - 1], trace->frames[callee].pc, CALLS, true, record);
		j->levels[j->depth] = (struct level){.frame = callee};
	}
}

static size_t
travel(struct journey *j, const struct sl_op *op, uint32_t stack, uint64_t record)
{
	bool access = sl_kind_is_plain(op->kind);
	uint32_t how = !access ? op->kind : op->flags & SL_OP_WRITES ? SL_WRITE : SL_READ;

	go_to(j, stack, record);
	/*
	 * a signal is handled when its thread has come to the line, and before the thread's next operation there
	 */
	if (access || sl_op_is_call(op->kind) || op->kind == SL_HANDLE)
		return act(j, &j->levels[j->depth - 1], op->pc, how, !sl_op_is_io(op), record);
	return SIZE_MAX;
}

/* Forgets the lines that the thread has left, but not those that it is on. */
static void
forget(struct journey *j)
{
	for (uint32_t i = 0; i < j->depth; i++)
		j->levels[i].count = 0;
	j->counter_count = 0;
	if (j->counters)
		memset(j->counters, 0, j->counter_capacity * sizeof(*j->counters));
}

bool
sl_lines_sleeps(const struct sl_thread_record *t)
{
	return t->state == SL_THREAD_BLOCKED && sl_kind_is(t->pending.kind, SL_KIND_SLEEPS);
}

void
sl_lines_init(struct sl_lines *lines, const struct sl_words *words)
{
	const struct sl_trace *trace = words->trace;
	static struct journey j;

	*lines = (struct sl_lines){.at = sl_must(calloc(trace->count + 1, sizeof(*lines->at)))};
	j = (struct journey){.words = words, .lines = lines};
	for (uint32_t t = 0; t < trace->thread_count; t++) {
		const struct sl_thread_record *thread = &trace->threads[t];

		j.thread = thread->id;
		j.depth = 1;
		forget(&j);
		uint64_t last = 0;
		size_t first = lines->count;
		bool before = trace->from > 0; /* what comes before the section does not count */

		for (uint64_t i = 0; i < trace->count; i++) {
			const struct sl_record *r = &trace->records[i];

			if (r->op.thread != thread->id)
				continue;
			if (before && i >= trace->from && r->op.index > thread->carried)
				lines->count = first, forget(&j), before = false;
			lines->at[i] = travel(&j, &r->op, r->stack, i);
			last = r->op.index;
		}
		if (before)
			lines->count = first, forget(&j);
		if (before && thread->pending.index <= thread->carried)
			continue;
		if (thread->state != SL_THREAD_ENDED && thread->pending.index > last && !sl_lines_sleeps(thread))
			travel(&j, &thread->pending, thread->stack, trace->count);
	}
	free(j.counters);
}

void
sl_lines_release(struct sl_lines *lines)
{
	free(lines->arrivals);
	free(lines->at);
	*lines = (struct sl_lines){0};
}

const struct sl_arrival *
sl_lines_find(const struct sl_lines *lines, uint32_t thread, uint64_t after, uint64_t until, bool last)
{
	const struct sl_arrival *found = NULL;

	for (size_t i = 0; i < lines->count; i++) {
		const struct sl_arrival *a = &lines->arrivals[i];

		if (a->thread != thread || (after != UINT64_MAX && a->record <= after) || a->record > until)
			continue;
		found = a;
		if (!last)
			break;
	}
	return found;
}

const struct sl_arrival *
sl_lines_of(const struct sl_lines *lines, uint64_t record)
{
	return lines->at[record] < lines->count ? &lines->arrivals[lines->at[record]] : NULL;
}
