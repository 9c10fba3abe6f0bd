/*
 * Signals that the program's children send to it.
 *
 * The kernel delivers them while the engine waits for the children (sl_children_settle), and they are noted in the
 * order of arrival. Each is then an operation of a thread of the engine that stands for the children, which may be
 * scheduled at any time until another effect of the child can be observed. (In the first execution there is no
 * such thread yet.) A signal or an end after a sleep of the child happens when virtual time has advanced by as
 * much, or when no thread of the program can run before: the child's time is real, and the program's threads take
 * none of it. A forked child reports how long it has slept (child_tells.c); for other programs it is measured, in
 * whole seconds.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/kernel.h"
#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define ARRIVED_MAX 256

static struct {
	siginfo_t info;
	bool told;      /* the child has reported it (child_tells.c) … */
	uint32_t child; /* … the child's number, … */
	uint64_t slept; /* … and how long it had slept by then */
	bool late;      /* it was sent after a sleep, … */
	uint64_t at;    /* … at this virtual time */
} arrived[ARRIVED_MAX];
static uint32_t arrived_count; /* written by handlers */
static uint32_t settled_count; /* those for which `late` is known */
static uint32_t sent_count;    /* those that were sent on to the program */
static struct sl_thread *agent;

void
sl_child_signals_reset(void)
{
	__atomic_store_n(&arrived_count, 0, __ATOMIC_SEQ_CST);
	settled_count = sent_count = 0;
	agent = NULL;
}

/*
 * Called in a signal handler. The sender may be a descendant, and may have ended already, if it reported the
 * signal.
 */
bool
sl_child_sent(const siginfo_t *info)
{
	uint64_t slept = 0;
	uint32_t at, child = 0;
	bool told;

	if (info->si_code > 0 || !E.active)
		return false;
	told = sl_told_signal(info->si_pid, info->si_signo, &child, &slept);
	if (!told && !sl_process_is_below(info->si_pid))
		return false;
	at = __atomic_load_n(&arrived_count, __ATOMIC_SEQ_CST);
	if (at < ARRIVED_MAX) {
		arrived[at].info = *info;
		arrived[at].late = false;
		arrived[at].told = told;
		arrived[at].child = child;
		arrived[at].slept = slept;
	}
	__atomic_store_n(&arrived_count, at + 1, __ATOMIC_SEQ_CST);
	return true;
}

static uint64_t
process_word(void)
{
	return sl_thread_word(&E.threads[0], SL_WORD_PROCESS);
}

bool
sl_child_signals_are_left(void)
{
	return sent_count < settled_count;
}

bool
sl_child_signals_wait(void)
{
	return sent_count < settled_count && !arrived[sent_count].late;
}

/*
 * Returns the sender's number for the program. A descendant of a child has a number of the kernel, which differs
 * each time: the program sees an unused number, the same for the same sender.
 */
static pid_t
name_of_sender(uint32_t at)
{
	pid_t process = arrived[at].info.si_pid, number = sl_child_number(process);
	uint32_t first = 0;

	while (arrived[first].info.si_pid != process)
		first++;
	return number ? number : SL_FIRST_DESCENDANT + (pid_t)first;
}

static void
send_next(void)
{
	siginfo_t info;

	if (sent_count == ARRIVED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, E.current->op.pc,
			   "signals that processes started by one execution send");
	info = arrived[sent_count].info;
	info.si_pid = name_of_sender(sent_count++);
	sl_signal_post_process(&info);
}

static void *
agent_main(void *unused)
{
	struct sl_thread *t = E.current;

	(void)unused;
	sl_memcpy(t->called.name, "child", 6);
	t->called.given = t->born.agent = t->ends.detached = true;
	t->signal.mask = UINT64_MAX;
	agent = t;
	E.alive_count--;
	for (;;) {
		sl_announce(SL_KILL, process_word(), t->born.pc);
		t->idle = !sl_child_signals_wait();
		sl_block();
		sl_note((uint64_t)arrived[sent_count].info.si_signo << 32 | UINT32_MAX);
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

/* Signals of a child that does not report came after this time, if the child was seen to sleep. */
void
sl_child_signals_settle(uint64_t slept)
{
	uint32_t count = __atomic_load_n(&arrived_count, __ATOMIC_SEQ_CST);

	if (likely(settled_count == count))
		return;
	for (uint32_t i = settled_count; i < count && i < ARRIVED_MAX; i++) {
		arrived[i].at =
			arrived[i].told ? sl_child_moment(arrived[i].child, arrived[i].slept) : E.time.now + slept;
		arrived[i].late = arrived[i].at > E.time.now;
		E.uses.timers |= arrived[i].late;
	}
	settled_count = count;
	sl_mark(process_word());
	sl_watch(process_word());
	tell_agent();
}

static void
sent(bool stuck)
{
	tell_agent();
	for (uint32_t i = 0; i < E.thread_count && stuck; i++)
		E.threads[i].signal.struck = E.threads[i].alive && E.threads[i].interruption.urgent;
}

/* Sends the signals of one time: signals from before a sleep of the child are handled before those after it. */
static void
send_group(void)
{
	bool late = arrived[sent_count].late;
	uint64_t at = arrived[sent_count].at;

	if (late && at > E.time.now)
		sl_time_reaches(at);
	do
		send_next();
	while (sl_child_signals_are_left() && arrived[sent_count].late == late &&
	       (!late || arrived[sent_count].at == at));
}

/* A later effect of the children is about to be observed, or (stuck) no thread is enabled. */
void
sl_child_signals_flush(bool stuck)
{
	if (likely(!sl_child_signals_are_left()))
		return;
	send_group();
	sent(stuck);
}

/* Returns whether a thread or a timer can do something before that time. */
static bool
one_goes_before(uint64_t moment)
{
	for (uint32_t i = 0; i < E.ready.count; i++)
		if (!sl_comes_after((const struct sl_thread *)E.ready.ops[i], moment))
			return true;
	return false;
}

uint64_t
sl_children_moment(void)
{
	uint64_t next = sl_children_next();

	return sl_child_signals_are_left() && arrived[sent_count].late && arrived[sent_count].at < next
		       ? arrived[sent_count].at
		       : next;
}

void
sl_children_due(void)
{
	do {
		uint64_t next = sl_children_moment();
		bool reached = next <= E.time.now;

		if (!E.ready.count && sl_child_signals_wait()) {
			send_group();
			next = 0;
			reached = false;
		} else if (next == UINT64_MAX || (!reached && one_goes_before(next))) {
			return;
		}
		if (next > E.time.now)
			sl_time_reaches(next);
		if (sl_child_signals_are_left() && arrived[sent_count].late && arrived[sent_count].at <= next)
			send_group();
		sl_children_reach(next, !reached); /* children whose ends are due at that time */
		sent(!reached);
		if (E.current->alive && !E.current->looks.spinning && sl_can_go(E.current))
			sl_update(E.current); /* it may have received a signal */
		sl_publish_all();
	} while (!E.ready.count);
}
