#include "cli/session/recording.h"

#include "report/quote.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define RING_WORDS (1u << 20) /* 8 MiB */

static struct sl_tape_head
head_of(const struct sl_recording *r, const char *mode, const char *strategy, uint64_t seed)
{
	return (struct sl_tape_head){.program = r->program,
				     .cwd = r->cwd,
				     .build_id = r->build_id,
				     .mode = mode,
				     .strategy = strategy,
				     .seed = seed,
				     .argv = r->argv};
}

/* Each worker has a drain with a thread of the command: one drain for all would be slower than the workers. */
static struct sl_drain *
begin_worker(struct sl_recording *r, struct sl_arena *a, unsigned worker, struct sl_err *err)
{
	struct sl_drain_options options = {
		.path = r->file,
		.head = head_of(r, "controlled", a->config.strategy, a->config.seed),
		.beside = r->drain,
		.lane = worker,
		.lanes = 1,
		.lane_words = RING_WORDS,
		.modules = a->modules.items,
		.module_count = &a->modules.count,
		.events = (const char(*)[SL_EVENT_NAME])a->names.events.words,
		.event_count = SL_WORDS_MAX,
	};
	struct sl_drain *drain;

	options.head.lanes = a->config.workers;
	drain = sl_drain_new(&options, err);
	/*
	 * passed through the arena instead of a variable or a descriptor, so that the program's memory does not
	 * differ
	 */
	if (drain)
		snprintf(a->config.reels[worker], sizeof(a->config.reels[worker]), "/proc/%ld/fd/%d",
			 (long)getpid(), sl_drain_fd(drain));
	return drain;
}

int
sl_recording_begin(struct sl_recording *r, struct sl_arena *a, struct sl_err *err)
{
	if (!r->file)
		return 0;
	r->arena = a;
	for (unsigned i = 0; i < a->config.workers; i++) {
		struct sl_drain *drain = begin_worker(r, a, i, err);

		if (drain && i)
			r->others[r->other_count++] = drain;
		else if (drain)
			r->drain = drain;
		if (!drain || sl_drain_start(drain, err) < 0) {
			sl_recording_end(r, err->text, &(struct sl_err){""});
			return -1;
		}
	}
	return 0;
}

int
sl_recording_begin_free(struct sl_recording *r, uint32_t lane_words, const char *strategy, uint64_t seed,
			struct sl_err *err)
{
	struct sl_drain_options options = {.path = r->file,
					   .head = head_of(r, "free", strategy, seed),
					   .lanes = SL_REEL_LANES,
					   .lane_words = lane_words};

	if (!r->file)
		return 0;
	r->drain = sl_drain_new(&options, err);
	return r->drain ? 0 : -1;
}

static bool
is_unnamed(const struct sl_drain *drain)
{
	return drain && sl_drain_reel(drain)->names.count > SL_WORDS_MAX;
}

int
sl_recording_end(struct sl_recording *r, const char *how, struct sl_err *err)
{
	struct sl_drain *drain = r->drain;

	r->unnamed = is_unnamed(drain) || (drain && r->arena && r->arena->names.events.count > SL_WORDS_MAX);
	for (unsigned i = 0; i < r->other_count; i++) {
		r->unnamed = r->unnamed || is_unnamed(r->others[i]);
		sl_drain_leave(r->others[i]);
	}
	r->other_count = 0;
	if (r->unnamed && !r->end.missing)
		r->end.missing = "names of events or threads are missing";
	r->drain = NULL;
	r->end.how = how;
	return drain ? sl_drain_end(drain, &r->end, err) : 0;
}

void
sl_recording_miss(struct sl_recording *r, uint64_t unrecorded, char *text, size_t room)
{
	if (!unrecorded)
		return;
	snprintf(text, room, "%" PRIu64 " thread%s not recorded", unrecorded, unrecorded == 1 ? " was" : "s were");
	r->end.missing = text;
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
	sl_text_put(out, r->file, strlen(r->file));
	fprintf(out, ": %s item%s, %.2f bytes each\n", sl_count_format(r->end.items, counted),
		r->end.items == 1 ? "" : "s", r->end.items ? (double)r->end.bytes / (double)r->end.items : 0.0);
}
