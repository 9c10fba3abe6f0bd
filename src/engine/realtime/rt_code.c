/*
 * See rt_code.h. The place of code stays known for as long as the process lives, so a thread may use it without
 * the lock, even after its section has ended: only under the lock can it be told whether an event still counts.
 */
#include "engine/entry/rt_code.h"
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/code.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/section/code_walk.h"
#include "engine/section/locate.h"
#include "engine/under/poison.h"

#define FRAMES_DEEP 1024
#define CODES_MAX 1024
#define CHUNK (1ul << 20)

/* The path of a thread through the code. */
struct walker {
	uint32_t epoch;         /* the run for which this is valid */
	uint32_t depth, beyond; /* as in sl_thread */
	bool busy;              /* while set, a caller is a signal handler */
	uint32_t entered; /* how often it became busy; a handler's: that of the walker that it has interrupted */
	/* the access announced last, if nothing else has been seen since; see rt_copy.c */
	struct {
		uint64_t pc, address;
		size_t size;
		bool writes;
	} last;
	uint64_t copies; /* pc of the call that performs the announced accesses */
	struct sl_trail trail;
	struct sl_mark_frame frames[FRAMES_DEEP];
};

bool sl_rt_coded;
static struct walker *walkers;  /* indexed by runner */
static struct walker *handlers; /* of signal handlers that have interrupted those */
static const struct sl_code *now;

/* ---- a run begins ---- */

static char *chunk, *chunk_end;

static void *
take(size_t size)
{
	char *at;

	size = (size + 15) & ~15ul;
	if (size > (size_t)(chunk_end - chunk)) {
		size_t more = size > CHUNK ? size : CHUNK;

		chunk = sl_rt_memory(more);
		chunk_end = chunk + more;
	}
	at = chunk;
	chunk += size;
	return at;
}

static const struct sl_code *
find(const struct sl_plan *plan, uint32_t number, char *error, size_t room)
{
	static struct {
		uint64_t signature;
		uint32_t number;
		const struct sl_code *code;
	} known[CODES_MAX];
	static uint32_t count;
	static struct sl_binding *bindings;
	uint64_t signature = sl_code_signature(plan->text);
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		if (known[i].signature == signature && known[i].number == number)
			return known[i].code;
	sl_text_copy(error, room, "there are too many schedules that name code");
	if (count == CODES_MAX)
		return NULL;
	if (!bindings)
		bindings = sl_rt_memory(SL_BINDINGS_MAX * sizeof(*bindings));
	if (!sl_bind(plan->text, bindings, &found, error, room))
		return NULL;
	known[count].signature = signature;
	known[count].number = number;
	known[count].code = sl_code_make(plan, number, bindings, found, take);
	return known[count++].code;
}

const struct sl_code *
sl_rt_code_find(const struct sl_plan *plan, uint32_t number, char *error, size_t room)
{
	if (!walkers) {
		handlers = sl_rt_memory(SL_RUNNERS_MAX * sizeof(*handlers));
		walkers = sl_rt_memory(SL_RUNNERS_MAX * sizeof(*walkers));
	}
	return find(plan, number, error, room);
}

/* Under the lock. NULL: no code counts. */
void
sl_rt_code_follow(const struct sl_code *code)
{
	__atomic_store_n(&now, code, __ATOMIC_SEQ_CST);
	F.coded = code != NULL;
	F.performer = NULL;
	__atomic_store_n(&sl_rt_coded, code != NULL, __ATOMIC_SEQ_CST);
}

void
sl_rt_code_forget(const struct sl_runner *r)
{
	if (walkers) {
		walkers[r - F.runners].epoch = handlers[r - F.runners].epoch = 0;
		walkers[r - F.runners].busy = handlers[r - F.runners].busy = false;
	}
}

/* ---- which events the schedule wants, and what happens then ---- */

static bool
is_named(const char *glob, const struct sl_runner *r)
{
	char usual[24];

	sl_rt_usual(r->number, usual);
	return (r->named && sl_glob(glob, r->name)) || sl_glob(glob, usual);
}

static bool
wants(const struct sl_walk *walk, uint32_t number)
{
	const struct sl_atom *atom = &walk->code->atoms[number];
	uint64_t word = __atomic_load_n(&F.tally[number], __ATOMIC_ACQUIRE);

	if (atom->thread && !is_named(atom->thread, sl_runner_self))
		return false;
	return atom->occurrence == SL_EVERY || (word ^ F.tag) >> 32 ||
	       (uint32_t)word < (atom->occurrence ? atom->occurrence : 1);
}

