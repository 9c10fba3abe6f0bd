/*
 * Raw futexes, which hand-made locks and C++20's atomic waits use.
 *
 * The word is an ordinary atomic, and its object has the threads that sleep on it. Comparing the word and going to
 * sleep is one operation. Which waiter is woken is a choice: the kernel's queue is in order of arrival among equal
 * priorities, but this is not guaranteed. A woken thread continues at once to its next operation, where it can be
 * delayed for any time. As in ThreadSanitizer, sleeping and waking create no happens-before edges: the program's
 * own operations on the word do.
 *
 * A futex with priority inheritance is a lock: its word has the number of its owner, and a flag for waiters
 * (FUTEX_WAITERS). The kernel hands it over when it is unlocked, so that the word is never free in between.
 * Threads that wait for one have no bits. It creates happens-before edges like a mutex. Priorities are not
 * modelled.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/kernel.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define SECOND 1000000000l
#define NO_BITS 0u /* of a thread in FUTEX_LOCK_PI; other waiters have bits */

struct call {
	uint32_t *word, *word2;
	uint32_t value, value2, value3;
	const struct timespec *limit;
	bool absolute, wall;
	uint64_t pc;
};

static bool
is_word(const uint32_t *word)
{
	return ((uintptr_t)word & 3) == 0;
}

/* Waking may come too late, when the memory has another object: that is allowed, and wakes no thread. */
static struct sl_object *
object_to_wake(uint32_t *word)
{
	struct sl_object *o = sl_object_find((uint64_t)word);

	return o && o->kind != SL_OBJECT_ATOMIC && o->kind != SL_OBJECT_NONE
		       ? NULL
		       : sl_object_get(word, SL_OBJECT_ATOMIC);
}

static struct sl_thread *
owner_of(uint32_t word)
{
	struct sl_thread *owner = sl_thread_numbered((pid_t)(word & FUTEX_TID_MASK));

	return owner && owner->alive ? owner : NULL;
}

/*
 * Returns whether this thread waits for the running one, directly or not. Like the kernel, this considers only
 * such futexes.
 */
static bool
waits_for_us(const struct sl_thread *owner)
{
	for (uint32_t i = 0; owner && i < E.thread_count; i++) {
		if (owner == E.current)
			return true;
		if (owner->op.kind != SL_FUTEX_WAIT || !owner->waits.object ||
		    owner->awaited.futex_bits != NO_BITS)
			return false;
		owner = owner_of(*(const uint32_t *)owner->op.object);
	}
	return false;
}

/* Returns 0 if the call can wait. */
static long
check_wait(const struct call *c)
{
	if (!is_word(c->word))
		return -EINVAL;
	if (c->limit && (c->limit->tv_sec < 0 || c->limit->tv_nsec < 0 || c->limit->tv_nsec >= SECOND))
		return -EINVAL;
	return (uintptr_t)c->word < SL_PAGE ? -EFAULT : 0;
}

