/*
 * Finds orderings that lead to a finding: for each switch of its schedule, from the last operation before the
 * switch that another thread could notice to the first such operation after it. They are candidates: trying them
 * (cli/result/as_schedule.c) shows which of them are needed, and whether they have the intended meaning.
 */
#include "report/schedule/side.h"

#include <stdlib.h>
#include <string.h>

#define SIDES_MAX 8
#define WAYS_MAX 8 /* forms of one ordering */
#define EARLIER_MAX 3
#define READS_MAX 4 /* of one handler */

struct search {
	const struct sl_words *words;
	struct sl_lines lines;
	unsigned char *visible; /* by record: other threads could notice it */
	struct sl_ordering *orderings;
	size_t count, max;
	unsigned edges;
	bool any; /* what no other thread has touched counts, too */
};

/* ---- what others can notice ---- */

static bool
is_local(const struct sl_words *w, uint64_t record)
{
	const struct sl_op *op = &w->trace->records[record].op;
	char object[256];

	return sl_kind_is_plain(op->kind) &&
	       !strncmp(sl_words_object(w, op->object, 0, record, false, object, sizeof(object)), "a local", 7);
}

/* any: what no other thread has touched counts, too, if one could have. */
static bool
is_visible(const struct sl_words *w, uint64_t record, bool any)
{
	const struct sl_op *op = &w->trace->records[record].op;
	const struct sl_thread_record *t = sl_words_find_thread(w, op->thread);

	if (t && op->index <= t->carried)
		return false;
	if (op->kind == SL_HANDLE) /* it makes visible what was sent before it */
		return true;
	if (op->flags & SL_OP_SILENT)
		return false;
	if (any)
		return !is_local(w, record) && !sl_words_is_machinery(w, record);
	return sl_kind_is(op->kind, SL_KIND_WIDE) || w->shared[record];
}

/* Returns the next such record of the thread; the trace's count: there is none. */
static uint64_t
next_of(const struct search *s, uint32_t thread, uint64_t record)
{
	const struct sl_trace *trace = s->words->trace;

	for (record++; record < trace->count; record++)
		if (s->visible[record] && trace->records[record].op.thread == thread)
			return record;
	return trace->count;
}

/* Returns the one before; UINT64_MAX: there is none. */
static uint64_t
previous_of(const struct search *s, uint32_t thread, uint64_t record)
{
	while (record-- > 0)
		if (s->visible[record] && s->words->trace->records[record].op.thread == thread)
			return record;
	return UINT64_MAX;
}

/* ---- orderings ---- */

/* Returns the thread's operation after the record; NULL: there is none. */
static const struct sl_op *
following(const struct search *s, const struct sl_thread_record *t, uint64_t record)
{
	const struct sl_trace *trace = s->words->trace;

	for (uint64_t i = record + 1; i < trace->count; i++)
		if (trace->records[i].op.thread == t->id && !is_local(s->words, i))
			return &trace->records[i].op;
	return t->state == SL_THREAD_ENDED ? NULL : &t->pending;
}

/*
 * Finds the first, or last, operation with a name that the thread performs between the two records, although
 * others can't notice it.
 */
static bool
name_between(const struct search *s, uint32_t thread, uint64_t after, uint64_t before, bool last,
	     struct sl_side *side)
{
	const struct sl_trace *trace = s->words->trace;
	bool found = false;

	for (uint64_t i = after == UINT64_MAX ? trace->from : after + 1; i < before && i < trace->count; i++) {
		const struct sl_op *op = &trace->records[i].op;

		if (op->thread != thread || op->flags & SL_OP_SILENT || is_local(s->words, i) ||
		    !sl_side_operation(s->words, op, i, side))
			continue;
		found = true;
		if (!last)
			break;
	}
	side->cost++;
	return found;
}

