/*
 * Orderings that lead to a finding: for each switch of its schedule, from the last operation before it that another
 * thread could notice to the first one after it. They are candidates: which of them are needed is found out by trying
 * (cli/as_schedule.c), and so is whether they mean what they are meant to.
 *
 * Operations are named as the schedule language does: an event of the program's own, what is done to an object that has a
 * name, or else the line. The event of a line comes before what is done there. So "before this operation" is its line, and
 * "after that operation" is the next line that its thread comes to. The number of its occurrence is counted in the trace,
 * which must have all operations.
 */
#include "report/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIDES_MAX 6
#define WAYS_MAX 6 /* to say one ordering */

/* The less it costs, the better it reads. */
enum { COST_EVENT, COST_NAME, COST_LINE, COST_BLOCKED = 2 };

struct side {
	char text[sizeof(((struct sl_ordering *)0)->before)];
	unsigned cost;
};

struct search {
	const struct sl_words *words;
	struct sl_lines lines;
	unsigned char *visible; /* for each record: others could notice it */
	struct sl_ordering *orderings;
	size_t count, max;
	unsigned edges;
	bool any; /* what no other thread has touched counts as well */
};

/* What the schedule language calls such an operation; NULL: nothing. */
static const char *
verb_of(const struct sl_op *op)
{
	switch ((enum sl_op_kind)op->kind) {
	case SL_READ:
	case SL_ATOMIC_LOAD:
		return "read";
	case SL_WRITE:
	case SL_UPDATE:
	case SL_ATOMIC_STORE:
	case SL_ATOMIC_UPDATE:
		return "write";
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_SPIN_LOCK:
		return "lock";
	case SL_MUTEX_UNLOCK:
	case SL_RW_UNLOCK:
	case SL_SPIN_UNLOCK:
		return "unlock";
	case SL_COND_WAIT:
	case SL_SEM_WAIT:
	case SL_BARRIER_WAIT:
		return "wait";
	case SL_COND_SIGNAL:
	case SL_COND_BROADCAST:
	case SL_SEM_POST:
		return "signal";
	default:
		return NULL;
	}
}

/* A name as C has them: a variable, with members and elements. */
static bool
is_path(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.[]:", *text))
			return false;
	return true;
}

/* Does it count as the same event, but for how often? */
static bool
is_alike(const struct sl_op *a, const struct sl_op *b)
{
	const char *x = verb_of(a), *y = verb_of(b);

	if (a->thread != b->thread)
		return false;
	if (a->kind == SL_EVENT || b->kind == SL_EVENT)
		return a->kind == b->kind && a->object == b->object;
	if (!x || !y || a->object >= b->object + (b->size ? b->size : 1) ||
	    b->object >= a->object + (a->size ? a->size : 1))
		return false;
	/* what reads and writes is both */
	if (!strcmp(x, "read") && (b->flags & SL_OP_READS) &&
	    (b->kind == SL_UPDATE || b->kind == SL_ATOMIC_UPDATE))
		return true;
	return !strcmp(x, y);
}

/* ---- names of threads, operations and lines ---- */

/* By the name it was given, if it is the only one that has it. */
static void
add_thread(const struct sl_words *w, uint32_t thread, char *text, size_t room)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, thread);
	size_t used = strlen(text);
	char number[32];
	bool unique = t && t->name[0] && thread;

	for (uint32_t i = 0; unique && i < w->trace->thread_count; i++)
		unique = &w->trace->threads[i] == t || strcmp(w->trace->threads[i].name, t->name) != 0;
	if (unique)
		snprintf(text + used, room - used, "@\"%.*s\"", (int)sizeof(t->name), t->name);
	else
		snprintf(text + used, room - used, "@%s",
			 sl_thread_short(t ? t->number : thread, number, sizeof(number)));
}

static void
add_nth(unsigned nth, char *text, size_t room)
{
	size_t used = strlen(text);

	if (nth > 1)
		snprintf(text + used, room - used, "#%u", nth);
}

