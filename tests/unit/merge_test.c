/* Lanes merged by tickets: whatever the moments at which they are read, the order is one that can have happened. */
#include "base/rng.h"
#include "trace/lane/merge.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WRITERS 4
#define LOCKS 3
#define WORDS 64

static struct sl_reel *
reel_new(void)
{
	uint64_t rings = (sizeof(struct sl_reel) + 63) & ~63ul, size = rings + WRITERS * WORDS * 8;
	struct sl_reel *r = aligned_alloc(64, (size + 63) & ~63ul);

	assert_non_null(r);
	memset(r, 0, size);
	r->lane_count = r->lane_used = WRITERS;
	r->lane_words = WORDS;
	r->rings = rings;
	r->size = size;
	for (uint32_t i = 0; i < WRITERS; i++) {
		r->lanes[i].thread = i;
		r->lanes[i].state = SL_LANE_OPEN;
	}
	return r;
}

/* ---- a writer: locks and unlocks, and does something in between that has no ticket ---- */

struct writer {
	struct sl_reel *reel;
	uint32_t number;
	uint64_t pc; /* the next item's: they are numbered */
	/* of the one that goes step by step */
	unsigned step, lock;
	uint64_t ticket;
	bool last;
};

static void
put(struct writer *w, const uint64_t *words, unsigned count)
{
	struct sl_lane *lane = &w->reel->lanes[w->number];
	uint64_t *ring = (uint64_t *)((char *)w->reel + w->reel->rings) + w->number * WORDS, head = lane->head;

	while ((head & (WORDS - 1)) + count > WORDS) {
		while (head - __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE) >= WORDS)
			sched_yield();
		ring[head & (WORDS - 1)] = SL_REEL_PAD;
		__atomic_store_n(&lane->head, ++head, __ATOMIC_RELEASE);
	}
	while (head + count - __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE) > WORDS)
		sched_yield();
	for (unsigned i = 0; i < count; i++)
		ring[(head + i) & (WORDS - 1)] = words[i];
	__atomic_store_n(&lane->head, head + count, __ATOMIC_RELEASE);
}

static uint64_t
take_ticket(struct writer *w)
{
	return __atomic_add_fetch(&w->reel->tickets, 1, __ATOMIC_SEQ_CST);
}

static void
put_ticketed(struct writer *w, uint8_t kind, unsigned lock, uint64_t ticket)
{
	uint64_t words[4] = {SL_REEL_TICKET | ticket << 8, sl_reel_word(kind, 0, ++w->pc),
			     sl_reel_object_word(0, lock), 0};

	put(w, words, 4);
}

static void
put_plain(struct writer *w, unsigned lock)
{
	uint64_t words[2] = {sl_reel_word(SL_WRITE, 4, ++w->pc), sl_reel_object_word(2, lock)};

	put(w, words, 2);
}

/* ---- the reader: can that have happened? ---- */

struct check {
	uint64_t pcs[WRITERS];
	int holder[LOCKS]; /* plus one; 0: none */
	uint64_t items;
	unsigned wrong;
};

static uint64_t
take(void *data, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	struct check *c = data;
	uint64_t i = 0;

	while (i < count) {
		struct sl_item item;
		uint8_t kind = (uint8_t)words[i];

		if (sl_merge_stops(words[i], limit))
			break;
		if (kind < SL_REEL_SWITCH) {
			sl_reel_read(words + i, &item);
			c->items++;
			c->wrong += item.pc != ++c->pcs[thread];
			if (kind == SL_MUTEX_LOCK) {
				c->wrong += c->holder[item.object] != 0;
				c->holder[item.object] = (int)thread + 1;
			} else {
				c->wrong += c->holder[item.object] != (int)thread + 1;
				if (kind == SL_MUTEX_UNLOCK)
					c->holder[item.object] = 0;
			}
		}
		i += sl_reel_words(words + i);
	}
	c->wrong += i > count;
	return i;
}

