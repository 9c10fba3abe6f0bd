/*
 * Recording on real threads: loops in the items of a lane (struct sl_reel_loop).
 *
 * A thread searches its last words when its head reaches `end`: soon after a loop has ended, since it is likely to
 * be entered again, and after more and more words while nothing is found. If the last three rounds had the same
 * items, at addresses that advance by the same steps, a loop begins. From then on an item that continues the loop
 * costs a comparison and one store (record_append.c), and the reader gets it without reading words. Any other item
 * ends the loop.
 *
 * A signal handler may interrupt this code and write to the lane. The search may then have a wrong result, which
 * is not used: sl_lane_enter() sees that the head has moved. `end` may be too low afterwards, but is never above
 * the limit of its turn.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define self (&sl_lane_self)
#define WINDOW 128u /* words that are searched */
#define ITEMS 128u
#define GAP_MIN 256u
#define GAP_MAX 8192u
#define ROUNDS 3u    /* rounds that are needed to begin a loop */
#define WORTH 4u     /* a loop with fewer rounds was not worth its words */
#define CANDIDATES 4 /* periods that are tried in one search */
#define AGAIN 4      /* searches for a loop that has ended */

/* Sets the head at which the next search is due. */
static void
stop_at(uint64_t end)
{
	self->end = end < self->limit ? end : self->limit;
}

static void
watch(uint64_t head, uint32_t window)
{
	self->looks.from = head;
	self->looks.window = window;
	stop_at(head + window);
}

static void
rest(uint64_t head)
{
	uint32_t gap = self->looks.gap * 2;

	self->looks.gap = gap < GAP_MIN ? GAP_MIN : gap > GAP_MAX ? GAP_MAX : gap;
	self->looks.window = 0;
	stop_at(head + self->looks.gap);
}

/* The last loop is likely to be entered again, after other items. */
static void
expect_again(uint64_t head, uint64_t period)
{
	self->looks.gap = 0;
	self->looks.again = AGAIN;
	watch(head, 2 * (uint32_t)(period < SL_REEL_PERIOD_MAX ? period : SL_REEL_PERIOD_MAX) + 2);
}

void
sl_lane_look_later(void)
{
	uint64_t head = self->lane->head;

	if (!self->looks.gap) {
		watch(head, WINDOW);
		return;
	}
	self->looks.window = 0;
	stop_at(head + self->looks.gap);
}

void
sl_lane_leave(void)
{
	struct sl_reel_loop *loop = self->loop;
	uint64_t head = self->lane->head;

	if (!loop || sl_lane_nest_on(loop))
		return;
	self->loop = NULL;
	if (sl_reel_around(loop)) {
		sl_lane_nest_leave(loop, head);
		expect_again(head, sl_reel_period(loop));
		return;
	}
	if (loop->state >> 16 < WORTH) {
		rest(head);
		return;
	}
	expect_again(head, sl_reel_period(loop));
	sl_lane_nest_find(head);
}

/* ---- the search ---- */

bool
sl_lane_is_of_loops(const uint64_t *words)
{
	uint8_t kind = (uint8_t)words[0];

	return kind == SL_ITEM_CALL || kind == SL_ITEM_RETURN || kind == SL_ITEM_BRANCH ||
	       (sl_kind_is_plain(kind) && !(words[1] & SL_OP_RANGE));
}

static uint64_t
rest_of(const uint64_t *words)
{
	return sl_reel_words(words) == 2 ? words[1] : 0;
}

static uint64_t
object_of(const uint64_t *words)
{
	return rest_of(words) >> 16;
}

/* Returns whether the last three rounds, of `period` items each, are alike. */
static bool
goes_round(const uint64_t *words, const uint16_t *items, unsigned count, unsigned period)
{
	if (count < ROUNDS * period)
		return false;
	for (unsigned i = count - period; i < count; i++) {
		const uint64_t *now = words + items[i], *once = words + items[i - period],
			       *twice = words + items[i - 2 * period];

		if (now[0] != once[0] || now[0] != twice[0] ||
		    rest_of(now) - 2 * rest_of(once) + rest_of(twice) != 0 ||
		    (uint16_t)rest_of(now) != (uint16_t)rest_of(once))
			return false;
	}
	return true;
}

