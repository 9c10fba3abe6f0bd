/*
 * Schedules on real threads: names that a schedule mentions but nothing in the program has. An event that no
 * thread has reached, and a thread that never existed, are misspelt, wherever they stand: an ordering about them
 * is not violated, and so would hold for ever.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/realtime/rt_say.h"
#include "engine/under/poison.h"

/* ---- names that exist ---- */

static bool
in_section(const struct sl_runner *r)
{
	return !sl_rt_is_apart(r) && (r->doing != SL_ENDED || r->epoch == F.epoch);
}

/* `main`, T1, …: no thread has to be given such a name. */
bool
sl_rt_is_usual(const char *glob)
{
	if (*glob != 'T')
		return sl_text_same(glob, "main");
	while (*++glob >= '0' && *glob <= '9')
		;
	return !*glob;
}

bool
sl_rt_thread_known(const char *glob)
{
	for (uint32_t i = 0; i < F.runner_count; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (in_section(r) && r->named && sl_glob(glob, r->name))
			return true;
	}
	for (uint32_t i = 0; i <= F.numbers; i++) {
		char usual[16] = "";

		sl_rt_usual(i, usual);
		if (sl_glob(glob, usual))
			return true;
	}
	return false;
}

/* `[name]`: the name may be a thread's. */
static bool
maybe_thread(const struct sl_formula *f, const struct sl_atom *atom)
{
	if (f->kind == SL_FORMULA_BLOCKED_EVENT && f->atom == atom && !atom->object && !atom->thread &&
	    !atom->occurrence)
		return true;
	return (f->left && maybe_thread(f->left, atom)) || (f->right && maybe_thread(f->right, atom));
}

static bool
in_brackets(const struct sl_atom *atom)
{
	for (uint32_t i = 0; i < F.plan->ordering_count; i++)
		if (maybe_thread(F.plan->orderings[i], atom))
			return true;
	return false;
}

static bool
event_known(const struct sl_atom *atom)
{
	if (atom->kind != SL_EVENT_NAMED)
		return true;
	/* open: there are more names than can be kept, so this one may exist */
	if (sl_rt_occurred(atom->name) != SL_FALSE)
		return true;
	return in_brackets(atom) && sl_rt_thread_known(atom->name);
}

bool
sl_rt_atom_known(const struct sl_atom *atom)
{
	return event_known(atom) && (!atom->thread || sl_rt_thread_known(atom->thread)) &&
	       (!atom->object || sl_rt_object_known(atom->object));
}

/* ---- each name once ---- */

struct walk {
	sl_unknown_fn call;
	void *data;
	const char *threads[64]; /* in [@t]: there are at most 30 */
	uint32_t count;
	uint32_t number;
};

static void
look_thread(struct walk *w, const char *glob)
{
	uint32_t i = 0;

	while (i < w->count && !sl_text_same(w->threads[i], glob))
		i++;
	if (i < w->count || w->count == 64)
		return;
	w->threads[w->count++] = glob;
	if (!sl_rt_thread_known(glob))
		w->call(w->data, w->number, NULL, glob);
	w->number++;
}

static void
look_formula(struct walk *w, const struct sl_formula *f)
{
	if (f->kind == SL_FORMULA_BLOCKED_THREAD)
		look_thread(w, f->thread);
	if (f->left)
		look_formula(w, f->left);
	if (f->right)
		look_formula(w, f->right);
}

void
sl_rt_unknown(sl_unknown_fn call, void *data)
{
	struct walk w = {.call = call, .data = data};

	for (; w.number < F.plan->atom_count; w.number++)
		if (!sl_rt_atom_known(F.plan->atoms[w.number]))
			call(data, w.number, F.plan->atoms[w.number], NULL);
	for (uint32_t i = 0; i < F.plan->ordering_count; i++)
		look_formula(&w, F.plan->orderings[i]);
}

/* ---- messages ---- */

static void
say_hint(const char *name, const char *const *names, uint32_t count)
{
	char hint[SL_HINT];

	sl_hint(name, names, count, hint);
	sl_say(hint);
}

static uint32_t
thread_names(const char **names, uint32_t room)
{
	static char numbers[SL_HINT_FEW + 1][16];
	uint32_t count = 0;

	for (uint32_t i = 0; i <= F.numbers && i <= SL_HINT_FEW; i++) {
		numbers[i][0] = '\0';
		sl_rt_usual(i, numbers[i]);
		names[count++] = numbers[i];
	}
	for (uint32_t i = 0; i < F.runner_count && count < room; i++)
		if (in_section(&F.runners[i]) && F.runners[i].named)
			names[count++] = F.runners[i].name;
	return count;
}

void
sl_say_no_thread(const char *glob)
{
	const char *names[64];

	sl_say_many("there is no thread `", glob, "`", NULL);
	say_hint(glob, names, thread_names(names, 64));
}

void
sl_say_unknown(const struct sl_atom *atom)
{
	/* an event that the plan names as well is not a suggestion */
	static const char *others[64];
	uint32_t count = 0;

	if (atom->thread && !sl_rt_thread_known(atom->thread)) {
		sl_say("; ");
		sl_say_no_thread(atom->thread);
	} else if (!event_known(atom)) {
		if (sl_rt_is_written(atom->name))
			return;
		for (uint32_t i = 0; i < sl_rt_name_count && count < 64; i++)
			if (sl_rt_seen(i) && !sl_plan_has_event(F.plan, sl_rt_seen(i)))
				others[count++] = sl_rt_seen(i);
		if (in_brackets(atom) && !sl_nearest(atom->name, others, count)) {
			const char *threads[64];
			uint32_t n = thread_names(threads, 64);

			if (sl_nearest(atom->name, threads, n)) {
				say_hint(atom->name, threads, n);
				return;
			}
		}
		say_hint(atom->name, others, count);
	} else if (atom->object && !sl_rt_object_known(atom->object)) {
		sl_say_many("; sleave_name() has given no object the name `", atom->object, "`", NULL);
		say_hint(atom->object, others, sl_rt_object_names(others, 64));
	}
}
