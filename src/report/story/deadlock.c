/*
 * A deadlock in words: which thread waits for what, which thread holds it, and since where; for a condition
 * variable that no thread will signal any more, the signals that came while no thread waited.
 */
#include "report/words.h"

#include "base/shown.h"

#include <string.h>

#define HOLDS_MAX 64
#define THREADS_SHOWN 12
#define SIGNALS_SHOWN 4
#define ALIKE_SHOWN 6

static bool
is_stuck(const struct sl_thread_record *t)
{
	if (t->pending.kind == SL_WORK_WAIT) /* a worker of OpenMP without work */
		return false;
	return t->state == SL_THREAD_BLOCKED || t->state == SL_THREAD_SPINNING;
}

/* Returns the condition variable that the thread waits for; 0: it waits for something else. */
static uint64_t
condition_of(const struct sl_words *w, const struct sl_thread_record *t)
{
	if (t->state != SL_THREAD_BLOCKED)
		return 0;
	if (sl_kind_awaits_wakeup(t->pending.kind))
		return t->pending.object;
	if (!sl_kind_retakes_lock(t->pending.kind) || t->waits_for >= 0)
		return 0;
	for (uint64_t i = w->trace->count; i-- > 0;)
		if (w->trace->records[i].op.thread == t->id &&
		    sl_kind_is(w->trace->records[i].op.kind, SL_KIND_LENDS))
			return w->trace->records[i].op.object;
	return 0;
}

static const struct sl_thread_record *
holder_of(const struct sl_words *w, const struct sl_thread_record *t)
{
	return t->waits_for >= 0 && !condition_of(w, t) ? sl_words_find_thread(w, (uint32_t)t->waits_for) : NULL;
}

/* "locks b", "joins T1 worker": what the thread is stuck in. */
static void
format_wait(const struct sl_words *w, const struct sl_thread_record *t, char *text, size_t room)
{
	uint64_t condition = condition_of(w, t);
	struct sl_op op = t->pending;
	char object[256], other[64];

	if (condition) {
		op.object = condition;
		op.kind = sl_kind_retakes_lock(op.kind) ? SL_COND_WAIT : op.kind;
	}
	sl_words_accessed(w, &op, 0, UINT64_MAX, false, object, sizeof(object));
	if (!condition && sl_words_is_team(t->pending.object))
		snprintf(object, sizeof(object), "%s", sl_words_team(t->pending.object, t->pending.kind));
	if (t->state == SL_THREAD_SPINNING)
		snprintf(text, room, "spins, and no thread is left that could change what it looks at");
	else if (t->pending.kind == SL_EVENT)
		snprintf(text, room, "is held back by the schedule at %s",
			 sl_shown(object, sizeof(object), sl_words_event(w, &t->pending)));
	else if (condition)
		snprintf(text, room, "waits for a %s of %s",
			 sl_kind_is(op.kind, SL_KIND_FUTEX) ? "wake-up" : "signal", object);
	else if (t->pending.kind == SL_JOIN && t->waits_for >= 0)
		snprintf(text, room, "waits for %s to end",
			 sl_words_thread(w, (uint32_t)t->waits_for, other, sizeof(other)));
	else if (t->pending.kind == SL_JOIN)
		snprintf(text, room, "waits for a thread to end");
	else if (t->pending.kind == SL_BARRIER_WAIT)
		snprintf(text, room, "waits for others at %s", object);
	else if (sl_op_is_io(&t->pending))
		sl_words_io_wait(w, &t->pending, text, room);
	else if (sl_kind_awaits_signal(t->pending.kind))
		snprintf(text, room, "waits for a signal");
	else if (!t->pending.object)
		snprintf(text, room, "waits");
	else
		snprintf(text, room, "%s %s", sl_kind_wait(t->pending.kind), object);
}

