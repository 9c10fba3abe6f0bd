/*
 * Sections of a test that explore in place (`sleave test`): each schedule of a section is searched as by
 * sleave_explore(), and the body is the block that follows, not a function. An execution begins by returning from
 * sleave_section_next() once more, on the caller's own stack (E.body.in_place), and ends when that is called again. Then the
 * section is run for each schedule on real threads, once, so that what comes after it finds what it would find.
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

/* What is explored. Not part of the world, so it stays when that is restored. */
static struct {
	struct sleave_section *section;
	struct sl_section_text texts[TEXTS_MAX];
	unsigned text_count, plan; /* pairs; which of the plans in them */
	jmp_buf entry;
	char name[512];   /* of the schedule */
	uint64_t started; /* ns */
	bool beside;      /* threads from before are running */
	bool explored;    /* all of its schedules, and nothing was found */
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

static const char *number_name; /* of the section that was asked for */

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
		for (plans += !plan; plan; /* a schedule that can't be read is reported by an execution */
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

/* Of program, function and schedule: some of them, with a blank between. */
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
 * Is that schedule of the section to be explored? What the user does not want to know of is only run on real threads. The command
 * has the last word (report/tests/tally.c): a pattern that we do not understand here may select anything.
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

/* Threads from before are running: they can be controlled only if the program is from its beginning. */
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
	if (E.recording && !E.control) /* on real threads: what they do is to be in the trace */
		return false;
	return answer > 0 || (E.arena && E.process.called && E.arena->config.explore_call);
}

static bool
skips(bool forget)
{
	return E.arena && E.worker && sl_section_was_skipped(forget);
}

/* Were there executions that could not follow the schedule, beside those that did? Real threads may take their way. */
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
	static uint32_t visits; /* sections that the process has come to */
	static struct sleave_result result;
	va_list again;

	if (section->index) /* on real threads, after all */
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
		    SLEAVE_SECTION_INFEASIBLE) /* a child would not have the threads that are there */
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
			/* until an execution knows better, for there may be none */
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
