/*
 * The scheduler: which threads are enabled, and which one runs next.
 *
 * A thread announces an operation, and is then in the list of enabled operations or among the waiters of the
 * object that it needs. The strategy is asked only if there is more than one answer and the order can matter:
 * operations on data that one thread alone has ever touched are performed at once (race.c keeps these marks), and
 * so are releases that no thread can observe (an unlock only enables other threads; it commutes with all their
 * operations, unless one of them examines the object without blocking: see `watched`).
 *
 * Operations that other threads can't observe are not points of choice. A new thread runs at once to its first
 * announcement and hands control back to its creator; so does a thread that leaves a barrier, and one whose join
 * is done. When a thread that yields or sleeps is chosen, it performs its next operation in the same step
 * (SL_OP_MERGED), unless a recorded schedule is followed.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/block.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/impact.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/interpose/entry.h"
#include "engine/interpose/unseen.h"
#include "engine/under/poison.h"

struct sl_engine sl_engine;

_Static_assert(offsetof(struct sl_thread, op) == 0, "an operation in the list is its thread");

_Static_assert(SL_THREADS_MAX < SL_STRATEGY_THREADS, "a strategy can tell all threads apart");

/*
 * Earlier calls leave values below the stack pointer, which remain in the gaps of later frames. For the stateful
 * search a state must not depend on the path that led to it, so the stack below is cleared after the scheduler,
 * and before the functions that enter it.
 */
static inline __attribute__((always_inline)) void
clean_below(void)
{
	if (likely(!E.stateful))
		return;
	/* inline: a call would leave values, too */
	__asm__ volatile("leaq -2048(%%rsp), %%rdi\n movl $256, %%ecx\n xorl %%eax, %%eax\n rep stosq" ::
				 : "rdi", "rcx", "rax", "memory", "cc");
}

#define CLEANLY(name, function, parameters, ...)                                                                  \
	void name parameters                                                                                      \
	{                                                                                                         \
		clean_below();                                                                                    \
		function(__VA_ARGS__);                                                                            \
	}

/* ---- spinning threads ---- */

static void
wake_spinner(struct sl_thread *t)
{
	t->looks.spinning = false;
	E.spinning_count--;
	sl_enlist(t, true, true);
}

/* Something has changed since the spinning threads gave way: they are enabled again, but as late threads. */
static void
wake_spinners(void)
{
	for (uint32_t i = 0; i < E.thread_count && E.spinning_count; i++) {
		struct sl_thread *t = &E.threads[i];

		if (t->looks.spinning && t->spin.changes != E.changes) {
			t->spin.last_looks = 0;
			t->progress.sure = false;
			wake_spinner(t);
		}
	}
}

/*
 * No thread is enabled, but some spin. Before this is called a deadlock, each spinning thread runs another round,
 * one at a time, until its whole state is proven to repeat (spin.c); a thread that only counts reaches its end in
 * this way.
 */
static bool
last_look(void)
{
	struct sl_thread *next = NULL;

	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];

		if (t->looks.spinning && !t->progress.sure &&
		    (!next || t->spin.last_looks < next->spin.last_looks))
			next = t;
	}
	if (!next)
		return false;
	next->spin.last_looks++;
	next->turn.gives_way = true;
	wake_spinner(next);
	return true;
}

/* ---- choosing ---- */

static void
item_add(uint32_t kind, uint32_t thread, uint64_t until)
{
	struct sl_items *items = &E.worker->schedule;

	if (unlikely(E.plan.prelude))
		return;
	if (unlikely(items->count == SL_ITEMS_MAX))
		sl_trouble(SL_TROUBLE_LIMIT, 0, "switches of one execution");
	items->items[items->count] = (struct sl_pick){kind, thread, until};
	items->count++;
}

/* For strategies: the operation of a thread, enabled or not; NULL: it has ended. */
static const struct sl_op *
announced(uint32_t thread)
{
	return E.threads[thread].alive ? &E.threads[thread].op : NULL;
}

