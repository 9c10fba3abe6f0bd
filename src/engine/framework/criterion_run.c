/*
 * Runs Criterion's tests: one after the other, each in a process of its own, or under control. See
 * criterion_tests.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/framework/criterion_abi.h"
#include "engine/realtime/rt.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"
#include "schedule/schedule.h"

#define LIBRARY "libcriterion.so.3"

static struct {
	uint32_t tests, failed, skipped;
	bool undecided; /* the engine gave up in a test */
} counts;

/* Iterates over tests in Criterion's order: by the names of suites, then by their own. */
struct cursor {
	struct sl_criterion_node *suite, *test;
};

static const struct suite *
suite_at(const struct cursor *c)
{
	return &((struct suite_set *)(c->suite + 1))->suite;
}

static const struct test *
test_at(const struct cursor *c)
{
	return (const struct test *)(c->test + 1);
}

static bool
is_wanted(const struct cursor *c)
{
	const struct sl_criterion_facts *facts = suite_at(c)->facts;

	return !(facts && facts->disabled) && !test_at(c)->facts->disabled;
}

/* Moves to the next test; to the first one if the cursor is empty. */
static bool
next_test(const struct criterion_test_set *set, struct cursor *c)
{
	if (c->test)
		c->test = c->test->next;
	else
		c->suite = NULL;
	while (!c->test) {
		const struct suite_set *s;

		c->suite = c->suite ? c->suite->next : set->suites->first;
		if (!c->suite)
			return false;
		s = (const struct suite_set *)(c->suite + 1);
		c->test = s->tests ? s->tests->first : NULL;
	}
	return true;
}

static bool
next_wanted(const struct criterion_test_set *set, struct cursor *c)
{
	while (next_test(set, c))
		if (is_wanted(c))
			return true;
	return false;
}

/* --filter: refuses patterns that Criterion supports and the engine does not. */
static void
filter(const struct criterion_test_set *set, const char *pattern, uint64_t pc)
{
	struct cursor c = {0};

	for (const char *p = pattern; *p; p++)
		if (*p == '[' || *p == '(' || *p == '|' || *p == '\\')
			sl_criterion_refuse("Criterion's --filter with more in it than `*` and `?`", pc);
	while (next_test(set, &c))
		if (!sl_glob(pattern, test_at(&c)->facts->identifier))
			test_at(&c)->facts->disabled = true;
}

/* ---- one ---- */

static void
run(const struct cursor *c, uint32_t number, const char *argument)
{
	/* Criterion's own functions use these */
	const struct test **test = dlsym(RTLD_DEFAULT, "criterion_current_test");
	const struct suite **suite = dlsym(RTLD_DEFAULT, "criterion_current_suite");

	if (number >> SL_TEST_SHIFT)
		sl_criterion_refuse("too many Criterion tests in one program", 0);
	sl_test_now.test = test_at(c);
	sl_test_now.suite = suite_at(c);
	sl_test_now.argument = argument;
	sl_test_now.number = number;
	sl_test_now.tid = (int)sl_raw(SYS_gettid);
	if (test && suite) {
		*test = sl_test_now.test;
		*suite = sl_test_now.suite;
	}
	if (sl_test_now.test->run)
		sl_test_now.test->run();
	sl_test_now.number = 0;
}

static void
judge(const struct cursor *c, int status, bool wrong)
{
	const struct sl_criterion_facts *facts = test_at(c)->facts;
	char text[64] = "it ended with status ";
	size_t used = sl_strlen(text);

	counts.tests++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 125 && facts->status != 125) {
		counts.undecided = true;
	} else if (wrong) {
		counts.failed++;
	} else if (sl_test_said->skipped) {
		counts.skipped++;
	} else if (WIFSIGNALED(status) && WTERMSIG(status) != facts->signal) {
		sl_text_copy(text, sizeof(text), "it was ended by signal ");
		used = sl_strlen(text);
		sl_text_add_number(text, sizeof(text), &used, (unsigned)WTERMSIG(status));
		counts.failed++;
		sl_criterion_say("[FAIL] ", text, NULL, 0);
	} else if (WIFEXITED(status) && (facts->signal || WEXITSTATUS(status) != facts->status)) {
		sl_text_add_number(text, sizeof(text), &used, (unsigned)WEXITSTATUS(status));
		counts.failed++;
		sl_criterion_say("[FAIL] ", text, NULL, 0);
	}
}

static void
run_forked(const struct cursor *c, uint32_t number, const char *argument)
{
	uint32_t owner = (uint32_t)sl_raw(SYS_getpid), before = sl_test_said->wrong;
	int status = 0;
	pid_t pid;

	sl_test_said->skipped = 0;
	sl_real.fflush(NULL);
	pid = sl_real.fork();
	if (pid < 0)
		sl_criterion_refuse("Criterion tests: the system refuses another process", 0);
	if (!pid) {
		F.children = false; /* the parent process only waits */
		sl_test_now.owner = owner;
		run(c, number, argument);
		sl_criterion_child_end(sl_test_said->wrong != before);
	}
	while (sl_raw(SYS_wait4, pid, &status, 0, NULL) == -EINTR)
		;
	sl_test_now.test = test_at(c);
	sl_test_now.number = number;
	judge(c, status, sl_test_said->wrong != before);
	sl_test_now.number = 0;
}

/* ---- all ---- */

