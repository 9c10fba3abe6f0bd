/*
 * Items of lanes are written quickly: loops of lanes as whole rounds at once, and what can't be predicted in bursts.
 * Byte for byte the result equals writing each item, except for bursts; and in any case it is read as it was.
 */
#include "base/rng.h"
#include "trace/lane/reel.h"
#include "trace/tape/tape_token.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#define MOST 6000

static uint64_t words[3 * MOST];
static uint64_t word_count;
static uint64_t named_low, named_high;

/* Loops in loops over places and addresses, with now and then something else. */
static void
make(struct sl_rng *rng)
{
	uint64_t bases[16], steps[16];
	unsigned kinds[16];

	word_count = 0;
	while (word_count < 2 * MOST) {
		unsigned length = 1 + sl_rng_below(rng, 12), rounds = 1 + sl_rng_below(rng, 200),
			 odd = sl_rng_below(rng, 4) ? 0 : 1 + sl_rng_below(rng, 60), place = sl_rng_below(rng, 40);
		bool twice = !sl_rng_below(rng, 3); /* a place is passed more than once in a round */

		for (unsigned i = 0; i < length; i++) {
			bases[i] = 0x1000 + 0x10000 * (uint64_t)sl_rng_below(rng, 8);
			steps[i] = sl_rng_below(rng, 3) ? 8 * (uint64_t)sl_rng_below(rng, 3) : (uint64_t)-16;
			kinds[i] = sl_rng_below(rng, 8);
		}
		for (unsigned r = 0; r < rounds && word_count < 2 * MOST; r++)
			for (unsigned i = 0; i < length; i++) {
				uint64_t pc = 0x400000 + 16 * (uint64_t)(place + (twice ? i / 2 : i));
				uint64_t object = bases[i] + steps[i] * r + (odd && r % odd == 0 ? 24 : 0);

				if (kinds[i] == 0) {
					words[word_count++] = sl_reel_word(SL_ITEM_BRANCH, 0, pc);
				} else if (kinds[i] == 1) {
					words[word_count++] = sl_reel_word(SL_ITEM_CALL, 0, pc);
					words[word_count++] = sl_reel_object_word(0, bases[i]);
				} else if (kinds[i] == 2 && r % 50 == 49) {
					words[word_count++] = sl_reel_word(SL_MUTEX_LOCK, 0, pc);
					words[word_count++] = sl_reel_object_word(3, bases[i]);
					words[word_count++] = 0;
				} else {
					words[word_count++] = sl_reel_word(kinds[i] & 1 ? SL_READ : SL_WRITE, 4, pc);
					words[word_count++] = sl_reel_object_word(kinds[i] & 1 ? 1 : 2, object);
				}
			}
	}
}

static uint64_t asked;

static bool
is_named(void *data, uint64_t first, uint64_t last, uint64_t step, uint8_t size)
{
	(void)step;
	(void)data;
	(void)size;
	asked++;
	return last < named_low || first >= named_high;
}

/* What has been written, as it was to be. */
static struct sl_item *written;
static uint64_t written_count;

static void
expect(const uint64_t *item)
{
	if (!(written_count & (written_count + 1)))
		written = sl_must(realloc(written, (2 * written_count + 1) * sizeof(*written)));
	sl_reel_read(item, &written[written_count]);
	written[written_count++].thread = 3;
}

static void
check_read(const struct sl_bytes *bytes)
{
	struct sl_cursor cursor = {bytes->at, bytes->at + bytes->count, false};
	struct sl_tape_code *code = sl_code_new();

	sl_code_reset(code);
	for (uint64_t i = 0; i < written_count; i++) {
		struct sl_item item;

		assert_true(sl_code_read(code, &cursor, &item));
		assert_memory_equal(&item, &written[i], sizeof(item));
	}
	sl_code_free(code);
}

static uint64_t
write_one(struct sl_tape_code *code, struct sl_bytes *to, uint32_t thread, uint64_t at)
{
	struct sl_item item;

	sl_reel_read(words + at, &item);
	item.thread = thread;
	sl_code_write(code, to, &item);
	return sl_reel_words(words + at);
}

