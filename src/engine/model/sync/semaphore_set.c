/*
 * Sets of semaphores of System V.
 *
 * As in the kernel, a thread that changes values performs the operations of all waiters that have become possible,
 * on their behalf: first those that only wait for zero, then the others in their order of arrival. So no third
 * thread can interfere, and a waiter continues even if the value has changed again.
 *
 * Other processes are not seen, so a set belongs to the execution; a key that exists outside is refused. An
 * operation with SEM_UNDO is undone when the process ends, which no thread can observe: only its range is checked.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/upcall/process_numbers.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/process/settings.h"
#include "engine/model/process/users.h"
#include "engine/under/poison.h"

#define SETS 128
/* The kernel's default limits. */
#define SET_MAX 32000
#define OPERATIONS_MAX 500
#define VALUE_MAX 32767
#define NANOSECONDS 1000000000

struct semaphore {
	int value;
	int undo; /* the value to add when the process ends */
	pid_t process;
};

static uint64_t semaphore_set[SETS]; /* the addresses of the objects: a story names a set by its index */

static struct set {
	key_t key;
	int id;
	bool there;
	unsigned count, made; /* the number of semaphores; the number of sets that have used this entry */
	struct sl_owner owner, creator;
	uint64_t operated, changed; /* in nanoseconds; 0: never */
	struct semaphore *semaphores;
} sets[SETS];
static uint32_t sequence; /* the execution to which these belong */

/* The operations of one call. */
struct call {
	const struct sembuf *operations;
	size_t count, blocking; /* blocking: the one that can't be performed */
	bool changes;
	int answer;
};
static struct call *waiting[SL_THREADS_MAX];

bool
sl_semaphore_sets_are_there(bool named)
{
	for (unsigned i = 0; sequence == E.sequence && i < SETS; i++)
		if (sets[i].there && (!named || sets[i].key != IPC_PRIVATE))
			return true;
	return false;
}

static void
begin(uint64_t pc)
{
	sl_state_opaque(); /* the table is not part of states */
	sl_told_named(SL_TOLD_SET, pc);
	if (sequence == E.sequence)
		return;
	sequence = E.sequence;
	sl_memset(sets, 0, sizeof(sets));
}

/* Returns the entry of a number, whether the set exists or not: removing it is an operation on the entry. */
static struct set *
place_of(int id)
{
	return &sets[(unsigned)id % SETS];
}

static bool
is_there(const struct set *s, int id)
{
	return s->there && s->id == id;
}

/* Returns the wall-clock time. */
static uint64_t
now(void)
{
	static const struct timespec later = {.tv_sec = 1l << 33};

	return E.time.now + ((uint64_t)later.tv_sec * NANOSECONDS - sl_deadline(&later, CLOCK_REALTIME));
}

/* ---- semget ---- */

static struct set *
find(key_t key)
{
	for (unsigned i = 0; i < SETS; i++)
		if (sets[i].there && sets[i].key == key)
			return &sets[i];
	return NULL;
}

/*
 * Chooses an entry by the key, or by the thread and its operation, because an address must not depend on the order
 * of creation.
 */
static struct set *
free_place(key_t key, uint64_t pc)
{
	const struct sl_thread *t = E.current;
	uint64_t hash = sl_mix(key == IPC_PRIVATE ? (uint64_t)t->id << 32 | t->op.index
						  : (uint64_t)(uint32_t)key << 1 | 1);

	for (unsigned i = 0; i < SETS; i++) {
		struct set *s = &sets[(hash + i) % SETS];

		if (!s->there)
			return s;
	}
	sl_trouble(SL_TROUBLE_LIMIT, pc, "sets of semaphores");
}

static bool
allows(const struct set *s, bool reads, bool writes)
{
	return sl_owner_allows(&s->owner, reads, writes);
}

static int
make(key_t key, int count, int flags, uint64_t pc)
{
	struct set *s = free_place(key, pc);
	struct semaphore *semaphores = sl_scratch_alloc((size_t)count * sizeof(*semaphores));
	struct sl_owner owner = sl_owner_new(0);
	unsigned made = s->made + 1;

	owner.mode = (unsigned)flags & 0777;
	*s = (struct set){.key = key,
			  .id = (int)((s->made % 1000 * SETS) + (unsigned)(s - sets)),
			  .there = true,
			  .count = (unsigned)count,
			  .made = made,
			  .owner = owner,
			  .creator = owner,
			  .changed = now(),
			  .semaphores = semaphores};
	sl_object_use(&semaphore_set[s - sets], SL_OBJECT_SEM, pc);
	sl_announce(SL_INIT, (uint64_t)&semaphore_set[s - sets], pc);
	sl_no_point();
	sl_note(0);
	return s->id;
}

