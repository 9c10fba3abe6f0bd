/*
 * Every operation of a trace, one line each, in columns that do not depend on the content: two traces can be
 * compared with diff.
 */
#include "report/words.h"

#include <inttypes.h>

void
sl_trace_print(FILE *out, const struct sl_style *style, const struct sl_trace *trace, struct sl_names *names)
{
	struct sl_words words;
	char label[64], what[640], place[320];
	uint32_t before = UINT32_MAX;

	sl_words_init(&words, trace, names);
	if (trace->dropped)
		fprintf(out, "%s… %" PRIu64 " earlier operations%s\n", sl_ink(style, SL_INK_DIM), trace->dropped,
			sl_ink(style, SL_INK_NONE));
	for (uint64_t i = 0; i < trace->count; i++) {
		const struct sl_record *r = &trace->records[i];

		sl_words_thread(&words, r->op.thread, label, sizeof(label));
		sl_words_place(&words, r->op.pc, r->stack, place, sizeof(place));
		sl_words_operation(&words, i, what, sizeof(what));
		fprintf(out, "%6" PRIu64 "  %s%-16s%s %6" PRIu64 "  %-48s  %s%s%s%s\n", trace->dropped + i + 1,
			r->op.thread != before ? sl_ink(style, SL_INK_CYAN) : "", label,
			sl_ink(style, SL_INK_NONE), r->op.index, what, sl_ink(style, SL_INK_DIM), place,
			sl_ink(style, SL_INK_NONE), r->cost ? "  <- a preemption" : "");
		before = r->op.thread;
	}
	sl_words_release(&words);
}
