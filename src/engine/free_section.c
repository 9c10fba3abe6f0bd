/*
 * Schedules on real threads: sections begin and end here, and with them what is known of one run.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/engine.h"
#include "engine/free.h"
#include "engine/free_say.h"
#include "engine/interpose.h"
#include "engine/poison.h"

#define POOL (64ul << 20) /* of address space */
/* what can be seen without control */
#define SEEN                                                                                                      \
	(1u << SL_EVENT_NAMED | 1u << SL_EVENT_START | 1u << SL_EVENT_END | 1u << SL_EVENT_BLOCK |                \
	 1u << SL_EVENT_UNBLOCK)

static char *pool_start;
static struct sl_pool pool;
static char *plans_end;   /* of what the plans take of it; monitors come after that */
static unsigned uncaught; /* exceptions, when the run began */
static uint64_t began;    /* when it did */

/* ---- ends ---- */

void
sl_free_fail(void)
{
	if (!F.child)
		sl_say_tell();
	sl_say_all();
	sl_free_log_write();
	F.monitor = NULL;
	sl_free_let_go();
	sl_free_unlock();
	SL_CALL(abort)();
	__builtin_unreachable();
}

/* What was only checked goes on; the status of the process tells. */
void
sl_free_wrong(void)
{
	if (!F.checking)
		sl_free_fail();
	F.failed = true;
	sl_say_tell();
	sl_say_all();
}

void
sl_free_infeasible(void)
{
	if (F.child)
		sl_free_tried(sl_free_fulfilled());
	sl_say_nothing();
	sl_say_head(F.section, F.plan->name);
	sl_say(F.held ? "can't happen: nobody can go on\n"
		      : "leads to where nobody can go on, and holds nobody back\n");
	sl_say_state();
	sl_free_fail();
}

static void
complain(const struct sleave_section *section, const char *name, const char *text, const char *file,
	 const struct sl_complaint *c)
{
	const char *line = text, *end;

	sl_free_lock();
	sl_say_nothing();
	sl_say_head(section, name);
	sl_say("is wrong: ");
	if (file)
		sl_say_many(file, ":", NULL);
	else
		sl_say("line ");
	sl_say_number(c->place.line);
	sl_say(file ? ":" : ", column ");
	sl_say_number(c->place.column);
	sl_say_many(": ", c->text, "\n", NULL);
	if (text) {
		for (const char *at = text; at < text + c->place.offset && *at; at++)
			if (*at == '\n')
				line = at + 1;
		for (end = line; *end && *end != '\n'; end++)
			;
		sl_say("    ");
		sl_say_text(line, (size_t)(end - line));
		sl_say("\n    ");
		for (const char *at = line; at < text + c->place.offset && *at; at++)
			if ((*at & 0xc0) != 0x80)
				sl_say(*at == '\t' ? "\t" : " ");
		sl_say("^\n");
	}
	sl_free_fail();
}

void
sl_free_refuse(const struct sleave_section *section, const char *why)
{
	sl_free_lock();
	sl_say_nothing();
	sl_say_head(section, section->name);
	sl_say_many(why, "\n", NULL);
	sl_free_fail();
}

/* ---- what the schedules are ---- */

static void *
take(size_t size)
{
	char *at = pool.at;

	size = (size + 15) & ~15ul;
	if (size > (size_t)(pool.end - pool.at))
		return NULL;
	pool.at += size;
	return at;
}

/* NULL: it can't be read. Ended by a zero. */
static char *
read_file(const char *path, size_t *size)
{
	long fd = sl_raw(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n;
	char *text = pool.at;
	size_t room = (size_t)(pool.end - pool.at) / 4;

	*size = 0;
	if (fd < 0)
		return NULL;
	while (*size < room && (n = sl_raw(SYS_read, fd, text + *size, room - *size)) > 0)
		*size += (size_t)n;
	sl_raw(SYS_close, fd);
	if (*size == room || !take(*size + 1))
		return NULL;
	text[*size] = 0;
	return text;
}

static const char *
copy(const char *text)
{
	size_t n = sl_strlen(text) + 1;
	char *to = take(n);

	return to ? sl_memcpy(to, text, n) : NULL;
}

static struct sl_plan *
parse(struct sleave_section *section, va_list texts)
{
	struct sl_plan *first = NULL, **last = &first;
	const char *name;

	if (!pool_start)
		pool_start = sl_free_memory(POOL);
	else
		sl_raw(SYS_madvise, pool_start, POOL, MADV_DONTNEED);
	pool = (struct sl_pool){pool_start, pool_start + POOL};
	while ((name = va_arg(texts, const char *))) {
		const char *text = va_arg(texts, const char *), *file = NULL;
		struct sl_complaint complaint = {0};
		size_t length;

		section->name = name;
		if (!text)
			sl_free_refuse(section, "has no text: names and texts come in pairs");
		length = sl_strlen(text);
		if (*text == '@') {
			file = text + 1;
			text = read_file(file, &length);
			if (!text)
				sl_free_refuse(section, "is in a file that can't be read");
		}
		struct sl_plan *plan = sl_plan_parse(text, length, &pool, &complaint);

		if (!plan)
			complain(section, name, text, file, &complaint);
		for (*last = plan; *last; last = &(*last)->next)
			if (!(*last)->name || !*(*last)->name)
				(*last)->name = copy(name);
	}
	plans_end = pool.at;
	return first;
}

static const char *
first_name(va_list texts)
{
	va_list copied;
	const char *name;

	va_copy(copied, texts);
	name = va_arg(copied, const char *);
	va_end(copied);
	return name;
}

/* ---- one run ---- */

static unsigned
exceptions(void)
{
	struct {
		void *caught;
		unsigned uncaught;
	} *globals = sl_true.__cxa_get_globals ? sl_true.__cxa_get_globals() : NULL;

	return globals ? globals->uncaught : 0;
}

/*
 * Threads are counted anew: those that are there are T1, T2, … in the order in which they came. But for those that a failed
 * test has left: they have numbers that nobody else gets.
 */
static void
number(void)
{
	uint32_t left = UINT32_MAX;

	F.numbers = 0;
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		r->told = false;
		if (r->doing != SL_ENDED && r->tid != (int)sl_raw(SYS_getpid))
			r->number = r->leftover ? left-- : ++F.numbers;
	}
}

