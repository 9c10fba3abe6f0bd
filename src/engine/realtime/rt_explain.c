/*
 * Schedules on real threads: messages why a schedule can't happen, or what of it did not.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

static char room[16384];
static size_t used;

/* The section that the sentences are about, and where in `room` the first sentence begins. */
static const struct sleave_section *about;
static const char *about_name;
static size_t about_from;

void
sl_say_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length && used < sizeof(room); i++)
		room[used++] = text[i];
}

void
sl_say(const char *text)
{
	sl_say_text(text, sl_strlen(text));
}

void
sl_say_many(const char *first, ...)
{
	va_list list;

	va_start(list, first);
	for (const char *text = first; text; text = va_arg(list, const char *))
		sl_say(text);
	va_end(list);
}

void
sl_say_number(uint64_t number)
{
	char digits[SL_DIGITS];

	sl_say(sl_digits(number, digits));
}

void
sl_say_nothing(void)
{
	used = 0;
}

const char *
sl_say_error(long error)
{
	switch (-error) {
	case ENOENT:
		return "there is no such file";
	case EACCES:
	case EPERM:
		return "that is not allowed";
	case EISDIR:
		return "it is a folder";
	case ENOTDIR:
		return "a part of its path is not a folder";
	case EFBIG:
		return "it is too large";
	case EROFS:
		return "the file system is read-only";
	case ENOSPC:
		return "the disk is full";
	default:
		return "the system refuses it";
	}
}

size_t
sl_said(char *to, size_t size)
{
	size_t length = used < size ? used : size;

	sl_memcpy(to, room, length);
	used = 0;
	return length;
}

size_t
sl_said_about(char *to, size_t size)
{
	size_t from = about && about_from < used ? about_from : 0,
	       length = used - from < size ? used - from : size;

	sl_memcpy(to, room + from, length);
	return length;
}

void
sl_say_all(void)
{
	sl_raw(SYS_write, 2, room, used);
	used = 0;
}

void
sl_say_runner(const struct sl_runner *r)
{
	if (!r->number) {
		sl_say("main");
	} else if (r->leftover) {
		sl_say("a thread of an earlier section");
	} else {
		sl_say("T");
		sl_say_number(r->number);
	}
	if (r->named)
		sl_say_many(" (", r->name, ")", NULL);
}

void
sl_say_atom(const struct sl_atom *atom)
{
	char text[256] = "";

	sl_atom_print(atom, text, sizeof(text));
	sl_say_many("`", text, "`", NULL);
}

void
sl_say_head(const struct sleave_section *section, const char *name)
{
	sl_say_many("sleave: ", section->file, ":", NULL);
	sl_say_number((uint64_t)section->line);
	sl_say_many(" (", section->function, "): ", NULL);
	if (name && *name)
		sl_say_many("schedule \"", name, "\" ", NULL);
	else
		sl_say("the schedule ");
	about = section;
	about_name = name;
	about_from = used;
}

/* The first line and, if it is continued, the next. */
void
sl_say_tell(const char *how)
{
	static struct sleave_result result = {.verdict = SLEAVE_FINDING};
	char *to = result.message;
	size_t n = 13, lines = 0;

	if (!about)
		return;
	sl_memcpy(to, "the schedule ", n);
	for (size_t i = about_from; i < used && n < sizeof(result.message) - 3; i++) {
		if (room[i] != '\n') {
			to[n++] = room[i];
			continue;
		}
		if (lines++ || i + 2 >= used || room[i + 1] != ' ' || room[i + 2] != ' ')
			break;
		for (to[n++] = ':'; i + 2 < used && room[i + 2] == ' ';)
			i++;
	}
	to[n] = '\0';
	sl_section_tell(about, about_name, how, &result, 0);
}

/* ---- what each thread waits for ---- */

