#include "report/schedule/side.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether other threads could notice the operation, although nothing of it has a name. */
static bool
is_nameless(const struct sl_words *w, uint64_t record)
{
	const struct sl_op *op = &w->trace->records[record].op;
	struct sl_side side;

	return w->shared[record] && !(op->flags & SL_OP_SILENT) && !sl_side_operation(w, op, record, &side);
}

static bool
is_line(const struct sl_lines *lines, uint32_t thread, uint64_t record)
{
	return sl_lines_find(lines, thread, record - 1, record, true) != NULL;
}

/*
 * Returns whether another thread comes between this operation and the next one of its thread on the same object.
 * To let it in after the first and to keep the second until then takes two events: leaving a line and coming to
 * the next are two.
 */
static bool
is_parted(const struct sl_words *w, const struct sl_lines *lines, uint64_t record)
{
	const struct sl_record *records = w->trace->records;
	const struct sl_op *op = &records[record].op;
	unsigned events = 0;
	bool used = false;

	if (!is_nameless(w, record))
		return false;
	for (uint64_t i = record + 1; i < w->trace->count; i++) {
		if (records[i].op.thread != op->thread) {
			used |= records[i].op.object == op->object;
			continue;
		}
		events += is_line(lines, op->thread, i) ? 2 : 0;
		if (is_nameless(w, i))
			return used && events < 2;
		events += w->shared[i] != 0;
	}
	return used && events < 2;
}

static bool
tell(const struct sl_words *w, const struct sl_lines *lines, uint64_t record, char *text, size_t room)
{
	const struct sl_record *r = &w->trace->records[record];
	char who[64], place[256];

	sl_words_thread(w, r->op.thread, who, sizeof(who));
	sl_words_place(w, r->op.pc, r->stack, place, sizeof(place));
	switch ((enum sl_op_kind)r->op.kind) {
	case SL_CHOOSE:
		snprintf(text, room, "that %s chooses %" PRIu64 " at %s is not a matter of order", who, r->value,
			 place);
		return true;
	case SL_COND_RELOCK:
		if (!(r->value & SL_NOTE_SPURIOUS))
			break;
		snprintf(text, room, "that %s wakes spuriously at %s is not a matter of order", who, place);
		return true;
	case SL_ATOMIC_SPURIOUS:
		snprintf(text, room,
			 "that the weak exchange of %s at %s fails spuriously is not a matter of order", who,
			 place);
		return true;
	case SL_TASK_TAKE:
		snprintf(text, room, "which thread performs a task (here %s at %s) is not a matter of order", who,
			 place);
		return true;
	case SL_TASK:
	case SL_TASK_WAIT:
		return false;
	default:
		break;
	}
	if (!is_parted(w, lines, record))
		return false;
	snprintf(
		text, room,
		"other threads come between what %s does at %s and afterwards, and there are no events to say where",
		who, place);
	return true;
}

static bool
is_library(const struct sl_words *w, uint64_t record)
{
	struct sl_place place;

	return w->shared[record] && w->names &&
	       sl_names_place(w->names, w->trace->records[record].op.pc, &place) && sl_place_is_library(&place);
}

static bool
is_same_place(const struct sl_words *w, uint64_t a, uint64_t b)
{
	const struct sl_record *records = w->trace->records;
	char one[256], other[256];

	return !strcmp(sl_words_place(w, records[a].op.pc, records[a].stack, one, sizeof(one)),
		       sl_words_place(w, records[b].op.pc, records[b].stack, other, sizeof(other)));
}

/* Other threads come in between the operations of one call of a library. */
static bool
is_inside(const struct sl_words *w, uint64_t record)
{
	const struct sl_record *records = w->trace->records;
	bool used = false;

	for (uint64_t i = record + 1; is_library(w, record) && i < w->trace->count; i++) {
		if (records[i].op.thread == records[record].op.thread && w->shared[i])
			return used && is_library(w, i) && is_same_place(w, record, i);
		used |= records[i].op.thread != records[record].op.thread &&
			records[i].op.object == records[record].op.object;
	}
	return false;
}

/* Less certain: orderings could lead to it, but none was found. */
static bool
suspect(const struct sl_words *w, uint64_t record, char *text, size_t room)
{
	const struct sl_record *r = &w->trace->records[record];
	char who[64], place[256];

	sl_words_thread(w, r->op.thread, who, sizeof(who));
	sl_words_place(w, r->op.pc, r->stack, place, sizeof(place));
	if (r->op.kind == SL_TIMEOUT)
		snprintf(text, room, "that the time limit of %s at %s runs out is not a matter of order", who,
			 place);
	else if (is_inside(w, record))
		snprintf(text, room, "other threads come between what %s does inside of one call at %s", who,
			 place);
	else
		return false;
	return true;
}

bool
sl_unordered_of(const struct sl_trace *trace, struct sl_names *names, char *text, size_t room)
{
	struct sl_words words;
	struct sl_lines lines;
	bool found = false;

	sl_words_init(&words, trace, names);
	sl_lines_init(&lines, &words);
	for (uint64_t i = trace->from; i < trace->count && !found; i++)
		found = tell(&words, &lines, i, text, room);
	for (uint64_t i = trace->from; i < trace->count && !found; i++)
		found = suspect(&words, i, text, room);
	sl_lines_release(&lines);
	sl_words_release(&words);
	return found;
}
