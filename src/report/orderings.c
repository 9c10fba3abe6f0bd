/*
 * Orderings that lead to a finding: one for each switch of its schedule, from the last operation before it that another
 * thread could notice to the first one after it. They are candidates: which of them are needed is found out by trying
 * (cli/as_schedule.c).
 *
 * Operations are named as the schedule language does: an event of the program's own, what is done to an object that has a
 * name, or else the line. The number of its occurrence is counted in the trace, which must have all operations.
 */
#include "report/words.h"

#include <ctype.h>
#include <string.h>

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

/* The operation, of which everything before record `when` has been done. */
static bool
name_operation(const struct sl_words *w, const struct sl_op *op, uint64_t when, char *text, size_t room)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, op->thread);
	char object[256], thread[64];
	unsigned nth = 1;
	int used;

	if (op->kind == SL_EVENT) {
		used = snprintf(text, room, "%s", sl_words_event(w, op));
	} else {
		const char *verb = verb_of(op);

		if (!verb)
			return false;
		sl_words_object(w, op->object, 0, when, false, object, sizeof(object));
		if (!is_path(object))
			return false;
		used = snprintf(text, room, "%s:%s", verb, object);
	}
	for (uint64_t i = 0; i < when && i < w->trace->count; i++)
		nth += is_alike(op, &w->trace->records[i].op);
	if (nth > 1)
		used += snprintf(text + used, room - (size_t)used, "#%u", nth);
	if (t && t->name[0])
		snprintf(thread, sizeof(thread), "\"%s\"", t->name);
	else
		sl_thread_short(op->thread, thread, sizeof(thread));
	snprintf(text + used, room - (size_t)used, "@%s", thread);
	return true;
}

static bool
name_record(const struct sl_words *w, uint64_t record, char *text, size_t room)
{
	const struct sl_op *op = &w->trace->records[record].op;

	return (op->kind == SL_EVENT || w->shared[record]) && name_operation(w, op, record, text, room);
}

/* A thread that waits for a lock came to it after somebody else had taken it. */
static bool
name_wait(const struct sl_words *w, const struct sl_thread_record *t, struct sl_ordering *ordering)
{
	struct sl_hold holds[64];
	size_t n;

	if (t->state != SL_THREAD_BLOCKED || t->waits_for < 0 || !verb_of(&t->pending) ||
	    !name_operation(w, &t->pending, UINT64_MAX, ordering->after, sizeof(ordering->after)))
		return false;
	n = sl_words_holds(w, (uint32_t)t->waits_for, UINT64_MAX, holds, 64);
	for (size_t i = 0; i < n; i++)
		if (holds[i].object == t->pending.object)
			return name_record(w, holds[i].record, ordering->before, sizeof(ordering->before));
	return false;
}

size_t
sl_orderings_of(const struct sl_trace *trace, struct sl_names *names, struct sl_ordering *orderings, size_t max)
{
	struct sl_words words;
	char before[sizeof(orderings->before)] = "", now[sizeof(orderings->before)];
	uint32_t running = UINT32_MAX;
	size_t count = 0;

	sl_words_init(&words, trace, names);
	for (uint64_t i = 0; i < trace->count && count < max; i++) {
		uint32_t thread = trace->records[i].op.thread;

		if (!name_record(&words, i, now, sizeof(now)))
			continue;
		if (running != UINT32_MAX && thread != running) {
			strcpy(orderings[count].before, before);
			strcpy(orderings[count++].after, now);
		}
		running = thread;
		strcpy(before, now);
	}
	for (uint32_t i = 0; i < trace->thread_count && count < max; i++)
		count += name_wait(&words, &trace->threads[i], &orderings[count]);
	sl_words_release(&words);
	return count;
}