static struct sl_event
event_of(const struct sl_code *code, const struct sl_match *match)
{
	const struct sl_atom *atom = &code->atoms[match->atoms[0]];

	return (struct sl_event){.kind = atom->kind,
				 .thread = sl_runner_self->number,
				 .line = atom->line,
				 .thread_name = sl_runner_self->named ? sl_runner_self->name : NULL,
				 .name = atom->name};
}

/* Takes the lock. False: the section is over, and the lock is not taken. */
static bool
counts(const struct sl_code *code)
{
	sl_rt_lock();
	if (F.monitor && now == code)
		return true;
	sl_rt_unlock();
	return false;
}

static void
comes(const struct sl_walk *walk, const struct sl_match *match, uint64_t pc)
{
	struct sl_event event;

	(void)pc;
	if (!counts(walk->code))
		return;
	if (sl_runner_self->event.performs && sl_runner_self->doing == SL_RUNS)
		sl_rt_performed(sl_runner_self);
	event = event_of(walk->code, match);
	sl_runner_self->event.file = NULL;
	sl_rt_happens_or_held(sl_runner_self, &event, match);
}

static bool
goes_on(const struct sl_walk *walk)
{
	return __atomic_load_n(&now, __ATOMIC_ACQUIRE) == walk->code;
}

static void
limit(const char *what, uint64_t pc)
{
	(void)pc;
	sl_rt_lock();
	sl_say_nothing();
	if (F.section)
		sl_say_head(F.section, F.plan->name);
	sl_say_many("can't be followed: too many ", what, "\n", NULL);
	sl_rt_follow_note(SL_FOLLOWED_REFUSED);
	sl_rt_fail();
}

/* The pointer is the program's and may be invalid. */
static uint64_t
probe(uint64_t address)
{
	uint64_t value = 0;
	struct iovec to = {&value, sizeof(value)}, from = {(void *)address, sizeof(value)};
	long n = sl_raw(SYS_process_vm_readv, sl_raw(SYS_getpid), &to, 1, &from, 1, 0);

	return n == sizeof(value) ? value : 0;
}

static const struct sl_walk_use use = {wants, comes, goes_on, limit, probe};

/* ---- operations ---- */

/* Under the lock: the operation is done, so its event has happened. */
void
sl_rt_performed(struct sl_runner *r)
{
	r->event.performs = false;
	if (F.performer != r)
		return;
	F.performer = NULL;
	if (!F.monitor)
		return;
	sl_rt_happened(r, &r->event.what, &r->event.match);
	if (r->event.more.count) {
		struct sl_event event = r->event.what;

		event.kind = F.plan->atoms[r->event.more.atoms[0]]->kind;
		event.name = F.plan->atoms[r->event.more.atoms[0]]->name;
		sl_rt_happened(r, &event, &r->event.more);
	}
	sl_rt_grant();
}

void
sl_rt_code_done(void)
{
	struct sl_runner *self = sl_runner_self;

	/* the operation has not begun: the caller is a signal handler */
	if (!self || !self->event.performs || self->doing != SL_RUNS)
		return;
	sl_rt_lock();
	sl_rt_performed(self);
	sl_rt_unlock();
}

/* A copy reads and writes; both accesses are done when it returns. */
static bool
joins(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match, uint64_t pc, bool same)
{
	if (F.performer != self || !(same || (pc && self->event.performs_at == pc)) || self->event.more.count ||
	    sl_monitor_asks(F.monitor, event, match) != SL_MAY_GO)
		return false;
	self->event.more = *match;
	return true;
}

/*
 * The thread may perform the operation from now on. pc: of a function that makes several accesses in one call.
 * same: the access belongs to the statement that the thread is about to execute.
 */
static void
performs(const struct sl_code *code, const struct sl_match *match, uint64_t pc, bool same)
{
	struct sl_runner *self = sl_runner_self;
	struct sl_event event;

	if (!counts(code))
		return;
	event = event_of(code, match);
	if (self->doing != SL_RUNS) { /* a signal handler, while the thread waits to perform something else */
		sl_rt_happens_beside(self, &event, match);
		return;
	}
	if (self->event.performs && joins(self, &event, match, pc, same)) {
		sl_rt_unlock();
		return;
	}
	if (self->event.performs)
		sl_rt_performed(self);
	self->event.file = NULL;
	self->event.performs = !F.checking;
	self->event.performs_at = pc;
	self->event.more.count = 0;
	sl_rt_happens_or_held(self, &event, match);
}

