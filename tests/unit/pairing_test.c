/*
 * Files of two versions are paired: by their paths, by the ends of their paths, by their content. And what is known of a file by its
 * first bytes.
 */
#include "version/listing.h"
#include "version/pairing.h"
#include "version/shelf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE SL_NO_FILE
#define LINES 50

static struct sl_text_set
set_of(struct sl_text *items, uint32_t count)
{
	return (struct sl_text_set){.items = items, .count = count};
}

static struct sl_text
text_of(const char *path, const char *bytes)
{
	return (struct sl_text){.path = path, .bytes = bytes, .size = strlen(bytes)};
}

static void
none(uint32_t *pairs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = NONE;
}

static void
test_equal_paths(void **state)
{
	struct sl_text old[] = {text_of("a.c", "1"), text_of("b/c.h", "2"), text_of("z.c", "3")};
	struct sl_text new[] = {text_of("a.c", "x"), text_of("b/a.c", "y"), text_of("b/c.h", "2")};
	const struct sl_text_set before = set_of(old, 3), after = set_of(new, 3), empty = {0};
	uint32_t pairs[3];

	(void)state;
	none(pairs, 3);
	sl_pair_equal(&before, &after, pairs);
	assert_int_equal(pairs[0], 0);
	assert_int_equal(pairs[1], NONE);
	assert_int_equal(pairs[2], 1);
	none(pairs, 3);
	sl_pair_equal(&empty, &after, pairs);
	assert_int_equal(pairs[0], NONE);
}

/* The longest end is taken first, and no file twice. A part of a component is no end. */
static void
test_ends_of_paths(void **state)
{
	struct sl_text old[] = {text_of("/v1/lib/list.c", ""), text_of("/v1/src/list.c", ""),
				text_of("/v1/src/xtest.c", "")};
	struct sl_text new[] = {text_of("/home/v2/src/list.c", ""), text_of("/home/v2/src/test.c", ""),
				text_of("/home/v2/list.c", ""), text_of("/home/v2/more/list.c", "")};
	const struct sl_text_set before = set_of(old, 3), after = set_of(new, 4);
	uint32_t pairs[4];

	(void)state;
	none(pairs, 4);
	sl_pair_endings(&before, &after, pairs);
	assert_int_equal(pairs[0], 1);
	assert_int_equal(pairs[1], NONE);
	assert_int_equal(pairs[2], 0);
	assert_int_equal(pairs[3], NONE);
}

static char *
lines(const char *word, unsigned changed)
{
	char *text = calloc(LINES, 64);
	size_t used = 0;

	assert_non_null(text);
	for (unsigned i = 0; i < LINES; i++)
		used += (size_t)sprintf(text + used, "int %s_%u;\n", i < changed ? "changed" : word, i * 7919);
	return text;
}

/* A renamed file that was changed a little is found, one that was changed much is another; what is paired stays so. */
static void
test_renames(void **state)
{
	char *apple = lines("apple", 0), *riper = lines("apple", 10), *rotten = lines("apple", 40),
	     *pear = lines("pear", 0);
	struct sl_text old[] = {text_of("apple.c", apple), text_of("pear.c", pear), text_of("same.c", apple)};
	struct sl_text new[] = {text_of("fruit/a\n\"\\.c", riper), text_of("rotten.c", rotten),
				text_of("same.c", pear)};
	const struct sl_text_set before = set_of(old, 3), after = set_of(new, 3);
	uint32_t pairs[3];
	struct sl_err err;

	(void)state;
	none(pairs, 3);
	sl_pair_equal(&before, &after, pairs);
	assert_int_equal(sl_pair_renamed(&before, &after, pairs, &err), 0);
	assert_int_equal(pairs[0], 0);
	assert_int_equal(pairs[1], NONE);
	assert_int_equal(pairs[2], 2);
	free(apple);
	free(riper);
	free(rotten);
	free(pear);
}

static void
test_nothing_to_rename(void **state)
{
	struct sl_text some[] = {text_of("a.c", "int a;\n")};
	const struct sl_text_set one = set_of(some, 1), empty = {0};
	uint32_t pairs[1] = {NONE};
	struct sl_err err;

	(void)state;
	assert_int_equal(sl_pair_renamed(&empty, &one, pairs, &err), 0);
	assert_int_equal(sl_pair_renamed(&one, &empty, pairs, &err), 0);
	assert_int_equal(pairs[0], NONE);
}

static void
test_made_by_a_compiler(void **state)
{
	static const struct {
		const char *head;
		size_t size;
		bool made;
	} heads[] = {
		{"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\x3e\0", 20, true},
		{"!<arch>\nlibrary", 15, true},
		{"!<thin>\nlibrary", 15, true},
		{"BC\xc0\xde", 4, true},
		{"gpch", 4, true},
		{"\177EL", 3, false},
		{"!<arch>", 7, false},
		{"#include <stdio.h>\n and more", 28, false},
		{"", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		assert_int_equal(sl_listed_is_made((const unsigned char *)heads[i].head, heads[i].size),
				 heads[i].made);
}

static void
test_lists_of_lines(void **state)
{
	struct sl_line_list list = {0};

	(void)state;
	assert_false(sl_line_has(&list, "0"));
	for (int i = 199; i >= 0; i--)
		sl_line_add(&list, "%03d", i);
	sl_line_sort(&list);
	assert_int_equal(list.count, 200);
	assert_string_equal(list.items[0], "000");
	assert_string_equal(list.items[199], "199");
	assert_null(list.items[200]);
	assert_true(sl_line_has(&list, "077"));
	sl_line_release(&list);
	assert_int_equal(list.count, 0);
}

static void
test_keys(void **state)
{
	char one[SL_SHELF_KEY], other[SL_SHELF_KEY];

	(void)state;
	sl_shelf_key("make test", one);
	sl_shelf_key("make test ", other);
	assert_int_equal(strlen(one), SL_SHELF_KEY - 1);
	assert_string_not_equal(one, other);
	sl_shelf_key("make test", other);
	assert_string_equal(one, other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_paths),
		cmocka_unit_test(test_ends_of_paths),
		cmocka_unit_test(test_renames),
		cmocka_unit_test(test_nothing_to_rename),
		cmocka_unit_test(test_made_by_a_compiler),
		cmocka_unit_test(test_lists_of_lines),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
