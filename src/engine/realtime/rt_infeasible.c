/*
 * SLEAVE_INFEASIBLE on real threads: the block runs in a child process, which can be abandoned once no thread can
 * move.
 *
 * That the schedule did not happen proves something only if everything it names exists. What lies behind the
 * unreachable point of the block does not occur; so if a name did not occur, a second child runs the block without
 * holding any thread. A name that does not occur there either is misspelt.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

enum outcome { UNKNOWN, HAPPENED, NOT_HAPPENED, SKIPPED };

/* What a child reports. */
struct answer {
	enum outcome outcome;
	uint32_t missing; /* number of names that did not occur */
	bool unknown[SL_UNKNOWN_MAX];
	char text[2048]; /* about these names */
};

static struct answer *answer;
static bool looks; /* this child only looks for the names that the first one did not reach */

static void
note_unknown(void *unused, uint32_t number, const struct sl_atom *atom, const char *thread)
{
	(void)unused;
	if (looks && !answer->unknown[number])
		return;
	answer->unknown[number] = true;
	answer->missing++;
	sl_say("  ");
	if (atom) {
		sl_say_atom(atom);
		sl_say(" never occurred");
		sl_say_unknown(atom);
	} else {
		sl_say_no_thread(thread);
	}
	sl_say("\n");
}

void
sl_rt_tried(bool happened)
{
	size_t length;

	sl_say_nothing();
	sl_rt_unknown(note_unknown, NULL);
	length = sl_said(answer->text, sizeof(answer->text) - 1);
	answer->text[length] = '\0';
	answer->outcome = happened ? HAPPENED : NOT_HAPPENED;
	for (;;)
		sl_raw(SYS_exit_group, 0);
}

void
sl_rt_try_skips(void)
{
	answer->outcome = SKIPPED;
	for (;;)
		sl_raw(SYS_exit_group, 0);
}

static void
say_status(int status)
{
	if (WIFSIGNALED(status)) {
		sl_say(" (signal ");
		sl_say_number((uint64_t)WTERMSIG(status));
		sl_say(")");
	} else if (WIFEXITED(status) && WEXITSTATUS(status)) {
		sl_say(" (exit status ");
		sl_say_number((uint64_t)WEXITSTATUS(status));
		sl_say(")");
	}
	sl_say("\n");
}

/* A failed test may have left threads behind, which cannot be ended any more. */
static void
look_around(const struct sleave_section *section, const struct sl_plan *plan)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < F.runner_count; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_ENDED || r->aside || r == sl_rt_self())
			continue;
		if (!r->leftover)
			sl_rt_refuse(section,
				     "must be tried in a child process, which would lack the other threads "
				     "of this one: end them first");
		left++;
	}
	if (!left)
		return;
	sl_rt_lock();
	sl_say_nothing();
	sl_say_head(section, plan->name);
	sl_say("is tried without the threads that an earlier section has left behind (");
	sl_say_number(left);
	sl_say(")\n");
	sl_say_all();
	sl_rt_unlock();
}

/* Returns true in the child, which runs the block; in the parent, sets how the child ended. */
static bool
fork_child(int *status)
{
	long pid;

	answer->outcome = UNKNOWN;
	answer->missing = 0;
	answer->text[0] = '\0';
	sl_true.fflush(NULL);
	pid = sl_real.fork();
	sl_check(pid >= 0);
	if (!pid) {
		F.child = true;
		F.children = false;
		F.checking |= looks;
		return true;
	}
	while (sl_raw(SYS_wait4, pid, status, 0, NULL) == -4)
		;
	return false;
}

static void
judge(const struct sleave_section *section, const struct sl_plan *plan, int status, uint64_t began)
{
	static const struct sleave_result clean = {.verdict = SLEAVE_CLEAN};

	if (answer->outcome == NOT_HAPPENED && !answer->missing) {
		sl_section_tell(section, plan->name, F.checking ? "checked" : "ran", &clean,
				sl_nanoseconds() - began);
		return;
	}
	if (answer->outcome == SKIPPED) {
		sl_section_tell(section, plan->name, "skipped", &clean, sl_nanoseconds() - began);
		return;
	}
	sl_rt_lock();
	sl_say_nothing();
	sl_say_head(section, plan->name);
	if (answer->outcome == UNKNOWN) {
		sl_say(looks ? "can't happen, but without it the process failed"
			     : "is declared infeasible, but its process ended before that could be tested");
		say_status(status);
	} else if (answer->outcome == HAPPENED) {
		sl_say("happened, although it is declared infeasible\n");
	} else {
		sl_say("is declared infeasible, but names what does not exist\n");
		sl_say(answer->text);
	}
	sl_rt_wrong();
	sl_rt_unlock();
}

bool
sl_rt_try(struct sleave_section *section, struct sl_plan *plan)
{
	uint64_t began = sl_nanoseconds();
	int status = 0;

	if (plan->next)
		sl_rt_refuse(section, "is one of several: SLEAVE_INFEASIBLE takes only one");
	look_around(section, plan);
	if (!answer) {
		answer = (void *)sl_raw(SYS_mmap, NULL, sizeof(*answer), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		sl_check((long)answer > 0);
	}
	sl_memset(answer, 0, sizeof(*answer));
	looks = false;
	sl_section_tell(section, plan->name, "began", NULL, 0);
	if (fork_child(&status))
		return true;
	if (answer->outcome == NOT_HAPPENED && answer->missing && !F.checking) {
		looks = true;
		if (fork_child(&status))
			return true;
	}
	judge(section, plan, status, began);
	return false;
}