/* ---- the hooks ---- */

/* Each thread looks only at its own records. False: there is nothing to do. */
static bool
begin(struct sl_walk *walk, struct walker **who)
{
	const struct sl_code *code = __atomic_load_n(&now, __ATOMIC_ACQUIRE);
	struct sl_runner *self;

	if (!code || sl_rt_inside() || !(self = sl_rt_self()) || self->leftover)
		return false;
	*who = &walkers[self - F.runners];
	if ((*who)->busy) {
		uint32_t entered = (*who)->entered;

		*who = &handlers[self - F.runners];
		if ((*who)->busy)
			return false;
		if ((*who)->entered != entered)
			(*who)->epoch = 0; /* another handler */
		(*who)->entered = entered;
	} else {
		(*who)->entered++;
	}
	(*who)->busy = true;
	if ((*who)->epoch != F.epoch) {
		(*who)->epoch = F.epoch;
		(*who)->depth = (*who)->beyond = (*who)->trail.count = 0;
		(*who)->last.pc = (*who)->copies = 0;
	}
	*walk = (struct sl_walk){code, &use, &(*who)->trail, (*who)->depth};
	return true;
}

/* Something else follows: the announced accesses are done. */
static void
finish(struct walker *who)
{
	who->last.pc = who->copies = 0;
	sl_rt_code_done();
}

void
sl_rt_code_entry(uint64_t call, uint64_t pc, uint64_t frame)
{
	struct walker *who;
	struct sl_walk walk;

	if (!begin(&walk, &who))
		return;
	finish(who);
	while (who->depth && who->frames[who->depth - 1].frame <= frame)
		who->depth--;
	walk.depth = who->depth;
	sl_walk_at(&walk, call, SL_CALLS, true);
	if (who->depth == FRAMES_DEEP) {
		who->beyond++;
	} else {
		who->beyond = 0;
		who->frames[who->depth].pc = call;
		who->frames[who->depth].at = pc;
		who->frames[who->depth++].frame = frame;
		walk.depth = who->depth;
		if (goes_on(&walk))
			sl_walk_entered(&walk, pc);
	}
	who->busy = false;
}

void
sl_rt_code_exit(uint64_t pc, uint64_t frame)
{
	struct walker *who;
	struct sl_walk walk;
	bool jumped; /* see __tsan_func_exit() */

	if (!begin(&walk, &who))
		return;
	finish(who);
	jumped = who->depth && who->frames[who->depth - 1].pc == pc;
	if (who->beyond) {
		who->beyond--;
		who->busy = false;
		return;
	}
	if (!jumped)
		frame = sl_frame_entered(who->frames, who->depth, frame, pc, probe);
	while (!jumped && who->depth && who->frames[who->depth - 1].frame < frame)
		who->depth--;
	walk.depth = who->depth;
	sl_walk_left(&walk, jumped ? 0 : pc);
	if (jumped)
		who->depth--;
	else
		while (who->depth && who->frames[who->depth - 1].frame <= frame)
			who->depth--;
	who->busy = false;
}

void
sl_rt_code_call(uint64_t pc)
{
	struct walker *who;
	struct sl_walk walk;

	if (!begin(&walk, &who))
		return;
	finish(who);
	sl_walk_at(&walk, pc, SL_CALLS, true);
	who->busy = false;
}

/* Is the access part of the same statement as the one announced before? Then that one is not done yet. */
static bool
goes_with(struct walker *who, uint64_t address, size_t size, bool writes, uint64_t pc)
{
	if (who->copies && who->copies == pc)
		return true;
	who->copies = 0;
	if (writes || !who->last.pc || !sl_rt_is_one_statement(who->last.pc, pc))
		return false;
	if (!who->last.writes && who->last.address == address && who->last.size == size)
		who->copies = pc;
	return who->last.writes || who->copies;
}

