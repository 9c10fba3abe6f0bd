/*
 * `sleave replay --as-schedule`: a finding as a schedule that people can read and keep. The switches of the execution give
 * the orderings; which of them are needed is tried, the fewest first: with those alone, whatever else the threads do, the
 * finding must come in every one of 100 executions.
 */
#include "cli/as_schedule.h"

#include <stdlib.h>
#include <string.h>

#define RUNS 100u
#define TRIES_MAX 400 /* of several orderings at a time, before they are dropped one by one */

struct search {
	const struct sl_replay *replay;
	const struct sl_target *target;
	struct sl_settings settings;
	const struct sl_ordering *orderings;
	size_t count;
	char text[16384];
	unsigned tries;
	struct sl_err *err;
};

static void
write_text(struct search *s, const bool *used)
{
	size_t length = 0;

	if (s->replay->follows)
		length = (size_t)snprintf(s->text, sizeof(s->text), "%s", s->replay->follows);
	else
		s->text[0] = '\0';
	for (size_t i = 0; i < s->count && length < sizeof(s->text); i++)
		if (used[i])
			length += (size_t)snprintf(s->text + length, sizeof(s->text) - length, "%s%s -> %s",
						   length ? ", " : "", s->orderings[i].before,
						   s->orderings[i].after);
}

/* How many of the executions show it; negative: they can't be run. */
static int
shown(struct search *s, const bool *used)
{
	struct sl_session session;
	int result = -1;

	write_text(s, used);
	if (sl_session_init(&session, &s->settings, s->err) < 0)
		return -1;
	session.program = s->target->path;
	session.argv = s->replay->argv;
	session.directory = s->replay->cwd;
	session.input = sl_input_copy(true);
	snprintf(session.arena->config.plan, sizeof(session.arena->config.plan), "%s", s->text);
	session.arena->config.wanted = s->replay->signature;
	session.arena->config.explore_call = s->replay->explore_call;
	session.arena->config.races = s->replay->races;
	session.arena->config.spurious = s->replay->spurious;
	session.arena->config.world = s->replay->world;
	if (sl_session_run(&session, s->err) == 0)
		result = session.arena->workers[0].trouble ? 0 : (int)session.arena->workers[0].counters.shown;
	sl_session_release(&session);
	s->tries++;
	return result;
}

static bool
works(struct search *s, const bool *used)
{
	return shown(s, used) == (int)RUNS;
}

/* Any `left` of those from `at` on, besides what is there. */
static bool
choose(struct search *s, bool *used, size_t at, unsigned left)
{
	if (!left)
		return works(s, used);
	for (size_t i = at; i + left <= s->count && s->tries < TRIES_MAX; i++) {
		used[i] = true;
		if (choose(s, used, i + 1, left - 1))
			return true;
		used[i] = false;
	}
	return false;
}

/* Fewest first; if that takes too long, all of them, without those that are not missed. */
static bool
find(struct search *s, bool *used)
{
	for (unsigned size = 0; size <= s->count && s->tries < TRIES_MAX; size++) {
		memset(used, 0, SL_ORDERINGS_MAX * sizeof(*used));
		if (choose(s, used, 0, size))
			return true;
	}
	for (size_t i = 0; i < s->count; i++)
		used[i] = true;
	if (!works(s, used))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		used[i] = false;
		used[i] = !works(s, used);
	}
	return true;
}

static void
print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void
print(FILE *out, struct search *s, const bool *used)
{
	size_t count = 0, done = 0;

	for (size_t i = 0; i < s->count; i++)
		count += used[i];
	write_text(s, used);
	if (!count) {
		fprintf(out, "# no schedule is needed: %u of %u executions show it, whatever the order\n", RUNS,
			RUNS);
		return;
	}
	fprintf(out, "# %s\n# %u of %u executions that follow it show this\nschedule ", s->replay->message, RUNS,
		RUNS);
	print_quoted(out, sl_finding_kind_name(s->replay->kind));
	fputs(" {\n", out);
	for (size_t i = 0; i < s->count; i++)
		if (used[i])
			fprintf(out, "    %s -> %s%s\n", s->orderings[i].before, s->orderings[i].after,
				++done < count ? "," : "");
	fputs("}\n\n/* in a test that is built with `sleave cc`, around what starts the threads: */\nSLEAVE_SCHEDULES(",
	      out);
	print_quoted(out, sl_finding_kind_name(s->replay->kind));
	fputs(", ", out);
	print_quoted(out, s->text);
	fputs(") {\n\t…\n}\n", out);
}

static bool
chooses_waiter(const struct sl_replay *replay)
{
	for (uint64_t i = 0; i < replay->schedule.count; i++)
		if (replay->schedule.items[i].kind == SL_PICK_WAITER)
			return true;
	return false;
}

int
sl_as_schedule(FILE *out, const struct sl_orderings *orderings, const struct sl_replay *replay,
	       const struct sl_target *target, struct sl_err *err)
{
	static struct search s;
	bool used[SL_ORDERINGS_MAX] = {false};

	s = (struct search){.replay = replay,
			    .target = target,
			    .orderings = orderings->items,
			    .count = orderings->count,
			    .err = err};
	s.settings = (struct sl_settings){.strategy = "random",
					  .preemptions = UINT64_MAX,
					  .schedules = RUNS,
					  .jobs = 1,
					  .operations = 20000000,
					  .watchdog = 30000000000u,
					  .races = SL_RACES_ON,
					  .memory = SL_RACES_ON,
					  .misuse = SL_RACES_ON,
					  .state_memory = 1 << 20};
	if (!find(&s, used))
		return sl_err_set(
			err, "%s",
			!s.count ? "its switches are at nothing that has a name"
			: chooses_waiter(replay)
				? "no orderings lead to it every time: which waiter a signal wakes is part of it"
				: "no orderings of what has a name lead to it every time");
	print(out, &s, used);
	return 0;
}