static const char *const waits[SL_WAITS_COUNT] = {
	[SL_WAITS_MUTEX] = "a mutex",
	[SL_WAITS_SPIN] = "a spin lock",
	[SL_WAITS_READ] = "a read-write lock, to read",
	[SL_WAITS_WRITE] = "a read-write lock, to write",
	[SL_WAITS_COND] = "a condition variable",
	[SL_WAITS_SEM] = "a semaphore",
	[SL_WAITS_BARRIER] = "a barrier",
	[SL_WAITS_JOIN] = "the end of a thread",
	[SL_WAITS_ONCE] = "a one-time initialisation",
	[SL_WAITS_FUTEX] = "a futex or an atomic",
	[SL_WAITS_IO] = "input or output",
	[SL_WAITS_PROCESS] = "a process",
	[SL_WAITS_SIGNAL] = "a signal",
	[SL_WAITS_FILE] = "a file lock",
};

/* The holders of a spin lock, or the readers of a read-write lock, as far as they have been recorded. */
static void
say_holders(const struct sl_runner *waiter)
{
	uint32_t count = 0, said = 0;

	for (uint32_t i = 0; i < F.runner_count; i++)
		count += F.runners[i].doing != SL_ENDED && sl_rt_holds(&F.runners[i], waiter->waits.object);
	if (!count)
		return;
	sl_say(", which ");
	for (uint32_t i = 0; i < F.runner_count; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_ENDED || !sl_rt_holds(r, waiter->waits.object))
			continue;
		sl_say(!said++ ? "" : said == count ? " and " : ", ");
		if (r == waiter)
			sl_say("it");
		else
			sl_say_runner(r);
	}
	sl_say(count == 1 ? " holds" : " hold");
	sl_say(count == 1 && sl_rt_holds(waiter, waiter->waits.object) ? " itself" : "");
	sl_say(waiter->waits.kind == SL_WAITS_SPIN ? "" : " to read");
}

static void
say_wait(const struct sl_runner *r)
{
	const struct sl_runner *holder = NULL;
	const char *name = sl_rt_object_of(r), *place = sl_rt_place_of(r);

	if (place)
		sl_say_many(" at ", place, NULL);
	sl_say(" for ");
	if (r->waits.kind == SL_WAITS_JOIN && r->waits.object) {
		sl_say("the end of ");
		sl_say_runner(r->waits.object);
		return;
	}
	sl_say(waits[r->waits.kind]);
	if (name)
		sl_say_many(" (", name, ")", NULL);
	if (r->moves && r->waits.kind < SL_WAITS_IO && !r->cancelled && !r->stirred)
		sl_say(", with a time limit");
	if (r->waits.kind == SL_WAITS_MUTEX)
		holder = sl_rt_by_tid(((const pthread_mutex_t *)r->waits.object)->__data.__owner);
	else if (r->waits.kind == SL_WAITS_READ || r->waits.kind == SL_WAITS_WRITE)
		holder = sl_rt_by_tid(((const pthread_rwlock_t *)r->waits.object)->__data.__cur_writer);
	if (!holder && (r->waits.kind == SL_WAITS_SPIN || r->waits.kind == SL_WAITS_WRITE))
		say_holders(r);
	if (holder) {
		sl_say(", which ");
		sl_say(holder == r ? "it" : "");
		if (holder != r)
			sl_say_runner(holder);
		sl_say(holder == r ? " holds itself" : " holds");
	}
}

static void
say_event(const struct sl_event *e)
{
	static const char *const kinds[SL_EVENT_KINDS] =
		{[SL_EVENT_START] = "start",     [SL_EVENT_END] = "end",        [SL_EVENT_BLOCK] = "block",
		 [SL_EVENT_UNBLOCK] = "unblock", [SL_EVENT_LOCK] = "lock:",     [SL_EVENT_UNLOCK] = "unlock:",
		 [SL_EVENT_WAIT] = "wait:",      [SL_EVENT_SIGNAL] = "signal:", [SL_EVENT_ENTER] = "enter:",
		 [SL_EVENT_EXIT] = "exit:",      [SL_EVENT_WRITE] = "write:",   [SL_EVENT_READ] = "read:"};

	sl_say("`");
	if (kinds[e->kind])
		sl_say(kinds[e->kind]);
	if (e->name)
		sl_say(e->name);
	if (e->line) {
		sl_say(":");
		sl_say_number(e->line);
	}
	if (e->object)
		sl_say_many("{", e->object, "}", NULL);
	if (e->kind >= SL_EVENT_START && e->kind <= SL_EVENT_UNBLOCK) {
		sl_say("@");
		if (e->thread_name) {
			sl_say(e->thread_name);
		} else if (e->thread) {
			sl_say("T");
			sl_say_number(e->thread);
		} else {
			sl_say("main");
		}
	}
	sl_say("`");
}