/* Writers one step at a time, in a random order, with rounds of the reader anywhere in between. */
static void
test_steps(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		static struct sl_merge merge;
		struct sl_rng rng = sl_rng_derive(seed, 1);
		struct sl_reel *reel = reel_new();
		struct writer writers[WRITERS];
		struct check check = {0};
		int held[LOCKS] = {0};
		uint64_t written = 0;

		sl_merge_init(&merge, reel);
		for (uint32_t i = 0; i < WRITERS; i++)
			writers[i] = (struct writer){.reel = reel, .number = i};
		for (unsigned step = 0; step < 400; step++) {
			struct writer *w = &writers[sl_rng_below(&rng, WRITERS)];

			if (reel->lanes[w->number].head - reel->lanes[w->number].tail > WORDS - 16 ||
			    sl_rng_below(&rng, 4) == 0) {
				sl_merge_round(&merge, false, take, NULL, &check);
				if (reel->lanes[w->number].head - reel->lanes[w->number].tail > WORDS - 16)
					continue; /* tickets above those that the round knew of */
			}
			switch (w->step) {
			case 0:
				w->lock = sl_rng_below(&rng, LOCKS);
				if (held[w->lock])
					continue;
				held[w->lock] = 1;
				break;
			case 1:
			case 4:
				w->ticket = take_ticket(w);
				break;
			case 2:
				put_ticketed(w, SL_MUTEX_LOCK, w->lock, w->ticket);
				written++;
				break;
			case 3:
				put_plain(w, w->lock);
				written++;
				break;
			case 5:
				put_ticketed(w, SL_MUTEX_UNLOCK, w->lock, w->ticket);
				written++;
				break;
			default:
				held[w->lock] = 0;
			}
			w->step = (w->step + 1) % 7;
		}
		sl_merge_round(&merge, true, take, NULL, &check);
		assert_int_equal(check.wrong, 0);
		assert_int_equal(check.items, written);
		free(reel);
	}
}

/* ---- the same, concurrently ---- */

#define TIMES 2000
static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				       PTHREAD_MUTEX_INITIALIZER};

static void *
write_all(void *data)
{
	struct writer *w = data;
	struct sl_rng rng = sl_rng_derive(w->number, 2);

	for (unsigned i = 0; i < TIMES; i++) {
		unsigned lock = sl_rng_below(&rng, LOCKS);

		pthread_mutex_lock(&locks[lock]);
		put_ticketed(w, SL_MUTEX_LOCK, lock, take_ticket(w));
		put_plain(w, lock);
		put_ticketed(w, SL_MUTEX_UNLOCK, lock, take_ticket(w));
		pthread_mutex_unlock(&locks[lock]);
	}
	__atomic_store_n(&w->reel->lanes[w->number].state, SL_LANE_ENDED, __ATOMIC_RELEASE);
	return NULL;
}

static void
test_threads(void **state)
{
	static struct sl_merge merge;
	struct sl_reel *reel = reel_new();
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];
	struct check check = {0};
	bool any = true;

	(void)state;
	sl_merge_init(&merge, reel);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){.reel = reel, .number = i};
		assert_int_equal(pthread_create(&threads[i], NULL, write_all, &writers[i]), 0);
	}
	while (any) {
		if (!sl_merge_round(&merge, false, take, NULL, &check))
			sched_yield();
		any = false;
		for (uint32_t i = 0; i < WRITERS; i++)
			any |= __atomic_load_n(&reel->lanes[i].state, __ATOMIC_ACQUIRE) != SL_LANE_FREE;
	}
	for (uint32_t i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(check.wrong, 0);
	assert_int_equal(check.items, WRITERS * TIMES * 3);
	free(reel);
}

/* Everything is there: exactly the order of tickets that sorting gives. */
static uint64_t order[WRITERS * 16], order_count;

static uint64_t
take_tickets(void *data, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	uint64_t i = 0;

	(void)data;
	(void)thread;
	for (; i < count; i += sl_reel_words(words + i))
		if ((uint8_t)words[i] == SL_REEL_TICKET) {
			if (words[i] >> 8 > limit)
				break;
			order[order_count++] = words[i] >> 8;
		}
	return i;
}

static void
test_sorted(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		static struct sl_merge merge;
		struct sl_rng rng = sl_rng_derive(seed, 3);
		struct sl_reel *reel = reel_new();
		struct writer writers[WRITERS];

		sl_merge_init(&merge, reel);
		for (uint32_t i = 0; i < WRITERS; i++)
			writers[i] = (struct writer){.reel = reel, .number = i};
		order_count = 0;
		for (uint64_t i = 1; i <= 30; i++) {
			struct writer *w = &writers[sl_rng_below(&rng, WRITERS)];

			if (reel->lanes[w->number].head > WORDS - 8)
				continue;
			put_ticketed(w, SL_MUTEX_LOCK, 0, take_ticket(w));
			if (sl_rng_below(&rng, 2))
				put_plain(w, 0);
		}
		sl_merge_round(&merge, false, take_tickets, NULL, NULL);
		assert_int_equal(order_count, reel->tickets);
		for (uint64_t i = 0; i < order_count; i++)
			assert_int_equal(order[i], i + 1);
		free(reel);
	}
}

