/*
 * Threads that wait for each other, not by locks alone: one waits for a flag that a second one sets, which waits
 * for a lock that the first holds, or for a semaphore that the first posts. Other executions show which thread
 * would have set a flag (trace/replay/enabler.h).
 */
#include "report/words.h"

#include "base/shown.h"

#include <stdlib.h>
#include <string.h>

#define HEADLINE_MAX 400 /* a longer sentence gives way to the names of the cycle's threads */

/* In a livelock the looping threads are as stuck as those that wait for them. */
static bool
is_stuck(const struct sl_story *story, const struct sl_thread_record *t)
{
	const struct sl_finding *f = story->finding;

	for (uint32_t i = 0; f->kind != SL_FINDING_DEADLOCK && i < f->culprit_count && i < SL_CULPRITS_MAX; i++)
		if (f->culprits[i].thread == t->id)
			return true;
	return t->pending.kind != SL_WORK_WAIT &&
	       (t->state == SL_THREAD_BLOCKED || t->state == SL_THREAD_SPINNING);
}

static bool
is_memory(uint32_t kind)
{
	return sl_kind_is((uint8_t)kind, SL_KIND_ACCESS);
}

/* Returns the last operation with which the thread looks at the flag. */
static const struct sl_record *
look_of(const struct sl_words *w, const struct sl_thread_record *t, const struct sl_flag *flag)
{
	for (uint64_t i = w->trace->count; i-- > 0;) {
		const struct sl_record *r = &w->trace->records[i];

		if (r->op.thread == t->id && r->op.object == flag->address && (r->op.flags & SL_OP_READS))
			return r;
	}
	return NULL;
}

/*
 * Threads of one kind that wait at the same place for the same thing do not help each other, although each would
 * change it later: two consumers that take what a producer puts there, two threads that use a semaphore as a lock.
 */
static bool
waits_for_it_too(const struct sl_story *story, const struct sl_words *w, const struct sl_thread_record *other,
		 const struct sl_flag *flag, const struct sl_enabler *by)
{
	const struct sl_thread_record *t = sl_words_find_thread(w, flag->thread);

	for (uint32_t i = 0; i < story->enablers->flag_count; i++) {
		const struct sl_flag *f = &story->enablers->flags[i];
		const struct sl_record *a, *b;

		if (f->thread != other->id || f->address != flag->address)
			continue;
		if (!is_memory(by->kind))
			return true;
		a = t ? look_of(w, t, flag) : NULL;
		b = look_of(w, other, f);
		if (a && b && a->op.pc == b->op.pc)
			return true;
	}
	return false;
}

static const struct sl_thread_record *
thread_of(const struct sl_words *w, uint64_t path)
{
	for (uint32_t i = 0; i < w->trace->thread_count; i++)
		if (sl_thread_path(w->trace->threads, w->trace->thread_count, i) == path)
			return &w->trace->threads[i];
	return NULL;
}

/*
 * Returns the n-th of the threads that this one waits for, or NULL: a lock's holder, the thread that it joins, one
 * that would set its flag.
 */
static const struct sl_thread_record *
awaited(const struct sl_story *story, const struct sl_words *w, const struct sl_thread_record *t, uint32_t n,
	struct sl_wait *wait)
{
	uint64_t path = sl_thread_path(w->trace->threads, w->trace->thread_count, t->id);

	*wait = (struct sl_wait){.thread = t};
	if (t->waits_for >= 0 && t->state == SL_THREAD_BLOCKED && !sl_kind_is(t->pending.kind, SL_KIND_LENDS)) {
		wait->by = n ? NULL : sl_words_find_thread(w, (uint32_t)t->waits_for);
		return wait->by;
	}
	for (uint32_t i = 0; story->enablers && i < story->enablers->flag_count; i++) {
		const struct sl_flag *flag = &story->enablers->flags[i];

		if (flag->thread != t->id)
			continue;
		for (uint32_t k = 0; k < story->enablers->count; k++) {
			const struct sl_enabler *e = &story->enablers->items[k];
			const struct sl_thread_record *by;

			if (!sl_enabler_counts(e, flag, path))
				continue;
			by = thread_of(w, e->path);
			if (!by || by == t || (by->state == SL_THREAD_ENDED && e->here) ||
			    waits_for_it_too(story, w, by, flag, e) || n--)
				continue;
			wait->by = by;
			wait->flag = flag;
			wait->enabler = e;
			return by;
		}
	}
	return NULL;
}