int
sl_control_set_get(key_t key, int count, int flags, uint64_t pc)
{
	bool creates = key == IPC_PRIVATE || flags & IPC_CREAT;
	unsigned wanted = ((unsigned)flags >> 6 | (unsigned)flags >> 3 | (unsigned)flags) & 7;
	struct set *s = NULL;

	begin(pc);
	if (key != IPC_PRIVATE)
		sl_meet(&process_settings.keys_of_system_v, creates ? SL_OP_WRITES : SL_OP_READS, pc);
	if (count < 0 || count > SET_MAX)
		return -EINVAL;
	if (key != IPC_PRIVATE)
		s = find(key);
	if (s) {
		if (flags & IPC_CREAT && flags & IPC_EXCL)
			return -EEXIST;
		if ((unsigned)count > s->count)
			return -EINVAL;
		return allows(s, wanted & 4, wanted & 2) ? s->id : -EACCES;
	}
	if (key != IPC_PRIVATE && sl_raw(SYS_semget, key, 0, 0) != -ENOENT)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "semget of a set from before the execution");
	if (!creates)
		return -ENOENT;
	return count ? make(key, count, flags, pc) : -EINVAL;
}

/* ---- semop ---- */

/* Performs all operations or none. Returns 0, an error, or -1 if one of them must wait. */
static int
perform(struct set *s, struct call *c)
{
	int answer = 0;
	size_t done = 0;

	for (; done < c->count; done++) {
		const struct sembuf *o = &c->operations[done];
		struct semaphore *at = &s->semaphores[o->sem_num];
		int undo = at->undo - (o->sem_flg & SEM_UNDO ? o->sem_op : 0);

		if ((!o->sem_op && at->value) || at->value + o->sem_op < 0) {
			c->blocking = done;
			answer = o->sem_flg & IPC_NOWAIT ? EAGAIN : -1;
		} else if (at->value + o->sem_op > VALUE_MAX || undo > VALUE_MAX || undo < -VALUE_MAX - 1) {
			answer = ERANGE;
		}
		if (answer)
			break;
		at->value += o->sem_op;
		at->undo = undo;
	}
	if (answer) {
		while (done--) {
			const struct sembuf *o = &c->operations[done];

			s->semaphores[o->sem_num].value -= o->sem_op;
			s->semaphores[o->sem_num].undo += o->sem_flg & SEM_UNDO ? o->sem_op : 0;
		}
		return answer;
	}
	for (size_t i = 0; i < c->count; i++)
		s->semaphores[c->operations[i].sem_num].process = sl_process_number();
	s->operated = now();
	return 0;
}

/* Ends the waiter's call. */
static void
wake(struct sl_object *o, struct sl_thread *w, int answer)
{
	sl_waiter_remove(w);
	waiting[w->id]->answer = answer;
	w->awaited.woken = true;
	w->op.kind = SL_SET_WOKEN;
	w->op.flags = SL_OP_SILENT;
	w->op.index++;
	sl_ends_wait(w);
	w->waits.timed = false;
	sl_enlist(w, true, false);
	sl_clock_copy(&sl_thread_clocks(w)->barrier, &o->clock);
	sl_advance(w);
}

/* Values have changed: performs operations of waiters. Returns whether these have changed values again. */
static bool
hand_over(struct set *s, struct sl_object *o, bool changing)
{
	for (struct sl_thread *w = o->waiters, *next; w; w = next) {
		struct call *c = waiting[w->id];
		int answer;

		next = w->waits.next;
		if (c->changes != changing)
			continue;
		answer = perform(s, c);
		if (answer < 0)
			continue;
		wake(o, w, answer);
		if (changing && !answer)
			return true;
	}
	return false;
}

static void
changed(struct set *s, struct sl_object *o)
{
	sl_changed(true);
	sl_release_join(o);
	do
		hand_over(s, o, false);
	while (hand_over(s, o, true));
	sl_object_changed(o);
}

/* Returns the kind of the call, for stories and for the scheduler. */
static enum sl_op_kind
kind_of(const struct call *c)
{
	enum sl_op_kind kind = SL_SET_POST;

	for (size_t i = 0; i < c->count; i++)
		if (c->operations[i].sem_op <= 0) {
			kind = SL_SET_TRY;
			if (!(c->operations[i].sem_flg & IPC_NOWAIT))
				return SL_SET_WAIT;
		}
	return kind;
}