static void
print_holder(FILE *out, const struct sl_words *w, const struct sl_thread_record *t)
{
	const struct sl_thread_record *holder = holder_of(w, t);
	uint64_t object = sl_words_awaited(t);
	struct sl_hold holds[HOLDS_MAX];
	char label[64], place[256];
	size_t n;

	if (!holder || t->pending.kind == SL_JOIN)
		return;
	n = sl_words_holds(w, holder->id, UINT64_MAX, holds, HOLDS_MAX);
	while (n && holds[n - 1].object != object)
		n--;
	place[0] = '\0';
	if (n)
		sl_words_place(w, w->trace->records[holds[n - 1].taken].op.pc,
			       w->trace->records[holds[n - 1].taken].stack, place, sizeof(place));
	sl_words_thread(w, holder->id, label, sizeof(label));
	if (holder->state == SL_THREAD_ENDED)
		fprintf(out, ", which %s held when it ended%s%s", label, n ? "; it had locked it at " : "", place);
	else
		fprintf(out, ", which %s %s%s%s%s", holder->id == t->id ? "it" : label, n ? "has held" : "holds",
			holder->id == t->id ? " itself" : "", n ? " since " : "", place);
}

static bool
signals(const struct sl_record *r, uint64_t condition)
{
	return r->op.object == condition && sl_kind_is(r->op.kind, SL_KIND_WAKES);
}

static bool
was_signalled(const struct sl_words *w, uint64_t condition)
{
	for (uint64_t i = 0; i < w->trace->count; i++)
		if (signals(&w->trace->records[i], condition))
			return true;
	return w->trace->dropped != 0;
}

static void
print_signals(FILE *out, const struct sl_words *w, uint64_t condition)
{
	unsigned lost = 0;
	char label[64], place[256];

	for (uint64_t i = 0; i < w->trace->count; i++) {
		const struct sl_record *r = &w->trace->records[i];

		if (!signals(r, condition))
			continue;
		if (r->value == 0 && lost++ < SIGNALS_SHOWN)
			fprintf(out, "      lost: %s signalled it at %s, when no thread waited\n",
				sl_words_thread(w, r->op.thread, label, sizeof(label)),
				sl_words_place(w, r->op.pc, r->stack, place, sizeof(place)));
	}
	if (lost > SIGNALS_SHOWN)
		fprintf(out, "      … and %u more\n", lost - SIGNALS_SHOWN);
	if (!was_signalled(w, condition))
		fputs("      no thread ever signalled it\n", out);
}

/* Returns whether both wait for the same thing in the same place, as workers without work do. */
static bool
waits_alike(const struct sl_thread_record *a, const struct sl_thread_record *b)
{
	return a->state == b->state && a->pending.kind == b->pending.kind &&
	       a->pending.object == b->pending.object && a->pending.pc == b->pending.pc &&
	       a->waits_for == b->waits_for;
}

static const struct sl_thread_record *
first_alike(const struct sl_trace *trace, const struct sl_thread_record *t)
{
	const struct sl_thread_record *first = trace->threads;

	while (!is_stuck(first) || !waits_alike(first, t))
		first++;
	return first;
}

/* "T2 worker and T3 worker wait there, too" */
static void
print_alike(FILE *out, const struct sl_words *w, const struct sl_thread_record *t)
{
	const struct sl_trace *trace = w->trace;
	unsigned count = 0, shown = 0;
	char label[64];

	for (uint32_t i = 0; i < trace->thread_count; i++)
		count += &trace->threads[i] != t && is_stuck(&trace->threads[i]) &&
			 waits_alike(&trace->threads[i], t);
	if (!count)
		return;
	fputs("      ", out);
	for (uint32_t i = 0; i < trace->thread_count && shown < ALIKE_SHOWN; i++) {
		const struct sl_thread_record *other = &trace->threads[i];

		if (other == t || !is_stuck(other) || !waits_alike(other, t))
			continue;
		shown++;
		fprintf(out, "%s%s",
			shown == 1       ? ""
			: shown == count ? " and "
					 : ", ",
			sl_words_thread(w, other->id, label, sizeof(label)));
	}
	if (count > shown)
		fprintf(out, " and %u more threads", count - shown);
	fputs(count == 1 ? " waits there for the same\n" : " wait there for the same\n", out);
}

/*
 * Returns the thread whose waiting explains that of the others. A thread that waits for what an ended thread held
 * comes first: no signal would have helped. Otherwise it is the last one that the first thread waits for, by joins
 * and locks: workers without work wait, too, for ever, but the program does not wait for them.
 */