/* ---- loops: nothing is lost or taken twice, at whatever moments they are read ---- */

#define ROUNDS_OF_LOOP 5
#define SLOTS_OF_LOOP 3
struct counted {
	uint64_t next; /* the item that has to come */
	uint64_t loops;
	unsigned wrong;
};

/* The numbers of items are their objects, in loops and between them. */
static uint64_t
take_counted(void *data, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	struct counted *c = data;
	uint64_t i = 0;

	(void)thread;
	for (; i < count && !sl_merge_stops(words[i], limit); i += sl_reel_words(words + i))
		if ((uint8_t)words[i] < SL_REEL_SWITCH)
			c->wrong += words[i + 1] >> 16 != c->next++;
	return i;
}

static void
take_counted_loop(void *data, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first, uint64_t last)
{
	struct counted *c = data;

	(void)thread;
	c->loops++;
	c->wrong += first >= last;
	for (; first < last; first++) {
		uint64_t words[3];

		sl_reel_loop_item(loop, first, words);
		c->wrong += words[1] >> 16 != c->next++;
	}
}

static void
test_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		static struct sl_merge merge;
		struct sl_rng rng = sl_rng_derive(seed, 4);
		struct sl_reel *reel = reel_new();
		struct writer w = {.reel = reel};
		struct counted counted = {0};
		uint64_t written = 0;
		sl_merge_take_loop *loops = seed % 2 ? take_counted_loop : NULL;

		sl_merge_init(&merge, reel);
		for (unsigned time = 0; time < 30; time++) {
			uint64_t words[SL_REEL_LOOP_WORDS(SLOTS_OF_LOOP)], *ring = (uint64_t *)((char *)reel + reel->rings);
			struct sl_reel_loop *loop = (struct sl_reel_loop *)words;
			unsigned items = sl_rng_below(&rng, ROUNDS_OF_LOOP * SLOTS_OF_LOOP);

			sl_merge_round(&merge, false, take_counted, loops, &counted); /* there is room now */
			for (unsigned i = sl_rng_below(&rng, 3); i; i--) {
				words[0] = sl_reel_word(SL_WRITE, 4, 1);
				words[1] = sl_reel_object_word(2, written++);
				put(&w, words, 2);
			}
			loop->state = SL_REEL_LOOP_STATE(0);
			loop->kind = SL_REEL_LOOP_KIND(SLOTS_OF_LOOP, 0);
			for (unsigned i = 0; i < SLOTS_OF_LOOP; i++)
				loop->slots[i] = (struct sl_reel_slot){.word = sl_reel_word(SL_WRITE, 4, 2 + i),
								       .object = written + i,
								       .step = SLOTS_OF_LOOP,
								       .last = i + 1 == SLOTS_OF_LOOP};
			put(&w, words, SL_REEL_LOOP_WORDS(SLOTS_OF_LOOP));
			loop = (struct sl_reel_loop *)&ring[(reel->lanes[0].head - SL_REEL_LOOP_WORDS(SLOTS_OF_LOOP)) & (WORDS - 1)];
			for (unsigned i = 0; i < items; i++) {
				bool last = i % SLOTS_OF_LOOP == SLOTS_OF_LOOP - 1;

				loop->state += last ? (1 << 16) - (SLOTS_OF_LOOP - 1) * sizeof(struct sl_reel_slot)
						    : sizeof(struct sl_reel_slot);
				written++;
				if (!sl_rng_below(&rng, 4)) {
					sl_merge_round(&merge, false, take_counted, loops, &counted);
					assert_int_equal(counted.next, written); /* all that has come */
				}
			}
		}
		sl_merge_round(&merge, true, take_counted, loops, &counted);
		assert_int_equal(counted.wrong, 0);
		assert_int_equal(counted.next, written);
		assert_true(!loops || counted.loops);
		free(reel);
	}
}

#define INNER_OF_LOOP 2u /* slots of the inner loop, and how many items it has */
#define COUNT_OF_INNER 7u