/* Words of a lane, some at a time; what they do not take is written alone. Returns the number of items taken. */
static uint64_t
write_many(struct sl_rng *rng, struct sl_tape_code *code, struct sl_bytes *to, uint64_t *all)
{
	uint64_t quick = 0;

	for (uint64_t at = 0; at < word_count;) {
		uint64_t items = 0, cut = sl_rng_below(rng, 3) ? UINT64_MAX : sl_rng_below(rng, 100); /* sometimes in pieces */

		at += sl_code_write_words(code, to, 3, words + at, word_count - at, 0, cut, is_named, NULL, &items);
		assert_true(items <= cut);
		quick += items;
		*all += items;
		if (at < word_count) {
			at += write_one(code, to, 3, at);
			++*all;
		}
	}
	sl_code_write_end(code, to);
	return quick;
}

static void
expect_words(void)
{
	written_count = 0;
	for (uint64_t at = 0; at < word_count; at += sl_reel_words(words + at))
		expect(words + at);
}

static void
test_same(void **state)
{
	uint64_t quick = 0, all = 0, bursts = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 1);
		struct sl_tape_code *one = sl_code_new(), *many = sl_code_new(), *any = sl_code_new();
		struct sl_bytes slow = {0}, fast = {0}, burst = {0};

		make(&rng);
		named_low = sl_rng_below(&rng, 2) ? 0x11000 : 0;
		named_high = named_low ? 0x11100 : 0;
		sl_code_reset(one);
		sl_code_reset(many);
		for (uint64_t at = 0; at < word_count;)
			at += write_one(one, &slow, 3, at);
		sl_code_write_end(one, &slow);
		sl_code_thread(many, 3)->probe = UINT32_MAX; /* no bursts */
		quick += write_many(&rng, many, &fast, &all);
		assert_int_equal(fast.count, slow.count);
		assert_memory_equal(fast.at, slow.at, slow.count);
		assert_int_equal(many->bursts, 0);
		sl_code_reset(any);
		write_many(&rng, any, &burst, &(uint64_t){0});
		bursts += any->bursts;
		expect_words();
		check_read(&burst);
		free(burst.at);
		sl_code_free(any);
		free(slow.at);
		free(fast.at);
		sl_code_free(one);
		sl_code_free(many);
	}
	assert_true(quick > all / 2); /* or nothing was tested */
	assert_true(bursts > 400);
}

/* Unpredictable items: random places and addresses, of as many places as there are ways to encode their numbers. */
static void
make_unforeseen(struct sl_rng *rng, unsigned places)
{
	uint64_t last = 0;

	word_count = 0;
	while (word_count < 2 * MOST) {
		unsigned place = sl_rng_below(rng, places), kind = sl_rng_below(rng, 40);
		uint64_t pc = 0x400000 + 16 * (uint64_t)place,
			 object = sl_rng_below(rng, 4) ? last + 8 : sl_rng_next(rng) >> (16 + sl_rng_below(rng, 48));

		if (kind < 2) {
			words[word_count++] = sl_reel_word(kind ? SL_ITEM_BRANCH : SL_ITEM_RETURN, 0, pc);
		} else if (kind == 2) {
			words[word_count++] = sl_reel_word(SL_ITEM_CALL, 0, pc);
			words[word_count++] = sl_reel_object_word(0, 0x1000 + 16 * (uint64_t)sl_rng_below(rng, 2));
		} else if (kind == 3) {
			words[word_count++] = sl_reel_word(SL_READ, 255, pc);
			words[word_count++] = sl_reel_object_word(SL_OP_READS | SL_OP_RANGE, object);
			words[word_count++] = sl_rng_below(rng, 1000);
		} else {
			words[word_count++] = sl_reel_word(kind % 2 ? SL_READ : SL_ATOMIC_UPDATE, 8, pc);
			words[word_count++] = sl_reel_object_word(kind % 2 ? 1 : 7, object);
			last = object;
		}
	}
}