unsigned
sl_ask(enum sl_choice_kind kind, unsigned count, const struct sl_op *const *ops)
{
	struct sl_choice c = {
		.kind = kind,
		.count = count,
		.prompt = count,
		.current = count,
		.asking = E.current->id,
		.thread_count = E.thread_count,
		.step = E.steps,
		.ops = ops,
		.kin = E.ready.kin,
		.announced = announced,
	};
	unsigned answer;

	if (count < 2 || unlikely(E.plan.prelude))
		return 0;
	E.choices++;
	answer = E.strategy->choose(E.state, &c);
	if (unlikely(answer == SL_CHOICE_ABANDON)) {
		E.outcome.abandoned = true;
		sl_execution_end();
	}
	sl_check(answer < count);
	item_add(kind == SL_CHOOSE_WAITER ? SL_PICK_WAITER : SL_PICK_VALUE,
		 kind == SL_CHOOSE_WAITER ? ops[answer]->thread : answer, 0);
	if (unlikely(E.listen.valued))
		sl_reel_asked(kind, count, kind == SL_CHOOSE_WAITER ? ops[answer]->thread : answer);
	return answer;
}

/*
 * The strategy chose a thread that is not in the list: if it spins, it runs another round. Otherwise the execution
 * is abandoned.
 */
static unsigned
choose_spinning(unsigned answer)
{
	uint32_t id = answer & ~SL_CHOICE_SPINNING;

	if (answer == SL_CHOICE_ABANDON || id >= E.thread_count || !E.threads[id].looks.spinning) {
		E.outcome.abandoned = true;
		sl_execution_end();
	}
	wake_spinner(&E.threads[id]);
	E.worker->compare.sampled = 0; /* a schedule can't express this, so the execution can't be repeated */
	return E.ready.places[id];
}

static struct sl_thread *
choose(void)
{
	struct sl_thread *current = E.current;
	unsigned answer = 0;

	sl_settle();
	if (unlikely(E.listen.valued))
		sl_reel_settle();
	sl_publish_all();
	if (unlikely(E.plan.active))
		sl_plan_settle(false);
	if (unlikely(E.ready.places[current->id] == SL_NOWHERE) && current->alive &&
	    sl_circle_may_close(current->op.kind))
		sl_circle_closes(current);

	if (unlikely(E.listen.watching))
		sl_step_end();
	if (unlikely(E.spinning_count))
		wake_spinners();
	if (unlikely(E.uses.timers)) {
		sl_children_due();
		sl_timers_ahead();
	}
	if (unlikely(!E.ready.count)) {
		sl_io_stuck();
		if (E.uses.timers)
			sl_timers_ahead(); /* threads that wait for channels were updated */
	}
	if (unlikely(!E.ready.count) && !last_look() && !(E.uses.timers && sl_timers_stuck())) {
		if (!E.plan.active || !sl_plan_stuck()) {
			if (E.listen.watching)
				sl_step_stuck();
			sl_found(SL_FINDING_DEADLOCK, 0, 0, current->op.pc, NULL);
		}
	}
	if (unlikely(E.plan.prelude)) {
		answer = sl_prelude_choose();
	} else if (E.ready.count > 1 || unlikely(E.listen.watching || E.strategy->traits.counts)) {
		struct sl_choice c = {
			.kind = SL_CHOOSE_THREAD,
			.count = E.ready.count,
			.prompt = E.ready.prompt,
			.asking = current->id,
			.thread_count = E.thread_count,
			.step = E.steps,
			.ops = E.ready.ops,
			.places = E.ready.places,
			.kin = E.ready.kin,
			.announced = announced,
		};

		if (unlikely(E.stateful)) {
			sl_state_look_for_races();
			c.identify = sl_state_identify;
			c.keep = sl_checkpoint_keep;
		}
		c.current = E.ready.places[current->id] != SL_NOWHERE && !current->turn.unchosen
				    ? E.ready.places[current->id]
				    : c.count;
		sl_thread_changed(current);
		c.changed = E.ready.changed;
		c.changed_count = E.ready.changed_count;

		E.choices += c.count > 1;
		if (unlikely(E.choices >= E.progress.fair_at || E.steps >= E.progress.fair_step))
			c.favours = sl_fair_look();
		if (unlikely(sl_impact_known))
			for (unsigned i = 0; i < c.changed_count; i++)
				sl_impact_label(&E.threads[c.changed[i]]);
		if (unlikely(c.favours) && !sl_strategy_heeds(E.strategy, E.state)) {
			answer = c.favours - 1; /* the changed threads are reported at the next choice */
		} else {
			answer = E.strategy->choose(E.state, &c);
			if (unlikely(answer >= c.count)) {
				answer = choose_spinning(answer);
				c.favours = 0;
				c.count = E.ready.count;
				c.prompt = E.ready.prompt;
			}
			E.ready.changed_count = 0;
			E.ready.noting++;
		}
		E.preemptions.cost = sl_choice_cost(&c, answer);
		E.preemptions.count += E.preemptions.cost;
	}
	current->turn.unchosen = false;

	struct sl_thread *chosen = (struct sl_thread *)E.ready.ops[answer];

	if (unlikely(E.listen.watching))
		sl_step_begin(chosen->id);
	if (unlikely(E.uses.timers))
		sl_timers_behind();
	return chosen;
}