/* Stores names for "this was done". Returns their number. */
static unsigned
name_done(const struct search *s, uint64_t record, struct sl_side sides[SIDES_MAX])
{
	const struct sl_trace *trace = s->words->trace;
	const struct sl_op *op = &trace->records[record].op, *then;
	const struct sl_thread_record *t = sl_words_find_thread(s->words, op->thread);
	uint64_t next = next_of(s, op->thread, record);
	const struct sl_arrival *line = sl_lines_find(&s->lines, op->thread, record, next, false);
	unsigned n = sl_side_operation(s->words, op, record, &sides[0]), named = n;

	if (!t)
		return n;
	if (next == trace->count) { /* the thread's last operation: the thread comes to no further one */
		sl_side_thread(s->words, "end", op->thread, &sides[n++]);
		sides[n - 1].cost += t->state == SL_THREAD_ENDED ? 0 : 2;
	}
	if (line)
		sl_side_line(s->words, line, &sides[n++]);
	n += name_between(s, op->thread, record, next, false, &sides[n]);
	line = sl_lines_of(&s->lines, record);
	if (line)
		sl_side_left(s->words, line, &sides[n++]);
	then = following(s, t, record);
	if (then && sl_side_may_block(then)) { /* the thread has come to that operation, and waits */
		if (named)
			sl_side_blocked(&sides[0], &sides[n++]);
		line = sl_lines_find(&s->lines, op->thread, UINT64_MAX, next, true);
		if (line) {
			struct sl_side last;

			sl_side_line(s->words, line, &last);
			sl_side_blocked(&last, &sides[n++]);
		}
	}
	return n;
}

/* Returns whether the thread had started when the section began. */
static bool
was_there(const struct sl_trace *trace, uint32_t thread)
{
	for (uint64_t i = trace->from; i < trace->count; i++)
		if (trace->records[i].op.kind == SL_CREATE && trace->records[i].value == thread)
			return false;
	return trace->from > 0;
}

/* Stores names for "this is about to be done": a record, or a thread's pending operation. */
static unsigned
name_next(const struct search *s, uint32_t thread, uint64_t record, const struct sl_op *op,
	  struct sl_side sides[SIDES_MAX])
{
	uint64_t previous = previous_of(s, thread, record);
	const struct sl_arrival *line = sl_lines_find(&s->lines, thread, previous, record, true);
	unsigned n = sl_side_operation(s->words, op, record, &sides[0]);

	if (op->kind == SL_COND_RELOCK) { /* the thread can't be held at this operation, but at its next one */
		n += name_between(s, thread, record, s->words->trace->count, false, &sides[n]);
		line = sl_lines_find(&s->lines, thread, record, UINT64_MAX, false);
		if (line)
			sl_side_line(s->words, line, &sides[n++]);
		return n;
	}
	n += name_between(s, thread, previous, record, true, &sides[n]);
	if (line) {
		sl_side_line(s->words, line, &sides[n++]);
	} else if ((line = sl_lines_find(&s->lines, thread, UINT64_MAX, record, true))) {
		/* the line has further operations: all of them wait then */
		sl_side_line(s->words, line, &sides[n]);
		sides[n++].cost++;
	}
	if (previous == UINT64_MAX && thread && !was_there(s->words->trace, thread))
		sl_side_thread(s->words, "start", thread, &sides[n++]);
	return n;
}

static void
put(struct search *s, const struct sl_side *before, const struct sl_side *after)
{
	struct sl_ordering *o = &s->orderings[s->count++];

	memcpy(o->before, before->text, sizeof(o->before));
	memcpy(o->after, after->text, sizeof(o->after));
	o->cost = before->cost + after->cost;
	o->edge = s->edges;
	o->far = s->any;
	o->extra = false;
}

static bool
is_there(const struct search *s, const char *before, const char *after)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->orderings[i].before, before) && !strcmp(s->orderings[i].after, after))
			return true;
	return false;
}

/* Adds the best forms of "one comes before the other". */
static void
add_edge(struct search *s, uint64_t done, uint32_t thread, uint64_t next, const struct sl_op *op)
{
	struct sl_side before[SIDES_MAX], after[SIDES_MAX];
	unsigned n = name_done(s, done, before), m = name_next(s, thread, next, op, after), ways = 0;

	for (unsigned cost = 0; cost < 2 * SIDES_MAX; cost++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < m && s->count < s->max && ways < WAYS_MAX; k++) {
				const struct sl_side *x = &before[i], *y = &after[k];

				if (x->cost + y->cost != cost || is_there(s, x->text, y->text))
					continue;
				put(s, x, y);
				ways++;
			}
	s->edges++;
}

/*
 * Returns whether the record says more than that the thread has ended, has left the line, or waits: it may do none
 * of these.
 */
