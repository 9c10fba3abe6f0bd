/*
 * Recording on real threads: a loop in a loop (struct sl_reel_nest).
 *
 * If a loop ends repeatedly after the same number of rounds, with the same items in between, the loop and these
 * items are taken for the rounds of an outer loop. The following items are compared with such a guess: a wrong
 * guess only costs its words. A handler may have changed the searched words meanwhile; see record_loop.c.
 *
 * Changing from the outer loop to the inner one and back is one store of the state, which counts no item;
 * preparations before it have no effect. So the counts are right at every time.
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define self (&sl_lane_self)
#define WORTH 3u        /* rounds */
#define PAUSE_MAX 1024u /* searches to omit after wrong guesses */

/* ---- the current loop ---- */

bool
sl_lane_nest_on(struct sl_reel_loop *loop)
{
	unsigned period = sl_reel_period(loop), around = sl_reel_around(loop);
	uint64_t state = loop->state, round = state >> 16;
	struct sl_reel_nest *nest = sl_reel_nest(loop);

	if (!around)
		return false;
	if (sl_reel_slot(state) < period)
		return round * period + sl_reel_slot(state) == nest->count &&
		       sl_lane_step(loop, state, (nest->round + 1) << 16 | SL_REEL_LOOP_STATE(period));
	if (sl_reel_slot(state) != period + around)
		return false;
	for (unsigned i = 0; i < period; i++)
		loop->slots[i].object = nest->slots[i].start + nest->slots[i].step * round;
	nest->round = round;
	return sl_lane_step(loop, state, SL_REEL_LOOP_STATE(0));
}

void
sl_lane_nest_leave(const struct sl_reel_loop *loop, uint64_t head)
{
	uint64_t rounds = sl_reel_loop_items(loop, loop->state) / sl_reel_round(loop);

	self->looks.loop = self->looks.nest = head - sl_reel_words((const uint64_t *)loop);
	self->looks.before = 0;
	if (rounds >= WORTH)
		self->looks.misses = 0;
	else if (self->looks.misses < PAUSE_MAX)
		self->looks.misses = 2 * self->looks.misses + 1;
	self->looks.pause = self->looks.misses;
}

/* ---- guesses ---- */

union words {
	uint64_t words[SL_REEL_LOOP_WORDS_MAX];
	struct sl_reel_loop loop;
};

/* Returns the words at a position; NULL: they were overwritten, or are not in the same turn of the ring. */
static const uint64_t *
at(uint64_t position, uint64_t head)
{
	uint64_t size = sl_reel->lane_words;

	return position && position < head && position / size == head / size ? &self->ring[position & (size - 1)]
									     : NULL;
}

static bool
is_same(const struct sl_reel_loop *a, const struct sl_reel_loop *b)
{
	if (sl_reel_period(a) != sl_reel_period(b))
		return false;
	for (unsigned i = 0; i < sl_reel_period(a); i++)
		if (a->slots[i].word != b->slots[i].word || a->slots[i].step != b->slots[i].step ||
		    a->slots[i].flags != b->slots[i].flags)
			return false;
	return true;
}

static void
set_outer(struct sl_reel_slot *slot, const uint64_t *words, uint64_t step)
{
	bool has_object = sl_reel_words(words) == 2;

	*slot = (struct sl_reel_slot){.word = words[0],
				      .object = has_object ? (words[1] >> 16) + step : 0,
				      .step = has_object ? step : 0,
				      .flags = has_object ? (uint16_t)words[1] : 0};
}

/* Finds the items between two loops, which end here, and their steps from the items before the first loop. */
static unsigned
find_between(const uint64_t *words, uint64_t count, const uint64_t *earlier, struct sl_reel_slot *slots)
{
	unsigned n = 0;

	for (uint64_t i = 0; i < count; i += sl_reel_words(words + i)) {
		if (n == SL_REEL_PERIOD_MAX || !sl_lane_is_of_loops(words + i) || words[i] != earlier[i])
			return 0;
		set_outer(&slots[n++], words + i,
			  sl_reel_words(words + i) == 2 ? (words[i + 1] >> 16) - (earlier[i + 1] >> 16) : 0);
	}
	return n;
}