static void
hand_over(struct sl_thread *to)
{
	struct sl_thread *from = E.current;

	E.current = to;
	sl_carrier_switch(from, to);
}

/* Switches to the chosen thread; returns when the running thread is chosen again (never, if it has ended). */
static void
go(struct sl_thread *to)
{
	struct sl_thread *from = E.current;

	/* A strategy that asks at every operation, such as replay, decides itself how far each thread runs. */
	if ((to->op.flags & SL_OP_MERGED) && !to->interruption.urgent && !E.strategy->traits.every_operation)
		to->turn.skip_point = true;
	if (to == from)
		return;
	item_add(SL_PICK_RUN, from->id, from->alive ? from->op.index : UINT64_MAX);
	from->looks.stretches = 0;
	from->turn.gives_way = false;
	hand_over(to);
}

/* The running thread has announced its next operation, or has ended: chooses the next thread. Returns when the
 * calling thread may perform its operation. */
static void
reschedule_now(void)
{
	struct sl_thread *t = E.current, *creator = t->returns_to;

	if (unlikely(creator != NULL)) {
		t->returns_to = NULL;
		sl_thread_changed(t);
		hand_over(creator);
	} else {
		go(choose());
	}
}

/*
 * The registers of the thread that enters the scheduler, which belong to the program's state, unlike those of the
 * scheduler.
 */
struct sl_entry sl_resting __attribute__((visibility("hidden")));
void sl_reschedule_noting(void) __attribute__((visibility("hidden")));
void sl_reschedule_noted(void) __attribute__((visibility("hidden")));
SL_NOTING(sl_reschedule_noting, sl_resting, sl_reschedule_noted);

void
sl_reschedule_noted(void)
{
	E.current->registers.resting = sl_resting;
	reschedule_now();
	clean_below();
}

static inline __attribute__((always_inline)) void
reschedule(void)
{
	if (unlikely(E.stateful))
		sl_reschedule_noting();
	else
		reschedule_now();
}

void
sl_switch_away(void)
{
	reschedule();
}

/* Runs a thread up to its next announcement, and returns: no other thread can observe it until then. */
void
sl_advance(struct sl_thread *t)
{
	t->returns_to = E.current;
	if (unlikely(E.listen.watching))
		sl_step_ordered(SL_STEP_CURRENT, t->id);
	hand_over(t);
}

/* The running thread has ended, and the joiner has waited for that. The joiner continues to its next announcement,
 * where the choice is free: the joiner was not chosen instead of another thread. */
void
sl_succeed(struct sl_thread *joiner)
{
	struct sl_thread *t = E.current;

	sl_update(joiner);
	sl_ends_wait(joiner);
	if (t->returns_to) {
		joiner->returns_to = t->returns_to;
	} else {
		item_add(SL_PICK_RUN, t->id, UINT64_MAX);
		joiner->turn.unchosen = true;
	}
	hand_over(joiner);
}