static bool
says_more(const struct search *s, uint64_t record)
{
	struct sl_side sides[SIDES_MAX];
	unsigned n = name_done(s, record, sides);

	for (unsigned i = 0; i < n; i++)
		if (sides[i].text[0] != '[' && strncmp(sides[i].text, "end@", 4) != 0 &&
		    strncmp(sides[i].text, "exit:", 5) != 0)
			return true;
	return false;
}

/*
 * Returns the thread's last record on another line, if the thread stays on its line: it could be held only before
 * everything on that line. UINT64_MAX: it does not stay, or there is no such record.
 */
static uint64_t
line_before(const struct search *s, uint64_t record)
{
	uint32_t thread = s->words->trace->records[record].op.thread;
	size_t here = s->lines.at[record];

	if (here == SIZE_MAX || sl_lines_find(&s->lines, thread, record, next_of(s, thread, record), false))
		return UINT64_MAX;
	while (record != UINT64_MAX && s->lines.at[record] == here)
		record = previous_of(s, thread, record);
	return record;
}

/* … and if nothing after the first record has a name, an ordering with what its thread has done before. */
static void
add_edges(struct search *s, uint64_t done, uint32_t thread, uint64_t next, const struct sl_op *op)
{
	uint64_t before = line_before(s, done);
	unsigned more = 0;

	add_edge(s, done, thread, next, op);
	if (before != UINT64_MAX)
		add_edge(s, before, thread, next, op);
	while (more++ < EARLIER_MAX && !says_more(s, done)) {
		done = previous_of(s, s->words->trace->records[done].op.thread, done);
		if (done == UINT64_MAX)
			return;
		add_edge(s, done, thread, next, op);
	}
}

/* Returns whether creating and joining threads puts the two in this order in any schedule. */
static bool
is_certain(const struct search *s, uint64_t done, uint32_t thread, uint64_t next)
{
	const struct sl_record *records = s->words->trace->records;

	for (uint64_t i = done; i < next; i++)
		if ((records[i].op.kind == SL_CREATE && records[i].op.thread == records[done].op.thread &&
		     records[i].value == thread) ||
		    (records[i].op.kind == SL_JOIN && records[i].op.thread == thread &&
		     records[i].value == records[done].op.thread))
			return true;
	return false;
}

/*
 * A thread that had begun before the last switch might begin after it: what it has done until then need not have
 * happened.
 */
static void
add_late_starts(struct search *s, uint64_t done)
{
	const struct sl_trace *trace = s->words->trace;
	size_t first = s->count;

	for (uint32_t i = 0, more = 0; done != UINT64_MAX && i < trace->thread_count && more < EARLIER_MAX; i++) {
		uint32_t thread = trace->threads[i].id;
		uint64_t begins = next_of(s, thread, UINT64_MAX); /* + 1: from the thread's first record on */

		if (!thread || thread == trace->records[done].op.thread || begins >= done ||
		    was_there(trace, thread))
			continue;
		add_edge(s, done, thread, begins, &trace->records[begins].op);
		more++;
	}
	for (; first < s->count; first++) {
		s->orderings[first].cost += 2;
		s->orderings[first].extra = true;
	}
}

static void
add_switches(struct search *s)
{
	const struct sl_trace *trace = s->words->trace;
	uint64_t last = UINT64_MAX, switched = UINT64_MAX;

	for (uint64_t i = 0; i < trace->count; i++) {
		const struct sl_op *op = &trace->records[i].op;

		if (!s->visible[i])
			continue;
		if (last != UINT64_MAX && op->thread != trace->records[last].op.thread &&
		    !is_certain(s, last, op->thread, i)) {
			add_edges(s, last, op->thread, i, op);
			switched = last;
		}
		last = i;
	}
	if (!s->any)
		add_late_starts(s, switched);
	/* pending operations had to wait for the end */
	for (uint32_t i = 0; last != UINT64_MAX && i < trace->thread_count; i++) {
		const struct sl_thread_record *t = &trace->threads[i];

		if (t->state != SL_THREAD_ENDED && t->id != trace->records[last].op.thread && !sl_lines_sleeps(t))
			add_edges(s, last, t->id, trace->count, &t->pending);
	}
}

