#include "cli/session/live.h"

#include "cli/session/heavy.h"
#include "report/report.h"
#include "search/phase.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_NS 10000000000ul

void
sl_live_init(struct sl_live *live, bool quiet)
{
	const char *term = getenv("TERM");

	*live = (struct sl_live){.quiet = quiet};
	live->terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
	live->last = live->from = sl_nanoseconds();
}

void
sl_live_wipe(struct sl_live *live)
{
	if (live->drawn)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	live->drawn = false;
}

/* Formats a bar, and the remaining time at this rate. */
static int
put_estimate(char *text, size_t room, uint64_t executions, uint64_t estimate, double rate)
{
	static const char full[] = "##########", empty[] = "----------";
	double share = (double)executions / (double)estimate;
	double left = rate > 0 ? (double)(estimate - executions) / rate : 0;
	int part = (int)(share * 10), used;
	char number[32];

	used = snprintf(text, room, " [%.*s%.*s] %.2g%% of about %s", part, full, 10 - part, empty, 100 * share,
			sl_count_format(estimate, number));
	if (left < 1)
		return used;
	if (left < 120)
		return used + snprintf(text + used, room - (size_t)used, ", %.0f s left", left);
	if (left < 7200)
		return used + snprintf(text + used, room - (size_t)used, ", %.0f min left", left / 60);
	if (left < 172800)
		return used + snprintf(text + used, room - (size_t)used, ", %.0f hours left", left / 3600);
	return used + snprintf(text + used, room - (size_t)used, ", %.3g days left", left / 86400);
}

/* Formats the progress of the search, as far as its strategy knows it. */
static int
put_progress(char *text, size_t room, const struct sl_arena *a, uint64_t executions, double rate)
{
	const struct sl_worker *w = &a->workers[0];
	int bound = w->progress.bound;
	uint64_t estimate = w->progress.estimate;

	for (uint32_t i = 0; i < a->config.workers; i++) {
		w = &a->workers[i];
		if (sl_phase_of(w)->shortens)
			return snprintf(text, room, ", shortening the schedule of finding %" PRIu32,
					w->subject + 1);
		if (w->progress.bound < bound)
			bound = w->progress.bound;
	}
	if (a->config.limit.executions)
		return snprintf(text, room, ", %.0f%%",
				100.0 * (double)a->total / (double)a->config.limit.executions);
	if (executions && bound >= 0)
		return snprintf(text, room, ", all with at most %d preemption%s", bound, bound == 1 ? "" : "s");
	if (estimate > executions)
		return put_estimate(text, room, executions, estimate, rate);
	return 0;
}

static void
draw(struct sl_live *live, const char *line)
{
	struct winsize size;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;

	fprintf(stderr, "\r%.*s\033[K", width - 1, line); /* a wrapped line could not be wiped */
	fflush(stderr);
	live->drawn = true;
}

void
sl_live_draw(struct sl_live *live, const struct sl_arena *a)
{
	uint64_t now = sl_nanoseconds(), executions = 0, operations = 0;
	char line[256], number[32], rate[32];
	size_t used;

	if (live->quiet || (!live->terminal && now - live->last < PLAIN_NS))
		return;
	live->last = now;
	for (uint32_t i = 0; i < a->config.workers; i++) {
		executions += a->workers[i].counters.executions;
		operations += __atomic_load_n(&a->workers[i].beat, __ATOMIC_RELAXED);
	}
	if (now - live->from > 1000000000u || live->rate == 0) {
		live->rate = (double)(executions - live->from_executions) * 1e9 / (double)(now - live->from + 1);
		live->from = now;
		live->from_executions = executions;
	}
	if (executions)
		used = (size_t)snprintf(line, sizeof(line), "%s schedules, %s/s",
					sl_count_format(executions, number),
					sl_count_format((uint64_t)live->rate, rate));
	else
		used = (size_t)snprintf(line, sizeof(line), "the first execution is running, %s operations",
					sl_heavy_count(operations, number));
	used += (size_t)put_progress(line + used, sizeof(line) - used, a, executions, live->rate);
	snprintf(line + used, sizeof(line) - used, ", %" PRIu32 " finding%s, %.1f s", a->case_count,
		 a->case_count == 1 ? "" : "s", (double)(a->origin.spent + now - a->started) / 1e9);
	if (!live->terminal) {
		fprintf(stderr, "%s\n", line);
		return;
	}
	draw(live, line);
}

void
sl_live_say(struct sl_live *live, const char *text)
{
	if (!live->quiet && live->terminal)
		draw(live, text);
}
