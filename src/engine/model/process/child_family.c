/*
 * Memory that children of the program (child.c) share with it, and their descendants, which become the program's
 * children when their parents end.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/interpose/kernel.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define STRANGERS_MAX 256
#define SHARED_MAX 1024

/* ---- shared memory ---- */

bool sl_shares;
static struct {
	uintptr_t low, high;
} shared[SHARED_MAX];
static uint32_t shared_count, shared_in; /* the execution */

static void
note_shared(uintptr_t low, uintptr_t high)
{
	if (shared_count == SHARED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "mappings that a child shares");
	shared[shared_count].low = low;
	shared[shared_count++].high = high;
}

/*
 * Returns whether a thread is about to use an object in shared memory, or sleeps on it: it would not see the
 * child's operations.
 */
static bool
is_used_in_shared(const struct sl_thread *t)
{
	const struct sl_object *o = sl_object_find(t->op.object);

	if (t->waits.object && sl_child_sees((const void *)t->waits.object->address))
		return true;
	return o && o->kind != SL_OBJECT_NONE && o->kind != SL_OBJECT_ATOMIC && o->kind != SL_OBJECT_CHANNEL &&
	       sl_child_sees((const void *)t->op.object);
}

void
sl_family_share(void)
{
	shared_count = 0;
	shared_in = E.sequence;
	sl_world_shared(note_shared);
	sl_shares = shared_count;
	for (uint32_t i = 0; i < E.thread_count && sl_shares; i++)
		if (E.threads[i].alive && &E.threads[i] != E.current && is_used_in_shared(&E.threads[i]))
			sl_trouble(SL_TROUBLE_UNSUPPORTED, E.threads[i].op.pc,
				   "an object for synchronisation in memory that a child shares");
}

/* A later mapping: a child may map the same file or name. */
void
sl_family_maps(uintptr_t low, uintptr_t high)
{
	if (shared_in != E.sequence)
		shared_count = 0;
	shared_in = E.sequence;
	note_shared(low, high);
	sl_shares = true;
}

bool
sl_child_sees(const void *address)
{
	if (shared_in != E.sequence)
		sl_shares = false;
	for (uint32_t i = 0; sl_shares && i < shared_count; i++)
		if ((uintptr_t)address - shared[i].low < shared[i].high - shared[i].low)
			return true;
	return false;
}

/* ---- those whose parent is gone ---- */

static pid_t strangers[STRANGERS_MAX]; /* children that this process had before it started any under control */
static uint32_t stranger_count;
static pid_t reaper;   /* the process to which these belong, and which becomes the parent of orphans */
static int was_reaper; /* the earlier setting */
static bool orphans;   /* there may be orphans */

static bool
note_stranger(pid_t process, uint64_t *mark)
{
	(void)mark;
	if (stranger_count < STRANGERS_MAX)
		strangers[stranger_count++] = process;
	return true;
}

static bool
is_reaper(void)
{
	return reaper && reaper == (pid_t)sl_raw(SYS_getpid) && stranger_count < STRANGERS_MAX;
}

/* From now on orphans become children of this process, so that they are known, and end with the execution. */
void
sl_family_adopt(void)
{
	uint64_t mark;

	if (reaper == (pid_t)sl_raw(SYS_getpid))
		return;
	reaper = (pid_t)sl_raw(SYS_getpid);
	stranger_count = 0;
	if (!sl_own_processes(note_stranger, &mark))
		stranger_count = STRANGERS_MAX; /* the strangers are unknown */
	sl_raw(SYS_prctl, PR_GET_CHILD_SUBREAPER, &was_reaper, 0, 0, 0);
	if (is_reaper())
		sl_raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void
sl_family_give_back(void)
{
	if (is_reaper())
		sl_raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, was_reaper, 0, 0, 0);
	reaper = 0;
}

static bool
is_orphan(pid_t process)
{
	if (sl_child_is_known(process))
		return false;
	for (uint32_t i = 0; i < stranger_count; i++)
		if (strangers[i] == process)
			return false;
	return true;
}

static bool
orphan_waits(pid_t process, uint64_t *mark)
{
	if (!is_orphan(process))
		return true;
	orphans = true;
	return sl_process_waits(process, mark);
}

void
sl_family_grows(void)
{
	orphans = true;
}

bool
sl_family_is_there(void)
{
	return orphans;
}

bool
sl_family_waits(bool grows, uint64_t *mark)
{
	if (!orphans || !is_reaper())
		return true;
	orphans = grows; /* new ones may follow */
	return sl_own_processes(orphan_waits, mark);
}

static bool
end_orphan(pid_t process, uint64_t *mark)
{
	int status;

	if (!is_orphan(process))
		return true;
	sl_raw(SYS_kill, process, SIGKILL);
	sl_raw(SYS_wait4, process, &status, 0, NULL);
	++*mark;
	return false; /* the list has changed */
}

/* Ends all orphans, repeatedly: children of an ended process become orphans only then. */
void
sl_family_end(void)
{
	uint64_t count = 0, before = 1;

	while (orphans && is_reaper() && count != before) {
		before = count;
		sl_own_processes(end_orphan, &count);
	}
	orphans = false;
}
