/*
 * The engine's interface to a debugger: exported variables that it reads, and a function at which it stops.
 */
#include "engine/core/debugger.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/interpose/kernel.h"
#include "engine/under/poison.h"

enum { BEFORE_OPERATION = 1, AT_FAILURE };
enum { RUNS, LEAVES, ENDED };

/* The thread that a kernel thread carries. gdb.py reads this layout. */
struct carried {
	int32_t tid; /* 0: the slot was not used */
	uint32_t thread;
	uint32_t state;
	uint32_t unused;
	uint64_t start; /* address of its start function */
	char name
		[SL_THREAD_NAME]; /* the name that the program gave it, or that of an OpenMP worker; may be empty */
};

_Static_assert(sizeof(struct carried) == 24 + 128, "gdb.py reads it");

SL_EXPORT uint64_t sleave_stop_place; /* the debugger shows this frame of the program, … */
SL_EXPORT uint32_t sleave_stop_tid;   /* … of this kernel thread, … */
SL_EXPORT uint32_t sleave_stop_by;    /* … and the kernel thread that stops, which may be another one */
SL_EXPORT uint32_t sleave_stop_why;   /* 0: the program was not stopped by sleave_stop() */
SL_EXPORT uint32_t sleave_stop_slots; /* the number of slots that were used */
SL_EXPORT struct carried sleave_stop_carried[SL_THREADS_MAX + 1];

SL_EXPORT __attribute__((noinline)) void
sleave_stop(void)
{
	__asm__ volatile("");
}

/*
 * Sets the kernel's name of the thread, for a debugger without Python: "main", "T2" or "T2 given-name", cut by the
 * kernel.
 */
static void
name_carrier(const struct sl_thread *t)
{
	char path[64], name[SL_KERNEL_NAME] = "main";
	size_t used = 0, length = 4;
	long fd;

	if (t->id) {
		length = 0;
		sl_text_add(name, sizeof(name), &length, "T");
		sl_text_add_number(name, sizeof(name), &length, t->id);
		if (t->called.name[0]) {
			sl_text_add(name, sizeof(name), &length, " ");
			sl_text_add(name, sizeof(name), &length, t->called.name);
		}
	}
	sl_text_add(path, sizeof(path), &used, "/proc/self/task/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)sl_carrier_tid(t));
	sl_text_add(path, sizeof(path), &used, "/comm");
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	sl_raw(SYS_write, fd, name, length);
	sl_raw(SYS_close, fd);
}

void
sl_debugger_knows(const struct sl_thread *t)
{
	struct carried *c;

	if (likely(!E.arena->config.trace.stop_at_failure))
		return;
	c = &sleave_stop_carried[t->slot];
	c->tid = sl_carrier_tid(t);
	c->thread = t->id;
	c->state = !t->alive ? ENDED : t->ends.exiting ? LEAVES : RUNS;
	c->start = t->born.address;
	sl_memcpy(c->name, t->called.name, sizeof(c->name));
	if (sleave_stop_slots <= t->slot)
		sleave_stop_slots = t->slot + 1;
	name_carrier(t);
}

static void
stop(const struct sl_thread *t, uint64_t pc, uint32_t why)
{
	sleave_stop_place = pc;
	sleave_stop_tid = (uint32_t)sl_carrier_tid(t);
	sleave_stop_by = (uint32_t)sl_carrier_tid(E.current);
	sleave_stop_why = why;
	sleave_stop();
	sleave_stop_why = 0;
}

void
sl_debugger_stop_before(void)
{
	stop(E.current, E.current->op.pc, BEFORE_OPERATION);
}

/* Returns the thread for which another one waits; NULL: none, or unknown. */
static const struct sl_thread *
awaited(const struct sl_thread *t)
{
	const struct sl_thread *other = t->awaited.joins  ? t->awaited.joins
					: t->waits.object ? t->waits.object->owner
							  : NULL;

	return other && other->alive ? other : NULL;
}

/* Returns a thread of the deadlock that blocks the others: the running thread if it is one and has not ended. */
static const struct sl_thread *
stuck(void)
{
	const struct sl_thread *t = E.current;

	for (uint32_t i = 0; i < E.thread_count && (!t->alive || t->born.agent); i++)
		t = &E.threads[i];
	for (uint32_t i = 0; i < E.thread_count && awaited(t); i++) {
		t = awaited(t);
		if (t == E.current)
			break;
	}
	return t;
}

void
sl_debugger_stop_at(const struct sl_finding *f)
{
	const struct sl_thread *t = f->kind == SL_FINDING_DEADLOCK ? stuck() : E.current;
	uint64_t pc = t->op.pc;

	for (uint32_t i = f->culprit_count; i-- > 0;)
		if (f->culprits[i].thread == t->id)
			pc = f->culprits[i].pc;
	stop(t, pc, AT_FAILURE);
}
