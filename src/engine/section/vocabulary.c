#include "engine/section/vocabulary.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define NEAR_MAX 1024 /* names that one may have been meant by */

uint64_t
sl_plan_name_of(const char *name)
{
	return sl_wordlist_number(&E.arena->names.events, name);
}

uint64_t
sl_vocabulary_thread(const char *name)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX && name[0]; i++) {
		if (!a->names.threads[i][0])
			sl_text_copy(a->names.threads[i], sizeof(a->names.threads[i]), name);
		if (sl_text_same(a->names.threads[i], name))
			return i + 1;
	}
	return 0;
}

uint64_t
sl_vocabulary_object(const char *name)
{
	struct sl_arena *a = E.arena;
	char cut[SL_EVENT_NAME];

	sl_text_copy(cut, sizeof(cut), name);
	for (uint32_t i = 0; i < SL_OBJECT_NAMES_MAX && cut[0]; i++) {
		if (!a->names.objects[i][0])
			sl_text_copy(a->names.objects[i], sizeof(a->names.objects[i]), cut);
		if (sl_text_same(a->names.objects[i], cut))
			return i + 1;
	}
	return 0;
}

void
sl_vocabulary_met(uint64_t *bits, uint64_t number)
{
	uint64_t bit = 1ull << (number - 1) % 64;

	if (number && !(__atomic_load_n(&bits[(number - 1) / 64], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&bits[(number - 1) / 64], bit, __ATOMIC_RELAXED);
}

static bool
was_met(const uint64_t *bits, uint32_t index)
{
	return __atomic_load_n(&bits[index / 64], __ATOMIC_RELAXED) >> index % 64 & 1;
}

/* The run that is asked about. */
struct run {
	const struct sl_tally *tally;
	uint32_t threads;
};

static bool
is_event(void *data, const char *name)
{
	const struct run *run = data;
	uint32_t number = sl_wordlist_find(&E.arena->names.events, name);

	/* without room for more names that is not known */
	return number ? was_met(run->tally->events, number - 1) : E.arena->names.events.count > SL_WORDS_MAX;
}

static bool
is_thread(void *data, const char *pattern)
{
	const struct run *run = data;
	char number[16];

	if (sl_glob(pattern, "main"))
		return true;
	for (uint32_t i = 1; i < run->threads; i++) {
		size_t used = 0;

		sl_text_add(number, sizeof(number), &used, "T");
		sl_text_add_number(number, sizeof(number), &used, i);
		if (sl_glob(pattern, number))
			return true;
	}
	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX; i++) {
		if (!E.arena->names.threads[i][0])
			return false;
		if (was_met(run->tally->threads, i) && sl_glob(pattern, E.arena->names.threads[i]))
			return true;
	}
	return true;
}

static bool
is_object(void *data, const char *name)
{
	const struct run *run = data;
	char cut[SL_EVENT_NAME];

	sl_text_copy(cut, sizeof(cut), name);
	for (uint32_t i = 0; i < SL_OBJECT_NAMES_MAX; i++) {
		if (!E.arena->names.objects[i][0])
			return false;
		if (sl_text_same(E.arena->names.objects[i], cut))
			return was_met(run->tally->objects, i);
	}
	return true; /* no room for more names: not known */
}

/* ---- in words ---- */

/* What is not there, and what may have been meant. */
struct slip {
	const struct run *run;
	const struct sl_plan *plan;
	const char *name;
	char hint[SL_HINT];
};

/* Those that a run of this plan has met, and that it does not name itself; or any. */
static size_t
list_events(const struct slip *s, bool met, const char *names[NEAR_MAX])
{
	size_t n = 0;

	for (uint32_t i = 0; n < NEAR_MAX && i < SL_WORDS_MAX && i < E.arena->names.events.count; i++) {
		const char *name = E.arena->names.events.words[i];

		if (met ? was_met(s->run->tally->events, i) && !sl_plan_has_event(s->plan, name)
			: !sl_text_same(name, s->name))
			names[n++] = name;
	}
	return n;
}

static size_t
list_threads(const struct slip *s, bool met, const char *names[NEAR_MAX])
{
	static char numbers[SL_HINT_FEW + 1][16];
	size_t n = 0;

	names[n++] = "main";
	for (uint32_t i = 1; i < s->run->threads && i <= SL_HINT_FEW; i++) {
		size_t used = 0;

		sl_text_add(numbers[i], sizeof(numbers[i]), &used, "T");
		sl_text_add_number(numbers[i], sizeof(numbers[i]), &used, i);
		names[n++] = numbers[i];
	}
	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX && E.arena->names.threads[i][0]; i++)
		if ((!met || was_met(s->run->tally->threads, i)) &&
		    !sl_text_same(E.arena->names.threads[i], s->name))
			names[n++] = E.arena->names.threads[i];
	return n;
}