struct search {
	const struct sl_story *story;
	const struct sl_words *words;
	unsigned char *state; /* by thread: 0: not visited, 1: on the path, 2: done */
	struct sl_wait *way;
	size_t length;
};

/* Depth first. If it comes back to a thread on the path, the end of the path is a cycle. */
static const struct sl_thread_record *
visit(struct search *s, const struct sl_thread_record *t)
{
	const struct sl_thread_record *by, *found;
	struct sl_wait wait;

	if (!is_stuck(s->story, t) || s->state[t->id] == 2)
		return NULL;
	if (s->state[t->id] == 1)
		return t;
	s->state[t->id] = 1;
	for (uint32_t n = 0; (by = awaited(s->story, s->words, t, n, &wait)); n++) {
		s->way[s->length++] = wait;
		found = visit(s, by);
		if (found)
			return found;
		s->length--;
	}
	s->state[t->id] = 2;
	return NULL;
}

size_t
sl_cycle_find(const struct sl_story *story, const struct sl_words *words, struct sl_wait *waits, size_t max)
{
	uint32_t count = words->trace->thread_count;
	struct search s = {story, words, sl_must(calloc(count + 1u, 1)),
			   sl_must(calloc(count + 1u, sizeof(struct sl_wait))), 0};
	size_t first = 0, least = 0, n = 0;
	bool flags = false;

	for (uint32_t i = 0; story->enablers && i < count && !n; i++) {
		const struct sl_thread_record *back = visit(&s, &words->trace->threads[i]);

		if (!back)
			continue;
		while (s.way[first].thread != back)
			first++;
		n = s.length - first;
		for (size_t k = 0; k < n; k++) {
			flags |= s.way[first + k].enabler != NULL;
			if (s.way[first + k].thread->id < s.way[first + least].thread->id)
				least = k;
		}
		break;
	}
	if (!flags || n > max) /* a cycle of locks alone is told in other words */
		n = 0;
	for (size_t k = 0; k < n; k++)
		waits[k] = s.way[first + (least + k) % n];
	free(s.state);
	free(s.way);
	return n;
}

/* "flags.c:12", the program's own line of the enabler. */
static const char *
enabler_line(const struct sl_words *w, const struct sl_enabler *e, char *text, size_t room)
{
	struct sl_place place = {.file = NULL}, each;

	for (int i = 0; i < SL_ENABLER_FRAMES && e->pcs[i]; i++) {
		if (!sl_names_place(w->names, e->pcs[i], &each) || !each.file || !each.line)
			continue;
		if (!place.file)
			place = each;
		if (sl_place_is_library(&each) || sl_place_is_foreign(&each))
			continue;
		place = each;
		break;
	}
	if (place.file)
		sl_line_format(&place, text, room);
	else
		snprintf(text, room, "an unknown place");
	sl_shown_in_place(text, room);
	return text;
}

/* What the operation does to the thing that the other thread waits for. */
static const char *
verb_of(uint32_t kind)
{
	if (is_memory(kind))
		return "sets";
	if (sl_kind_is((uint8_t)kind, SL_KIND_FUTEX)) /* its verb continues with "waiters of" */
		return sl_kind_is((uint8_t)kind, SL_KIND_WAKES) ? "wakes" : "updates";
	return sl_kind_verb(sl_enabler_told((uint8_t)kind));
}