static long
wait(const struct call *c, uint32_t bits)
{
	struct sl_thread *t = E.current;
	struct sl_object *o;
	bool spurious;

	o = sl_object_get(c->word, SL_OBJECT_ATOMIC);
	sl_announce(SL_FUTEX_WAIT, (uint64_t)c->word, c->pc);
	t->op.size = sizeof(*c->word);
	if (*c->word != c->value)
		sl_spin_visit(c->pc);
	sl_arrive(o);
	sl_point_unless_alone(o);
	sl_note(*c->word);
	sl_race_atomic(o, sizeof(*c->word), SL_OP_READS, c->pc);
	if (*c->word != c->value)
		return -EAGAIN;
	if (bits == NO_BITS && waits_for_us(owner_of(*c->word)))
		return -EDEADLK;
	/* not twice in a row, so that a loop around it ends */
	spurious =
		bits && E.arena->config.spurious && !t->failed_spuriously && sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 1;
	t->failed_spuriously = spurious;
	if (spurious)
		return 0;
	if (c->limit) {
		t->waits.timed = true;
		if (c->absolute)
			t->awaited.deadline = sl_deadline(c->limit, c->wall ? CLOCK_REALTIME : CLOCK_MONOTONIC);
		else
			t->awaited.deadline = E.time.now + sl_deadline(c->limit, CLOCK_MONOTONIC);
	}
	t->awaited.futex_bits = bits;
	t->awaited.woken = false;
	sl_interruptible(SL_BY_SIGNAL);
	sl_sleep_on(o);
	sl_waiter_remove(t);
	t->waits.timed = false;
	if (unlikely(t->interruption.interrupted)) {
		t->interruption.interrupted = 0;
		return -EINTR;
	}
	if (!t->awaited.woken) {
		sl_time_reaches(t->awaited.deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return -ETIMEDOUT;
	}
	sl_note(0);
	return 0;
}

static bool
has_bits(const struct sl_thread *w, uint32_t bits)
{
	return bits == NO_BITS ? w->awaited.futex_bits == NO_BITS : (w->awaited.futex_bits & bits) != 0;
}

/*
 * Chooses at most `count` of the threads that sleep on o with some of these bits. The choices are in the order of
 * the queue, so that each set occurs once. The chosen threads leave the queue and are linked by `next`, in the
 * same order.
 */
static struct sl_thread *
take(struct sl_object *o, uint32_t count, uint32_t bits)
{
	struct sl_thread *chosen = NULL, **last = &chosen;
	const struct sl_op **ops = NULL;
	unsigned all = 0, from = 0;

	for (struct sl_thread *w = o->waiters; w; w = w->waits.next)
		all += has_bits(w, bits);
	if (!all || !count)
		return NULL;
	if (count > all)
		count = all;
	ops = sl_scratch_alloc(all * sizeof(*ops));
	all = 0;
	for (struct sl_thread *w = o->waiters; w; w = w->waits.next)
		if (has_bits(w, bits))
			ops[all++] = &w->op;
	for (uint32_t i = 0; i < count; i++) {
		unsigned at = from + sl_ask(SL_CHOOSE_WAITER, all - from - (count - i - 1), ops + from);
		struct sl_thread *w = &E.threads[ops[at]->thread];

		from = at + 1;
		sl_waiter_remove(w);
		*last = w;
		last = &w->waits.next;
	}
	return chosen;
}

/* Wakes the threads, each of which continues to its next operation. Returns their number. */
static long
wake(struct sl_thread *chosen)
{
	long count = 0;

	while (chosen) {
		struct sl_thread *w = chosen;

		chosen = w->waits.next;
		w->waits.next = NULL;
		w->awaited.woken = true;
		w->op.kind = SL_FUTEX_WOKEN;
		w->op.flags = SL_OP_SILENT;
		w->op.index++;
		sl_ends_wait(w);
		w->waits.timed = false;
		sl_enlist(w, true, false);
		sl_advance(w);
		count++;
	}
	sl_changed(count != 0);
	return count;
}

static unsigned
length(const struct sl_thread *chosen)
{
	unsigned n = 0;

	for (; chosen; chosen = chosen->waits.next)
		n++;
	return n;
}

/* The kernel wakes at least one, even if the count is zero. */
static uint32_t
at_least_one(uint32_t count)
{
	return (int32_t)count < 1 ? 1 : count;
}

static bool
is_waited_on(const struct sl_object *o, uint32_t bits)
{
	for (const struct sl_thread *w = o->waiters; w; w = w->waits.next)
		if (has_bits(w, bits))
			return true;
	return false;
}

static long
wake_some(const struct call *c, uint32_t bits)
{
	struct sl_object *o;
	struct sl_thread *chosen;

	if (!bits || !is_word(c->word))
		return -EINVAL;
	o = object_to_wake(c->word);
	if (!o)
		return 0;
	if (is_waited_on(o, NO_BITS))
		return -EINVAL;
	sl_announce(SL_FUTEX_WAKE, (uint64_t)c->word, c->pc);
	E.current->op.size = sizeof(*c->word);
	sl_point_unless_alone(o);
	chosen = take(o, at_least_one(c->value), bits);
	sl_note(length(chosen));
	return wake(chosen);
}

/* A point if either word is shared. */
static void
point_of_two(struct sl_object *one, struct sl_object *two)
{
	sl_point_unless_alone(two->shared ? two : one);
}

static long
requeue(const struct call *c, bool compare)
{
	struct sl_object *from, *to;
	struct sl_thread *chosen, *moved;
	long count = 0;

	if ((int32_t)c->value < 0 || (int32_t)c->value2 < 0 || !is_word(c->word) || !is_word(c->word2))
		return -EINVAL;
	from = object_to_wake(c->word);
	to = object_to_wake(c->word2);
	if (!from || !to)
		return 0;
	sl_announce(SL_FUTEX_REQUEUE, (uint64_t)c->word, c->pc);
	E.current->op.size = sizeof(*c->word);
	if (compare && *c->word != c->value3)
		sl_spin_visit(c->pc);
	point_of_two(from, to);
	if (compare) {
		if (sl_block_wrong((uint64_t)c->word & ~7ul))
			sl_block_check((uint64_t)c->word, sizeof(*c->word), SL_FUTEX_REQUEUE, c->pc);
		sl_race_atomic(from, sizeof(*c->word), SL_OP_READS, c->pc);
		if (*c->word != c->value3) {
			sl_note(0);
			return -EAGAIN;
		}
	}
	chosen = take(from, c->value, FUTEX_BITSET_MATCH_ANY);
	moved = take(from, c->value2, FUTEX_BITSET_MATCH_ANY);
	sl_note(length(chosen));
	while (moved) {
		struct sl_thread *w = moved;

		moved = w->waits.next;
		w->op.object = to->address;
		sl_thread_changed(w);
		sl_waiter_add(to, w);
		count++;
	}
	/* the plain FUTEX_REQUEUE returns only the number of woken threads */
	return (compare ? count : 0) + wake(chosen);
}

/*
 * FUTEX_WAKE_OP: changes the second word, wakes waiters of the first, and waiters of the second if its old value
 * meets the condition.
 */
static long
wake_op(const struct call *c)
{
	uint32_t code = c->value3, old;
	int32_t argument = (int32_t)(code << 8) >> 20, compared = (int32_t)(code << 20) >> 20, was;
	struct sl_object *one, *two;
	struct sl_thread *chosen, *more = NULL;
	bool holds;

	if (!is_word(c->word) || !is_word(c->word2))
		return -EINVAL;
	if ((uintptr_t)c->word2 < SL_PAGE)
		return -EFAULT;
	if ((code >> 28 & 7) > FUTEX_OP_XOR || (code >> 24 & 15) > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
		argument = (int32_t)(1u << (argument & 31));
	one = object_to_wake(c->word);
	two = sl_object_get(c->word2, SL_OBJECT_ATOMIC);
	sl_announce(SL_FUTEX_WAKE_OP, (uint64_t)c->word2, c->pc);
	E.current->op.size = sizeof(*c->word2);
	if (one)
		point_of_two(two, one);
	else
		sl_point_unless_alone(two);
	old = *c->word2;
	sl_note(old);
	sl_race_atomic(two, sizeof(*c->word2), SL_OP_READS | SL_OP_WRITES, c->pc);
	switch (code >> 28 & 7) {
	case FUTEX_OP_SET:
		*c->word2 = (uint32_t)argument;
		break;
	case FUTEX_OP_ADD:
		*c->word2 = old + (uint32_t)argument;
		break;
	case FUTEX_OP_OR:
		*c->word2 = old | (uint32_t)argument;
		break;
	case FUTEX_OP_ANDN:
		*c->word2 = old & ~(uint32_t)argument;
		break;
	default:
		*c->word2 = old ^ (uint32_t)argument;
		break;
	}
	sl_changed(*c->word2 != old);
	sl_acquire(two); /* the kernel's update is a full barrier */
	sl_release_join(two);
	was = (int32_t)old;
	switch (code >> 24 & 15) {
	case FUTEX_OP_CMP_EQ:
		holds = was == compared;
		break;
	case FUTEX_OP_CMP_NE:
		holds = was != compared;
		break;
	case FUTEX_OP_CMP_LT:
		holds = was < compared;
		break;
	case FUTEX_OP_CMP_LE:
		holds = was <= compared;
		break;
	case FUTEX_OP_CMP_GT:
		holds = was > compared;
		break;
	default:
		holds = was >= compared;
		break;
	}
	chosen = one ? take(one, at_least_one(c->value), FUTEX_BITSET_MATCH_ANY) : NULL;
	if (holds)
		more = take(two, at_least_one(c->value2), FUTEX_BITSET_MATCH_ANY);
	return wake(chosen) + wake(more);
}

/* ---- with priority inheritance ---- */

static struct sl_object *
announce_update(const struct call *c, enum sl_op_kind kind)
{
	struct sl_object *o = sl_object_get(c->word, SL_OBJECT_ATOMIC);

	sl_announce(kind, (uint64_t)c->word, c->pc);
	E.current->op.size = sizeof(*c->word);
	return o;
}

/* Takes the lock if it is free; else sets the flag for waiters, as the kernel does even for an attempt. */
static long
take_lock(const struct call *c, uint32_t *seen)
{
	struct sl_object *o = announce_update(c, SL_ATOMIC_UPDATE);
	uint32_t us = sl_thread_number(E.current), old;

	if (*c->word & FUTEX_TID_MASK)
		sl_spin_visit(c->pc);
	sl_point_unless_alone(o);
	old = *c->word;
	sl_note(old);
	sl_race_atomic(o, sizeof(*c->word), SL_OP_READS | SL_OP_WRITES, c->pc);
	if ((old & FUTEX_TID_MASK) == us)
		return -EDEADLK;
	if (is_waited_on(o, FUTEX_BITSET_MATCH_ANY))
		return -EINVAL;
	if (!(old & FUTEX_TID_MASK)) {
		*c->word = us | (old & FUTEX_OWNER_DIED);
		sl_changed(true);
		sl_acquire(o);
		return 0;
	}
	*seen = *c->word = old | FUTEX_WAITERS;
	sl_changed(*seen != old);
	if (!owner_of(old))
		return -ESRCH;
	return -EWOULDBLOCK;
}

static long
lock(struct call *c, bool tries)
{
	long answer = check_wait(c);

	if (answer)
		return answer;
	for (;;) {
		answer = take_lock(c, &c->value);
		if (answer != -EWOULDBLOCK || tries)
			return answer;
		E.uses.inheritance = true;
		answer = wait(c, NO_BITS);
		if (!answer)
			sl_acquire(sl_object_get(c->word, SL_OBJECT_ATOMIC));
		if (answer != -EAGAIN && answer != -EINTR) /* a handler has run: the kernel restarts the call */
			return answer;
	}
}

/* Chooses the next owner, which has the lock at once. */
static void
hand_over(uint32_t *word, struct sl_object *o, uint32_t bits)
{
	struct sl_thread *next = take(o, 1, NO_BITS);
	uint32_t old = *word;

	*word = next ? sl_thread_number(next) | FUTEX_WAITERS | bits : bits;
	sl_changed(*word != old);
	sl_release_join(o);
	wake(next);
}

static long
unlock(const struct call *c)
{
	struct sl_object *o;

	if ((uintptr_t)c->word < SL_PAGE)
		return -EFAULT;
	if (!is_word(c->word)) /* the kernel checks the owner first */
		return (*c->word & FUTEX_TID_MASK) == sl_thread_number(E.current) ? -EINVAL : -EPERM;
	o = announce_update(c, SL_FUTEX_WAKE_OP);
	sl_point_unless_alone(o);
	sl_note(*c->word);
	sl_race_atomic(o, sizeof(*c->word), SL_OP_READS | SL_OP_WRITES, c->pc);
	if ((*c->word & FUTEX_TID_MASK) != sl_thread_number(E.current))
		return -EPERM;
	hand_over(c->word, o, 0);
	return 0;
}

void
sl_futex_abandon(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		const struct sl_thread *w = &E.threads[i];
		struct call c = {.word = (uint32_t *)w->op.object, .pc = E.current->op.pc};
		struct sl_object *o;

		if (!w->alive || w->op.kind != SL_FUTEX_WAIT || !w->waits.object ||
		    w->awaited.futex_bits != NO_BITS || owner_of(*c.word) != E.current)
			continue;
		o = announce_update(&c, SL_FUTEX_WAKE_OP);
		sl_point_unless_alone(o);
		sl_note(*c.word);
		sl_race_atomic(o, sizeof(*c.word), SL_OP_READS | SL_OP_WRITES, c.pc);
		hand_over(c.word, o, FUTEX_OWNER_DIED);
	}
}

/*
 * The kernel has another queue for a shared word: a child that waits there would not be woken, nor wake a thread.
 */
static void
check_shared(int call, const struct call *c, uint64_t pc)
{
	int command = call & FUTEX_CMD_MASK;
	bool two = command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE || command == FUTEX_WAKE_OP;

	if (!(call & FUTEX_PRIVATE_FLAG) && (sl_child_sees(c->word) || (two && sl_child_sees(c->word2))))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "a futex in memory that a child shares");
}