static void
say_ordering(uint32_t number)
{
	const struct sl_formula *f = F.plan->orderings[number];
	char text[512] = "";

	sl_formula_print(f, text, sizeof(text));
	sl_say_many("`", text, "`", NULL);
}

static void
say_missing(void *unused, const struct sl_formula *f)
{
	char text[256] = "";

	(void)unused;
	sl_say("      ");
	if (f->kind == SL_FORMULA_ATOM) {
		sl_say_atom(f->atom);
		sl_say(" has not occurred");
		if (f->atom->occurrence > 1 && f->atom->occurrence != SL_EVERY) {
			uint32_t count = sl_monitor_count(F.monitor, f->atom);

			sl_say(count == 1 ? " (only once so far)" : count ? " (only " : "");
			if (count > 1) {
				sl_say_number(count);
				sl_say(" times so far)");
			}
		}
		sl_say_unknown(f->atom);
	} else if (f->kind == SL_FORMULA_BLOCKED_EVENT && !sl_monitor_count(F.monitor, f->atom)) {
		sl_say_atom(f->atom);
		sl_say(" has not occurred");
		sl_say_unknown(f->atom);
	} else {
		sl_formula_print(f, text, sizeof(text));
		sl_say_many("`", text, "`",
			    f->kind == SL_FORMULA_BLOCKED_EVENT || f->kind == SL_FORMULA_BLOCKED_THREAD
				    ? " is not blocked"
				    : " does not hold",
			    NULL);
		if (f->kind == SL_FORMULA_BLOCKED_THREAD && !sl_rt_thread_known(f->thread)) {
			sl_say("; ");
			sl_say_no_thread(f->thread);
		}
	}
	sl_say("\n");
}

static void
say_held(struct sl_runner *r)
{
	uint32_t orderings[8], count;

	sl_say("  ");
	sl_say_runner(r);
	if (r->event.what.kind == SL_EVENT_KINDS) {
		sl_say(" is at the end of the block, and waits for the rest of the schedule\n");
		return;
	}
	count = sl_monitor_holds(F.monitor, &r->event.what, orderings, 8);
	sl_say(" is held at ");
	say_event(&r->event.what);
	if (r->event.file && r->event.what.kind == SL_EVENT_NAMED) {
		sl_say_many(" (", r->event.file, ":", NULL);
		sl_say_number((uint64_t)r->event.line);
		sl_say(")");
	}
	for (uint32_t i = 0; i < count && i < 8; i++) {
		sl_say(i ? "\n    and by " : " by ");
		say_ordering(orderings[i]);
	}
	sl_say("\n");
	for (uint32_t i = 0; i < count && i < 8; i++)
		sl_monitor_wants(F.monitor, orderings[i], say_missing, NULL);
}

void
sl_say_state(void)
{
	sl_rt_sync();
	sl_rt_name_waits();
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_HELD)
			say_held(r);
	}
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_BLOCKED && !r->aside) {
			sl_say("  ");
			sl_say_runner(r);
			sl_say(" waits");
			say_wait(r);
			sl_say("\n");
		} else if (r->doing == SL_ENDED && r->epoch == F.epoch) {
			sl_say("  ");
			sl_say_runner(r);
			sl_say(" has ended\n");
		}
	}
}

void
sl_say_running(void)
{
	for (uint32_t i = 0; i < F.runner_count; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (r->doing != SL_RUNS || r->aside)
			continue;
		sl_say("  ");
		sl_say_runner(r);
		sl_say(r->asleep ? " sleeps\n" : " runs, or waits for something that Sleave does not see\n");
	}
}

