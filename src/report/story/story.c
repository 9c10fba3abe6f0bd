#include "report/quote.h"
#include "report/words.h"

/* Prints where memory that the program touched was freed. */
static void
print_freed(FILE *out, const struct sl_story *story, const struct sl_words *words)
{
	char label[64], place[256];

	for (uint64_t i = words->trace->count; i-- > 0;) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.kind != SL_FREE || story->finding->object - r->op.object >= r->value)
			continue;
		fprintf(out, "\n  The memory was freed by %s at %s\n",
			sl_words_thread(words, r->op.thread, label, sizeof(label)),
			sl_words_place(words, r->op.pc, r->stack, place, sizeof(place)));
		return;
	}
}

void
sl_story_print(FILE *out, const struct sl_style *style, const struct sl_story *story)
{
	const struct sl_finding *f = story->finding;
	struct sl_words words;
	char headline[640];

	sl_headline_format(story, headline, sizeof(headline));
	fprintf(out, "%s%s%s\n", sl_ink(style, story->warning ? SL_INK_YELLOW : SL_INK_RED), headline,
		sl_ink(style, SL_INK_NONE));

	sl_words_init(&words, story->trace, story->names);
	if (f->kind != SL_FINDING_RACE && f->kind != SL_FINDING_DEADLOCK && f->kind != SL_FINDING_LIVELOCK &&
	    f->kind != SL_FINDING_ENDLESS && f->culprit_count && f->culprits[0].pc) {
		fputc('\n', out);
		sl_stack_print(out, style, &words, f->culprits[0].pc, f->culprits[0].stack);
	}
	if (f->kind == SL_FINDING_CRASH)
		print_freed(out, story, &words);
	sl_said_print(out, style, story);
	if (f->kind == SL_FINDING_ENDLESS)
		sl_endless_print(out, story);
	if (story->trace->count && f->kind == SL_FINDING_LIVELOCK)
		sl_livelock_print(out, style, story, &words);
	else if (story->trace->count && !story->warning)
		sl_steps_print(out, style, story, &words);
	if (f->kind == SL_FINDING_LIVELOCK || f->kind == SL_FINDING_ENDLESS)
		sl_looks_print(out, story, &words);
	if (f->kind == SL_FINDING_RACE)
		sl_race_print(out, style, story, &words);
	if (f->kind != SL_FINDING_RACE && f->kind != SL_FINDING_LIVELOCK && f->kind != SL_FINDING_ENDLESS &&
	    f->culprit_count > 1)
		sl_heap_print(out, style, story, &words);
	if ((f->kind == SL_FINDING_DEADLOCK || f->kind == SL_FINDING_SCHEDULE) && story->trace->thread_count)
		sl_deadlock_print(out, style, story, &words);
	if (sl_story_is_delayed(story)) {
		char label[64];

		fprintf(out, "\nThis schedule needs %s to be delayed for %.3g s while it could run.\n",
			sl_words_thread(&words, f->delayed_thread, label, sizeof(label)), (double)f->delayed / 1e9);
	}
	sl_words_release(&words);

	if (story->replay) {
		fprintf(out, "\nSee it again with:  %ssleave replay ", sl_ink(style, SL_INK_BOLD));
		sl_path_put(out, story->replay);
		fprintf(out, "%s\n", sl_ink(style, SL_INK_NONE));
	}
}