static size_t
list_objects(const struct slip *s, bool met, const char *names[NEAR_MAX])
{
	size_t n = 0;

	for (uint32_t i = 0; i < SL_OBJECT_NAMES_MAX && E.arena->names.objects[i][0]; i++)
		if ((!met || was_met(s->run->tally->objects, i)) &&
		    !sl_text_same(E.arena->names.objects[i], s->name))
			names[n++] = E.arena->names.objects[i];
	return n;
}

/* A name that is near may be of another run, which has come farther; all that there are are those of this. */
static bool
look_for(struct slip *s, size_t (*list)(const struct slip *, bool, const char *[NEAR_MAX]))
{
	const char *names[NEAR_MAX];
	size_t n = list(s, false, names);

	if (!sl_nearest(s->name, names, n))
		n = list(s, true, names);
	sl_hint(s->name, names, n, s->hint);
	return sl_nearest(s->name, names, n);
}

static void
say_unknown(const struct sl_formula *f, enum sl_name_kind what, struct slip *s, char *to, size_t room)
{
	static const char *const before[] = {"event `", "there is no thread `",
					     "sleave_name() has given no object the name `"};
	static const char *const after[] = {"` never occurred", "`", "`"};
	size_t used = 0;

	switch (what) {
	case SL_NAME_EVENT:
		s->name = f->atom->name;
		if (f->kind != SL_FORMULA_BLOCKED_EVENT) {
			look_for(s, list_events);
		} else if (!look_for(s, list_events)) { /* [name] may be either */
			char hint[SL_HINT];

			sl_text_copy(hint, sizeof(hint), s->hint);
			if (!look_for(s, list_threads))
				sl_text_copy(s->hint, sizeof(s->hint), hint);
		}
		break;
	case SL_NAME_THREAD:
		s->name = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread : f->atom->thread;
		look_for(s, list_threads);
		break;
	case SL_NAME_OBJECT:
		s->name = f->atom->object;
		look_for(s, list_objects);
		break;
	}
	sl_text_add(to, room, &used, before[what]);
	sl_text_add(to, room, &used, s->name);
	sl_text_add(to, room, &used, after[what]);
	if (used + sl_strlen(s->hint) < room) /* all of it, or nothing */
		sl_text_add(to, room, &used, s->hint);
}

void
sl_vocabulary_look(struct sl_tally *tally, const struct sl_plan *plan, uint32_t threads)
{
	struct run run = {tally, threads};
	const struct sl_known_names known = {is_event, is_thread, is_object, &run};
	struct slip slip = {.run = &run, .plan = plan};
	const struct sl_formula *unknown;
	enum sl_name_kind what;

	if (tally->known)
		return;
	unknown = sl_plan_unknown(plan, &known, &what);
	if (unknown) {
		SL_SAVE(tally->unknown);
		say_unknown(unknown, what, &slip, tally->unknown, sizeof(tally->unknown));
		return;
	}
	SL_SAVE(tally->known);
	SL_SAVE(tally->unknown);
	tally->known = 1;
	tally->unknown[0] = '\0';
}