void
sl_rt_code_access(uint64_t address, size_t size, unsigned flags, uint64_t pc, bool direct)
{
	struct walker *who;
	struct sl_walk walk;
	struct sl_match match = {0};
	bool writes = flags & SL_OP_WRITES, same;

	if (!begin(&walk, &who))
		return;
	same = goes_with(who, address, size, writes, pc);
	who->last.pc = pc;
	who->last.address = address;
	who->last.size = size;
	who->last.writes = writes;
	if (!same && (direct || sl_runner_self->event.performs_at != pc))
		sl_rt_code_done();
	if (!who->copies) {
		sl_walk_at(&walk, pc, writes ? SL_WRITE : SL_READ, direct);
		if (goes_on(&walk)) {
			sl_walk_data(&walk, &match, address, address + size,
				     1u << (writes ? SL_EVENT_WRITE : SL_EVENT_READ));
			if (match.count)
				performs(walk.code, &match, direct ? 0 : pc, same);
		}
	}
	who->busy = false;
}

static bool
operation(enum sl_op_kind kind, const volatile void *object, uint64_t pc)
{
	struct walker *who;
	struct sl_walk walk;
	struct sl_match match = {0};

	if (!begin(&walk, &who))
		return false;
	finish(who);
	if (pc)
		sl_walk_at(&walk, pc, kind, true);
	if (goes_on(&walk)) {
		sl_walk_data(&walk, &match, (uint64_t)object, (uint64_t)object + 1, sl_walk_kinds(kind));
		if (match.count)
			performs(walk.code, &match, 0, false);
	}
	who->busy = false;
	return match.count != 0;
}

bool
sl_rt_code_atomic(enum sl_op_kind kind, const volatile void *address, uint64_t pc)
{
	return operation(kind, address, pc);
}

bool
sl_rt_code_begins(enum sl_op_kind kind, const volatile void *object)
{
	return operation(kind, object, 0);
}

/* ---- locks: the event is that the thread has the lock ---- */

void
sl_rt_taken(const void *lock)
{
	struct sl_runner *next;

	for (struct sl_runner *r = F.held; r; r = next) {
		next = r->next_held;
		if (r->event.what.kind == SL_EVENT_LOCK && r->waits.object == lock)
			sl_rt_unhold(r); /* its next attempt sees that it has to block */
	}
}

/*
 * Waits until the thread has the lock and the plan permits it. False: the plan does not mention the lock, or no
 * longer counts.
 */
bool
sl_rt_code_lock(struct sl_runner *self, const struct sl_attempt *a, void (*undo)(void *), bool tries, int *answer)
{
	struct walker *who;
	struct sl_walk walk;
	struct sl_match match = {0};
	struct sl_event event;
	bool again = false, died = false;

	if (!begin(&walk, &who))
		return false;
	who->busy = false;
	finish(who);
	sl_walk_data(&walk, &match, (uint64_t)a->object, (uint64_t)a->object + 1, 1u << SL_EVENT_LOCK);
	if (!match.count)
		return false;
	self->event.file = NULL;
	self->event.forced = self->event.waited = false;
	for (;; again = true) {
		enum sl_leave leave;

		if (!counts(walk.code))
			return false;
		event = event_of(walk.code, &match);
		if (F.performer && F.performer != self) {
			self->waits.object = a->object;
			sl_rt_hold(self, &event, &match);
			continue;
		}
		sl_rt_queue(self, a->waits, a->object, again);
		*answer = died ? EOWNERDEAD : a->attempt(a->object);
		if (*answer == EBUSY && !tries) {
			if (sl_rt_hesitates(self))
				continue;
			self->event.waited = true;
			if (!a->take) {
				if (sl_rt_wait_once(self, a, answer))
					return true;
				continue;
			}
			sl_rt_block(self, true);
			sl_rt_unlock();
			*answer = a->take(a);
			sl_rt_back(self);
			sl_rt_lock();
			/* the section is over, so the schedule does not matter any more */
			if (!F.monitor || now != walk.code) {
				sl_rt_unlock();
				return true;
			}
		}
		sl_rt_unqueue(self);
		if (*answer && *answer != EOWNERDEAD) {
			sl_rt_unlock();
			return true;
		}
		leave = F.checking ? SL_MAY_GO : sl_monitor_asks(F.monitor, &event, &match);
		if (leave == SL_MAY_GO || (leave == SL_WHEN_QUIET && self->event.forced)) {
			sl_rt_happened(self, &event, &match);
			sl_rt_taken(a->object);
			sl_rt_grant();
			sl_rt_unlock();
			return true;
		}
		/* giving the lock back would lose the state that EOWNERDEAD reports */
		died = *answer == EOWNERDEAD;
		if (!died)
			undo(a->object);
		self->waits.object = a->object;
		self->quiet = leave == SL_WHEN_QUIET;
		sl_rt_hold(self, &event, &match);
	}
}
