/*
 * Schedules on real threads: events, and threads that are held back until their event may happen.
 *
 * The thread that makes an event happen releases the held threads whose events may happen then, one after the
 * other, and these events happen at once, in that order. So a thread that is woken has nothing to ask any more.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

/* ---- counts that threads make by themselves: see sl_monitor_swift(), rt_named.c ---- */

static void
catch_up(void)
{
	for (uint32_t i = 0; i < F.swift.count; i++)
		sl_monitor_counted(F.monitor, F.swift.atoms[i],
				   (uint32_t)__atomic_load_n(&F.tally[F.swift.atoms[i]], __ATOMIC_ACQUIRE));
}

void
sl_rt_sync(void)
{
	if (F.monitor)
		catch_up();
}

static void
publish_atom(uint32_t atom)
{
	/* a thread that does not see the new count takes the slow path, under the lock */
	if (!F.swift.is[atom])
		__atomic_store_n(&F.tally[atom], F.tag | sl_monitor_count(F.monitor, F.plan->atoms[atom]),
				 __ATOMIC_RELEASE);
}

/* Publishes how often the other atoms have occurred. */
static void
publish(const struct sl_match *match)
{
	uint32_t all = match->count == UINT32_MAX ? F.plan->atom_count : match->count;

	for (uint32_t i = 0; i < all; i++)
		publish_atom(match->count == UINT32_MAX ? i : match->atoms[i]);
}

