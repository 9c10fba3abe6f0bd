#include "cli/recording.h"

#include "report/report.h"

#include <string.h>
#include <unistd.h>

#define RING_WORDS (1u << 20) /* 8 MiB */

int
sl_recording_begin(struct sl_recording *r, struct sl_arena *a, struct sl_err *err)
{
	struct sl_drain_options options = {
		.path = r->file,
		.head = {.program = r->program,
			 .cwd = r->cwd,
			 .build_id = r->build_id,
			 .mode = "controlled",
			 .strategy = a->config.strategy,
			 .seed = a->config.seed,
			 .argv = r->argv},
		.lanes = 1,
		.lane_words = RING_WORDS,
		.modules = a->modules,
		.module_count = &a->module_count,
		.events = (const char(*)[SL_EVENT_NAME])a->events.words,
		.event_count = SL_WORDS_MAX,
	};

	if (!r->file)
		return 0;
	r->arena = a;
	r->drain = sl_drain_new(&options, err);
	if (!r->drain)
		return -1;
	/* through the arena, and not by a variable or a descriptor: the program's memory is as it is without us */
	snprintf(a->config.reel, sizeof(a->config.reel), "/proc/%ld/fd/%d", (long)getpid(), sl_drain_fd(r->drain));
	if (sl_drain_start(r->drain, err) == 0)
		return 0;
	sl_recording_end(r, err->text, &(struct sl_err){""});
	return -1;
}

int
sl_recording_end(struct sl_recording *r, const char *how, struct sl_err *err)
{
	struct sl_drain *drain = r->drain;

	r->unnamed = drain && (sl_drain_reel(drain)->names.count > SL_WORDS_MAX ||
			       (r->arena && r->arena->events.count > SL_WORDS_MAX));
	if (r->unnamed && !r->end.missing)
		r->end.missing = "names of events or threads are missing";
	r->drain = NULL;
	r->end.how = how;
	return drain ? sl_drain_end(drain, &r->end, err) : 0;
}

int
sl_recording_end_search(struct sl_recording *r, const struct sl_session *session, struct sl_err *err)
{
	return sl_recording_end(r,
				session->interrupts ? "the search was interrupted"
				: session->given_up
					? "the search ended, and the last execution was given up (--time)"
					: "the search ended",
				err);
}

void
sl_recording_print(const struct sl_recording *r, FILE *out)
{
	char counted[32];

	if (r->unnamed)
		fprintf(out, "note: names of events or threads are missing: there were more than %u\n",
			SL_WORDS_MAX);
	fprintf(out, "%s: %s item%s, %.2f bytes each\n", r->file, sl_count_format(r->end.items, counted),
		r->end.items == 1 ? "" : "s", r->end.items ? (double)r->end.bytes / (double)r->end.items : 0.0);
}