static void
test_bursts(void **state)
{
	static const unsigned places[] = {1, 8, 30, 200, 5000};
	uint64_t quick = 0, all = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 3);
		struct sl_tape_code *many = sl_code_new();
		struct sl_bytes fast = {0};
		unsigned times = 1 + seed % 4;

		named_low = sl_rng_below(&rng, 2) ? 0x11000 : 0;
		named_high = named_low ? 0x11100 : 0;
		sl_code_reset(many);
		sl_code_bare(many, 1ull << 20, sl_rng_below(&rng, 2) ? 1ull << 47 : 0);
		while (times--) {
			make_unforeseen(&rng, places[seed % 5]);
			expect_words();
			fast.count = 0;
			quick += write_many(&rng, many, &fast, &all);
			assert_true(many->bursts > 0 || seed % 5 == 4);
			check_read(&fast);
			sl_code_reset(many); /* the next block */
		}
		/* cut anywhere, it is not read as something else, nor beyond its end */
		for (size_t cut = sl_rng_below(&rng, 50); cut < fast.count; cut += 1 + sl_rng_below(&rng, 5000)) {
			uint8_t *part = sl_must(malloc(cut + 1));
			struct sl_cursor cursor = {part, part + cut, false};
			struct sl_tape_code *code = sl_code_new();
			struct sl_item item;

			memcpy(part, fast.at, cut);
			sl_code_reset(code);
			for (uint64_t i = 0; i < written_count && sl_code_read(code, &cursor, &item) && !cursor.short_; i++)
				assert_memory_equal(&item, &written[i], sizeof(item));
			sl_code_free(code);
			free(part);
		}
		free(fast.at);
		sl_code_free(many);
	}
	assert_true(quick > all / 2);
}

union loop_words {
	struct sl_reel_loop loop;
	uint64_t words[SL_REEL_LOOP_WORDS_MAX];
};

/* A loop with places that are passed more than once, addresses that stay, and kinds of one word and of two. */
static void
make_loop(struct sl_rng *rng, struct sl_reel_loop *loop)
{
	unsigned place = sl_rng_below(rng, 40);

	unsigned period = 1 + sl_rng_below(rng, SL_REEL_PERIOD_MAX);

	loop->state = SL_REEL_LOOP_STATE(0);
	loop->kind = SL_REEL_LOOP_KIND(period, 0);
	for (unsigned i = 0; i < period; i++) {
		struct sl_reel_slot *slot = &loop->slots[i];
		unsigned kind = sl_rng_below(rng, 6);
		uint64_t pc = 0x400000 + 16 * (uint64_t)(place + (sl_rng_below(rng, 8) ? i : 0));

		*slot = (struct sl_reel_slot){.last = i + 1 == period};
		slot->word = kind == 0 ? sl_reel_word(SL_ITEM_BRANCH, 0, pc)
			     : kind == 1 ? sl_reel_word(SL_ITEM_CALL, 0, pc)
					 : sl_reel_word(kind & 1 ? SL_READ : SL_WRITE, 4, pc);
		if (kind) {
			slot->object = 0x1000 + 0x10000 * (uint64_t)sl_rng_below(rng, 8);
			slot->flags = kind == 1 ? 0 : kind & 1 ? 1 : 2;
			slot->step = kind == 1 ? 0 : sl_rng_below(rng, 3) ? 8 * (uint64_t)sl_rng_below(rng, 3) : (uint64_t)-16;
		}
	}
}

/* Another loop around it. */
static void
make_nest(struct sl_rng *rng, struct sl_reel_loop *loop)
{
	unsigned period = sl_reel_period(loop), around;
	union loop_words made;
	struct sl_reel_nest *nest;

	make_loop(rng, &made.loop);
	around = sl_reel_period(&made.loop);
	loop->kind = SL_REEL_LOOP_KIND(period, around);
	for (unsigned i = 0; i < around; i++)
		loop->slots[period + i] = made.loop.slots[i];
	loop->slots[period + around] = (struct sl_reel_slot){0};
	nest = sl_reel_nest(loop);
	nest->count = 1 + sl_rng_below(rng, 100);
	nest->round = 0;
	loop->state = 1ull << 40 | SL_REEL_LOOP_STATE(period); /* how it ended is not recorded */
	for (unsigned i = 0; i < period; i++) {
		nest->slots[i].start = loop->slots[i].object;
		nest->slots[i].step = (uint8_t)loop->slots[i].word <= SL_WRITE ? 8 * (uint64_t)sl_rng_below(rng, 4) : 0;
	}
}