/* The operation, of which everything before record `when` has been done. */
static bool
name_operation(const struct sl_words *w, const struct sl_op *op, uint64_t when, struct side *side)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, op->thread);
	char object[128];
	unsigned nth = 1;

	if (op->kind == SL_EVENT) {
		snprintf(side->text, sizeof(side->text), "%s", sl_words_event(w, op));
		side->cost = COST_EVENT;
	} else {
		const char *verb = verb_of(op);

		if (!verb)
			return false;
		sl_words_object(w, op->object, 0, when, false, object, sizeof(object));
		if (!is_path(object))
			return false;
		snprintf(side->text, sizeof(side->text), "%s:%s", verb, object);
		side->cost = COST_NAME;
	}
	for (uint64_t i = w->trace->from; i < when && i < w->trace->count; i++)
		nth += is_alike(op, &w->trace->records[i].op) &&
		       !(t && w->trace->records[i].op.index <= t->carried);
	add_nth(nth, side->text, sizeof(side->text));
	add_thread(w, op->thread, side->text, sizeof(side->text));
	return true;
}

static void
name_line(const struct sl_words *w, const struct sl_arrival *a, struct side *side)
{
	bool plain = isalpha((unsigned char)a->file[0]) || a->file[0] == '_';

	for (const char *c = a->file; plain && *c; c++)
		plain = isalnum((unsigned char)*c) || *c == '_' || *c == '.';
	snprintf(side->text, sizeof(side->text), plain ? "%.100s:%" PRIu32 : "\"%.100s\":%" PRIu32, a->file,
		 a->line);
	add_nth(a->nth, side->text, sizeof(side->text));
	add_thread(w, a->thread, side->text, sizeof(side->text));
	side->cost = COST_LINE;
}

static void
name_thread(const struct sl_words *w, const char *verb, uint32_t thread, struct side *side)
{
	snprintf(side->text, sizeof(side->text), "%s", verb);
	add_thread(w, thread, side->text, sizeof(side->text));
	side->cost = COST_NAME;
}

/* ---- what others can notice ---- */

static bool
is_local(const struct sl_words *w, uint64_t record)
{
	const struct sl_op *op = &w->trace->records[record].op;
	char object[256];

	return op->kind >= SL_READ && op->kind <= SL_UPDATE &&
	       !strncmp(sl_words_object(w, op->object, 0, record, false, object, sizeof(object)), "a local", 7);
}

/* any: what no other thread has touched, too, but could have. */
static bool
is_visible(const struct sl_words *w, uint64_t record, bool any)
{
	const struct sl_op *op = &w->trace->records[record].op;
	const struct sl_thread_record *t = sl_words_find_thread(w, op->thread);

	if (op->flags & SL_OP_SILENT || (t && op->index <= t->carried))
		return false;
	if (any)
		return !is_local(w, record) && !sl_words_is_machinery(w, record);
	switch ((enum sl_op_kind)op->kind) {
	case SL_EVENT:
	case SL_CANCEL:
	case SL_KILL:
	case SL_SIGMASK:
	case SL_SIGACTION:
	case SL_SIGPENDING:
	case SL_SIGWAIT:
	case SL_PAUSE:
	case SL_SET_TIMER:
	case SL_TIMER:
	case SL_IO_OPEN:
	case SL_IO_CLOSE:
	case SL_IO_WAIT:
	case SL_FORK:
	case SL_CHILD_END:
	case SL_EXEC:
	case SL_EXIT:
		return true;
	default:
		return w->shared[record];
	}
}

/* The next such operation of the thread; the trace's count: there is none. */
static uint64_t
next_of(const struct search *s, uint32_t thread, uint64_t record)
{
	const struct sl_trace *trace = s->words->trace;

	for (record++; record < trace->count; record++)
		if (s->visible[record] && trace->records[record].op.thread == thread)
			return record;
	return trace->count;
}

/* … the one before; UINT64_MAX: there is none. */
static uint64_t
previous_of(const struct search *s, uint32_t thread, uint64_t record)
{
	while (record-- > 0)
		if (s->visible[record] && s->words->trace->records[record].op.thread == thread)
			return record;
	return UINT64_MAX;
}

/* ---- orderings ---- */

