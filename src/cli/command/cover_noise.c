/*
 * `sleave cover` with noise: executions on real threads that yield or sleep at random.
 */
#include "cli/cc/library.h"
#include "cli/command/commands.h"
#include "cli/result/cover_parts.h"
#include "cli/result/cover_result.h"
#include "cli/session/cover_native.h"
#include "cli/session/native.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void
interrupt(int number)
{
	(void)number;
	if (interrupted)
		_exit(130);
	interrupted = 1;
}

static void
noise_report(const struct cover *cover, const struct sl_cover_noise *noise, struct sl_cover_report *report)
{
	sl_cover_report_fill(report, noise->coverage, noise->criterion, noise->names, &cover->folders,
			     cover->argv[0], noise->seconds);
	report->strategy = noise->strategy;
	report->seed = noise->seed;
	report->window = noise->window_time ? 0 : noise->window;
	report->window_seconds = (double)noise->window_time / 1e9;
}

static bool
noise_tick(void *data, struct sl_cover_noise *noise)
{
	struct cover *cover = data;
	struct sl_cover_report report;

	if (sl_cover_is_time_to_keep(cover) && noise->coverage->execution) {
		noise_report(cover, noise, &report);
		sl_cover_keep_now(cover, &report, false);
		sl_cover_report_release(&report);
	}
	noise->interrupted = interrupted;
	return !interrupted;
}

int
sl_cover_run_noise(struct cover *cover, struct sl_err *err)
{
	const struct sl_settings *s = &cover->settings;
	struct sl_style style = sl_style_for(cover->out, s->colour);
	struct sigaction action = {.sa_handler = interrupt};
	struct sl_cover_noise noise = {
		.strategy = s->strategy,
		.probability = cover->probability,
		.criterion = cover->criterion,
		.program = cover->program,
		.argv = cover->argv,
		.input = cover->input,
		.seed = s->seed,
		.schedules = s->limit.schedules,
		.time = s->limit.time,
		.watchdog = s->watchdog,
		.window = cover->window,
		.window_time = cover->window_time,
		.coefficient = cover->coefficient,
		.tick = noise_tick,
		.data = cover,
	};
	struct sl_cover_report report;
	char library[PATH_MAX], missing[64];
	int status;

	if (!cover->target.linked) {
		if (sl_library_find(library, sizeof(library), err) < 0)
			return -1;
		noise.library = library;
	}
	cover->recording = (struct sl_recording){.file = s->tape,
						 .program = cover->program,
						 .cwd = cover->cwd,
						 .build_id = cover->build_id,
						 .argv = cover->argv};
	if (sl_recording_begin_free(&cover->recording, SL_NATIVE_LANE_WORDS, s->strategy, s->seed, err) < 0)
		return -1;
	noise.drain = cover->recording.drain;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	status = sl_cover_noise_run(&noise, err);
	sl_recording_miss(&cover->recording, noise.unrecorded, missing, sizeof(missing));
	if (status < 0) {
		sl_recording_end(&cover->recording, err->text, &(struct sl_err){""});
		sl_cover_noise_release(&noise);
		return -1;
	}
	if (sl_recording_end(&cover->recording,
			     noise.interrupted ? "the search was interrupted" : "the search ended", err) < 0) {
		sl_cover_noise_release(&noise);
		return -1;
	}
	noise_report(cover, &noise, &report);
	sl_cover_keep_now(cover, &report, true);
	sl_cover_print(cover->out, &style, &report, s->cover.all);
	sl_cover_write_plot(cover, &report);
	if (noise.failed)
		fprintf(cover->out, "failed: %" PRIu64 " of %" PRIu64 " executions; the first (%" PRIu64 ") %s\n",
			noise.failed, report.executions, noise.failed_at, noise.how);
	if (cover->recording.file && !s->quiet)
		sl_recording_print(&cover->recording, cover->out);
	status = sl_cover_judge_share(cover, &report, noise.failed ? SL_EXIT_FINDING : SL_EXIT_CLEAN);
	fflush(cover->out);
	if (s->json)
		sl_cover_json(stdout, &report, NULL);
	fflush(stdout);
	sl_cover_report_release(&report);
	sl_cover_noise_release(&noise);
	return status;
}