static const char *
name_of(int command)
{
	switch (command) {
	case FUTEX_WAIT_REQUEUE_PI:
		return "raw system call futex with FUTEX_WAIT_REQUEUE_PI";
	case FUTEX_CMP_REQUEUE_PI:
		return "raw system call futex with FUTEX_CMP_REQUEUE_PI";
	case FUTEX_FD:
		return "raw system call futex with FUTEX_FD";
	default:
		return NULL;
	}
}

long
sl_futex(const long a[6], uint64_t pc)
{
	int command = (int)a[1] & FUTEX_CMD_MASK;
	bool wall = a[1] & FUTEX_CLOCK_REALTIME;
	struct call c = {
		.word = (uint32_t *)a[0],
		.word2 = (uint32_t *)a[4],
		.value = (uint32_t)a[2],
		.value2 = (uint32_t)a[3],
		.value3 = (uint32_t)a[5],
		.wall = wall,
		.absolute = command == FUTEX_WAIT_BITSET,
		.pc = pc,
	};
	long answer;

	if (wall && command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI2 &&
	    !name_of(command))
		return -ENOSYS;
	if (unlikely(sl_shares))
		check_shared((int)a[1], &c, pc);
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		c.limit = (const struct timespec *)a[3];
		if (command == FUTEX_WAIT)
			c.value3 = FUTEX_BITSET_MATCH_ANY;
		answer = c.value3 ? check_wait(&c) : -EINVAL;
		return answer ? answer : wait(&c, c.value3);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		c.limit = (const struct timespec *)a[3];
		c.absolute = true;
		c.wall |= command == FUTEX_LOCK_PI;
		return lock(&c, false);
	case FUTEX_TRYLOCK_PI:
		return lock(&c, true);
	case FUTEX_UNLOCK_PI:
		return unlock(&c);
	case FUTEX_WAKE:
		return wake_some(&c, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return wake_some(&c, c.value3);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return requeue(&c, command == FUTEX_CMP_REQUEUE);
	case FUTEX_WAKE_OP:
		return wake_op(&c);
	default:
		if (name_of(command))
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, name_of(command));
		return -ENOSYS;
	}
}
