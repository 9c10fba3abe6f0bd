#include "trace/lane/merge.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void
sl_merge_init(struct sl_merge *m, struct sl_reel *reel)
{
	m->reel = reel;
	m->rings = (uint64_t *)((char *)reel + reel->rings);
	m->heap_count = 0;
	for (uint32_t i = 0; i < SL_REEL_LANES; i++)
		m->lanes[i] = (struct sl_merge_lane){0};
}

/* ---- the heap ---- */

static bool
is_before(const struct sl_merge *m, uint32_t a, uint32_t b)
{
	return m->lanes[a].ticket < m->lanes[b].ticket;
}

static void
push(struct sl_merge *m, uint32_t lane)
{
	uint32_t at = m->heap_count++;

	for (; at && is_before(m, lane, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = lane;
}

static uint32_t
pop(struct sl_merge *m)
{
	uint32_t first = m->heap[0], moved = m->heap[--m->heap_count], at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < m->heap_count && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (child >= m->heap_count || !is_before(m, m->heap[child], moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
	return first;
}

/* ---- lanes ---- */

static const uint64_t *
word_at(const struct sl_merge *m, uint32_t lane, uint64_t at)
{
	return &m->rings[(uint64_t)lane * m->reel->lane_words + (at & (m->reel->lane_words - 1))];
}

static void
look(struct sl_merge *m, uint32_t lane)
{
	struct sl_merge_lane *l = &m->lanes[lane];
	uint64_t word = *word_at(m, lane, l->at);

	l->ticket = (uint8_t)word == SL_REEL_TICKET ? word >> 8 : 0;
}

/*
 * A writer that waits for room is woken only when there is much of it: otherwise it would run for a moment and
 * wait again.
 */
static void
tell(struct sl_merge *m, uint32_t lane, bool wake)
{
	struct sl_lane *shared = &m->reel->lanes[lane];
	struct sl_merge_lane *l = &m->lanes[lane];

	if (l->told != l->at)
		__atomic_store_n(&shared->tail, l->at, __ATOMIC_SEQ_CST);
	l->told = l->at;
	if (wake && __atomic_load_n(&shared->waiting, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &shared->tail, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- loops ---- */

static void
unroll(void *context, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first, uint64_t last,
       sl_merge_take *take)
{
	for (; first < last; first++) {
		uint64_t words[3];

		sl_reel_loop_item(loop, first, words);
		take(context, thread, words, sl_reel_words(words), 0);
	}
}

/* Items that are complete. While more may follow, only whole rounds of a loop around another one. */
static uint64_t
come(const struct sl_reel_loop *loop, bool over)
{
	if (!sl_reel_around(loop) || over)
		return sl_reel_loop_items(loop, __atomic_load_n(&loop->state, __ATOMIC_ACQUIRE));
	return sl_reel_rounds(loop) * sl_reel_round(loop);
}

/* False if the program has overwritten the memory. */
static bool
is_loop(const struct sl_reel_loop *loop, uint64_t there)
{
	unsigned period = sl_reel_period(loop), around = sl_reel_around(loop);

	return period && period <= SL_REEL_PERIOD_MAX && around <= SL_REEL_PERIOD_MAX &&
	       sl_reel_words((const uint64_t *)loop) <= there;
}

/*
 * Passes on the completed items of the loop at the front. Returns the loop's words if it has ended: something
 * follows it. The head was read before the state, and therefore before anything that the writer counted before it
 * wrote more.
 */
static uint64_t
go_round(struct sl_merge *m, uint32_t lane, sl_merge_take *take, sl_merge_take_loop *take_loop, void *context)
{
	struct sl_merge_lane *l = &m->lanes[lane];
	uint32_t thread = m->reel->lanes[lane].thread;
	const struct sl_reel_loop *loop = (const struct sl_reel_loop *)word_at(m, lane, l->at);
	uint64_t words = sl_reel_words((const uint64_t *)loop), count;
	bool ends;

	if (!is_loop(loop, l->head - l->at))
		return 1;
	ends = l->at + words != l->head;
	count = come(loop, ends || m->last);
	if (count > l->looped && take_loop)
		take_loop(context, thread, loop, l->looped, count);
	else if (count > l->looped)
		unroll(context, thread, loop, l->looped, count, take);
	l->looped = count;
	if (!ends)
		return 0;
	l->looped = 0;
	return words;
}

/* Takes everything from one lane until another lane is next. Returns the number of words. */
static uint64_t
take_lane(struct sl_merge *m, uint32_t lane, uint64_t known, sl_merge_take *take, sl_merge_take_loop *take_loop,
	  void *context)
{
	struct sl_merge_lane *l = &m->lanes[lane];
	uint64_t size = m->reel->lane_words, start = l->at, taken,
		 limit = m->heap_count ? m->lanes[m->heap[0]].ticket : known + 1;

	if (limit > known + 1)
		limit = known + 1;
	do {
		uint64_t there = l->head - l->at, to_end = size - (l->at & (size - 1));

		if ((uint8_t)*word_at(m, lane, l->at) == SL_REEL_LOOP)
			taken = go_round(m, lane, take, take_loop, context);
		else
			taken = take(context, m->reel->lanes[lane].thread, word_at(m, lane, l->at),
				     there < to_end ? there : to_end, limit ? limit - 1 : 0);
		l->at += taken;
		if (l->at - l->told >= size / 4)
			tell(m, lane, l->head - l->at <= size / 2);
		if (l->at == l->head || !taken) {
			tell(m, lane, true);
			return l->at - start;
		}
		look(m, lane);
	} while (!l->ticket || l->ticket < limit);
	push(m, lane);
	return l->at - start;
}

uint64_t
sl_merge_round(struct sl_merge *m, bool last, sl_merge_take *take, sl_merge_take_loop *take_loop, void *context)
{
	uint64_t total = 0, known = last ? UINT64_MAX - 1 : __atomic_load_n(&m->reel->tickets, __ATOMIC_SEQ_CST);
	uint32_t used = __atomic_load_n(&m->reel->lane_used, __ATOMIC_ACQUIRE);

	m->last = last;
	for (uint32_t i = 0; i < used && i < SL_REEL_LANES; i++) {
		struct sl_lane *shared = &m->reel->lanes[i];
		struct sl_merge_lane *l = &m->lanes[i];
		uint32_t state = __atomic_load_n(&shared->state, __ATOMIC_ACQUIRE);

		if (state < SL_LANE_OPEN)
			continue;
		l->ended = state == SL_LANE_ENDED;
		l->head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);
		if (l->head != l->at) {
			look(m, i);
			push(m, i);
		} else if (l->ended) {
			__atomic_store_n(&shared->state, SL_LANE_FREE, __ATOMIC_RELEASE);
		}
	}
	while (m->heap_count && m->lanes[m->heap[0]].ticket <= known)
		total += take_lane(m, pop(m), known, take, take_loop, context);
	while (m->heap_count)
		tell(m, pop(m), true);
	return total;
}
