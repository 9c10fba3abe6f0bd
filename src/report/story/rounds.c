/* A livelock: the threads that loop, and the operations of one round. */
#include "report/words.h"

#include <stdbool.h>
#include <stdlib.h>

#define ROWS_MAX 40
#define BLOCK_MAX 16 /* operations of a repetition within the loop */

/*
 * "livelock: T1 f and T2 g", or with their places. False: they were told as a cycle, and there is nothing to add.
 */
static bool
format_threads(const struct sl_story *story, const struct sl_words *words, const char *head, bool places,
	       char *text, size_t room, size_t *used)
{
	const struct sl_finding *f = story->finding;
	uint32_t count = f->culprit_count < SL_CULPRITS_MAX ? f->culprit_count : SL_CULPRITS_MAX;
	char thread[96], line[160];

	*used = (size_t)snprintf(text, room, "%s ", head);
	if (*used < room && sl_cycle_format(story, words, text + *used, room - *used))
		return false;
	--*used;
	for (uint32_t i = 0; i < count && *used < room; i++) {
		*used += (size_t)snprintf(text + *used, room - *used, "%s %s",
					  i == 0           ? ""
					  : i + 1 == count ? " and"
							   : ",",
					  sl_words_thread(words, f->culprits[i].thread, thread, sizeof(thread)));
		if (places && *used < room)
			*used += (size_t)snprintf(text + *used, room - *used, " at %s",
						  sl_words_line(words, f->culprits[i].pc, f->culprits[i].stack,
								line, sizeof(line)));
	}
	return *used < room;
}

/* "livelock: T1 f and T2 g repeat the same 12 operations for ever" */
void
sl_livelock_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room)
{
	const struct sl_finding *f = story->finding;
	char number[32];
	size_t used;

	if (format_threads(story, words, "livelock:", false, text, room, &used))
		snprintf(text + used, room - used, " repeat%s the same %s operations for ever%s",
			 f->culprit_count == 1 ? "s" : "", sl_count_format((uint64_t)f->status, number),
			 f->extent ? ", if they keep in step" : "");
}

/* "does not end: T1 f at a.c:3 and T2 g at a.c:9 loop for ever" */
void
sl_endless_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room)
{
	size_t used;

	if (format_threads(story, words, "does not end:", true, text, room, &used))
		snprintf(text + used, room - used, " loop%s for ever",
			 story->finding->culprit_count == 1 ? "s" : "");
}

/* For the looping threads: what they look at, and which threads change it in other executions. */
void
sl_looks_print(FILE *out, const struct sl_story *story, const struct sl_words *words)
{
	const struct sl_finding *f = story->finding;
	char label[96];

	for (uint32_t i = 0; i < f->culprit_count && i < SL_CULPRITS_MAX; i++) {
		const struct sl_thread_record *t = sl_words_find_thread(words, f->culprits[i].thread);
		struct sl_wait wait;

		if (!t || !story->enablers || !sl_awaited_any(story, words, t, &wait))
			continue;
		fprintf(out, "\n  %s loops:\n", sl_words_thread(words, t->id, label, sizeof(label)));
		sl_enablers_print(out, story, words, t);
	}
}

/* Why the execution counts as endless; a replay does not know that. */
void
sl_endless_print(FILE *out, const struct sl_story *story)
{
	const struct sl_finding *f = story->finding;
	char number[32], other[32];

	if (f->extent)
		fprintf(out,
			"\nThis execution had not ended after %s operations, the last of them with every thread getting its "
			"turn. The longest execution that ended has %s.\n",
			sl_count_format(f->extent, number), sl_count_format(f->start, other));
}

static bool
is_same(const struct sl_record *a, const struct sl_record *b)
{
	return a->op.thread == b->op.thread && a->op.kind == b->op.kind && a->op.object == b->op.object &&
	       a->op.pc == b->op.pc;
}

/* Returns how often the `size` rows at `at` are repeated. */
static uint64_t
repeats(const struct sl_trace *trace, const uint64_t *rows, uint64_t count, uint64_t at, uint64_t size)
{
	uint64_t times = 1;

	for (uint64_t i = at + size; i < count; i++) {
		if (!is_same(&trace->records[rows[i]], &trace->records[rows[i - size]]))
			break;
		times = (i + 1 - at) / size;
	}
	return times;
}

/* The widths of the columns: those of their longest texts. */
struct columns {
	size_t label, place;
};

static void
measure(struct columns *columns, const struct sl_words *words, uint64_t record)
{
	const struct sl_record *r = &words->trace->records[record];
	char label[96], place[320];
	size_t n = sl_columns(sl_words_thread(words, r->op.thread, label, sizeof(label)));

	if (n > columns->label)
		columns->label = n;
	n = sl_columns(sl_words_line(words, r->op.pc, r->stack, place, sizeof(place)));
	if (n > columns->place)
		columns->place = n;
}

static void
print_row(FILE *out, const struct sl_style *style, const struct sl_words *words, const struct columns *columns,
	  uint64_t record)
{
	const struct sl_record *r = &words->trace->records[record];
	char label[96], what[640], place[320];

	sl_words_thread(words, r->op.thread, label, sizeof(label));
	sl_words_line(words, r->op.pc, r->stack, place, sizeof(place));
	fprintf(out, "  %s%s%s%*s  %s%s%s%*s  %s\n", sl_ink(style, SL_INK_CYAN), label, sl_ink(style, SL_INK_NONE),
		(int)(columns->label - sl_columns(label)), "", sl_ink(style, SL_INK_DIM), place,
		sl_ink(style, SL_INK_NONE), (int)(columns->place - sl_columns(place)), "",
		sl_words_operation(words, record, what, sizeof(what)));
}

void
sl_livelock_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		  const struct sl_words *words)
{
	const struct sl_trace *trace = story->trace;
	uint64_t round = (uint64_t)story->finding->status, count = 0, printed = 0, *rows;
	struct columns columns = {0, 0};
	char number[32];

	if (round > trace->count)
		return;
	rows = sl_must(malloc((round + 1) * sizeof(*rows)));
	for (uint64_t i = trace->count - round; i < trace->count; i++) {
		uint8_t kind = trace->records[i].op.kind;

		/* an operation that only one thread touches does not keep the others going */
		if (words->shared[i] || !(sl_kind_is_plain(kind) || kind == SL_START || kind == SL_END))
			rows[count++] = i;
	}
	for (uint64_t i = 0; i < count; i++)
		measure(&columns, words, rows[i]);
	fprintf(out, "\nOne round of the loop:\n\n");
	for (uint64_t at = 0; at < count;) {
		uint64_t size = 1, times = 1;

		for (uint64_t q = 1; q <= BLOCK_MAX; q++) {
			uint64_t n = repeats(trace, rows, count, at, q);

			if (n > 1 && n * q > times * size) {
				size = q;
				times = n;
			}
		}
		for (uint64_t i = at; i < at + size; i++, printed++)
			print_row(out, style, words, &columns, rows[i]);
		if (times > 1)
			fprintf(out, "  … %s times\n", sl_count_format(times, number));
		at += size * times;
		if (printed > ROWS_MAX && at < count) {
			fprintf(out, "  … %s more operations\n", sl_count_format(count - at, number));
			break;
		}
	}
	free(rows);
}