static bool
enter(uint64_t head, struct sl_reel_loop *loop)
{
	unsigned period = sl_reel_period(loop);

	loop->state = SL_REEL_LOOP_STATE(0);
	for (unsigned i = 0; i < period; i++)
		loop->slots[i].last = i + 1 == period;
	if (!sl_lane_enter(head, (uint64_t *)loop, SL_REEL_LOOP_WORDS(period)))
		return false;
	self->looks.before = self->looks.loop;
	self->looks.loop = head;
	expect_again(head + SL_REEL_LOOP_WORDS(period), period); /* for the time after the loop */
	return true;
}

static void
set_slot(struct sl_reel_slot *slot, const uint64_t *words, uint64_t step)
{
	*slot = (struct sl_reel_slot){.word = words[0],
				      .object = object_of(words) + step,
				      .step = step,
				      .flags = (uint16_t)rest_of(words)};
}

/* Finds the beginnings of items in the window, after the last one that can't be part of a loop. */
static unsigned
find_items(const uint64_t *words, uint64_t count, uint16_t *items)
{
	unsigned n = 0;

	for (uint64_t at = 0; at < count; at += sl_reel_words(words + at)) {
		if (!sl_lane_is_of_loops(words + at))
			n = 0;
		else if (n < ITEMS)
			items[n++] = (uint16_t)at;
		else
			return 0;
	}
	return n;
}

union loop_words {
	uint64_t words[SL_REEL_LOOP_WORDS(SL_REEL_PERIOD_MAX)];
	struct sl_reel_loop loop;
};

static bool
find_loop(uint64_t head, const uint64_t *words, const uint16_t *items, unsigned count)
{
	union loop_words found;
	unsigned tried = 0;

	for (unsigned period = 1; period <= SL_REEL_PERIOD_MAX && ROUNDS * period <= count && tried < CANDIDATES;
	     period++) {
		if (words[items[count - 1]] != words[items[count - 1 - period]])
			continue;
		tried++;
		if (!goes_round(words, items, count, period))
			continue;
		found.loop.kind = SL_REEL_LOOP_KIND(period, 0);
		for (unsigned i = 0, at = count - period; i < period; i++, at++)
			set_slot(&found.loop.slots[i], words + items[at],
				 object_of(words + items[at]) - object_of(words + items[at - period]));
		return head + SL_REEL_LOOP_WORDS(period) < self->limit && enter(head, &found.loop);
	}
	return false;
}

/* Finds one round of the last loop, from any of its slots on, with the same steps. */
static bool
find_again(uint64_t head, const uint64_t *words, const uint16_t *items, unsigned count)
{
	uint64_t size = sl_reel->lane_words;
	const struct sl_reel_loop *last = (const struct sl_reel_loop *)&self->ring[self->looks.loop & (size - 1)];
	unsigned period = sl_reel_period(last), first = 0;
	union loop_words found;

	if (head - self->looks.loop > size - sizeof(found) / 8 || !period || period > SL_REEL_PERIOD_MAX ||
	    count < period || head + SL_REEL_LOOP_WORDS(period) >= self->limit)
		return false; /* the loop's words were overwritten */
	items += count - period;
	while (first < period && last->slots[first].word != words[items[0]])
		first++;
	found.loop.kind = SL_REEL_LOOP_KIND(period, 0);
	for (unsigned i = 0; i < period; i++) {
		const struct sl_reel_slot *slot = &last->slots[(first + i) % period];

		if (slot->word != words[items[i]])
			return false;
		set_slot(&found.loop.slots[i], words + items[i], slot->step);
	}
	return enter(head, &found.loop);
}

void
sl_lane_look(void)
{
	uint64_t head = self->lane->head, from = self->looks.from, size = sl_reel->lane_words;
	const uint64_t *words = &self->ring[from & (size - 1)];
	uint16_t items[ITEMS];
	unsigned count;

	if (head < self->end)
		return;
	if (sl_lane_noisy) { /* noise is inserted at each access */
		stop_at(self->limit);
		return;
	}
	if (!self->looks.window || from < (head & ~(size - 1)) || from > head || head - from > 2 * WINDOW) {
		watch(head, WINDOW);
		return;
	}
	count = find_items(words, head - from, items);
	if (self->looks.again && find_again(head, words, items, count))
		return;
	if (!self->looks.again && find_loop(head, words, items, count))
		return;
	if (self->looks.again && --self->looks.again)
		watch(from, self->looks.window + 2);
	else if (self->looks.window < WINDOW && head - from < WINDOW)
		watch(from, WINDOW);
	else
		rest(head);
}