void
sl_announce(enum sl_op_kind kind, uint64_t object, uint64_t pc)
{
	struct sl_thread *t = E.current;

	if (unlikely(E.plan.coded))
		sl_code_announces(kind, object, pc);
	t->looks.relaxed = false;
	if (unlikely(E.listen.probing))
		sl_livelock_announced();
	t->op.kind = (uint8_t)kind;
	t->op.size = 0;
	t->op.flags = (uint16_t)(sl_op_kinds[kind].flags | (t->turn.gives_way ? SL_OP_YIELDED : 0));
	t->op.index++;
	t->op.object = object;
	t->op.pc = pc;
	E.operations++;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (here < t->stack.lowest)
		t->stack.lowest = here;
}

/* Every operation passes here just before it is performed. */
static void
count_step(void)
{
	if (unlikely(++E.steps >= E.progress.look_at))
		sl_deadline_look();
	E.worker->beat++;
	E.worker->last_pc = E.current->op.pc;
	if (unlikely(E.current->op.pc - E.listen.text_low >= E.listen.text_size))
		sl_unseen_operation(&E.current->op);
	if (unlikely(E.plan.coded))
		sl_plan_performs();
	if (unlikely(E.listen.watching))
		sl_step_operation();
	if (unlikely(E.stateful))
		sl_state_operation();

	const struct sl_op *op = &E.current->op;

	/*
	 * The object may be in freed memory. Leaving a barrier that was destroyed is allowed (SILENT). Waking and
	 * moving a futex's waiters only use the address: an unlock wakes waiters after it has released the lock,
	 * when another thread may have freed it (futex.c checks the calls that compare the word).
	 */
	if (unlikely(sl_block_wrong(op->object & ~7ul)) && op->kind != SL_FREE && op->kind != SL_FUTEX_WAKE &&
	    op->kind != SL_FUTEX_REQUEUE && !(op->flags & SL_OP_SILENT))
		sl_block_check(op->object, op->size ? op->size : 1, op->kind, op->pc);
	if (unlikely(E.time.timer_waits))
		sl_timers_progress();
}

static void
point(void)
{
	struct sl_thread *t = E.current;

	if (E.ready.pending_count)
		sl_publish_all(); /* a waiter may be enabled now */
	if (!t->turn.skip_point && (E.ready.count > 1 || E.spinning_count || unlikely(E.listen.watching) ||
				    unlikely(E.uses.timers && t->op.kind == SL_SLEEP))) {
		reschedule();
		return;
	}
	if (unlikely(E.plan.active))
		sl_plan_settle(true); /* the monitor needs the blocked threads even if there is no choice */
	t->turn.skip_point = false;
}

/*
 * A point for an access. Steps are not counted here: sl_stretch() counts accesses, whether they are points or not.
 */
static __attribute__((noinline)) void
point_of_access_cleanly(void)
{
	point();
	while (unlikely(E.current->interruption.urgent) && !sl_serve())
		point();
}
CLEANLY(sl_point_of_access, point_of_access_cleanly, (void))

/* A point that leaves pending interruptions to the caller. */
static __attribute__((noinline)) void
turn_cleanly(void)
{
	point();
	count_step();
}
CLEANLY(sl_turn, turn_cleanly, (void))

static __attribute__((noinline)) void
point_cleanly(void)
{
	sl_point_of_access();
	count_step();
}
CLEANLY(sl_point, point_cleanly, (void))

static __attribute__((noinline)) void
point_unless_alone_cleanly(struct sl_object *o)
{
	if (sl_everywhere() || o->shared || E.current->interruption.exposed)
		sl_point();
	else
		count_step();
}
CLEANLY(sl_point_unless_alone, point_unless_alone_cleanly, (struct sl_object * o), o)

void
sl_point_of_release(struct sl_object *o)
{
	if (sl_everywhere() ||
	    (o->shared && (sl_watched(o->address) || (E.plan.active && sl_plan_sees_blocks()))) ||
	    E.current->interruption.exposed)
		sl_point();
	else
		count_step();
}

void
sl_no_point(void)
{
	count_step();
}

/*
 * The thread was chosen although its operation can't be performed: its time limit has expired. Its next operations
 * are not late.
 */
static void
note_expiry(struct sl_thread *t)
{
	t->waits.expired = t->waits.timed && !sl_can_go(t);
	if (t->waits.expired)
		sl_enlist(t, true, false);
}