static bool
may_block(const struct sl_op *op)
{
	switch ((enum sl_op_kind)op->kind) {
	case SL_JOIN:
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_SPIN_LOCK:
	case SL_COND_WAIT:
	case SL_COND_RELOCK:
	case SL_BARRIER_WAIT:
	case SL_BARRIER_LEAVE:
	case SL_SEM_WAIT:
	case SL_FUTEX_WAIT:
	case SL_FUTEX_WOKEN:
	case SL_PAUSE:
	case SL_SIGWAIT:
	case SL_IO_READ:
	case SL_IO_WRITE:
	case SL_IO_WAIT:
	case SL_IO_ACCEPT:
	case SL_IO_LOCK:
		return true;
	default:
		return false;
	}
}

/* What the thread does after the record; NULL: nothing. */
static const struct sl_op *
following(const struct search *s, const struct sl_thread_record *t, uint64_t record)
{
	const struct sl_trace *trace = s->words->trace;

	for (uint64_t i = record + 1; i < trace->count; i++)
		if (trace->records[i].op.thread == t->id && !is_local(s->words, i))
			return &trace->records[i].op;
	return t->state == SL_THREAD_ENDED ? NULL : &t->pending;
}

static void
put_in_brackets(const struct side *from, struct side *to)
{
	size_t n = strnlen(from->text, sizeof(to->text) - 3);

	to->text[0] = '[';
	memcpy(to->text + 1, from->text, n);
	memcpy(to->text + 1 + n, "]", 2);
	to->cost = from->cost + COST_BLOCKED;
}

/* "That has been done." */
static unsigned
name_done(const struct search *s, uint64_t record, struct side sides[SIDES_MAX])
{
	const struct sl_trace *trace = s->words->trace;
	const struct sl_op *op = &trace->records[record].op, *then;
	const struct sl_thread_record *t = sl_words_find_thread(s->words, op->thread);
	uint64_t next = next_of(s, op->thread, record);
	const struct sl_arrival *line = sl_lines_find(&s->lines, op->thread, record, next, false);
	unsigned n = name_operation(s->words, op, record, &sides[0]), named = n;

	if (!t)
		return n;
	if (next == trace->count && t->state == SL_THREAD_ENDED)
		name_thread(s->words, "end", op->thread, &sides[n++]);
	if (line)
		name_line(s->words, line, &sides[n++]);
	then = following(s, t, record);
	if (then && may_block(then)) { /* it has come that far, and waits */
		if (named)
			put_in_brackets(&sides[0], &sides[n++]);
		line = sl_lines_find(&s->lines, op->thread, UINT64_MAX, next, true);
		if (line) {
			struct side last;

			name_line(s->words, line, &last);
			put_in_brackets(&last, &sides[n++]);
		}
	}
	return n;
}

/* … when the section began: it had started. */
static bool
was_there(const struct sl_trace *trace, uint32_t thread)
{
	for (uint64_t i = trace->from; i < trace->count; i++)
		if (trace->records[i].op.kind == SL_CREATE && trace->records[i].value == thread)
			return false;
	return trace->from > 0;
}

/* "This is about to be done": a record, or what a thread is about to do at the end. */
static unsigned
name_next(const struct search *s, uint32_t thread, uint64_t record, const struct sl_op *op,
	  struct side sides[SIDES_MAX])
{
	uint64_t previous = previous_of(s, thread, record);
	const struct sl_arrival *line = sl_lines_find(&s->lines, thread, previous, record, true);
	unsigned n = name_operation(s->words, op, record, &sides[0]);

	if (line) {
		name_line(s->words, line, &sides[n++]);
	} else if ((line = sl_lines_find(&s->lines, thread, UINT64_MAX, record, true))) {
		/* there is more on that line; all of it waits, then */
		name_line(s->words, line, &sides[n]);
		sides[n++].cost++;
	}
	if (previous == UINT64_MAX && thread && !was_there(s->words->trace, thread))
		name_thread(s->words, "start", thread, &sides[n++]);
	return n;
}

static void
put(struct search *s, const struct side *before, const struct side *after)
{
	struct sl_ordering *o = &s->orderings[s->count++];

	memcpy(o->before, before->text, sizeof(o->before));
	memcpy(o->after, after->text, sizeof(o->after));
	o->cost = before->cost + after->cost;
	o->edge = s->edges;
	o->far = s->any;
}