/* A thread that waits for a lock came to the lock after another thread had taken it. */
static void
add_wait(struct search *s, const struct sl_thread_record *t)
{
	struct sl_hold holds[64];
	size_t n;

	if (t->state != SL_THREAD_BLOCKED || t->waits_for < 0)
		return;
	n = sl_words_holds(s->words, (uint32_t)t->waits_for, UINT64_MAX, holds, 64);
	for (size_t i = 0; i < n; i++)
		if (holds[i].object == t->pending.object && (uint32_t)t->waits_for != t->id)
			add_edge(s, holds[i].taken, t->id, s->words->trace->count, &t->pending);
}

/* A handler may have read something before its thread wrote it: the thread need not have come to that write. */
static void
add_reads(struct search *s, uint32_t thread, uint64_t handling)
{
	const struct sl_trace *trace = s->words->trace;
	unsigned more = 0;

	for (uint64_t i = handling + 1; i < trace->count && more < READS_MAX && s->count < s->max; i++) {
		struct sl_op op = trace->records[i].op;
		struct sl_side before, after;

		if (op.thread != thread || sl_kind_access(op.kind) != SL_OP_READS ||
		    !sl_side_operation(s->words, &op, i, &before))
			continue;
		op.kind = op.kind == SL_READ ? SL_WRITE : SL_ATOMIC_STORE;
		if (!sl_side_operation(s->words, &op, handling, &after))
			continue;
		put(s, &before, &after);
		s->edges++;
		more++;
	}
}

/*
 * A signal that arrives when its thread is at a certain place: the thread is held at that line until the handler
 * has come to its first line.
 */
static void
add_handling(struct search *s, uint64_t record)
{
	uint32_t thread = s->words->trace->records[record].op.thread;
	const struct sl_arrival *at = sl_lines_find(&s->lines, thread, UINT64_MAX, record, true),
				*handler = sl_lines_find(&s->lines, thread, record, UINT64_MAX, false);
	struct sl_side before, after;

	if (!at || !handler || s->count == s->max)
		return;
	sl_side_line(s->words, handler, &before);
	sl_side_line(s->words, at, &after);
	put(s, &before, &after);
	s->edges++;
	add_reads(s, thread, record);
}

/* What was read last might have been written by threads that had not come to their writes yet. */
static void
add_late_writes(struct search *s)
{
	const struct sl_trace *trace = s->words->trace;
	unsigned more = 0;

	for (uint64_t i = trace->count; i-- > trace->from && more < READS_MAX;) {
		struct sl_op op = trace->records[i].op;
		struct sl_side before, after;

		if (op.thread != trace->records[trace->count - 1].op.thread ||
		    sl_kind_access(op.kind) != SL_OP_READS || is_local(s->words, i) ||
		    !sl_side_operation(s->words, &op, i, &before))
			continue;
		more++;
		op.kind = op.kind == SL_READ ? SL_WRITE : SL_ATOMIC_STORE;
		for (uint32_t t = 0; t < trace->thread_count && s->count < s->max; t++) {
			op.thread = trace->threads[t].id;
			if (trace->threads[t].state == SL_THREAD_ENDED ||
			    op.thread == trace->records[i].op.thread ||
			    !sl_side_operation(s->words, &op, trace->count, &after) ||
			    is_there(s, before.text, after.text))
				continue;
			after.cost += 2;
			put(s, &before, &after);
			s->edges++;
		}
	}
}

/* ---- which thread a signal wakes ---- */

/* Returns the thread's last record before that one, or its first after it; UINT64_MAX: there is none. */
static uint64_t
record_near(const struct sl_trace *trace, uint32_t thread, uint64_t record, bool after)
{
	while (after ? ++record < trace->count : record-- > 0)
		if (trace->records[record].op.thread == thread)
			return record;
	return UINT64_MAX;
}

/*
 * Guesses the line to which a waiter would have returned if it had been woken: where another waiter has, or where
 * it came from.
 */
static bool
guess_return(const struct search *s, uint64_t wait, const struct sl_arrival *other, bool same_place,
	     struct sl_arrival *guess)
{
	uint32_t thread = s->words->trace->records[wait].op.thread;
	const struct sl_arrival *line = sl_lines_find(&s->lines, thread, wait, UINT64_MAX, false);
	uint32_t nth = 1;