/* Claims this occurrence. False: another thread was faster, and everything has to be asked again. */
static bool
claim(const struct sl_match *match)
{
	struct sl_swift swift;
	uint64_t word;
	uint32_t atom;

	if (likely(!F.swift.count) || match->count != 1 || !F.swift.is[match->atoms[0]])
		return true;
	atom = match->atoms[0];
	word = F.tag | sl_monitor_count(F.monitor, F.plan->atoms[atom]);
	sl_monitor_swift(F.monitor, atom, &swift);
	if ((uint32_t)word >= swift.last - (swift.last == SL_EVERY))
		return true; /* no longer counted */
	return __atomic_compare_exchange_n(&F.tally[atom], &word, word + 1, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* ---- happening ---- */

/* The first event that violated the plan. */
static void
note_broken(struct sl_runner *r, const struct sl_event *event)
{
	static char name[256];

	F.broken.event = *event;
	sl_text_copy(name, sizeof(name), event->name);
	F.broken.event.name = event->name ? name : NULL;
	F.broken.event.object = F.broken.event.thread_name = NULL;
	F.broken.file = event->kind == SL_EVENT_NAMED ? r->event.file : NULL;
	F.broken.line = r->event.line;
	sl_rt_usual(event->thread, F.broken.by);
	if (event->thread_name) {
		size_t n = sl_strlen(F.broken.by);

		sl_text_copy(F.broken.by + n, 3, " (");
		sl_text_copy(F.broken.by + n + 2, sizeof(F.broken.by) - n - 4, event->thread_name);
		n = sl_strlen(F.broken.by);
		sl_text_copy(F.broken.by + n, 2, ")");
	}
}

/* Logs events in the order in which they happen, not in which threads reach them. */
static void
log_it(struct sl_runner *r, const struct sl_event *event)
{
	if (event->kind == SL_EVENT_NAMED)
		sl_rt_log_event(r, event->name, event->object);
	else if (event->kind == SL_EVENT_END)
		sl_rt_log("TH_END", r, NULL, NULL, 0);
	else if (event->kind == SL_EVENT_START && r->about && r->about->named)
		sl_rt_log("TH_NAME", r->about, NULL, NULL, 0);
	else if (event->kind == SL_EVENT_START && r->about)
		sl_rt_log_start(r->about);
}

/* The monitor knows that the event has happened: publishes what follows from it. */
static void
note(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	/* before the effects of the event can be seen: see counts() */
	__atomic_store_n(&F.calm, sl_monitor_calm(F.monitor), __ATOMIC_RELEASE);
	__atomic_store_n(&F.state, F.tag | (uint32_t)sl_monitor_changes(F.monitor), __ATOMIC_RELEASE);
	if (F.swift.count || F.coded)
		publish(match);
	if (unlikely(F.logging))
		log_it(r, event);
	if (unlikely(F.broken.event.kind == SL_EVENT_KINDS && sl_monitor_broken(F.monitor, NULL))) {
		note_broken(r, event);
		if (F.checking && !F.child)
			sl_rt_tell_broken();
	}
}

static bool
happens(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	bool others = sl_monitor_happens(F.monitor, event, match);

	note(r, event, match);
	return others;
}

void
sl_rt_happened(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	happens(r, event, match);
}

void
sl_rt_usual(uint32_t number, char *to)
{
	char digits[SL_DIGITS];

	sl_text_copy(to, 8, number ? "T" : "main");
	if (number)
		sl_text_copy(to + 1, 12, sl_digits(number, digits));
}

/*
 * The schedule names such an event of a thread with a name that no thread has had yet, and this thread has no
 * name: its creator may be about to name it.
 */
bool
sl_rt_nameless(const struct sl_runner *r, const struct sl_event *event)
{
	if (likely(!F.threaded) || r->named || !r->number ||
	    (event->kind != SL_EVENT_NAMED && event->kind != SL_EVENT_END))
		return false;
	for (uint32_t i = 0; i < F.plan->atom_count; i++) {
		const struct sl_atom *a = F.plan->atoms[i];

		if (a->kind == event->kind && a->thread &&
		    (!a->name || (event->name && sl_text_same(a->name, event->name))) &&
		    (!a->object || (event->object && sl_text_same(a->object, event->object))) &&
		    !sl_rt_is_usual(a->thread) && !sl_rt_thread_known(a->thread))
			return true;
	}
	return false;
}

static enum sl_leave
may_leave(const struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	enum sl_leave leave = sl_monitor_asks(F.monitor, event, match);

	return leave == SL_MAY_GO && sl_rt_nameless(r, event) ? SL_WHEN_QUIET : leave;
}

static enum sl_leave
asks(struct sl_runner *r)
{
	enum sl_leave leave;

	if (r->event.what.kind == SL_EVENT_KINDS) { /* the end of the block */
		r->quiet = true;
		return sl_rt_enough() ? SL_MAY_GO : SL_WHEN_QUIET;
	}
	leave = may_leave(r, &r->event.what, &r->event.match);
	r->quiet = leave == SL_WHEN_QUIET;
	return leave;
}

enum sl_leave
sl_rt_asks(struct sl_runner *r)
{
	return asks(r);
}

/* Returns whether other threads may go now. */
static bool
let(struct sl_runner *r)
{
	sl_rt_unhold(r);
	if (r->event.what.kind == SL_EVENT_BLOCK ||
	    r->event.what.kind == SL_EVENT_LOCK) /* the thread tries again first */
		return false;
	if (r->event.what.kind == SL_EVENT_KINDS) {
		F.ending = false;
		return false;
	}
	if (r->event.performs) {
		F.performer = r;
		return false;
	}
	if (r->event.what.kind == SL_EVENT_UNBLOCK) {
		r->told = false;
		sl_rt_log("BLOCK_RETURN", r, NULL, NULL, 0);
	}
	return happens(r, &r->event.what, &r->event.match);
}

static void
grant(void)
{
	struct sl_runner *next;

	catch_up();
	for (struct sl_runner *r = F.held; r && !F.performer; r = next) {
		next = r->next_held;
		if (asks(r) != SL_MAY_GO)
			continue;
		if (!claim(&r->event.match)) {
			catch_up();
			next = r;
		} else if (let(r)) {
			next = F.held; /* from the front: threads before it may be able to go now */
		}
	}
}

/* Lets the thread go because no other thread can move. */
void
sl_rt_let(struct sl_runner *r)
{
	claim(&r->event.match); /* no thread counts: none runs */
	r->event.forced = r->event.what.kind == SL_EVENT_LOCK || r->event.what.kind == SL_EVENT_BLOCK;
	if (let(r))
		grant();
}

/* A thread has counted while others are held, or is held while others may have counted. */
void
sl_rt_grant(void)
{
	if (F.monitor)
		grant();
}

static void
describe(struct sl_event *event, const struct sl_runner *r, enum sl_event_kind kind)
{
	*event = (struct sl_event){.kind = kind, .thread = r->number, .thread_name = r->named ? r->name : NULL};
}

bool
sl_rt_may(struct sl_runner *r, enum sl_event_kind kind)
{
	struct sl_event event;
	struct sl_match match;

	if (!F.monitor || F.checking)
		return true;
	describe(&event, r, kind);
	sl_monitor_match(F.monitor, &event, &match);
	return sl_monitor_asks(F.monitor, &event, &match) == SL_MAY_GO;
}

void
sl_rt_tell(struct sl_runner *r, enum sl_event_kind kind)
{
	struct sl_event event;
	struct sl_match match;

	if (unlikely(F.logging))
		sl_rt_log(kind == SL_EVENT_BLOCK ? "BLOCK_CALL" : "BLOCK_RETURN", r, NULL, NULL, 0);
	if (!F.monitor || !F.plan->blocks || sl_rt_is_apart(r) || r->told == (kind == SL_EVENT_BLOCK))
		return;
	r->told = kind == SL_EVENT_BLOCK;
	describe(&event, r, kind);
	sl_monitor_match(F.monitor, &event, &match);
	if (happens(r, &event, &match))
		grant();
}

/*
 * The common case, in which asking and happening is one step: no other thread counts this event, and nothing has
 * to be done in between.
 */
static bool
is_simple(const struct sl_runner *self, const struct sl_match *match)
{
	return !F.checking && !F.performer && !self->event.performs && !F.threaded &&
	       (match->count != 1 || !F.swift.is[match->atoms[0]]);
}

void
sl_rt_happens_beside(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match)
{
	do
		catch_up();
	while (!claim(match));
	happens(self, event, match);
	grant();
	sl_rt_unlock();
}

void
sl_rt_happens_or_held(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match)
{
	uint64_t state = F.state;
	enum sl_leave leave;
	bool others = false;

	if (unlikely(self->doing !=
		     /* a signal handler, while the thread is held or blocked already: it cannot wait twice */
		     SL_RUNS)) {
		sl_rt_happens_beside(self, event, match);
		return;
	}
	if (unlikely(F.io_told)) {
		sl_rt_io_changed();
		state = 0; /* each time: waits for descriptors end without notice */
	}
	if (likely(is_simple(self, match))) {
		catch_up();
		leave = sl_monitor_goes(F.monitor, event, match, &others);
		if (leave == SL_MAY_GO)
			note(self, event, match);
	} else {
		do {
			catch_up();
			leave = F.checking                           ? SL_MAY_GO
				: F.performer && F.performer != self ? SL_NOT_YET
								     : may_leave(self, event, match);
		} while (leave == SL_MAY_GO && !claim(match));
		if (unlikely(leave == SL_MAY_GO && self->event.performs)) {
			self->event.what = *event;
			self->event.match = *match;
			F.performer = self;
			sl_rt_unlock();
			return;
		}
		if (leave == SL_MAY_GO)
			others = happens(self, event, match);
	}
	self->event.still = leave == SL_MAY_GO && state == F.state ? state : 0;
	if (likely(leave == SL_MAY_GO)) {
		if (others)
			grant();
		sl_rt_unlock();
		return;
	}
	self->quiet = leave == SL_WHEN_QUIET;
	sl_rt_hold(self, event, match);
}

/* A thread that exists when the section begins has started. */
void
sl_rt_started(struct sl_runner *r)
{
	struct sl_event event;
	struct sl_match match;

	describe(&event, r, SL_EVENT_START);
	sl_monitor_match(F.monitor, &event, &match);
	r->about = NULL; /* the log lists it as THREAD */
	happens(r, &event, &match);
}

/* The thread `about` starts, is given a name, or ends. */
void
sl_rt_happens(struct sl_runner *about, enum sl_event_kind kind)
{
	struct sl_runner *self = sl_rt_self();
	struct sl_event event;
	struct sl_match match;

	if (!self || (!F.logging && !F.monitor))
		return;
	sl_rt_lock();
	self->about = about;
	describe(&event, about, kind);
	if (!F.monitor || sl_rt_is_apart(about) || !(F.plan->blocks || F.plan->kinds & 1u << kind)) {
		if (F.logging)
			log_it(self, &event);
		sl_rt_unlock();
		return;
	}
	sl_monitor_match(F.monitor, &event, &match);
	self->event.file = NULL;
	sl_rt_happens_or_held(self, &event, &match);
}

/* The section is over: held threads continue as if there were no schedule. */
void
sl_rt_let_go(void)
{
	while (F.held)
		sl_rt_unhold(F.held);
}