static bool
is_there(const struct search *s, const char *before, const char *after)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->orderings[i].before, before) && !strcmp(s->orderings[i].after, after))
			return true;
	return false;
}

/* The best ways to say that one comes before the other. */
static void
add_edge(struct search *s, uint64_t done, uint32_t thread, uint64_t next, const struct sl_op *op)
{
	struct side before[SIDES_MAX], after[SIDES_MAX];
	unsigned n = name_done(s, done, before), m = name_next(s, thread, next, op, after), ways = 0;

	for (unsigned cost = 0; cost < 2 * SIDES_MAX; cost++)
		for (unsigned i = 0; i < n * m && s->count < s->max && ways < WAYS_MAX; i++) {
			const struct side *x = &before[i / m], *y = &after[i % m];

			if (x->cost + y->cost != cost || is_there(s, x->text, y->text))
				continue;
			put(s, x, y);
			ways++;
		}
	s->edges++;
}

/* By who created and who joined whom, it can't be otherwise. */
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

static void
add_switches(struct search *s)
{
	const struct sl_trace *trace = s->words->trace;
	uint64_t last = UINT64_MAX;

	for (uint64_t i = 0; i < trace->count; i++) {
		const struct sl_op *op = &trace->records[i].op;

		if (!s->visible[i])
			continue;
		if (last != UINT64_MAX && op->thread != trace->records[last].op.thread &&
		    !is_certain(s, last, op->thread, i))
			add_edge(s, last, op->thread, i, op);
		last = i;
	}
	/* what was about to happen had to wait for the end */
	for (uint32_t i = 0; last != UINT64_MAX && i < trace->thread_count; i++) {
		const struct sl_thread_record *t = &trace->threads[i];

		if (t->state != SL_THREAD_ENDED && t->id != trace->records[last].op.thread)
			add_edge(s, last, t->id, trace->count, &t->pending);
	}
}

/* A thread that waits for a lock came to it after somebody else had taken it. */
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
			add_edge(s, holds[i].record, t->id, s->words->trace->count, &t->pending);
}

/* ---- whom a signal wakes ---- */

/* The last record of the thread before that one, or its first after it; UINT64_MAX: none. */
static uint64_t
record_near(const struct sl_trace *trace, uint32_t thread, uint64_t record, bool after)
{
	while (after ? ++record < trace->count : record-- > 0)
		if (trace->records[record].op.thread == thread)
			return record;
	return UINT64_MAX;
}

/* The line that a waiter would have come back to, had it been woken: where another has, or where it came from. */
static bool
guess_return(const struct search *s, uint64_t wait, const struct sl_arrival *other, bool same_place,
	     struct sl_arrival *guess)
{
	uint32_t thread = s->words->trace->records[wait].op.thread;
	const struct sl_arrival *line = sl_lines_find(&s->lines, thread, wait, UINT64_MAX, false);
	uint32_t nth = 1;

	if (line) { /* it has been, later */
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

/* Who was woken comes back before those who were not: then it was not one of them. */
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
		struct side before, after;

		if (id == woken || wait == UINT64_MAX || trace->records[wait].op.kind != SL_COND_WAIT ||
		    trace->records[wait].op.object != r->op.object || s->count == s->max ||
		    !guess_return(s, wait, line, trace->records[wait].op.pc == trace->records[slept].op.pc,
				  &guess))
			continue;
		name_line(s->words, line, &before);
		name_line(s->words, &guess, &after);
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
	for (int any = 0; any < 2; any++) {
		s.any = any;
		for (uint64_t i = trace->from; i < trace->count; i++)
			s.visible[i] = is_visible(&words, i, any);
		for (uint32_t i = 0; !any && i < trace->thread_count; i++)
			add_wait(&s, &trace->threads[i]);
		add_switches(&s);
	}
	qsort(orderings, s.count, sizeof(*orderings), by_cost);
	free(s.visible);
	sl_lines_release(&s.lines);
	sl_words_release(&words);
	return s.count;
}
