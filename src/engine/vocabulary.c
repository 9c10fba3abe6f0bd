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

void
sl_vocabulary_thread(const char *name)
{
	struct sl_arena *a = E.arena;

	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX && name[0]; i++) {
		if (!a->thread_names[i][0])
			sl_text_copy(a->thread_names[i], sizeof(a->thread_names[i]), name);
		if (sl_text_same(a->thread_names[i], name))
			return;
	}
}

static bool
is_event(const char *name)
{
	/* nobody knows if there was no room for more */
	return sl_wordlist_find(&E.arena->events, name) || E.arena->events.count > SL_WORDS_MAX;
}

static bool
is_thread(const char *pattern)
{
	char number[16];

	if (sl_glob(pattern, "main"))
		return true;
	for (uint32_t i = 1; i < E.thread_count; i++) {
		size_t used = 0;

		sl_text_add(number, sizeof(number), &used, "T");
		sl_text_add_number(number, sizeof(number), &used, i);
		if (sl_glob(pattern, number))
			return true;
	}
	for (uint32_t i = 0; i < SL_THREAD_NAMES_MAX; i++) {
		if (!E.arena->thread_names[i][0])
			return false;
		if (sl_glob(pattern, E.arena->thread_names[i]))
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

	for (; n < NEAR_MAX && n < E.arena->events.count; n++)
		names[n] = E.arena->events.words[n];
	return sl_nearest(name, names, n);
}

static const char *
nearest_thread(const char *name)
{
	const char *names[SL_THREAD_NAMES_MAX];
	size_t n = 0;

	for (; n < SL_THREAD_NAMES_MAX && E.arena->thread_names[n][0]; n++)
		names[n] = E.arena->thread_names[n];
	return sl_nearest(name, names, n);
}

/* The first thing in the formula that is not known is told. */
static bool
find_unknown(const struct sl_formula *f, char *to, size_t room)
{
	const char *thread;

	if (!f)
		return false;
	thread = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread : f->atom ? f->atom->thread : NULL;
	if (f->atom && f->atom->kind == SL_EVENT_NAMED && !is_event(f->atom->name) &&
	    !(f->kind == SL_FORMULA_BLOCKED_EVENT && is_thread(f->atom->name))) { /* [t] */
		say(to, room, "event `", f->atom->name, "` never occurred", nearest_event(f->atom->name));
		return true;
	}
	if (thread && !is_thread(thread)) {
		say(to, room, "there is no thread `", thread, "`", nearest_thread(thread));
		return true;
	}
	return find_unknown(f->left, to, room) || find_unknown(f->right, to, room);
}

void
sl_vocabulary_look(struct sl_tally *tally, const struct sl_plan *plan)
{
	char text[sizeof(tally->unknown)];

	if (tally->known)
		return;
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		if (find_unknown(plan->orderings[i], text, sizeof(text))) {
			SL_SAVE(tally->unknown);
			sl_text_copy(tally->unknown, sizeof(tally->unknown), text);
			return;
		}
	SL_SAVE(*tally);
	tally->known = 1;
	tally->unknown[0] = '\0';
}
