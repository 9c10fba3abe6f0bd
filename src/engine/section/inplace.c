/*
 * Sections of a test that explore in place (`sleave test`): each schedule of a section is searched as by
 * sleave_explore(), with the block as the body instead of a function. An execution begins by returning from
 * sleave_section_next() again, on the caller's own stack (E.body.in_place), and ends when that is called again.
 * Then the section is run once for each schedule on real threads, so that later code finds its effects.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/entry/interpose.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

#define TEXTS_MAX 128
#define POOL_SIZE (8ul << 20)

/* The explored section. It is not part of the world, so restoring does not change it. */
static struct {
	struct sleave_section *section;
	struct sl_section_text texts[TEXTS_MAX];
	unsigned text_count, plan; /* the number of pairs; the number of the plan in them */
	jmp_buf entry;
	char name[512];   /* the schedule's name */
	uint64_t started; /* ns */
	bool beside;      /* threads from before the section are running */
	bool explored;    /* all of its schedules were explored without a finding */
} now;

static void
enter(void *unused)
{
	(void)unused;
	sl_real.longjmp(now.entry, 1);
}

/* "strategy,seed,schedules,milliseconds" */
static void
read_options(struct sleave_options *options)
{
	static char strategy[32];
	const char *text = getenv("SLEAVE_EXPLORE");
	uint64_t numbers[3] = {0};
	size_t n = 0;

	if (!text)
		return;
	for (; *text && *text != ','; text++)
		if (n < sizeof(strategy) - 1)
			strategy[n++] = *text;
	for (int i = 0; i < 3 && *text == ','; i++)
		for (text++; *text >= '0' && *text <= '9'; text++)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*text - '0');
	options->strategy = strategy[0] ? strategy : NULL;
	options->seed = numbers[0];
	options->schedules = numbers[1];
	options->seconds = (double)numbers[2] / 1e3;
}

uintptr_t
sl_section_frame(void)
{
	return (uintptr_t)now.section;
}

static const char *number_name; /* for the number of the requested section */

static unsigned
count_plans(const struct sl_section_text *texts, unsigned count, unsigned number)
{
	static char memory[POOL_SIZE];
	unsigned plans = 0;

	for (unsigned i = 0; i < count; i++) {
		struct sl_pool pool = {memory, memory + POOL_SIZE};
		struct sl_complaint complaint;
		const struct sl_plan *plan = NULL;

		if (texts[i].text && texts[i].text[0] != '@')
			plan = sl_plan_parse(texts[i].text, sl_strlen(texts[i].text), &pool, &complaint);
		else if (texts[i].text)
			plan = sl_plan_read(texts[i].text + 1, &pool, &complaint);
		for (plans += !plan; plan; /* an execution reports a schedule that can't be read */
		     plan = plan->next)
			if (plans++ == number)
				number_name = plan->name[0] ? plan->name : texts[i].name;
	}
	return plans;
}

unsigned
sl_section_plans(const struct sl_section_text *texts, unsigned count)
{
	return count_plans(texts, count, UINT32_MAX);
}

/* Matches program, function and schedule, or the first of them, separated by blanks. */
static bool
is_like(const char *glob, const char *program, const char *function, const char *schedule)
{
	const char *parts[] = {program, function, schedule};
	char text[1024] = "";
	size_t used = 0;

	for (unsigned i = 0; i < 3; i++)
		if (parts[i] && *parts[i]) {
			sl_text_add(text, sizeof(text), &used, used ? " " : "");
			sl_text_add(text, sizeof(text), &used, parts[i]);
		}
	return sl_glob(glob, text);
}

/*
 * Returns whether that schedule of the section is explored. Schedules that the user did not select only run on
 * real threads. The command decides finally (report/tests/tally.c): a pattern that is not understood here may
 * select anything.
 */
static bool
is_selected(const struct sleave_section *section, unsigned number)
{
	const char *glob = getenv("SLEAVE_FILTER"), *program = getenv("SLEAVE_PROGRAM"), *f = section->function;

	number_name = "";
	count_plans(now.texts, now.text_count, number);
	for (const char *c = glob; c && *c; c++)
		if (*c == '[' || *c == '\\' || *c == '(')
			return true;
	if (!glob || !program)
		return true;
	return is_like(glob, program, NULL, NULL) || is_like(glob, program, f, NULL) ||
	       is_like(glob, program, f, number_name) || is_like(glob, NULL, f, NULL) ||
	       is_like(glob, NULL, f, number_name) || is_like(glob, NULL, NULL, number_name);
}

/*
 * Threads from before are running, which can be controlled only if the program is controlled from its beginning.
 */