/* ---- at the end ---- */

static uint32_t
needed(const struct sl_atom *atom)
{
	return sl_plan_needs(F.plan, atom);
}

static void
say_never(const struct sl_atom *atom)
{
	uint32_t count = sl_monitor_count(F.monitor, atom);

	sl_say("  ");
	sl_say_atom(atom);
	sl_say(" never occurred");
	if (count) {
		sl_say(" (only ");
		sl_say_number(count);
		sl_say(count == 1 ? " time)" : " times)");
	}
	sl_say_unknown(atom);
	sl_say("\n");
}

static void
count_unknown(void *count, uint32_t number, const struct sl_atom *atom, const char *thread)
{
	(void)number;
	(void)atom;
	(void)thread;
	++*(uint32_t *)count;
}

static void
say_one_unknown(void *said, uint32_t number, const struct sl_atom *atom, const char *thread)
{
	(void)number;
	*(bool *)said = true;
	if (atom && sl_monitor_count(F.monitor, atom) < needed(atom))
		return; /* already reported */
	if (atom) {
		say_never(atom);
		return;
	}
	sl_say("  ");
	sl_say_no_thread(thread);
	sl_say("\n");
}

bool
sl_rt_fulfilled(void)
{
	uint32_t unknown = 0;

	sl_rt_sync();
	for (uint32_t i = 0; i < F.plan->atom_count; i++)
		if (sl_monitor_count(F.monitor, F.plan->atoms[i]) < needed(F.plan->atoms[i]))
			return false;
	sl_rt_unknown(count_unknown, &unknown);
	return !unknown && sl_monitor_satisfied(F.monitor) && !sl_monitor_lost(F.monitor);
}

static void
say_broken(uint32_t ordering)
{
	sl_say("  ");
	say_event(&F.broken.event);
	sl_say(" of ");
	sl_say(F.broken.by);
	if (F.broken.file) {
		sl_say_many(" (", F.broken.file, ":", NULL);
		sl_say_number((uint64_t)F.broken.line);
		sl_say(")");
	}
	sl_say(" came too early for ");
	say_ordering(ordering);
	sl_say("\n");
}

/* Reports at once: the block may never end. */
void
sl_rt_tell_broken(void)
{
	uint32_t ordering = 0;

	F.failed = F.broken.told = true;
	sl_monitor_broken(F.monitor, &ordering);
	sl_say_nothing();
	sl_say_head(F.section, F.plan->name);
	sl_say("was not followed\n");
	say_broken(ordering);
	sl_say_tell("broken");
	sl_say_all();
}

bool
sl_say_unfulfilled(void)
{
	bool wrong = false, said = false;
	uint32_t ordering = 0;

	sl_rt_sync();
	if (sl_monitor_lost(F.monitor)) {
		sl_say("  the program has more threads than Sleave can follow\n");
		wrong = true;
	}
	for (uint32_t i = 0; i < F.plan->atom_count; i++)
		if (sl_monitor_count(F.monitor, F.plan->atoms[i]) < needed(F.plan->atoms[i])) {
			say_never(F.plan->atoms[i]);
			said = true;
		}
	sl_rt_unknown(say_one_unknown, &said);
	if (F.broken.event.kind != SL_EVENT_KINDS && sl_monitor_broken(F.monitor, &ordering)) {
		if (!F.broken.told)
			say_broken(ordering);
		said |= !F.broken.told;
	} else if (!said && !sl_monitor_satisfied(F.monitor)) {
		for (uint32_t i = 0; i < F.plan->ordering_count; i++)
			if (sl_monitor_ordering(F.monitor, i) != SL_TRUE && !F.plan->orderings[i]->plain) {
				sl_say("  ");
				say_ordering(i);
				sl_say(" does not hold at the end\n");
				sl_monitor_wants(F.monitor, i, say_missing, NULL);
			}
		said = true;
	}
	return said || wrong;
}