/* Items of a loop with another one in it, which have numbers one after the other as well. */
static void
make_nest(struct sl_reel_loop *loop, uint64_t number)
{
	unsigned round = SLOTS_OF_LOOP + COUNT_OF_INNER;
	struct sl_reel_nest *nest;

	loop->kind = SL_REEL_LOOP_KIND(INNER_OF_LOOP, SLOTS_OF_LOOP);
	loop->state = SL_REEL_LOOP_STATE(INNER_OF_LOOP);
	for (unsigned i = 0; i < SLOTS_OF_LOOP; i++)
		loop->slots[INNER_OF_LOOP + i] = (struct sl_reel_slot){
			.word = sl_reel_word(SL_WRITE, 4, 2 + i), .object = number + i, .step = round};
	loop->slots[INNER_OF_LOOP + SLOTS_OF_LOOP] = (struct sl_reel_slot){0};
	nest = sl_reel_nest(loop);
	nest->count = COUNT_OF_INNER;
	nest->round = 0;
	for (unsigned i = 0; i < INNER_OF_LOOP; i++) {
		nest->slots[i].start = number + SLOTS_OF_LOOP + i;
		nest->slots[i].step = round;
		loop->slots[i] = (struct sl_reel_slot){.word = sl_reel_word(SL_READ, 4, 9 + i),
						       .step = INNER_OF_LOOP,
						       .last = i + 1 == INNER_OF_LOOP};
	}
}

/* What a thread does when the next item has come. */
static void
nest_goes_on(struct sl_reel_loop *loop)
{
	struct sl_reel_nest *nest = sl_reel_nest(loop);
	unsigned slot = sl_reel_slot(loop->state);

	if (slot < INNER_OF_LOOP && (loop->state >> 16) * INNER_OF_LOOP + slot == COUNT_OF_INNER)
		loop->state = (nest->round + 1) << 16 | SL_REEL_LOOP_STATE(INNER_OF_LOOP);
	if (sl_reel_slot(loop->state) == INNER_OF_LOOP + SLOTS_OF_LOOP) {
		nest->round = loop->state >> 16;
		loop->state = SL_REEL_LOOP_STATE(0);
	}
	if (sl_reel_slot(loop->state) + 1 == INNER_OF_LOOP)
		loop->state = ((loop->state >> 16) + 1) << 16 | SL_REEL_LOOP_STATE(0);
	else
		loop->state += sizeof(struct sl_reel_slot);
}

static void
test_nests(void **state)
{
	enum { NEST = SL_REEL_NEST_WORDS(INNER_OF_LOOP, SLOTS_OF_LOOP) };

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		static struct sl_merge merge;
		struct sl_rng rng = sl_rng_derive(seed, 5);
		struct sl_reel *reel = reel_new();
		struct writer w = {.reel = reel};
		struct counted counted = {0};
		uint64_t written = 0, *ring = (uint64_t *)((char *)reel + reel->rings);
		sl_merge_take_loop *loops = seed % 2 ? take_counted_loop : NULL;

		sl_merge_init(&merge, reel);
		for (unsigned time = 0; time < 20; time++) {
			uint64_t words[NEST];
			struct sl_reel_loop *loop = (struct sl_reel_loop *)words;

			for (unsigned i = 1 + sl_rng_below(&rng, 3); i; i--) { /* which ends the last one */
				words[0] = sl_reel_word(SL_WRITE, 4, 1);
				words[1] = sl_reel_object_word(2, written++);
				put(&w, words, 2);
			}
			sl_merge_round(&merge, false, take_counted, loops, &counted); /* there is room now */
			make_nest(loop, written);
			put(&w, words, NEST);
			sl_merge_round(&merge, false, take_counted, loops, &counted); /* of what fills the ring up */
			loop = (struct sl_reel_loop *)&ring[(reel->lanes[0].head - NEST) & (WORDS - 1)];
			for (unsigned i = sl_rng_below(&rng, 60), n = 0; n < i; n++) {
				nest_goes_on(loop);
				written++;
				if (sl_rng_below(&rng, 4))
					continue;
				sl_merge_round(&merge, false, take_counted, loops, &counted);
				assert_true(counted.next <= written && written - counted.next <= SLOTS_OF_LOOP + COUNT_OF_INNER);
			}
		}
		sl_merge_round(&merge, true, take_counted, loops, &counted);
		assert_int_equal(counted.wrong, 0);
		assert_int_equal(counted.next, written);
		free(reel);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted), cmocka_unit_test(test_loops), cmocka_unit_test(test_nests),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