	if (line) { /* it was woken later */
		*guess = *line;
		return true;
	}
	if (same_place)
		line = other;
	else if (wait)
		line = sl_lines_find(&s->lines, thread, UINT64_MAX, wait - 1, true);
	if (!line)
		return false;
	for (size_t i = 0; i < s->lines.count; i++)
		nth += s->lines.arrivals[i].thread == thread && s->lines.arrivals[i].line == line->line &&
		       !strcmp(s->lines.arrivals[i].file, line->file);
	*guess = *line;
	guess->thread = thread;
	guess->nth = nth;
	return true;
}

/* Orders the return of the woken thread before those of the threads that the signal did not wake. */
static void
add_wake(struct search *s, uint64_t signal)
{
	const struct sl_trace *trace = s->words->trace;
	const struct sl_record *r = &trace->records[signal];
	uint32_t woken = (uint32_t)r->value - 1;
	uint64_t slept = record_near(trace, woken, signal, false), back = record_near(trace, woken, signal, true);
	const struct sl_arrival *line =
		back == UINT64_MAX ? NULL : sl_lines_find(&s->lines, woken, back, UINT64_MAX, false);

	for (uint32_t i = 0; line && slept != UINT64_MAX && i < trace->thread_count; i++) {
		uint32_t id = trace->threads[i].id;
		uint64_t wait = record_near(trace, id, signal, false);
		struct sl_arrival guess;
		struct sl_side before, after;

		if (id == woken || wait == UINT64_MAX || trace->records[wait].op.kind != SL_COND_WAIT ||
		    trace->records[wait].op.object != r->op.object || s->count == s->max ||
		    !guess_return(s, wait, line, trace->records[wait].op.pc == trace->records[slept].op.pc,
				  &guess))
			continue;
		sl_side_line(s->words, line, &before);
		sl_side_line(s->words, &guess, &after);
		put(s, &before, &after);
		s->edges++;
	}
}

/* A thread waits again, after a signal that was not meant for it, or was meant for another thread. */
static void
add_wait_again(struct search *s, uint64_t record)
{
	const struct sl_record *records = s->words->trace->records;
	struct sl_side before, after;
	uint64_t i = record;

	while (i-- > s->words->trace->from && s->count < s->max) {
		bool again =
			records[i].op.kind == SL_COND_WAIT && records[i].op.thread == records[record].op.thread;

		if (records[i].op.object != records[record].op.object)
			continue;
		if (again)
			return;
		if (!sl_kind_signals(records[i].op.kind) ||
		    !sl_side_operation(s->words, &records[i].op, i, &before) ||
		    !sl_side_operation(s->words, &records[record].op, record, &after))
			continue;
		if (is_there(s, before.text, after.text))
			continue;
		put(s, &before, &after);
		s->edges++;
	}
}

static int
by_cost(const void *a, const void *b)
{
	const struct sl_ordering *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

size_t
sl_orderings_of(const struct sl_trace *trace, struct sl_names *names, struct sl_ordering *orderings, size_t max)
{
	struct sl_words words;
	struct search s = {.words = &words, .orderings = orderings, .max = max};

	sl_words_init(&words, trace, names);
	sl_lines_init(&s.lines, &words);
	s.visible = sl_must(calloc(trace->count + 1, 1));
	for (uint64_t i = trace->from; i < trace->count; i++)
		if (trace->records[i].op.kind == SL_COND_SIGNAL && trace->records[i].value)
			add_wake(&s, i);
	for (uint64_t i = trace->from; i < trace->count; i++)
		if (trace->records[i].op.kind == SL_COND_WAIT)
			add_wait_again(&s, i);
	for (uint64_t i = trace->from; i < trace->count; i++)
		if (trace->records[i].op.kind == SL_HANDLE)
			add_handling(&s, i);
	for (int any = 0; any < 2; any++) {
		s.any = any;
		for (uint64_t i = trace->from; i < trace->count; i++)
			s.visible[i] = is_visible(&words, i, any);
		for (uint32_t i = 0; !any && i < trace->thread_count; i++)
			add_wait(&s, &trace->threads[i]);
		add_switches(&s);
	}
	add_late_writes(&s);
	qsort(orderings, s.count, sizeof(*orderings), by_cost);
	free(s.visible);
	sl_lines_release(&s.lines);
	sl_words_release(&words);
	return s.count;
}
