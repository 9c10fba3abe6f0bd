#include "engine/vocabulary.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/engine.h"
#include "engine/poison.h"

#define NEAR_MAX 1024 /* names that one may have been meant by */

uint64_t
sl_plan_name_of(const char *name)
{
	return sl_wordlist_number(&E.arena->events, name);
}

uint64_t
sl_vocabulary_thread(const char *name)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX && name[0]; i++) {
		if (!a->thread_names[i][0])
			sl_text_copy(a->thread_names[i], sizeof(a->thread_names[i]), name);
		if (sl_text_same(a->thread_names[i], name))
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
	uint32_t number = sl_wordlist_find(&E.arena->events, name);

	/* nobody knows if there was no room for more */
	return number ? was_met(run->tally->events, number - 1) : E.arena->events.count > SL_WORDS_MAX;
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
		if (!E.arena->thread_names[i][0])
			return false;
		if (was_met(run->tally->threads, i) && sl_glob(pattern, E.arena->thread_names[i]))
			return true;
	}
	return true;
}

/* "…`zz`…; did you mean `z`?" */
static void
say(char *to, size_t room, const char *before, const char *name, const char *after, const char *near)
{
	size_t used = 0;

	sl_text_add(to, room, &used, before);
	sl_text_add(to, room, &used, name);
	sl_text_add(to, room, &used, after);
	if (!near)
		return;
	sl_text_add(to, room, &used, "; did you mean `");
	sl_text_add(to, room, &used, near);
	sl_text_add(to, room, &used, "`?");
}

static const char *
nearest_event(const char *name)
{
	const char *names[NEAR_MAX];
	size_t n = 0;

	for (uint32_t i = 0; n < NEAR_MAX && i < SL_WORDS_MAX && i < E.arena->events.count; i++)
		if (!sl_text_same(E.arena->events.words[i], name)) /* in another section */
			names[n++] = E.arena->events.words[i];
	return sl_nearest(name, names, n);
}

static const char *
nearest_thread(const char *name)
{
	const char *names[SL_THREAD_NAMES_MAX + 1];
	size_t n = 0;

	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX && E.arena->thread_names[i][0]; i++)
		if (!sl_text_same(E.arena->thread_names[i], name))
			names[n++] = E.arena->thread_names[i];
	names[n++] = "main";
	return sl_nearest(name, names, n);
}

/* [name] may be either. */
static const char *
nearest_of_both(const char *name)
{
	const char *event = nearest_event(name);

	return event ? event : nearest_thread(name);
}

static void
say_unknown(const struct sl_formula *f, bool thread, char *to, size_t room)
{
	const char *name = !thread                                ? f->atom->name
			   : f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread
								  : f->atom->thread;

	if (thread)
		say(to, room, "there is no thread `", name, "`", nearest_thread(name));
	else
		say(to, room, "event `", name, "` never occurred",
		    f->kind == SL_FORMULA_BLOCKED_EVENT ? nearest_of_both(name) : nearest_event(name));
}

void
sl_vocabulary_look(struct sl_tally *tally, const struct sl_plan *plan, uint32_t threads)
{
	struct run run = {tally, threads};
	const struct sl_known_names known = {is_event, is_thread, &run};
	const struct sl_formula *unknown;
	bool thread;

	if (tally->known)
		return;
	unknown = sl_plan_unknown(plan, &known, &thread);
	if (unknown) {
		SL_SAVE(tally->unknown);
		say_unknown(unknown, thread, tally->unknown, sizeof(tally->unknown));
		return;
	}
	SL_SAVE(tally->known);
	SL_SAVE(tally->unknown);
	tally->known = 1;
	tally->unknown[0] = '\0';
}
