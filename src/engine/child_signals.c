/*
 * Signals that the program's children send to it.
 *
 * The kernel delivers them while the engine waits for the children (sl_children_settle), and they are noted in the order in which
 * they come. Each is then an operation, as if a thread had sent it: of a thread of ours that stands for the children, whose
 * turn may come at any time until something else that the child did can be seen. (In the first execution there is no such
 * thread yet.) What a child sends after it has slept comes when the program's threads can't go on without it: the child's
 * time is real, and the program's threads take none of it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/channel.h"
#include "engine/enabled.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/kernel.h"
#include "engine/signals.h"
#include "engine/poison.h"

#define ARRIVED_MAX 256

static siginfo_t arrived[ARRIVED_MAX];
static uint32_t arrived_count; /* written by handlers */
static uint32_t sent_count;    /* of these */
static bool late;              /* those that are left came after a sleep */
static struct sl_thread *agent;

void
sl_child_signals_reset(void)
{
	__atomic_store_n(&arrived_count, 0, __ATOMIC_SEQ_CST);
	sent_count = 0;
	late = false;
	agent = NULL;
}

/* In a handler of the kernel's: who sent it may have been started by a child in turn. */
bool
sl_child_sent(const siginfo_t *info)
{
	uint32_t at;

	if (info->si_code > 0 || !E.active || !sl_process_is_below(info->si_pid))
		return false;
	at = __atomic_fetch_add(&arrived_count, 1, __ATOMIC_SEQ_CST);
	if (at < ARRIVED_MAX)
		arrived[at] = *info;
	return true;
}

static uint64_t
process_word(void)
{
	return sl_thread_word(&E.threads[0], SL_WORD_PROCESS);
}

static bool
are_left(void)
{
	return sent_count < __atomic_load_n(&arrived_count, __ATOMIC_SEQ_CST);
}

bool
sl_child_signals_wait(void)
{
	return are_left() && !late;
}

static void
send_next(void)
{
	siginfo_t info;

	if (sent_count == ARRIVED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, E.current->op.pc, "signals that processes started by one execution send");
	info = arrived[sent_count++];
	if (sl_child_number(info.si_pid))
		info.si_pid = sl_child_number(info.si_pid);
	sl_signal_post_process(&info);
}

static void *
agent_main(void *unused)
{
	struct sl_thread *t = E.current;

	(void)unused;
	sl_memcpy(t->name, "child", 6);
	t->named = t->agent = t->detached = true;
	t->mask = UINT64_MAX;
	agent = t;
	E.alive_count--;
	for (;;) {
		sl_announce(SL_KILL, process_word(), t->create_pc);
		t->idle = !sl_child_signals_wait();
		sl_block();
		sl_note((uint64_t)arrived[sent_count].si_signo << 32 | UINT32_MAX);
		send_next();
	}
	return NULL;
}

void
sl_child_signals_begin(uint64_t pc)
{
	if (!agent && sl_watched(process_word()))
		sl_thread_make(agent_main, NULL, pc);
}

static void
tell_agent(void)
{
	if (!agent)
		return;
	agent->idle = !sl_child_signals_wait();
	if (agent != E.current)
		sl_update(agent);
}

void
sl_child_signals_settle(bool slept)
{
	if (likely(!are_left()))
		return;
	late |= slept;
	sl_mark(process_word());
	sl_watch(process_word());
	tell_agent();
}

/* Something that the children did afterwards is about to be seen; or the program's threads are stuck, in their waits. */
void
sl_child_signals_flush(bool stuck)
{
	if (likely(!are_left()))
		return;
	while (are_left())
		send_next();
	late = false;
	tell_agent();
	for (uint32_t i = 0; i < E.thread_count && stuck; i++)
		E.threads[i].struck = E.threads[i].alive && E.threads[i].urgent;
}