static void
tell_beside(const struct sleave_section *section, uint32_t visit)
{
	unsigned plans = sl_section_plans(now.texts, now.text_count);

	for (unsigned i = 0; i < plans; i++) {
		if (!is_selected(section, i))
			continue;
		const struct sleave_result where = {.complete = (int)i, .executions = visit};

		sl_section_tell(section, number_name, "beside", &where, sl_test_owner());
	}
}

static void
tell_refused(const struct sleave_section *section, const char *what)
{
	struct sleave_result result = {.verdict = SLEAVE_UNDECIDED, .bound = -1};
	unsigned plans = sl_section_plans(now.texts, now.text_count);
	size_t used = 0;

	sl_text_add(result.message, sizeof(result.message), &used, "not explored, but run on real threads: ");
	sl_text_add(result.message, sizeof(result.message), &used, what);
	for (unsigned i = 0; i < plans; i++)
		if (is_selected(section, i))
			sl_section_tell(section, number_name, "explored", &result, 0);
}

bool
sl_sections_explore(void)
{
	static int answer = -1;
	const char *mode;

	if (answer < 0) {
		mode = getenv("SLEAVE_MODE");
		answer = mode && mode[0] == 'e' && mode[1] == 'x'; /* explore */
	}
	if (E.recording && !E.control) /* recording needs real threads */
		return false;
	return answer > 0 || (E.arena && E.process.called && E.arena->config.explore_call);
}

static bool
skips(bool forget)
{
	return E.arena && E.worker && sl_section_was_skipped(forget);
}

/*
 * Returns whether some executions could not follow the schedule, and others did: real threads may behave like the
 * former.
 */
static bool
is_partly_followed(void)
{
	const struct sl_tally *t = E.arena ? E.arena->tallies : NULL;

	for (uint32_t i = 0; t && i < SL_TALLIES_MAX && t[i].signature; i++)
		if (t[i].dropped && sl_tally_is_followed(&t[i]) && !t[i].infeasible)
			return true;
	return false;
}

bool
sl_section_is_beside(void)
{
	return now.beside;
}

bool
sl_section_was_explored(void)
{
	return now.explored;
}

bool
sl_explored_section_next(struct sleave_section *section, va_list texts, uint64_t pc)
{
	static bool failed;
	static uint32_t visits; /* sections that the process has reached */
	static struct sleave_result result;
	va_list again;

	if (section->index) /* the schedules run on real threads now */
		return sl_rt_section_next(section, texts, pc);
	va_copy(again, texts);
	now.section = section;
	now.text_count = 0;
	for (const char *name; (name = va_arg(again, const char *)) && now.text_count < TEXTS_MAX;)
		now.texts[now.text_count++] = (struct sl_section_text){name, va_arg(again, const char *)};
	va_end(again);
	va_copy(again, texts);
	sl_rt_section_check(section, again);
	va_end(again);
	failed = now.explored = false;
	visits++;
	if (sl_test_expects()) {
		tell_refused(section, sl_test_expects());
		return sl_rt_section_next(section, texts, pc);
	}
	now.beside = getenv("SLEAVE_RESULTS") && sl_others_run();
	if (now.beside) {
		tell_beside(section, sl_test_count(visits));
		if (section->flags &
		    SLEAVE_SECTION_INFEASIBLE) /* a child process would lack the existing threads */
			return false;
		return sl_rt_section_next(section, texts, pc);
	}
	now.explored = true;
	for (now.plan = 0; now.plan < sl_section_plans(now.texts, now.text_count); now.plan++) {
		if (!is_selected(section, now.plan)) {
			now.explored = false;
			continue;
		}
		if (!_setjmp(now.entry)) {
			struct sleave_options options = {.result = &result};

			read_options(&options);
			/* until an execution sets it, since there may be none */
			sl_text_copy(now.name, sizeof(now.name),
				     now.plan < now.text_count ? now.texts[now.plan].name : "");
			now.started = sl_nanoseconds();
			E.body.in_place = true;
			skips(true);
			failed |= sleave_explore(enter, NULL, &options) != SLEAVE_CLEAN;
			E.body.in_place = false;
			sl_section_tell(section, now.name, skips(false) ? "skipped" : "explored", &result,
					sl_nanoseconds() - now.started);
			if (is_partly_followed())
				sl_section_tell(section, now.name, "partly", NULL, 0);
		} else {
			/* in an execution */
			sl_controlled_section_begin(section, now.texts, now.text_count, now.plan, pc);
			sl_text_copy(now.name, sizeof(now.name), section->name);
			return true;
		}
	}
	return !failed && sl_rt_section_next(section, texts, pc);
}