/* Returns the error of the call, after the choice. */
static int
refuse(const struct set *s, int id, const struct call *c)
{
	if (!is_there(s, id))
		return EINVAL;
	for (size_t i = 0; i < c->count; i++)
		if (c->operations[i].sem_num >= s->count)
			return EFBIG;
	return allows(s, !c->changes, c->changes) ? 0 : EACCES;
}

static bool
would_wait(struct set *s, int id, const struct call *c)
{
	if (refuse(s, id, c))
		return false;
	for (size_t i = 0; i < c->count; i++) {
		int value = s->semaphores[c->operations[i].sem_num].value;

		if (c->operations[i].sem_op ? value + c->operations[i].sem_op < 0 : value)
			return true;
	}
	return false;
}

static int
sleep_for(struct sl_object *o, struct call *c, const struct timespec *limit)
{
	struct sl_thread *t = E.current;

	if (c->changes)
		sl_release_join(o); /* another thread performs the operation */
	if (limit) {
		t->waits.timed = true;
		t->awaited.deadline = E.time.now + sl_deadline(limit, CLOCK_MONOTONIC);
	}
	waiting[t->id] = c;
	t->awaited.woken = false;
	sl_interruptible(SL_BY_SIGNAL);
	sl_sleep_on(o);
	sl_waiter_remove(t);
	t->waits.timed = false;
	t->interruption.interrupted = 0;
	/* a handler has interrupted the wait, which other threads may have observed */
	if (!t->awaited.woken && !t->waits.expired)
		return EINTR;
	if (!t->awaited.woken) {
		sl_time_reaches(t->awaited.deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return EAGAIN;
	}
	sl_learn(&sl_thread_clocks(t)->barrier);
	sl_note(0);
	return c->answer;
}

int
sl_control_set_operate(int id, void *operations, size_t count, const struct timespec *limit, uint64_t pc)
{
	struct set *s = place_of(id);
	struct call c = {.operations = operations, .count = count};
	enum sl_op_kind kind;
	struct sl_object *o;
	int answer;

	begin(pc);
	if (!count || id < 0)
		return EINVAL;
	if (count > OPERATIONS_MAX)
		return E2BIG;
	sl_touch_read(operations, count * sizeof(*c.operations), pc);
	if (limit && (limit->tv_sec < 0 || sl_bad_time(limit)))
		return EINVAL;
	for (size_t i = 0; i < count; i++)
		c.changes |= c.operations[i].sem_op != 0;
	kind = kind_of(&c);
	o = sl_object_use(&semaphore_set[s - sets], SL_OBJECT_SEM, pc);
	sl_announce(kind, (uint64_t)&semaphore_set[s - sets], pc);
	if (kind == SL_SET_TRY && would_wait(s, id, &c))
		sl_spin_visit(pc);
	if (kind == SL_SET_WAIT)
		sl_arrive(o);
	sl_point_unless_alone(o);
	answer = refuse(s, id, &c);
	if (!answer)
		answer = perform(s, &c);
	sl_note(answer > 0 ? (uint64_t)answer : 0);
	if (answer > 0)
		return answer;
	if (answer < 0)
		return sleep_for(o, &c, limit);
	sl_acquire(o);
	if (c.changes)
		changed(s, o);
	return 0;
}

/* ---- semctl ---- */

/* Counts the threads that wait for this semaphore to become zero, or greater. */
static int
count_waiters(const struct sl_object *o, int number, bool zero)
{
	int count = 0;

	for (const struct sl_thread *w = o->waiters; w; w = w->waits.next) {
		const struct call *c = waiting[w->id];
		const struct sembuf *b = &c->operations[c->blocking];

		count += b->sem_num == number && (b->sem_op == 0) == zero;
	}
	return count;
}

static bool
is_owner(const struct set *s)
{
	unsigned user = sl_owner_new(0).user;

	return !user || user == s->owner.user || user == s->creator.user;
}

static void
describe(const struct set *s, struct semid_ds *to)
{
	*to = (struct semid_ds){.sem_otime = (time_t)(s->operated / NANOSECONDS),
				.sem_ctime = (time_t)(s->changed / NANOSECONDS),
				.sem_nsems = s->count};
	to->sem_perm.__key = s->key;
	to->sem_perm.uid = s->owner.user;
	to->sem_perm.gid = s->owner.group;
	to->sem_perm.cuid = s->creator.user;
	to->sem_perm.cgid = s->creator.group;
	to->sem_perm.mode = (unsigned short)s->owner.mode;
	to->sem_perm.__seq = (unsigned short)(s->id / SETS);
}

static void
set_value(struct semaphore *at, int value)
{
	*at = (struct semaphore){.value = value, .process = sl_process_number()};
}

/* Removes the set, which ends the calls of its waiters. */
static int
remove_set(struct set *s, struct sl_object *o)
{
	s->there = false;
	sl_changed(true);
	sl_release_join(o);
	while (o->waiters)
		wake(o, o->waiters, EIDRM);
	return 0;
}

/* Performs the command, after the choice; the set exists. */
static int
control(struct set *s, struct sl_object *o, int number, int command, void *argument)
{
	bool writes = command == SETVAL || command == SETALL;
	struct semaphore *at = &s->semaphores[number];
	const unsigned short *values = argument;

	if (command == IPC_RMID || command == IPC_SET) {
		const struct semid_ds *from = argument;

		if (!is_owner(s))
			return -EPERM;
		if (command == IPC_RMID)
			return remove_set(s, o);
		s->owner = (struct sl_owner){.user = from->sem_perm.uid,
					     .group = from->sem_perm.gid,
					     .mode = from->sem_perm.mode & 0777};
		s->changed = now();
		return 0;
	}
	if (command != IPC_STAT && command != GETALL && command != SETALL &&
	    (number < 0 || (unsigned)number >= s->count))
		return -EINVAL;
	if (!allows(s, !writes, writes))
		return -EACCES;
	switch (command) {
	case GETVAL:
		return at->value;
	case GETPID:
		return at->process;
	case GETNCNT:
	case GETZCNT:
		return count_waiters(o, number, command == GETZCNT);
	case GETALL:
		for (unsigned i = 0; i < s->count; i++)
			((unsigned short *)argument)[i] = (unsigned short)s->semaphores[i].value;
		return 0;
	case IPC_STAT:
		describe(s, argument);
		return 0;
	case SETVAL:
		set_value(at, (int)(intptr_t)argument);
		break;
	default: /* SETALL */
		for (unsigned i = 0; i < s->count; i++)
			if (values[i] > VALUE_MAX)
				return -ERANGE;
		for (unsigned i = 0; i < s->count; i++)
			set_value(&s->semaphores[i], values[i]);
	}
	s->changed = now();
	changed(s, o);
	return 0;
}

int
sl_control_set_control(int id, int number, int command, void *argument, uint64_t pc)
{
	struct set *s = place_of(id);
	bool changes = command == SETVAL || command == SETALL || command == IPC_SET || command == IPC_RMID;
	size_t written = 0, room = 0;
	struct sl_object *o;
	int answer;

	begin(pc);
	switch (command) {
	case IPC_INFO:
	case SEM_INFO:
	case SEM_STAT:
		sl_unsupported("semctl of sets of the whole system", pc);
	case IPC_STAT:
	case IPC_SET:
		room = sizeof(struct semid_ds);
		break;
	case GETALL:
	case SETALL:
		room = is_there(s, id) ? s->count * sizeof(unsigned short) : 0;
		break;
	case SETVAL:
		if ((int)(intptr_t)argument < 0 || (int)(intptr_t)argument > VALUE_MAX)
			return -ERANGE;
		break;
	case IPC_RMID:
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
		break;
	default:
		return -EINVAL;
	}
	if (id < 0)
		return -EINVAL;
	if (command == IPC_RMID)
		sl_meet(&process_settings.keys_of_system_v, SL_OP_WRITES, pc);
	if (changes && room)
		sl_touch_read(argument, room, pc);
	else if (room)
		sl_touch_intend(argument, written = room, pc);
	o = sl_object_use(&semaphore_set[s - sets], SL_OBJECT_SEM, pc);
	sl_announce(changes ? SL_SET_CHANGE : SL_SET_LOOK, (uint64_t)&semaphore_set[s - sets], pc);
	if (!changes)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	answer = is_there(s, id) ? control(s, o, number, command, argument) : -EINVAL;
	sl_note(changes ? (uint64_t)(answer < 0 ? -answer : 0) : (uint64_t)answer);
	if (written && !answer)
		sl_touch_written(argument, written, pc);
	return answer;
}