static const struct sl_thread_record *
find_cause(const struct sl_words *w)
{
	const struct sl_trace *trace = w->trace;
	const struct sl_thread_record *t, *next, *first = NULL;

	for (uint32_t i = 0; i < trace->thread_count; i++) {
		t = &trace->threads[i];
		next = is_stuck(t) && t->pending.kind != SL_JOIN ? holder_of(w, t) : NULL;
		if (next && next->state == SL_THREAD_ENDED)
			return t;
	}
	t = trace->thread_count ? &trace->threads[0] : NULL;
	for (uint32_t i = 0; t && is_stuck(t) && i < trace->thread_count; i++) {
		next = t->waits_for >= 0 ? sl_words_find_thread(w, (uint32_t)t->waits_for) : NULL;
		if (!next || condition_of(w, t))
			break;
		t = next;
	}
	if (t && is_stuck(t) && t->pending.kind != SL_JOIN)
		return t;
	for (uint32_t i = 0; i < trace->thread_count; i++) {
		t = &trace->threads[i];
		if (!is_stuck(t) || t->pending.kind == SL_JOIN)
			continue;
		if (!first || (!condition_of(w, first) && condition_of(w, t)))
			first = t;
	}
	return first;
}

/* A pending TIMER: the object is the time at which it expires, if it ends the program; the mutex is its signal. */
static void
print_timers(FILE *out, const struct sl_words *w)
{
	char place[256], name[32];

	for (uint32_t i = 0; i < w->trace->thread_count; i++) {
		const struct sl_thread_record *t = &w->trace->threads[i];

		if (t->state == SL_THREAD_ENDED || t->pending.kind != SL_TIMER || !t->mutex)
			continue;
		fprintf(out, "\nnote: a timer, set at %s, would end the program by %s after %g s\n",
			sl_words_place(w, t->create_pc, t->stack, place, sizeof(place)),
			sl_words_signal(t->mutex, name, sizeof(name)), (double)t->pending.object / 1e9);
	}
}

/* The circle's threads are stuck by locks alone: the program may continue beside them, and end. */
static void
print_others(FILE *out, const struct sl_words *w)
{
	char label[64];
	unsigned count = 0;

	for (uint32_t i = 0; i < w->trace->thread_count; i++) {
		const struct sl_thread_record *t = &w->trace->threads[i];

		if (is_stuck(t) || t->state == SL_THREAD_ENDED || t->pending.kind == SL_TIMER ||
		    t->pending.kind == SL_WORK_WAIT || count++ >= ALIKE_SHOWN)
			continue;
		fprintf(out, "%s%s", count == 1 ? "\nnote: these can go on, and hide the deadlock: " : ", ",
			sl_words_thread(w, t->id, label, sizeof(label)));
	}
	if (count > ALIKE_SHOWN)
		fprintf(out, " and %u more", count - ALIKE_SHOWN);
	if (count)
		fputc('\n', out);
}

/*
 * The thread that explains the others comes first; threads that only wait for others to end explain nothing and
 * come last.
 */
void
sl_deadlock_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		  const struct sl_words *words)
{
	const struct sl_trace *trace = words->trace;
	char label[64], text[512];
	const struct sl_thread_record *cause = find_cause(words);
	unsigned shown = 0;

	if (cause)
		cause = first_alike(trace, cause);
	for (int pass = 0; pass < 3; pass++) {
		for (uint32_t i = 0; i < trace->thread_count; i++) {
			const struct sl_thread_record *t = &trace->threads[i];
			int turn = cause && t == cause ? 0 : t->pending.kind == SL_JOIN ? 2 : 1;

			if (!is_stuck(t) || turn != pass || first_alike(trace, t) != t)
				continue;
			if (!shown)
				fputs("\nWho waits for what:\n", out);
			if (shown++ >= THREADS_SHOWN)
				continue;
			format_wait(words, t, text, sizeof(text));
			fprintf(out, "\n  %s%s%s %s", sl_ink(style, SL_INK_BOLD),
				sl_words_thread(words, t->id, label, sizeof(label)), sl_ink(style, SL_INK_NONE),
				text);
			print_holder(out, words, t);
			fputc('\n', out);
			sl_stack_print(out, style, words, t->pending.pc, t->stack);
			if (condition_of(words, t))
				print_signals(out, words, condition_of(words, t));
			sl_enablers_print(out, story, words, t);
			print_alike(out, words, t);
		}
	}
	if (shown > THREADS_SHOWN)
		fprintf(out, "\n  … and %u more threads\n", shown - THREADS_SHOWN);
	print_others(out, words);
	print_timers(out, words);
}