static bool
enter(uint64_t head, union words *found, unsigned around, const struct sl_reel_loop *last, const uint64_t *steps)
{
	unsigned period = sl_reel_period(last);
	uint64_t count = SL_REEL_NEST_WORDS(period, around);
	struct sl_reel_nest *nest;

	if (head + count >= self->limit)
		return false;
	found->loop.kind = SL_REEL_LOOP_KIND(period, around);
	found->loop.state = SL_REEL_LOOP_STATE(period);
	found->loop.slots[period + around] = (struct sl_reel_slot){0};
	nest = sl_reel_nest(&found->loop);
	nest->count = sl_reel_loop_items(last, last->state);
	nest->round = 0;
	for (unsigned i = 0; i < period; i++) {
		nest->slots[i].step = steps[i];
		nest->slots[i].start = last->slots[i].object + steps[i];
		found->loop.slots[i] = last->slots[i];
	}
	return sl_lane_enter(head, found->words, count);
}

/*
 * Finds a loop like the inner one of the last outer loop, after the same items: the outer loop continues, at other
 * addresses.
 */
static bool
find_again(uint64_t head, const struct sl_reel_loop *last, const uint64_t *end)
{
	const struct sl_reel_loop *outer = (const struct sl_reel_loop *)at(self->looks.nest, head);
	uint64_t steps[SL_REEL_PERIOD_MAX], length = 0;
	unsigned period = sl_reel_period(last), around;
	const struct sl_reel_slot *slots;
	const uint64_t *words;
	union words found;

	if (!outer || (uint8_t)outer->kind != SL_REEL_LOOP || !sl_reel_around(outer) || !is_same(outer, last))
		return false;
	around = sl_reel_around(outer);
	slots = &outer->slots[period];
	for (unsigned i = 0; i < around; i++)
		length += sl_reel_words((uint64_t[]){slots[i].word, slots[i].flags});
	words = end - length;
	if (words < self->ring)
		return false;
	for (unsigned i = 0; i < around; i++, words += sl_reel_words(words)) {
		if (words[0] != slots[i].word)
			return false;
		set_outer(&found.loop.slots[period + i], words, slots[i].step);
	}
	for (unsigned i = 0; i < period; i++)
		steps[i] = sl_reel_nest(outer)->slots[i].step;
	return enter(head, &found, around, last, steps);
}

bool
sl_lane_nest_find(uint64_t head)
{
	const uint64_t *end = at(self->looks.loop, head), *start = at(self->looks.before, head);
	const struct sl_reel_loop *last = (const struct sl_reel_loop *)end,
				  *first = (const struct sl_reel_loop *)start;
	uint64_t steps[SL_REEL_PERIOD_MAX], length;
	unsigned around;
	union words found;

	if (self->looks.pause) {
		self->looks.pause--;
		return false;
	}
	if (!end || self->looks.loop + sl_reel_words(end) != head)
		return false;
	if (find_again(head, last, end))
		return true;
	if (!start || start >= end || (uint8_t)first->kind != SL_REEL_LOOP || sl_reel_around(first) ||
	    !is_same(first, last) || first->state != last->state)
		return false;
	length = (uint64_t)(end - start) - sl_reel_words(start);
	if (length > 2 * SL_REEL_PERIOD_MAX || start - length < self->ring)
		return false;
	around = find_between(end - length, length, start - length, &found.loop.slots[sl_reel_period(last)]);
	if (!around)
		return false;
	for (unsigned i = 0; i < sl_reel_period(last); i++)
		steps[i] = last->slots[i].object - first->slots[i].object;
	return enter(head, &found, around, last, steps);
}