/* The inner loop of the last round has more rounds than before, or fewer. Returns the number of items. */
static uint64_t
go_on_inside(struct sl_rng *rng, struct sl_reel_loop *loop, uint64_t count)
{
	struct sl_reel_nest *nest = sl_reel_nest(loop);
	uint64_t period = sl_reel_period(loop), at = count % sl_reel_round(loop), more = sl_rng_below(rng, 300);

	loop->state = 1ull << 40 | SL_REEL_LOOP_STATE(period);
	if (at < sl_reel_around(loop))
		return 0;
	nest->round = count / sl_reel_round(loop);
	at -= sl_reel_around(loop);
	for (uint64_t i = at; i < at + more; i++) {
		const struct sl_reel_slot *slot = &loop->slots[i % period];

		words[0] = slot->word;
		words[1] = sl_reel_object_word(slot->flags, nest->slots[i % period].start + nest->slots[i % period].step * nest->round +
								    slot->step * (i / period));
		expect(words);
	}
	loop->state = (at + more) / period << 16 | SL_REEL_LOOP_STATE((at + more) % period);
	return more;
}

/* The same loop over and over, from other addresses on, with something in between; or another one. */
static void
test_loops(void **state)
{
	uint64_t quick = 0, all = 0, bytes = 0;

	(void)state;
	asked = 0;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct sl_rng rng = sl_rng_derive(seed, 2);
		struct sl_tape_code *many = sl_code_new();
		struct sl_bytes fast = {0};
		union loop_words l;

		written_count = 0;
		named_low = sl_rng_below(&rng, 2) ? 0x11000 : 0;
		named_high = named_low ? 0x11100 : 0;
		sl_code_reset(many);
		make_loop(&rng, &l.loop);
		if (seed % 2)
			make_nest(&rng, &l.loop);
		for (unsigned time = 0; time < 40; time++) {
			uint64_t count = sl_rng_below(&rng, seed % 2 ? 2000 : 400), at = 0;

			for (uint64_t i = 0; i < count; i++) {
				sl_reel_loop_item(&l.loop, i, words);
				expect(words);
			}
			if (seed % 2)
				count += go_on_inside(&rng, &l.loop, count);
			while (at < count) {
				uint64_t most = sl_rng_below(&rng, 2) ? count - at : 1 + sl_rng_below(&rng, (uint32_t)(count - at));
				uint64_t done = sl_code_write_loop(many, &fast, 3, &l.loop, at, most, is_named, NULL);

				assert_true(done <= most);
				quick += done;
				at += done;
				if (done == most)
					continue;
				sl_reel_loop_item(&l.loop, at++, words);
				write_one(many, &fast, 3, 0);
			}
			all += count;
			if (seed % 2)
				l.loop.state = 1ull << 40 | SL_REEL_LOOP_STATE(sl_reel_period(&l.loop));
			if (!sl_rng_below(&rng, 6)) {
				make_loop(&rng, &l.loop);
				if (seed % 2)
					make_nest(&rng, &l.loop);
			}
			for (unsigned i = 0; i < sl_reel_period(&l.loop) + sl_reel_around(&l.loop); i++)
				if ((uint8_t)l.loop.slots[i].word <= SL_WRITE)
					l.loop.slots[i].object += 8 * (uint64_t)sl_rng_below(&rng, 4);
			words[0] = sl_reel_word(SL_WRITE, 8, 0x500000);
			words[1] = sl_reel_object_word(2, 0x9000 + 8 * time);
			expect(words);
			write_one(many, &fast, 3, 0);
		}
		sl_code_write_end(many, &fast);
		check_read(&fast);
		bytes += fast.count;
		free(fast.at);
		sl_code_free(many);
	}
	free(written);
	assert_true(quick > all / 2);
	assert_true(asked < all / 3); /* whole loops at once */
	assert_true(bytes < all / 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_bursts),
					   cmocka_unit_test(test_loops)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