static bool
blocked(const struct sl_runner *r)
{
	return r->doing == SL_BLOCKED && (r->waits != SL_WAITS_IO || !sl_free_io_ready(r));
}

static void
begin(struct sleave_section *section, struct sl_plan *plan)
{
	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (!(1u << plan->atoms[i]->kind & SEEN)) {
			sl_free_lock();
			sl_say_nothing();
			sl_say_head(section, plan->name);
			sl_say("names ");
			sl_say_atom(plan->atoms[i]);
			sl_say(", which is seen only under control (`sleave run`, `sleave test`)\n");
			sl_free_fail();
		}
	pool.at = plans_end;
	struct sl_monitor *monitor = sl_monitor_new(plan, &pool);

	if (!monitor)
		sl_free_refuse(section, "is too large");
	sl_free_lock();
	F.epoch++;
	F.version++;
	F.section = section;
	F.owner = sl_free_self();
	F.plan = plan;
	F.io_told = 0;
	F.broken.kind = SL_EVENT_KINDS;
	number();
	sl_free_io_begin();
	F.monitor = monitor;
	sl_free_swift_begin();
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_ENDED)
			continue;
		r->told = blocked(r);
		F.io_told += r->told && r->waits == SL_WAITS_IO;
		if (r->leftover)
			continue;
		sl_free_started(r);
		if (r->told)
			sl_monitor_thread(monitor, r->number, r->named ? r->name : NULL, true);
	}
	__atomic_store_n(&F.watching, true, __ATOMIC_SEQ_CST);
	uncaught = exceptions();
	section->state = plan;
	section->name = plan->name;
	section->index++;
	sl_free_log("SECTION", F.owner, plan->name, section->file, section->line);
	for (uint32_t i = 0; F.logging && i < F.runner_count; i++)
		if (F.runners[i].doing != SL_ENDED)
			sl_free_log("THREAD", &F.runners[i], F.runners[i].told ? "blocked" : "running", NULL, 0);
	began = sl_nanoseconds();
	if (!F.child)
		sl_section_tell(section, plan->name, "began", NULL, 0);
	sl_free_unlock();
}

/* How the run under way ended: to `sleave test`. Of a child its parent tells. */
static void
tell(const char *how)
{
	static const struct sleave_result clean = {.verdict = SLEAVE_CLEAN};

	if (!F.child)
		sl_section_tell(F.section, F.plan->name, how, &clean, sl_nanoseconds() - began);
}

/* Under the lock: nothing of it is left. */
static void
forget(void)
{
	F.monitor = NULL;
	F.section = NULL;
	F.plan = NULL;
	F.owner = NULL;
	sl_free_let_go();
	sl_free_events_reset();
	F.watching = F.logging;
	sl_free_log_write();
}

/* Under the lock: of the run that is at its end, what there is to say. False: all is well. */
static bool
is_wrong(const char *head)
{
	sl_say_nothing();
	sl_say_head(F.section, F.plan->name);
	sl_say(head);
	if (sl_say_unfulfilled()) {
		sl_say_state();
		return true;
	}
	sl_say_nothing();
	return false;
}

static void
over(struct sleave_section *section)
{
	bool wrong;

	sl_free_lock();
	sl_free_end_wait(sl_free_self());
	sl_free_lock();
	if (F.child)
		sl_free_tried(sl_free_fulfilled());
	wrong = is_wrong(F.checking ? "was not kept to\n" : "was not fulfilled\n");
	sl_free_log("SECTION_END", F.owner, F.plan->name, section->file, section->line);
	if (wrong) {
		sl_free_wrong();
	} else if (F.checking) {
		sl_say_head(section, F.plan->name);
		sl_say("was kept to\n");
		sl_say_all();
	}
	if (!wrong)
		tell(F.checking ? "checked" : "ran");
	forget();
	sl_free_unlock();
}

