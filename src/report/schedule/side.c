#include "report/schedule/side.h"

#include "trace/lane/wordlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* The word of the schedule language for such an operation; NULL: there is none. */
static const char *
verb_of(const struct sl_op *op)
{
	unsigned event = sl_op_kinds[op->kind].event;

	return event & SL_OP_EVENT_WRITE    ? "write"
	       : event & SL_OP_EVENT_READ   ? "read"
	       : event & SL_OP_EVENT_LOCK   ? "lock"
	       : event & SL_OP_EVENT_UNLOCK ? "unlock"
	       : event & SL_OP_EVENT_WAIT   ? "wait"
	       : event & SL_OP_EVENT_SIGNAL ? "signal"
					    : NULL;
}

/* Returns whether the text is a name as C has them: a variable, with members and elements. */
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

/* Returns whether both count as occurrences of the same event. */
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
	/* an operation that reads and writes is both events */
	if (!strcmp(x, "read") && sl_kind_access(b->kind) == (SL_OP_READS | SL_OP_WRITES))
		return true;
	return !strcmp(x, y);
}

/* ---- names of threads, operations and lines ---- */

/* Appends the name that the program gave the thread, if no other thread has it. */
static void
add_thread(const struct sl_words *w, uint32_t thread, char *text, size_t room)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, thread);
	size_t used = strlen(text);
	char number[32];
	bool unique = t && t->named && t->name[0] && thread;

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

bool
sl_side_operation(const struct sl_words *w, const struct sl_op *op, uint64_t when, struct sl_side *side)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, op->thread);
	char object[128];
	unsigned nth = 1;

	if (op->kind == SL_EVENT && sl_nameless(op->object)) /* such an event is told in another way, if at all */
		return false;
	if (op->kind == SL_EVENT) {
		snprintf(side->text, sizeof(side->text), "%s", sl_words_event(w, op));
		side->cost = SL_COST_EVENT;
	} else {
		const char *verb = verb_of(op);

		if (!verb)
			return false;
		sl_words_object(w, op->object, 0, when, false, object, sizeof(object));
		if (!is_path(object))
			return false;
		snprintf(side->text, sizeof(side->text), "%s:%s", verb, object);
		side->cost = SL_COST_NAME;
	}
	for (uint64_t i = w->trace->from; i < when && i < w->trace->count; i++)
		nth += is_alike(op, &w->trace->records[i].op) &&
		       !(t && w->trace->records[i].op.index <= t->carried);
	add_nth(nth, side->text, sizeof(side->text));
	add_thread(w, op->thread, side->text, sizeof(side->text));
	return true;
}

static void
name_line(const struct sl_words *w, const char *kind, const struct sl_arrival *a, struct sl_side *side)
{
	bool plain = isalpha((unsigned char)a->file[0]) || a->file[0] == '_';

	for (const char *c = a->file; plain && *c; c++)
		plain = isalnum((unsigned char)*c) || *c == '_' || *c == '.';
	snprintf(side->text, sizeof(side->text), plain ? "%s%.100s:%" PRIu32 : "%s\"%.100s\":%" PRIu32, kind,
		 a->file, a->line);
	add_nth(a->nth, side->text, sizeof(side->text));
	add_thread(w, a->thread, side->text, sizeof(side->text));
}

void
sl_side_line(const struct sl_words *w, const struct sl_arrival *a, struct sl_side *side)
{
	name_line(w, "", a, side);
	side->cost = SL_COST_LINE;
}

/* A line is left once for each time that a thread has come to it. */
void
sl_side_left(const struct sl_words *w, const struct sl_arrival *a, struct sl_side *side)
{
	name_line(w, "exit:", a, side);
	side->cost = SL_COST_LEFT;
}

void
sl_side_thread(const struct sl_words *w, const char *verb, uint32_t thread, struct sl_side *side)
{
	snprintf(side->text, sizeof(side->text), "%s", verb);
	add_thread(w, thread, side->text, sizeof(side->text));
	side->cost = SL_COST_NAME;
}

void
sl_side_blocked(const struct sl_side *from, struct sl_side *to)
{
	size_t n = strnlen(from->text, sizeof(to->text) - 3);

	to->text[0] = '[';
	memcpy(to->text + 1, from->text, n);
	memcpy(to->text + 1 + n, "]", 2);
	to->cost = from->cost + SL_COST_BLOCKED;
}

bool
sl_side_may_block(const struct sl_op *op)
{
	return sl_kind_is(op->kind, SL_KIND_WOKEN) ||
	       (sl_kind_is(op->kind, SL_KIND_CALL) && sl_kind_is(op->kind, SL_KIND_WAITS));
}