/* Finds the circle that can be reached from the thread: returns the number of its threads, and one of them. */
static uint32_t
circle(const struct sl_words *w, const struct sl_thread_record *t, const struct sl_thread_record **member)
{
	const struct sl_thread_record *start;
	uint32_t length = 0;

	/* after as many steps as there are threads, the walk is in the circle, if there is one */
	for (uint32_t i = 0; i < w->trace->thread_count; i++)
		if (!is_stuck(t) || !(t = holder_of(w, t)))
			return 0;
	if (!is_stuck(t))
		return 0;
	*member = start = t;
	do {
		t = holder_of(w, t);
		length++;
	} while (t && t != start && length <= w->trace->thread_count);
	return t == start ? length : 0;
}

/* Starts with the lowest number, so that the same deadlock gives the same sentence. */
static void
format_circle(const struct sl_words *w, const struct sl_thread_record *t, uint32_t length, char *text, size_t room)
{
	const struct sl_thread_record *first = t;
	char label[64], object[256];
	size_t used = 0;

	if (length == 1) {
		snprintf(text, room, "%s waits for %s, which it holds itself",
			 sl_words_thread(w, t->id, label, sizeof(label)),
			 sl_words_accessed(w, &t->pending, 0, UINT64_MAX, false, object, sizeof(object)));
		return;
	}
	for (uint32_t i = 0; i < length; i++, t = holder_of(w, t))
		if (t->id < first->id)
			first = t;
	t = first;
	for (uint32_t i = 0; i < length && used < room; i++, t = holder_of(w, t))
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 i == 0            ? ""
					 : i + 1 == length ? " and "
							   : ", ",
					 sl_words_thread(w, t->id, label, sizeof(label)));
	if (used < room)
		snprintf(text + used, room - used, " wait for each other");
}

void
sl_deadlock_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room)
{
	const struct sl_trace *trace = words->trace;
	const struct sl_thread_record *member, *first;
	char label[64], wait[512];
	bool lost;
	size_t n;

	for (uint32_t i = 0; i < trace->thread_count; i++) {
		uint32_t length = circle(words, &trace->threads[i], &member);

		if (!length)
			continue;
		n = (size_t)snprintf(text, room, "deadlock: ");
		if (n < room)
			format_circle(words, member, length, text + n, room - n);
		return;
	}
	first = find_cause(words);
	if (!first) {
		snprintf(text, room, "deadlock: no thread can go on");
		return;
	}
	member = holder_of(words, first);
	if (member && member->state == SL_THREAD_ENDED) {
		char object[256], other[64];

		snprintf(text, room, "deadlock: %s ended holding %s, for which %s waits",
			 sl_words_thread(words, member->id, other, sizeof(other)),
			 sl_words_accessed(words, &first->pending, 0, UINT64_MAX, false, object, sizeof(object)),
			 sl_words_thread(words, first->id, label, sizeof(label)));
		return;
	}
	lost = story->finding->lost_wakeup && condition_of(words, first);
	n = (size_t)snprintf(text, room, "deadlock: ");
	/* a signal that went to the wrong thread, or to none, is the cause */
	if (!(lost && was_signalled(words, condition_of(words, first))) && n < room &&
	    sl_cycle_format(story, words, text + n, room - n))
		return;
	format_wait(words, first, wait, sizeof(wait));
	snprintf(text, room, "%s: %s %s%s", lost ? "lost wake-up" : "deadlock",
		 sl_words_thread(words, first->id, label, sizeof(label)), wait,
		 condition_of(words, first) ? ", and no thread is left that could send one" : "");
}