/* Runs all tests, each in a process, or in this process the one with that number. */
static void
run_numbered(const struct criterion_test_set *set, uint32_t wanted, bool fail_fast)
{
	struct cursor c = {0};
	uint32_t number = 0;

	while (next_wanted(set, &c)) {
		const struct sl_criterion_facts *facts = test_at(&c)->facts;
		struct parameters p = {.count = 1};

		if (facts->parameters)
			p = facts->parameters();
		for (size_t i = 0; i < p.count && !(fail_fast && counts.failed); i++) {
			number++;
			if (sl_test_said)
				run_forked(&c, number, p.items + i * p.size);
			else if (number == wanted)
				run(&c, number, p.items + i * p.size);
		}
		if (p.release)
			p.release(&p);
	}
}

size_t
sl_criterion_choose(size_t count, uint64_t pc)
{
	size_t answer;

	if (count < 2)
		return 0;
	sl_announce(SL_CHOOSE, 0, pc);
	sl_no_point();
	answer = sl_ask(SL_CHOOSE_VALUE, (unsigned)count, NULL);
	sl_note(answer);
	return answer;
}

/* Runs one test, which is a choice: the executions of the tests are then added, not multiplied. */
static void
run_chosen(const struct criterion_test_set *set, uint64_t pc)
{
	struct cursor c = {0};
	struct parameters p = {.count = 1};
	size_t count = 0, chosen, argument = 0;

	while (next_wanted(set, &c)) {
		const struct sl_criterion_facts *facts = test_at(&c)->facts;

		if (facts->signal || facts->status)
			sl_criterion_refuse("a Criterion test that must end by a signal or with a status "
					    "(.signal, .exit_code): exclude it by --filter",
					    pc);
		count++;
	}
	if (!count)
		return;
	chosen = sl_criterion_choose(count, pc);
	c = (struct cursor){0};
	for (size_t i = 0; i <= chosen; i++)
		next_wanted(set, &c);
	if (test_at(&c)->facts->parameters) {
		p = test_at(&c)->facts->parameters();
		if (!p.count)
			return;
		argument = sl_criterion_choose(p.count, pc);
	}
	run(&c, (uint32_t)chosen + 1, p.items + argument * p.size);
	if (p.release)
		p.release(&p);
}

static void
summarise(void)
{
	char text[128] = "";
	size_t used = 0;

	sl_text_add(text, sizeof(text), &used, "Criterion tests run by Sleave: ");
	sl_text_add_number(text, sizeof(text), &used, counts.tests);
	sl_text_add(text, sizeof(text), &used, ", failed: ");
	sl_text_add_number(text, sizeof(text), &used, counts.failed);
	sl_text_add(text, sizeof(text), &used, ", skipped: ");
	sl_text_add_number(text, sizeof(text), &used, counts.skipped);
	sl_criterion_say("[====] ", text, NULL, 0);
}

static bool is_late; /* control begins when the tests are run */

/* The name of the library that defines the function, without folders. */
static const char *
library_of(void *function)
{
	const char *name = "";
	Dl_info info;

	if (function && dladdr(function, &info) && info.dli_fname)
		name = info.dli_fname;
	for (const char *c = name; *c; c++)
		if (*c == '/')
			name = c + 1;
	return name;
}

bool
sl_criterion_has(int (*main)(int, char **, char **))
{
	is_late = sl_text_same(library_of((void *)main), LIBRARY);
	return is_late;
}

static void
body(void *set)
{
	if (E.arena->config.visit.number)
		run_numbered(set, E.arena->config.visit.number >> SL_TEST_SHIFT, false);
	else
		run_chosen(set, sl_test_now.pc);
	sl_exit(0, sl_test_now.pc);
}

static int
run_in_processes(const struct criterion_test_set *set, const struct options *options)
{
	sl_test_said = (void *)sl_raw(SYS_mmap, NULL, sizeof(*sl_test_said), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if ((long)sl_test_said < 0)
		sl_criterion_refuse("Criterion tests: out of memory", 0);
	run_numbered(set, 0, options->fail_fast);
	summarise();
	if (counts.undecided)
		sl_raw(SYS_exit_group, 125);
	return options->always_succeed || !counts.failed;
}

SL_EXPORT int criterion_run_all_tests(struct criterion_test_set *set);

int
criterion_run_all_tests(struct criterion_test_set *set)
{
	const struct options *options = dlsym(RTLD_DEFAULT, "criterion_options");
	int (*real)(struct criterion_test_set *);

	*(void **)&real = sl_resolve("criterion_run_all_tests");
	sl_test_now.pc = SL_PC;
	if (!is_late && !sl_criterion_is_ours())
		return real(set);
	if (!options || !sl_text_same(library_of((void *)real), LIBRARY))
		sl_criterion_refuse("tests of another version of Criterion than " LIBRARY, SL_PC);
	if (options && options->pattern)
		filter(set, options->pattern, SL_PC);
	if (is_late) {
		E.body.whole_program = true;
		if (!E.worker->trouble.kind)
			sl_explore(body, set);
		sl_raw(SYS_exit_group, 0);
	}
	if (E.control && !E.arena->config.visit.number)
		run_chosen(set, SL_PC);
	else if (E.control)
		run_numbered(set, E.arena->config.visit.number >> SL_TEST_SHIFT, false);
	else if (E.arena) /* replay, up to the section of the finding */
		run_numbered(set, E.arena->config.explore_call >> SL_TEST_SHIFT, false);
	else
		return run_in_processes(set, options);
	return 1;
}
