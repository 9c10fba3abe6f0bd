/* A trace in a few lines: how many items of which kinds, how many threads, how many bytes. */
#include "report/trace/tape_report.h"

#include "base/room.h"
#include "report/quote.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct summary {
	uint64_t kinds[256];
	uint64_t *threads; /* the number of items of each, over all parts */
	uint32_t count;
	uint32_t executions, findings, calm, last;
};

static void *
begin(const struct sl_tape_view *view)
{
	(void)view;
	return calloc(1, sizeof(struct summary));
}

static void
item(void *state, const struct sl_tape_view *view, const struct sl_item *item)
{
	struct summary *s = state;

	if (item->thread >= s->count) {
		uint32_t count = item->thread + 1 + item->thread / 2;

		s->threads = sl_must(realloc(s->threads, count * sizeof(*s->threads)));
		memset(s->threads + s->count, 0, (count - s->count) * sizeof(*s->threads));
		s->count = count;
	}
	if (view->tape->part != s->last && view->tape->execution & SL_PART_FINDING)
		s->findings++;
	else if (view->tape->part != s->last && view->tape->execution & SL_PART_CALM)
		s->calm++;
	else if (view->tape->part != s->last)
		s->executions++;
	s->last = view->tape->part;
	s->threads[item->thread]++;
	s->kinds[item->kind]++;
}

/* The most frequent first. */
static int
by_count(const void *a, const void *b, void *kinds)
{
	uint64_t x = ((const uint64_t *)kinds)[*(const uint8_t *)a],
		 y = ((const uint64_t *)kinds)[*(const uint8_t *)b];

	return x < y ? 1 : x > y ? -1 : (int)*(const uint8_t *)a - (int)*(const uint8_t *)b;
}

static void
end(void *state, const struct sl_tape_view *view)
{
	struct summary *s = state;
	const struct sl_tape *tape = view->tape;
	char number[32], thread[64], how[1280];
	uint8_t order[256];

	fputs("program     ", view->out);
	sl_tape_command_put(view->out, &tape->head);
	if (!strcmp(tape->head.mode, "controlled"))
		fprintf(view->out, "\nrecorded    under control, --strategy=%s --seed=%" PRIu64 "\n",
			tape->head.strategy, tape->head.seed);
	else if (*tape->head.strategy)
		fprintf(view->out, "\nrecorded    on real threads, --strategy=%s --seed=%" PRIu64 "\n",
			tape->head.strategy, tape->head.seed);
	else
		fprintf(view->out, "\nrecorded    %s\n",
			*tape->head.mode ? "on real threads" : "in an unknown way");
	if (tape->head.lanes > 1)
		fprintf(view->out, "workers     %" PRIu32 "\n", tape->head.lanes);
	fputs("ended       ", view->out);
	sl_line_put(view->out, sl_tape_end_format(tape, how, sizeof(how)), 0);
	fputc('\n', view->out);
	if (s->executions > 1 || s->findings || s->calm)
		fprintf(view->out, "executions  %" PRIu32 "%s\n", s->executions,
			s->calm ? ", and one without noise" : "");
	if (s->findings)
		fprintf(view->out, "findings    %" PRIu32 ", as they are told\n", s->findings);
	fprintf(view->out, "items       %s\n", sl_count_format(tape->items, number));
	fprintf(view->out, "bytes       %s", sl_count_format(view->size, number));
	if (tape->items)
		fprintf(view->out, ", %.2f an item", (double)view->size / (double)tape->items);
	fputs("\n\n", view->out);
	for (unsigned i = 0; i < 256; i++)
		order[i] = (uint8_t)i;
	qsort_r(order, 256, 1, by_count, s->kinds);
	for (unsigned i = 0; i < 256 && s->kinds[order[i]]; i++)
		fprintf(view->out, "%14s  %s\n", sl_count_format(s->kinds[order[i]], number),
			sl_kind_word(order[i]) ? sl_kind_word(order[i])
					       : "of kinds that this Sleave does not know");
	fputc('\n', view->out);
	for (uint32_t i = 0; i < s->count; i++)
		if (s->threads[i]) {
			fprintf(view->out, "%14s  ", sl_count_format(s->threads[i], number));
			sl_line_put(view->out, sl_tape_thread(view, i, thread, sizeof(thread)), 0);
			fputc('\n', view->out);
		}
	free(s->threads);
	free(s);
}

const struct sl_tape_format sl_tape_summary = {begin, item, NULL, end};