/* Waits once. `shared` says whether this is a point, since threads of one object may wait in another's list.
 * Pending interruptions are left to the caller. */
static __attribute__((noinline)) void
await_once_cleanly(struct sl_object *o, bool shared)
{
	struct sl_thread *t = E.current;
	bool now;

	t->waits.object = o;
	t->waits.expired = false;
	now = sl_can_go(t);
	t->waits.object = NULL;
	if (E.ready.pending_count)
		sl_publish_all();
	if (now && !sl_everywhere() && !shared && !t->interruption.exposed &&
	    !(t->interruption.interruptible && t->interruption.cancel_marked)) {
		count_step();
		return;
	}
	if (unlikely(E.plan.active) && sl_arrive(o)) {
		if (t->interruption.urgent)
			return;
		t->waits.object = o;
		now = sl_can_go(t);
		t->waits.object = NULL;
	}
	if (now && E.ready.count < 2 && !E.spinning_count) { /* no other thread is enabled */
		sl_turn();
		return;
	}
	sl_waiter_add(o, t);
	if (now) {
		sl_object_changed(o);
		sl_turn();
		note_expiry(t);
	} else {
		sl_publish(o);
		sl_block();
	}
	sl_waiter_remove(t);
}
CLEANLY(sl_await_once, await_once_cleanly, (struct sl_object * o, bool shared), o, shared)

/* Waits until the announced operation can be performed on the object, and it is this thread's turn; or until the
 * wait is interrupted, if it is interruptible. */
static __attribute__((noinline)) void
await_cleanly(struct sl_object *o)
{
	struct sl_thread *t = E.current;

	if (unlikely(E.listen.reeling))
		sl_reel_request(t);
	if (unlikely(E.listen.covering))
		sl_cover_request(t);
	if (likely(!t->interruption.urgent))
		sl_await_once(o, o->shared || sl_plan_attaches());
	while (unlikely(t->interruption.urgent) && !sl_serve())
		sl_await_once(o, o->shared || sl_plan_attaches());
	t->interruption.interruptible = 0;
}
CLEANLY(sl_await, await_cleanly, (struct sl_object * o), o)

/* The running thread sleeps until another thread enables its (possibly changed) operation, or until its time limit
 * runs out. */
static __attribute__((noinline)) void
block_cleanly(void)
{
	struct sl_thread *t = E.current;

	t->waits.expired = false;
	t->turn.skip_point = false;
	sl_update(t);
	reschedule();
	if (unlikely(E.plan.active))
		sl_plan_goes_on();
	note_expiry(t);
	count_step();
}
CLEANLY(sl_block, block_cleanly, (void))

/* The first half of the announced operation is done; the second, waking up, is an operation of its own. */
void
sl_sleep_on(struct sl_object *o)
{
	struct sl_thread *t = E.current;
	unsigned asleep = t->op.kind;

	t->op.index++;
	sl_waiter_add(o, t);
	sl_block();
	while (unlikely(t->interruption.urgent))
		sl_serve_asleep(o, asleep);
	t->interruption.interruptible = 0;
}

/* ---- giving way ---- */

/* Handles pending interruptions, whether this is a point or not: a loop of plain accesses may never reach another
 * point. An interruptible operation handles them itself. */
static void
serve_in_between(struct sl_thread *t)
{
	while (unlikely(t->interruption.urgent) && !t->interruption.interruptible && !sl_serve())
		;
}

void
sl_spin_block(void)
{
	struct sl_thread *t = E.current;

	t->looks.spinning = true;
	E.spinning_count++;
	sl_settle();
	t->spin.changes = E.changes;
	t->spin.pc = 0;
	sl_enlist(t, false, false);
	reschedule();
	sl_enlist(t, true, false);
	serve_in_between(t);
	t->turn.skip_point = true; /* it was chosen to perform this operation */
}

/* Lets other enabled threads run first, if there are any. */
void
sl_give_way(void)
{
	struct sl_thread *t = E.current;

	if (E.ready.count < 2 && !E.spinning_count)
		return;
	E.preemptions.given_way++;
	sl_enlist(t, true, true);
	reschedule();
	sl_enlist(t, true, false);
	serve_in_between(t);
	t->turn.skip_point = true;
}