void
sl_wait_describe(const struct sl_words *w, const struct sl_wait *wait, struct sl_outline_wait *o)
{
	const struct sl_thread_record *t = wait->thread;
	const struct sl_record *look =
		wait->flag && t->state != SL_THREAD_BLOCKED ? look_of(w, t, wait->flag) : NULL;
	uint64_t object = wait->flag ? wait->flag->address : sl_words_awaited(t);
	struct sl_op op = t->pending;

	*o = (struct sl_outline_wait){.how = ""};
	sl_words_thread(w, t->id, o->thread, sizeof(o->thread));
	sl_words_thread(w, wait->by->id, o->by, sizeof(o->by));
	sl_words_line(w, look ? look->op.pc : t->pending.pc, look ? look->stack : t->stack, o->place,
		      sizeof(o->place));
	if (t->pending.kind == SL_JOIN) {
		o->how = "ends";
		return;
	}
	op.object = object;
	if (wait->flag)
		op.pc = look ? look->op.pc : 0;
	sl_words_accessed(w, &op, 0, UINT64_MAX, false, o->object, sizeof(o->object));
	o->how = wait->enabler ? verb_of(wait->enabler->kind) : "holds";
	if (wait->enabler)
		enabler_line(w, wait->enabler, o->by_place, sizeof(o->by_place));
}

static size_t
format_wait(const struct sl_words *w, const struct sl_wait *wait, char *text, size_t room)
{
	struct sl_outline_wait o;

	sl_wait_describe(w, wait, &o);
	if (!o.object[0])
		return (size_t)snprintf(text, room, "%s waits at %s for %s to end", o.thread, o.place, o.by);
	return (size_t)snprintf(text, room, "%s waits at %s for %s, which %s %s%s%s", o.thread, o.place, o.object,
				o.by, o.how, o.by_place[0] ? " at " : "", o.by_place);
}

bool
sl_cycle_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room)
{
	struct sl_wait waits[SL_OUTLINE_WAITS];
	size_t n = sl_cycle_find(story, words, waits, SL_OUTLINE_WAITS), used = 0;
	char label[64], whole[1024];

	if (!n)
		return false;
	for (size_t i = 0; i < n && used < sizeof(whole); i++) {
		used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s", i ? "; " : "");
		if (used < sizeof(whole))
			used += format_wait(words, &waits[i], whole + used, sizeof(whole) - used);
	}
	if (used <= HEADLINE_MAX) {
		snprintf(text, room, "%s", whole);
		return true;
	}
	used = 0;
	for (size_t i = 0; i < n && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 i == 0       ? ""
					 : i + 1 == n ? " and "
						      : ", ",
					 sl_words_thread(words, waits[i].thread->id, label, sizeof(label)));
	if (used < room)
		snprintf(text + used, room - used, n == 1 ? " waits for itself" : " wait for each other");
	return true;
}

bool
sl_awaited_any(const struct sl_story *story, const struct sl_words *words, const struct sl_thread_record *t,
	       struct sl_wait *wait)
{
	return awaited(story, words, t, 0, wait) != NULL;
}

/* For a stuck thread: what would let it continue, as other executions have shown. */
void
sl_enablers_print(FILE *out, const struct sl_story *story, const struct sl_words *words,
		  const struct sl_thread_record *t)
{
	struct sl_wait wait;
	uint64_t told[8];
	size_t told_count = 0;

	if (!story->enablers || t->waits_for >= 0)
		return;
	for (uint32_t n = 0; told_count < sizeof(told) / sizeof(*told) && awaited(story, words, t, n, &wait);
	     n++) {
		struct sl_outline_wait o;
		size_t i = 0;

		while (i < told_count && told[i] != (wait.enabler->path ^ wait.enabler->pcs[0]))
			i++;
		if (i < told_count)
			continue;
		told[told_count++] = wait.enabler->path ^ wait.enabler->pcs[0];
		sl_wait_describe(words, &wait, &o);
		fprintf(out, "      in other executions %s %s %s at %s%s\n", o.by, o.how, o.object, o.by_place,
			wait.by->state == SL_THREAD_ENDED ? "; here it has ended" : "");
	}
}