/* ---- the entrance ---- */

static void
check_jump(const struct sleave_section *section)
{
	if (section->index == -2)
		sl_free_refuse(
			section,
			"was lost by a long jump inside of the block: put setjmp() into a function of its own");
}

static bool
is_ours(const struct sleave_section *section)
{
	return section->state && F.section == section && F.monitor;
}

/* What can't be seen on real threads was explored before this, and that has to do. */
static struct sl_plan *
seen_from(struct sl_plan *plan)
{
	while (plan && plan->kinds & ~SEEN && sl_sections_explore())
		plan = plan->next;
	return plan;
}

bool
sl_free_section_next(struct sleave_section *section, va_list texts, uint64_t pc)
{
	struct sl_plan *plan;

	(void)pc;
	sl_free_install();
	sl_free_self();
	check_jump(section);
	if (section->index < 0)
		return false;
	if (!section->index) {
		section->name = first_name(texts);
		if (F.section)
			sl_free_refuse(section, "is inside of another section, or beside it: one at a time");
		plan = parse(section, texts);
		if (!plan)
			sl_free_refuse(section, "is missing");
		plan = seen_from(plan);
		if (plan && section->flags & SLEAVE_SECTION_INFEASIBLE && !sl_free_try(section, plan))
			plan = NULL;
	} else {
		plan = seen_from(((struct sl_plan *)section->state)->next);
		if (is_ours(section))
			over(section);
		else
			plan = NULL; /* in a child that the block has made */
	}
	if (plan)
		begin(section, plan);
	else
		section->index = -1;
	return plan != NULL;
}

void
sl_free_section_end(struct sleave_section *section, uint64_t pc)
{
	(void)pc;
	check_jump(section);
	if (section->index < 0 || !is_ours(section))
		return;
	if (exceptions() > uncaught)
		sl_free_section_abandon();
	else
		over(section);
	section->index = -1;
}

/* Something has gone wrong, and that counts: whether the schedule was fulfilled does not matter any more. */
void
sl_free_section_abandon(void)
{
	if (F.child)
		sl_raw(SYS_exit_group, 1);
	sl_free_lock();
	for (uint32_t i = 0; i < F.runner_count; i++)
		F.runners[i].leftover |=
			F.runners[i].doing != SL_ENDED && F.runners[i].born == F.epoch && &F.runners[i] != F.owner;
	tell("left");
	forget();
	sl_free_unlock();
}

/*
 * A long jump of the running thread: does it leave the block? If it stays in the function that has the section it may be
 * either; it is taken for a test framework's, whose functions may have been inlined into one.
 */
void
sl_free_jump(uintptr_t stack)
{
	if (likely(!F.section) || F.owner != sl_free_self() || stack < (uintptr_t)F.section->stack)
		return;
	F.section->index = -2;
	sl_free_section_abandon();
}

/* The process ends. In the middle of a section, and as if nothing were wrong? */
void
sl_free_exit(int status)
{
	if (!F.installed)
		return;
	if (F.monitor && !status) {
		sl_free_lock();
		if (F.child)
			sl_free_tried(sl_free_fulfilled());
		if (is_wrong("was not fulfilled when the process ended\n"))
			sl_free_wrong();
		else
			tell(F.checking ? "checked" : "ran");
		sl_free_unlock();
	}
	sl_free_log_write();
	if (sl_free_status(status) != status) {
		sl_true.fflush(NULL);
		sl_raw(SYS_exit_group, sl_free_status(status));
	}
}

int
sl_free_status(int status)
{
	return F.failed && !status ? 1 : status;
}

void
sl_free_forked(void)
{
	F.monitor = NULL;
	F.section = NULL;
	F.plan = NULL;
	F.owner = NULL;
	F.ending = F.failed = false; /* what went wrong is the parent's */
	F.watching = F.logging;
	sl_free_log_forget();
}

const char *
sl_free_schedule_name(void)
{
	return F.plan ? F.plan->name : NULL;
}

void
sl_free_thread_name(const char *name)
{
	struct sl_runner *self;

	sl_raw(SYS_prctl, 15 /* PR_SET_NAME: cut by the kernel */, name);
	if (!F.installed)
		sl_free_install();
	self = sl_free_self();
	if (!self)
		return;
	if (sl_strlen(name) >= sizeof(self->name)) {
		static const char sorry[] = "sleave: the name of a thread is too long\n";

		sl_raw(SYS_write, 2, sorry, sizeof(sorry) - 1);
		SL_CALL(abort)();
	}
	sl_free_name_runner(self, name);
}

void
sl_free_begin(void)
{
	const char *mode = getenv("SLEAVE_MODE"), *log = getenv("SLEAVE_LOG");

	F.checking = mode && mode[0] == 'c' && mode[1] == 'h' && mode[2] == 'e' && mode[3] == 'c' &&
		     mode[4] == 'k' && !mode[5];
	if (log && *log)
		sl_free_log_open(log);
	F.watching = F.logging;
	F.broken.kind = SL_EVENT_KINDS;
}
