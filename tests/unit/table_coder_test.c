/*
 * The numbers of a table of sites (source/table_coder.h): all come back, in each form; what repeats takes next to nothing; and bytes that no
 * writer wrote are read to an end.
 */
#include "source/table_coder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

#define COUNT 3000
#define NUMBER(c, field, number, ...)                                                                             \
	sl_coder_number((c), (field), (number), (const uint32_t[]){__VA_ARGS__},                                  \
			sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Writes or reads numbers of all sizes. Reading: they are those that were written. */
static void
all_sizes(struct sl_coder *c)
{
	struct sl_rng rng = sl_rng_derive(7, 0);

	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t random = sl_rng_next(&rng);
		uint32_t number = (uint32_t)(random >> 32) >> random % 32, before = number % 5;

		if (i % 100 == 0)
			number = i % 200 ? UINT32_MAX : UINT32_MAX - 1;
		assert_int_equal(NUMBER(c, i % 3, c->reads ? 0 : number, 0, before, before * 7), number);
		number = random & 31;
		assert_int_equal(sl_coder_symbol(c, 5, c->reads ? 0 : number, 5, &before, 1), number);
		number = random & 255;
		assert_int_equal(sl_coder_symbol(c, 6, c->reads ? 0 : number, 8, &before, 1), number);
		assert_int_equal(sl_coder_random(c, c->reads ? 0 : random, 64), random);
		assert_int_equal(sl_coder_random(c, c->reads ? 0 : random >> 24, 40), random >> 24);
		assert_false(c->bad);
	}
}

static void
all_numbers_come_back(void **state)
{
	(void)state;
	for (unsigned plain = 0; plain < 2; plain++) {
		struct sl_coder out, in;

		sl_coder_write(&out, plain, 5 * COUNT);
		all_sizes(&out);
		sl_coder_finish(&out);
		assert_int_equal(out.numbers, 5 * COUNT);
		sl_coder_read(&in, plain, out.numbers, out.bytes, out.size);
		all_sizes(&in);
		/* there are no more */
		assert_int_equal(NUMBER(&in, 0, 0, 0), 0);
		assert_true(in.bad);
		sl_coder_release(&in);
		sl_coder_release(&out);
	}
}

/* 0, 1, 2, 0, 1, 2, … where the number before is a context. */
static void
repeat(struct sl_coder *c, unsigned count)
{
	for (uint32_t i = 0, before = 0; i < count; i++) {
		uint32_t number = NUMBER(c, 1, i % 3, 0, before);

		assert_int_equal(number, i % 3);
		before = number;
	}
}

static void
what_repeats_takes_next_to_nothing(void **state)
{
	struct sl_coder out, in;

	(void)state;
	sl_coder_write(&out, false, 10000);
	repeat(&out, 10000);
	sl_coder_finish(&out);
	assert_true(out.size < 50);
	sl_coder_read(&in, false, 10000, out.bytes, out.size);
	repeat(&in, 10000);
	assert_false(in.bad);
	sl_coder_release(&in);
	sl_coder_release(&out);
}

static void
anything_is_read_to_an_end(void **state)
{
	unsigned char bytes[100];
	struct sl_rng rng = sl_rng_derive(3, 0);

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		size_t size = sl_rng_next(&rng) % sizeof(bytes);
		struct sl_coder in;
		uint32_t before = 0;

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)sl_rng_next(&rng);
		sl_coder_read(&in, round & 1, 1000, bytes, size);
		for (unsigned i = 0; i < 1000; i++) {
			before = NUMBER(&in, 2, 0, 0, before);
			assert_true(sl_coder_symbol(&in, 3, 0, 4, &before, 1) < 16);
			assert_true(sl_coder_random(&in, 0, 40) >> 40 == 0);
		}
		assert_true(in.bad); /* there are no 3000 */
		assert_int_equal(before, 0);
		sl_coder_release(&in);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_come_back),
		cmocka_unit_test(what_repeats_takes_next_to_nothing),
		cmocka_unit_test(anything_is_read_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
