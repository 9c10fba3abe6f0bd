/*
 * The variant graph, branch-affect groups and the branch-condition table of "Efficient Execution Path Exploration for
 * Detecting Races in Concurrent Programs" (src/paths): the paper's own examples, and on random sequences the same as every
 * interleaving shows.
 */
#include "base/rng.h"
#include "paths/branch_table.h"
#include "paths/groups.h"
#include "paths/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef RANDOM_PROGRAMS
#define RANDOM_PROGRAMS 3000
#endif

#define MANY 1000000

static const struct sl_variant_limits wide = {100000, MANY}, narrow = {1, MANY}, small = {MANY, 8};
#define NONE UINT32_MAX

/* Objects. A variable, a lock and a condition may have the same number. */
enum { X, Y, Z };
enum { A, B };

#define R(t, o, l)                                                                                                \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_READ, .object = o, .label = l                                          \
	}
#define W(t, o, l)                                                                                                \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_WRITE, .object = o, .label = l                                         \
	}
#define LOCK(t, o, l)                                                                                             \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_LOCK, .object = o, .label = l                                          \
	}
#define SHARE(t, o, l)                                                                                            \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_SHARE, .object = o, .label = l                                         \
	}
#define UNLOCK(t, o, l)                                                                                           \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_UNLOCK, .object = o, .label = l                                        \
	}
#define WAIT(t, o, l)                                                                                             \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_WAIT, .object = o, .label = l                                          \
	}
#define NOTIFY(t, o, l)                                                                                           \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_NOTIFY, .object = o, .label = l                                        \
	}
#define CREATE(t, o)                                                                                              \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_CREATE, .object = o, .label = "create"                                 \
	}
#define JOIN(t, o)                                                                                                \
	{                                                                                                         \
		.thread = t, .kind = SL_RW_JOIN, .object = o, .label = "join"                                     \
	}

#define SEQUENCE(name, ...)                                                                                       \
	static const struct sl_rw_event name##_events[] = {__VA_ARGS__};                                          \
	static const struct sl_rw_sequence name = {name##_events, sizeof(name##_events) / sizeof(name##_events[0])}

/* Fig. 3, as it was executed: T1 is 0, T2 is 1. (The writes and reads of n, which only T1 has, are left out.) */
SEQUENCE(figure_3, R(0, X, "1:read x"), W(1, X, "10:write x"), R(0, Y, "1:read y"), W(1, Y, "11:write y"),
	 R(0, Y, "7:read y"), R(1, X, "12:read x"));
static const bool figure_3_affects[] = {true, true, true, true, false, false};
static const uint32_t figure_3_set[] = {0, 1, 2, 3};
static const struct sl_affecting figure_3_branch = {&figure_3, figure_3_set, 4, 0};

/* Fig. 13: the same program with a lock, and T1 waits for T2 before it reads y again. */
SEQUENCE(figure_13, LOCK(0, A, "1:lock a"), R(0, X, "2:read x"), R(0, Y, "2:read y"), UNLOCK(0, A, "3:unlock a"),
	 WAIT(0, A, "4:wait"), LOCK(1, A, "20:lock a"), W(1, X, "21:write x"), W(1, Y, "22:write y"),
	 UNLOCK(1, A, "23:unlock a"), NOTIFY(1, A, "24:notify"), R(0, Y, "10:read y"), R(1, X, "25:read x"));

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Texts, each once. */
struct set {
	char **items;
	size_t count, room;
	uint32_t *slots;
	size_t slot_count;
};

static uint32_t *
slot_of(const struct set *set, const char *text)
{
	uint64_t hash = 1;

	for (const char *c = text; *c; c++)
		hash = hash * 1099511628211u + (unsigned char)*c;

	size_t i = sl_mix(hash) & (set->slot_count - 1);

	while (set->slots[i] && strcmp(set->items[set->slots[i] - 1], text))
		i = (i + 1) & (set->slot_count - 1);
	return &set->slots[i];
}

/* Returns whether the text is new. */
static bool
set_add(struct set *set, const char *text)
{
	if (set->count * 2 >= set->slot_count) {
		free(set->slots);
		set->slot_count = set->slot_count ? set->slot_count * 4 : 64;
		set->slots = calloc(set->slot_count, sizeof(*set->slots));
		assert_non_null(set->slots);
		for (size_t i = 0; i < set->count; i++)
			*slot_of(set, set->items[i]) = (uint32_t)i + 1;
	}

	uint32_t *slot = slot_of(set, text);

	if (*slot)
		return false;
	if (set->count == set->room) {
		set->room = set->room ? set->room * 2 : 64;
		set->items = realloc(set->items, set->room * sizeof(char *));
		assert_non_null(set->items);
	}
	set->items[set->count++] = strdup(text);
	*slot = (uint32_t)set->count;
	return true;
}

static void
set_release(struct set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->items[i]);
	free(set->items);
	free(set->slots);
	*set = (struct set){0};
}

/* A set as text: sorted lines. */
static char *
set_text(struct set *set)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	free(set->slots); /* the order changes */
	set->slots = NULL;
	set->slot_count = 0;
	if (set->count)
		qsort(set->items, set->count, sizeof(char *), compare_texts);
	for (size_t i = 0; i < set->count; i++)
		fprintf(out, "%s\n", set->items[i]);
	fclose(out);
	return text;
}

static void
add_text(struct set *set, char *text)
{
	set_add(set, text);
	free(text);
}

/* All variants, in the order of the threads of their events: as the paper numbers them. */
static size_t
variants_of(const struct sl_rw_sequence *sequence, struct sl_variant *variants, size_t room)
{
	struct sl_variants *v = sl_variants_new(sequence, SL_RW_ALL, SL_RW_ALL, &wide);
	struct sl_variant variant;
	size_t count = 0;

	while (sl_variants_next(v, &variant)) {
		uint32_t *copy = malloc(variant.count * sizeof(*copy));
		size_t place = count++;

		assert_true(count <= room);
		memcpy(copy, variant.events, variant.count * sizeof(*copy));
		variant.events = copy;
		for (; place; place--) {
			const struct sl_variant *other = &variants[place - 1];
			uint32_t i = 0;

			while (sequence->events[variant.events[i]].thread ==
			       sequence->events[other->events[i]].thread)
				i++;
			if (sequence->events[variant.events[i]].thread > sequence->events[other->events[i]].thread)
				break;
			variants[place] = *other;
		}
		variants[place] = variant;
	}
	assert_false(sl_variants_cut(v));
	sl_variants_free(v);
	return count;
}

static void
free_variants(struct sl_variant *variants, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)variants[i].events);
}

static void
expect_order(const struct sl_rw_sequence *sequence, const uint32_t *events, uint32_t count, const char *expected)
{
	char *text = sl_branch_order_text(sequence, events, count);

	assert_string_equal(text, expected);
	free(text);
}

/* V1 to V7. V2 is the one that two equivalent ways lead to. */
static void
test_figure_4(void **state)
{
	static const char *const expected[] = {
		"1:read x -> 1:read y -> 7:read y",
		"1:read x -> 10:write x -> 1:read y -> 7:read y",
		"1:read x -> 10:write x -> 11:write y -> 1:read y",
		"1:read x -> 10:write x -> 11:write y -> 12:read x -> 1:read y",
		"10:write x -> 1:read x",
		"10:write x -> 11:write y -> 1:read x",
		"10:write x -> 11:write y -> 12:read x -> 1:read x",
	};
	struct sl_variant variants[7];

	(void)state;
	assert_int_equal(variants_of(&figure_3, variants, 7), 7);
	for (size_t i = 0; i < 7; i++)
		expect_order(&figure_3, variants[i].events, variants[i].count, expected[i]);
	free_variants(variants, 7);
	assert_int_equal(sl_variants_count(&figure_3, &wide, MANY).variants, 7);
	assert_int_equal(sl_variants_count_pairs(&figure_3, &wide, MANY).variants, 7);
}

/* g1 to g5, with their members and orders. */
static void
test_table_2(void **state)
{
	static const struct {
		const char *order, *members;
	} expected[] = {
		{"1:read x -> 1:read y", " V1"},
		{"1:read x -> 10:write x -> 1:read y", " V2"},
		{"1:read x -> 10:write x -> 11:write y -> 1:read y", " V3 V4"},
		{"10:write x -> 1:read x", " V5"},
		{"10:write x -> 11:write y -> 1:read x", " V6 V7"},
	};
	struct sl_variant variants[7];
	struct sl_variant_groups groups = {0};
	size_t count = variants_of(&figure_3, variants, 7);

	(void)state;
	for (size_t i = 0; i < count; i++)
		sl_variant_groups_add(&groups, figure_3_affects, &variants[i], (uint32_t)i + 1);
	assert_int_equal(groups.count, 5);
	for (size_t g = 0; g < 5; g++) {
		char members[64] = "";

		expect_order(&figure_3, groups.items[g].order, groups.items[g].count, expected[g].order);
		for (size_t m = 0; m < groups.items[g].member_count; m++)
			snprintf(members + strlen(members), 8, " V%u", groups.items[g].members[m]);
		assert_string_equal(members, expected[g].members);
	}
	sl_variant_groups_release(&groups);
	free_variants(variants, count);
}

/*
 * Of the seven variants the lock leaves those that do not cut sections apart, and the wait those in which T1 reads y again after
 * it was written; V7 is there before and after the notification.
 */
static void
test_figure_13(void **state)
{
	static const char *const expected[] = {
		"20:lock a -> 21:write x -> 22:write y -> 23:unlock a -> 1:lock a -> 2:read x",
		"20:lock a -> 21:write x -> 22:write y -> 23:unlock a -> 1:lock a -> 24:notify -> 2:read x",
		"20:lock a -> 21:write x -> 22:write y -> 23:unlock a -> 1:lock a -> 24:notify -> 25:read x -> 2:read x",
	};
	struct sl_variant variants[3];

	(void)state;
	assert_int_equal(variants_of(&figure_13, variants, 3), 3);
	for (size_t i = 0; i < 3; i++) {
		struct set set = {0};
		bool found = false;

		add_text(&set, sl_branch_order_text(&figure_13, variants[i].events, variants[i].count));
		for (size_t e = 0; e < 3; e++)
			found |= !strcmp(set.items[0], expected[e]);
		assert_true(found);
		set_release(&set);
	}
	free_variants(variants, 3);
}

static void
expect_orders(const struct sl_affecting *affecting, bool whole, const char *expected)
{
	struct sl_branch_orders *orders = sl_branch_orders_new(affecting);
	struct sl_branch_order order;
	struct set set = {0};
	char *text;

	while (sl_branch_orders_next(orders, &order)) {
		assert_int_equal(order.count, affecting->count);
		assert_true(set.count < 1000);
		text = sl_branch_order_text(affecting->sequence, order.events, whole ? order.count : order.until);
		assert_true(set_add(&set, text));
		free(text);
	}
	assert_true(sl_branch_orders_exact(orders));
	assert_false(sl_branch_orders_too_large(orders));
	sl_branch_orders_free(orders);
	text = set_text(&set);
	assert_string_equal(text, expected);
	free(text);
	set_release(&set);
}

static void
expect_classes(const struct sl_affecting *affecting, const char *expected)
{
	struct sl_branch_classes *classes = sl_branch_classes_new(affecting);
	struct sl_branch_class class;
	struct set set = {0};
	char *text;

	while (sl_branch_classes_next(classes, &class)) {
		assert_true(set.count < 1000);
		text = sl_branch_class_text(affecting->sequence, class.seen, class.count);
		assert_true(set_add(&set, text));
		free(text);
	}
	assert_true(sl_branch_classes_exact(classes));
	sl_branch_classes_free(classes);
	text = set_text(&set);
	assert_string_equal(text, expected);
	free(text);
	set_release(&set);
}

/* All of them; g4 of Table II is the beginning of two, and g2 is the recorded one. */
static void
test_orders_of_figure_3(void **state)
{
	(void)state;
	expect_orders(&figure_3_branch, false,
		      "10:write x -> 11:write y -> 1:read x -> 1:read y\n"
		      "10:write x -> 1:read x -> 11:write y -> 1:read y\n"
		      "10:write x -> 1:read x -> 1:read y\n"
		      "1:read x -> 10:write x -> 11:write y -> 1:read y\n"
		      "1:read x -> 10:write x -> 1:read y\n"
		      "1:read x -> 1:read y\n");
	expect_classes(&figure_3_branch, "1:read x sees 10:write x, 1:read y 11:write y\n"
					 "1:read x sees 10:write x, 1:read y the initial value\n"
					 "1:read x sees the initial value, 1:read y 11:write y\n"
					 "1:read x sees the initial value, 1:read y the initial value\n");
}

/* With the lock of Fig. 13 the writes happen before both reads or after them. */
static void
test_orders_of_figure_13(void **state)
{
	static const uint32_t set[] = {1, 2, 6, 7};
	const struct sl_affecting branch = {&figure_13, set, 4, 0};

	(void)state;
	expect_orders(&branch, false, "21:write x -> 22:write y -> 2:read x -> 2:read y\n2:read x -> 2:read y\n");
	expect_classes(&branch, "2:read x sees 21:write x, 2:read y 22:write y\n"
				"2:read x sees the initial value, 2:read y the initial value\n");
}

/* What T1 prints at the end: without the wait it could be the old y. */
static void
test_a_read_after_a_wait(void **state)
{
	static const uint32_t set[] = {7, 10};
	const struct sl_affecting branch = {&figure_13, set, 2, 0};

	(void)state;
	expect_orders(&branch, false, "22:write y -> 10:read y\n");
	expect_classes(&branch, "10:read y sees 22:write y\n");
}

SEQUENCE(pool, W(2, X, "765:write _numActive"), R(1, X, "906:read _numActive"));

static void
test_table_6(void **state)
{
	static const uint32_t set[] = {0, 1};
	const struct sl_affecting branch = {&pool, set, 2, 1};

	(void)state;
	expect_orders(
		&branch, true,
		"765:write _numActive -> 906:read _numActive\n906:read _numActive -> 765:write _numActive\n");
}

SEQUENCE(jnetmap, R(0, X, "T2:279:read pingInterval"), W(0, X, "T2:286:write pingInterval"),
	 R(0, X, "T2:279:read pingInterval"), W(1, X, "T-AWT:112:write pingInterval"));

static void
test_table_7(void **state)
{
	static const uint32_t first[] = {0, 3}, second[] = {1, 2, 3};
	const struct sl_affecting branch_1 = {&jnetmap, first, 2, 0}, branch_2 = {&jnetmap, second, 3, 0};

	(void)state;
	expect_orders(&branch_1, true,
		      "T-AWT:112:write pingInterval -> T2:279:read pingInterval\n"
		      "T2:279:read pingInterval -> T-AWT:112:write pingInterval\n");
	expect_orders(&branch_2, true,
		      "T-AWT:112:write pingInterval -> T2:286:write pingInterval -> T2:279:read pingInterval\n"
		      "T2:286:write pingInterval -> T-AWT:112:write pingInterval -> T2:279:read pingInterval\n"
		      "T2:286:write pingInterval -> T2:279:read pingInterval -> T-AWT:112:write pingInterval\n");
	/* Two of the three orders let the read see the same. */
	expect_classes(&branch_2, "T2:279:read pingInterval sees T-AWT:112:write pingInterval\n"
				  "T2:279:read pingInterval sees T2:286:write pingInterval\n");
}

static const char *
variant_name(void *data, uint32_t number)
{
	char *name = data;

	snprintf(name, 16, "V%u", number);
	return name;
}

static void
expect_tables(const struct sl_branch_table *table, const char *groups, const char *rows)
{
	char name[16], *text = sl_branch_table_groups_text(table, variant_name, name);

	assert_string_equal(text, groups);
	free(text);
	text = sl_branch_table_text(table, 100);
	assert_string_equal(text, rows);
	free(text);
}

/* The only candidate for a row; 0: there is none. */
static uint32_t
candidate(const struct sl_branch_table *table, uint32_t first, uint32_t second)
{
	uint32_t outcomes[] = {first, second}, *members, found;
	size_t count = sl_branch_table_candidates(table, outcomes, &members);

	assert_true(count <= 1);
	found = count ? members[0] : 0;
	free(members);
	return found;
}

/* The steps of Tables III and IV, from Fig. 11 to Fig. 12. */
static void
test_tables_3_and_4(void **state)
{
	enum { TRUE_OUTCOME, FALSE_OUTCOME };
	struct sl_branch_table table = {0};
	uint32_t outcomes[2], branch, group;

	(void)state;
	for (uint32_t b = 0; b < 2; b++) {
		assert_int_equal(sl_branch_table_add_branch(&table, b ? "b2,1" : "b1,1"), b);
		assert_int_equal(sl_branch_table_add_outcome(&table, b, "True"), TRUE_OUTCOME);
		assert_int_equal(sl_branch_table_add_outcome(&table, b, "False"), FALSE_OUTCOME);
		for (uint32_t g = 0; g < (b ? 2 : 3); g++)
			assert_int_equal(sl_branch_table_add_group(&table, b), g);
	}

	static const struct {
		uint32_t branch, group, member;
	} members[] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 1, 5}, {0, 2, 4},
		       {1, 0, 1}, {1, 0, 2}, {1, 0, 4}, {1, 1, 3}, {1, 1, 5}};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		sl_branch_table_add_member(&table, members[i].branch, members[i].group, members[i].member);
	sl_branch_table_decide(&table, 0, 0, TRUE_OUTCOME);
	sl_branch_table_decide(&table, 1, 0, TRUE_OUTCOME);
	assert_true(
		sl_branch_table_mark(&table, (uint32_t[]){TRUE_OUTCOME, TRUE_OUTCOME}, 2, SL_ROW_TESTED, "V1"));
	expect_tables(&table,
		      "Branch  Branch-affect groups     Outcome\n"
		      "b1,1    g1(b1,1) = {V1, V2, V3}  True\n"
		      "        g2(b1,1) = {V5}          Untested\n"
		      "        g3(b1,1) = {V4}          Untested\n"
		      "b2,1    g1(b2,1) = {V1, V2, V4}  True\n"
		      "        g2(b2,1) = {V3, V5}      Untested\n",
		      "Row  b1,1   b2,1   Executions\n"
		      "1    True   True   V1\n"
		      "2    True   False  Untested\n"
		      "3    False  True   Untested\n"
		      "4    False  False  Untested\n");

	/* No candidate for any row: V5, of an untested group. */
	for (bool more = sl_branch_table_first_untested(&table, outcomes); more;
	     more = sl_branch_table_next_untested(&table, outcomes))
		assert_int_equal(candidate(&table, outcomes[0], outcomes[1]), 0);
	assert_true(sl_branch_table_untested_group(&table, &branch, &group));
	assert_int_equal(branch, 0);
	assert_int_equal(group, 1);

	/* It makes both false, and shows V6. */
	sl_branch_table_decide(&table, 0, 1, FALSE_OUTCOME);
	sl_branch_table_decide(&table, 1, 1, FALSE_OUTCOME);
	sl_branch_table_add_member(&table, 0, 1, 6);
	sl_branch_table_add_member(&table, 1, 0, 6);
	assert_int_equal(candidate(&table, TRUE_OUTCOME, FALSE_OUTCOME), 3);
	assert_int_equal(candidate(&table, FALSE_OUTCOME, TRUE_OUTCOME), 6);
	assert_int_equal(candidate(&table, FALSE_OUTCOME, FALSE_OUTCOME), 5);
	assert_true(
		sl_branch_table_mark(&table, (uint32_t[]){FALSE_OUTCOME, FALSE_OUTCOME}, 2, SL_ROW_TESTED, "V5"));
	assert_int_equal(sl_branch_table_untested(&table), 2);
	assert_true(
		sl_branch_table_mark(&table, (uint32_t[]){TRUE_OUTCOME, FALSE_OUTCOME}, 2, SL_ROW_TESTED, "V3"));
	assert_true(
		sl_branch_table_mark(&table, (uint32_t[]){FALSE_OUTCOME, TRUE_OUTCOME}, 2, SL_ROW_TESTED, "V6"));
	expect_tables(&table,
		      "Branch  Branch-affect groups         Outcome\n"
		      "b1,1    g1(b1,1) = {V1, V2, V3}      True\n"
		      "        g2(b1,1) = {V5, V6}          False\n"
		      "        g3(b1,1) = {V4}              Untested\n"
		      "b2,1    g1(b2,1) = {V1, V2, V4, V6}  True\n"
		      "        g2(b2,1) = {V3, V5}          False\n",
		      "Row  b1,1   b2,1   Executions\n"
		      "1    True   True   V1\n"
		      "2    True   False  V3\n"
		      "3    False  True   V6\n"
		      "4    False  False  V5\n");
	assert_int_equal(sl_branch_table_untested(&table), 0);
	assert_false(sl_branch_table_first_untested(&table, outcomes));
	sl_branch_table_release(&table);
}

/* With 100 branches no row is stored that nothing is known of. A branch that is found later was not reached before. */
static void
test_a_large_table(void **state)
{
	struct sl_branch_table table = {0};
	uint32_t outcomes[100] = {0};
	char *text;

	(void)state;
	assert_int_equal(sl_branch_table_rows(&table), 0);
	assert_false(sl_branch_table_first_untested(&table, outcomes));
	sl_branch_table_add_branch(&table, "first");
	sl_branch_table_add_outcome(&table, 0, "T");
	assert_true(sl_branch_table_mark(&table, outcomes, 1, SL_ROW_TESTED, "#1"));
	for (uint32_t b = 1; b < 4; b++) {
		sl_branch_table_add_branch(&table, b == 1 ? "é" : "x");
		sl_branch_table_add_outcome(&table, b, "T");
		sl_branch_table_add_outcome(&table, b, "F");
	}
	assert_int_equal(sl_branch_table_rows(&table), 8);
	assert_true(sl_branch_table_mark(&table, (uint32_t[]){0, 1, 0, 1}, 4, SL_ROW_INFEASIBLE, NULL));
	assert_true(sl_branch_table_mark(&table, (uint32_t[]){0, 1, 0, 0}, 4, SL_ROW_INFEASIBLE, NULL));
	assert_true(sl_branch_table_mark(&table, (uint32_t[]){0, 1, 0, 0}, 4, SL_ROW_TESTED, "#2"));
	assert_false(sl_branch_table_mark(&table, (uint32_t[]){0, 1, 0, 0}, 4, SL_ROW_INFEASIBLE, NULL));
	assert_false(sl_branch_table_mark(&table, (uint32_t[]){0, NONE, NONE, NONE}, 4, SL_ROW_TESTED, "#3"));
	assert_int_equal(sl_branch_table_untested(&table), 6);
	text = sl_branch_table_text(&table, 2);
	assert_string_equal(text, "Row  first  é  x  x  Executions\n"
				  "-    T      -  -  -  #1\n"
				  "6    T      F  T  F  Infeasible\n"
				  "... and 1 more that were tested or are infeasible\n"
				  "... and 6 untested\n");
	free(text);
	for (uint32_t b = 4; b < 100; b++) {
		sl_branch_table_add_branch(&table, "y");
		sl_branch_table_add_outcome(&table, b, "T");
		sl_branch_table_add_outcome(&table, b, "F");
	}
	assert_true(sl_branch_table_rows(&table) == UINT64_MAX);
	for (uint32_t i = 0; i < 1000; i++) {
		if (i == 0)
			assert_true(sl_branch_table_first_untested(&table, outcomes));
		else
			assert_true(sl_branch_table_next_untested(&table, outcomes));
		assert_true(sl_branch_table_mark(&table, outcomes, 100, SL_ROW_TESTED, "#4"));
		assert_int_equal(sl_branch_table_state(&table, outcomes), SL_ROW_TESTED);
	}
	sl_branch_table_release(&table);
}

/* n threads write x and y, one reads both: as many orders as nobody can list, and (n + 1)² classes, four if all write the same. */
static void
test_reorder(void **state)
{
	enum { SETTERS = 20, EVENTS = 2 * SETTERS + 2 };
	struct sl_rw_event events[EVENTS];
	uint32_t set[EVENTS];

	(void)state;
	for (uint32_t i = 0; i < EVENTS; i++) {
		events[i] = (struct sl_rw_event){.thread = i / 2,
						 .kind = i / 2 == SETTERS ? SL_RW_READ : SL_RW_WRITE,
						 .object = i % 2,
						 .label = "op"};
		set[i] = i;
	}
	for (uint32_t same = 0; same < 2; same++) {
		const struct sl_rw_sequence sequence = {events, EVENTS};
		const struct sl_affecting branch = {&sequence, set, EVENTS, SETTERS};
		struct sl_branch_classes *classes = sl_branch_classes_new(&branch);
		struct sl_branch_class class;
		uint32_t count = 0;

		while (sl_branch_classes_next(classes, &class))
			count++;
		assert_int_equal(count, same ? 4 : (SETTERS + 1) * (SETTERS + 1));
		assert_true(sl_branch_classes_exact(classes));
		sl_branch_classes_free(classes);

		struct sl_branch_orders *orders = sl_branch_orders_new(&branch);
		struct sl_branch_order order;

		for (uint32_t i = 0; i < 20; i++)
			assert_true(sl_branch_orders_next(orders, &order));
		sl_branch_orders_free(orders);
		for (uint32_t i = 0; i < 2 * SETTERS; i++)
			events[i].value = 1;
	}
}

SEQUENCE(shared, SHARE(0, A, "share"), W(0, X, "1:write x"), W(0, X, "2:write x"), UNLOCK(0, A, "unlock"),
	 SHARE(1, A, "share"), R(1, X, "read x"), UNLOCK(1, A, "unlock"));
/* The reader goes through the lock twice: as one of many, and alone. */
SEQUENCE(alone, SHARE(0, A, "share"), W(0, X, "1:write x"), W(0, X, "2:write x"), UNLOCK(0, A, "unlock"),
	 R(1, X, "8:read x"), SHARE(1, A, "share"), UNLOCK(1, A, "unlock"), LOCK(1, A, "lock"),
	 UNLOCK(1, A, "unlock"), R(1, X, "9:read x"));

/* Threads that share a lock do not exclude each other, and one that has it alone excludes all. */
static void
test_shared_locks(void **state)
{
	static const uint32_t in_shared[] = {1, 2, 5}, in_alone[] = {1, 2, 4, 9};
	const struct sl_affecting branch_1 = {&shared, in_shared, 3, 1}, branch_2 = {&alone, in_alone, 4, 1};

	(void)state;
	expect_classes(&branch_1, "read x sees 1:write x\nread x sees 2:write x\nread x sees the initial value\n");
	/* If 8 reads between the writes, 9 reads after both. */
	expect_orders(&branch_2, false,
		      "1:write x -> 2:write x -> 8:read x -> 9:read x\n"
		      "1:write x -> 8:read x -> 2:write x -> 9:read x\n"
		      "8:read x -> 1:write x -> 2:write x -> 9:read x\n"
		      "8:read x -> 1:write x -> 9:read x\n"
		      "8:read x -> 9:read x\n");
}

/* A loop that locks and unlocks a hundred thousand times counts as one time, where there is nothing in it. */
static void
test_long_loops(void **state)
{
	enum { TIMES = 100000, EVENTS = 2 * TIMES + 5 };
	struct sl_rw_event *events = calloc(EVENTS, sizeof(*events));
	const struct sl_rw_event first[] = {W(0, X, "write x"), LOCK(1, A, "lock"), R(1, X, "read x"),
					    R(1, X, "read x"), UNLOCK(1, A, "unlock")};
	uint32_t count = 0, set[3] = {0};

	(void)state;
	assert_non_null(events);
	events[count++] = first[0];
	for (uint32_t i = 0; i < TIMES; i++) {
		events[count++] = (struct sl_rw_event)LOCK(0, A, "lock");
		events[count++] = (struct sl_rw_event)UNLOCK(0, A, "unlock");
	}
	for (uint32_t i = 1; i < 5; i++) {
		set[i < 3 ? 1 : 2] = i == 2 || i == 3 ? count : set[i < 3 ? 1 : 2];
		events[count++] = first[i];
	}

	const struct sl_rw_sequence sequence = {events, count};
	const struct sl_affecting branch = {&sequence, set, 3, 1};

	expect_orders(&branch, false,
		      "read x -> read x\nread x -> write x -> read x\nwrite x -> read x -> read x\n");
	free(events);
}

/* Too many events to order are said to be that. Sections that are left out for their number make the orders inexact. */
static void
test_limits(void **state)
{
	enum { TIMES = 5000 };
	struct sl_rw_event *events = calloc(4 * TIMES + 3, sizeof(*events));
	uint32_t count = 0, set[TIMES + 3], set_count = 0;
	struct sl_branch_order order;

	(void)state;
	assert_non_null(events);
	for (uint32_t i = 0; i < TIMES; i++) {
		set[set_count++] = count;
		events[count++] = (struct sl_rw_event)W(0, X, "write x");
	}
	set[set_count++] = count;
	events[count++] = (struct sl_rw_event)R(1, X, "read x");
	for (unsigned many = 0; many < 2; many++) {
		const struct sl_rw_sequence sequence = {events, count};
		const struct sl_affecting branch = {&sequence, set, set_count, 1};
		struct sl_branch_orders *orders = sl_branch_orders_new(&branch);
		struct sl_branch_classes *classes = sl_branch_classes_new(&branch);

		assert_int_equal(sl_branch_orders_next(orders, &order), many);
		assert_int_equal(sl_branch_orders_too_large(orders), !many);
		assert_int_equal(sl_branch_classes_too_large(classes), !many);
		assert_int_equal(sl_branch_orders_exact(orders), !many);
		sl_branch_orders_free(orders);
		sl_branch_classes_free(classes);
		count = 0;
		for (uint32_t i = 0; i < TIMES; i++) {
			events[count++] = (struct sl_rw_event)LOCK(0, i % 2, "lock");
			events[count++] = (struct sl_rw_event)UNLOCK(0, i % 2, "unlock");
			events[count++] = (struct sl_rw_event)LOCK(1, i % 2, "lock");
			events[count++] = (struct sl_rw_event)UNLOCK(1, i % 2, "unlock");
		}
		set[0] = count;
		events[count++] = (struct sl_rw_event)W(0, X, "write x");
		set[1] = count;
		events[count++] = (struct sl_rw_event)R(1, X, "read x");
		set_count = 2;
	}

	/* Each update depends on the updates before: there are too many classes to find the next one soon. */
	const struct sl_rw_sequence counter = {events, TIMES / 5 + 1};
	uint32_t found = 0;

	for (uint32_t i = 0; i < counter.count; i++) {
		set[i] = i;
		events[i] = (struct sl_rw_event){i % 8, SL_RW_UPDATE, X, 0, "add to x"};
	}

	struct sl_branch_classes *classes =
		sl_branch_classes_new(&(struct sl_affecting){&counter, set, counter.count, 0});
	struct sl_branch_class class;

	while (found < 1000 && sl_branch_classes_next(classes, &class))
		found++;
	assert_true(found == 1000 || sl_branch_classes_too_large(classes));
	sl_branch_classes_free(classes);
	free(events);
}

/* What a thread of a pair wrote before the main thread joined it is before what the next thread does. */
static void
test_pairs(void **state)
{
	static const struct sl_rw_event events[] = {CREATE(0, 1), W(1, X, "write x"), JOIN(0, 1),
						    CREATE(0, 2), R(2, X, "read x"),  R(0, X, "read x")};
	const struct sl_rw_sequence joined = {events, 6};

	(void)state;
	assert_int_equal(sl_variants_count_pairs(&joined, &wide, MANY).variants, 0);
	assert_int_equal(sl_variants_count(&joined, &wide, MANY).variants, 0);

	/* The same if the thread begins with joining the other. */
	static const struct sl_rw_event at_once[] = {CREATE(0, 1), CREATE(0, 2), W(1, X, "write x"), JOIN(2, 1),
						     R(2, X, "read x")};
	static const uint32_t set[] = {2, 4};
	const struct sl_rw_sequence joined_at_once = {at_once, 5};

	assert_int_equal(sl_variants_count_pairs(&joined_at_once, &wide, MANY).variants, 0);
	assert_int_equal(sl_variants_count(&joined_at_once, &wide, MANY).variants, 0);
	expect_classes(&(struct sl_affecting){&joined_at_once, set, 2, 2}, "read x sees write x\n");

	/* Three threads that write the same: of all interleavings more are variants than of the pairs. */
	static const struct sl_rw_event writers[] = {W(0, X, "a"), W(1, X, "b"), W(2, X, "c")};
	const struct sl_rw_sequence three = {writers, 3};

	assert_int_equal(sl_variants_count(&three, &wide, MANY).variants, 3);
	assert_int_equal(sl_variants_count_pairs(&three, &wide, MANY).variants, 3);

	assert_true(sl_variants_count_pairs(&three, &wide, 1).more);
	assert_false(sl_variants_count_pairs(&three, &wide, 3).more);

	struct sl_variant_count count = sl_variants_count(&figure_3, &wide, 5);

	assert_int_equal(count.variants, 5);
	assert_true(count.more);
	count = sl_variants_count(&figure_3, &narrow, MANY);
	assert_true(count.variants < 7);
	assert_true(count.more);
	count = sl_variants_count(&figure_3, &small, MANY);
	assert_true(count.variants < 7);
	assert_true(count.more);
}

/* Random sequences: small programs, executed by a random schedule until nobody can go on. */
enum { THREADS = 3, OBJECTS = 3, EVENTS = 20 };

struct program {
	struct sl_rw_event lanes[THREADS][EVENTS];
	uint32_t lengths[THREADS];
};

struct recording {
	struct sl_rw_event events[THREADS * EVENTS];
	struct sl_rw_sequence sequence;
	char labels[THREADS * EVENTS][24];
	uint32_t lanes[THREADS][EVENTS], lengths[THREADS];
};

/* How far an execution has come: literally the vectors and flags of a node. */
struct node {
	uint32_t index[THREADS], versions[OBJECTS], holders[OBJECTS], sharers[OBJECTS];
	bool waits[THREADS];
	uint32_t waits_for[THREADS];
};

static bool
starts_before_it_is_created(const struct recording *r, const struct node *node, uint32_t thread)
{
	for (uint32_t i = 0; i < r->sequence.count && node->index[thread] == 0; i++) {
		const struct sl_rw_event *e = &r->events[i];
		bool happened = false;

		if (e->kind != SL_RW_CREATE || e->object != thread)
			continue;
		for (uint32_t p = 0; p < node->index[e->thread]; p++)
			happened |= r->lanes[e->thread][p] == i;
		return !happened;
	}
	return false;
}

static bool
can_happen(const struct node *node, const struct sl_rw_event *e)
{
	if (node->waits[e->thread])
		return false;
	if (e->kind == SL_RW_LOCK)
		return !node->holders[e->object] && !node->sharers[e->object];
	return e->kind != SL_RW_SHARE || !node->holders[e->object];
}

static void
happen(struct node *node, const struct sl_rw_event *e)
{
	node->index[e->thread]++;
	switch (e->kind) {
	case SL_RW_WRITE:
	case SL_RW_UPDATE:
		node->versions[e->object]++;
		break;
	case SL_RW_LOCK:
		node->holders[e->object] = 1;
		break;
	case SL_RW_SHARE:
		node->sharers[e->object]++;
		break;
	case SL_RW_UNLOCK:
		if (node->holders[e->object])
			node->holders[e->object] = 0;
		else
			node->sharers[e->object]--;
		break;
	case SL_RW_WAIT:
		node->waits[e->thread] = true;
		node->waits_for[e->thread] = e->object;
		break;
	case SL_RW_NOTIFY:
		for (uint32_t t = 0; t < THREADS; t++)
			if (node->waits[t] && node->waits_for[t] == e->object)
				node->waits[t] = false;
		break;
	default:
		break;
	}
}

static void
add_event(struct program *p, uint32_t thread, uint32_t kind, uint32_t object, uint32_t value)
{
	p->lanes[thread][p->lengths[thread]++] =
		(struct sl_rw_event){.thread = thread, .kind = kind, .object = object, .value = value};
}

static void
make_lane(struct program *p, uint32_t thread, uint32_t steps, struct sl_rng *rng, bool locks, bool orders)
{
	uint32_t held[2], depth = 0;

	for (uint32_t i = 0; i < steps; i++) {
		uint32_t dice = sl_rng_below(rng, 100), object = sl_rng_below(rng, OBJECTS);
		bool writes = dice % 2;

		if (locks && dice < 25 && depth < 2) {
			uint32_t lock = sl_rng_below(rng, 2);

			if (depth && held[0] == lock)
				continue;
			add_event(p, thread, sl_rng_below(rng, 2) ? SL_RW_LOCK : SL_RW_SHARE, lock, 0);
			held[depth++] = lock;
		} else if (dice < 45 && depth) {
			add_event(p, thread, SL_RW_UNLOCK, held[--depth], 0);
		} else if (orders && dice >= 90) {
			add_event(p, thread, sl_rng_below(rng, 2) ? SL_RW_WAIT : SL_RW_NOTIFY,
				  sl_rng_below(rng, 2), 0);
		} else {
			add_event(p, thread,
				  dice % 7 == 0 ? SL_RW_UPDATE
				  : writes      ? SL_RW_WRITE
						: SL_RW_READ,
				  object, writes && dice % 7 && dice % 3 == 0 ? 1 + dice % 2 : 0);
		}
	}
	while (depth && sl_rng_below(rng, 8))
		add_event(p, thread, SL_RW_UNLOCK, held[--depth], 0);
}

static void
insert_event(struct program *p, uint32_t thread, uint32_t place, uint32_t kind, uint32_t object)
{
	add_event(p, thread, kind, object, 0);
	for (uint32_t i = p->lengths[thread] - 1; i > place; i--) {
		struct sl_rw_event swap = p->lanes[thread][i];

		p->lanes[thread][i] = p->lanes[thread][i - 1];
		p->lanes[thread][i - 1] = swap;
	}
}

static void
record(struct recording *r, uint64_t seed, bool locks, bool orders)
{
	struct sl_rng rng = {seed};
	struct program p = {0};
	struct node node = {0};
	uint32_t threads = 2 + sl_rng_below(&rng, 2);
	bool exists[THREADS] = {true, true, true}, more = true;

	memset(r, 0, sizeof(*r));
	for (uint32_t t = 0; t < threads; t++)
		make_lane(&p, t, 1 + sl_rng_below(&rng, threads == 2 ? 7 : 5), &rng, locks, orders);
	for (uint32_t t = 1; orders && t < threads; t++)
		if (sl_rng_below(&rng, 3) == 0) {
			uint32_t place = sl_rng_below(&rng, p.lengths[0] + 1);

			insert_event(&p, 0, place, SL_RW_CREATE, t);
			if (sl_rng_below(&rng, 2))
				insert_event(&p, 0, place + 1 + sl_rng_below(&rng, p.lengths[0] - place),
					     SL_RW_JOIN, t);
			exists[t] = false;
		}
	r->sequence.events = r->events;
	while (more) {
		uint32_t ready[THREADS], count = 0;

		for (uint32_t t = 0; t < threads; t++) {
			const struct sl_rw_event *e = &p.lanes[t][node.index[t]];

			if (exists[t] && node.index[t] < p.lengths[t] && can_happen(&node, e) &&
			    (e->kind != SL_RW_JOIN || node.index[e->object] == p.lengths[e->object]))
				ready[count++] = t;
		}
		more = count != 0;
		if (!more)
			break;

		uint32_t t = ready[sl_rng_below(&rng, count)], number = r->sequence.count++;
		struct sl_rw_event *e = &r->events[number];

		*e = p.lanes[t][node.index[t]];
		snprintf(r->labels[number], sizeof(r->labels[number]), "%u", number);
		e->label = r->labels[number];
		happen(&node, e);
		if (e->kind == SL_RW_CREATE)
			exists[e->object] = true;
		r->lanes[t][r->lengths[t]++] = number;
	}
}

static bool
is_ready(const struct recording *r, const struct node *node, uint32_t thread)
{
	const struct sl_rw_event *e;

	if (node->index[thread] == r->lengths[thread])
		return false;
	e = &r->events[r->lanes[thread][node->index[thread]]];
	return can_happen(node, e) && !starts_before_it_is_created(r, node, thread) &&
	       (e->kind != SL_RW_JOIN || node->index[e->object] == r->lengths[e->object]);
}

static void
node_text(const struct node *node, char *text)
{
	for (uint32_t t = 0; t < THREADS; t++)
		text += sprintf(text, "%u%s ", node->index[t], node->waits[t] ? "w" : "");
}

/* The variant graph as the paper builds it: every node, and the variants with the nodes they come from. */
static void
build_graph(const struct recording *r, const uint32_t *versions, const struct node *node, struct set *nodes,
	    struct set *variants)
{
	char text[128];

	node_text(node, text);
	if (!set_add(nodes, text))
		return;
	for (uint32_t t = 0; t < THREADS; t++) {
		struct node child = *node;

		if (!is_ready(r, node, t))
			continue;

		uint32_t number = r->lanes[t][node->index[t]];
		const struct sl_rw_event *e = &r->events[number];

		if (e->kind <= SL_RW_UPDATE && node->versions[e->object] != versions[number]) {
			node_text(node, text);
			sprintf(text + strlen(text), "%u", t);
			assert_true(set_add(variants, text));
			continue;
		}
		happen(&child, e);
		build_graph(r, versions, &child, nodes, variants);
	}
}

static void
recorded_versions(const struct recording *r, uint32_t *versions)
{
	struct node node = {0};

	for (uint32_t i = 0; i < r->sequence.count; i++) {
		versions[i] = r->events[i].kind <= SL_RW_UPDATE ? node.versions[r->events[i].object] : 0;
		happen(&node, &r->events[i]);
	}
}

/* Executes a variant literally; only its last event meets another version. Adds it with the node it comes from. */
static void
check_variant(const struct recording *r, const uint32_t *versions, const struct sl_variant *variant,
	      struct set *found)
{
	struct node node = {0};
	char text[128];

	for (uint32_t i = 0; i < variant->count; i++) {
		const struct sl_rw_event *e = &r->events[variant->events[i]];
		bool differs;

		assert_true(is_ready(r, &node, e->thread));
		assert_int_equal(r->lanes[e->thread][node.index[e->thread]], variant->events[i]);
		differs = e->kind <= SL_RW_UPDATE && node.versions[e->object] != versions[variant->events[i]];
		assert_int_equal(differs, i + 1 == variant->count);
		if (differs) {
			node_text(&node, text);
			sprintf(text + strlen(text), "%u", e->thread);
			assert_true(set_add(found, text));
		}
		happen(&node, e);
	}
}

static void
expect_same(struct set *a, struct set *b, uint64_t seed)
{
	char *one = set_text(a), *other = set_text(b);

	if (strcmp(one, other))
		print_message("seed %llu:\n%s---\n%s", (unsigned long long)seed, one, other);
	assert_string_equal(one, other);
	free(one);
	free(other);
}

static void
test_random_variants(void **state)
{
	uint64_t seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct recording r;
		uint32_t versions[THREADS * EVENTS];
		struct set nodes = {0}, variants = {0}, found = {0};
		struct node start = {0};
		struct sl_variant variant;

		record(&r, seed, seed % 2, seed % 3);
		recorded_versions(&r, versions);
		build_graph(&r, versions, &start, &nodes, &variants);

		struct sl_variants *v = sl_variants_new(&r.sequence, SL_RW_ALL, SL_RW_ALL, &wide);

		while (sl_variants_next(v, &variant))
			check_variant(&r, versions, &variant, &found);
		assert_int_equal(sl_variants_nodes(v), nodes.count);
		assert_false(sl_variants_cut(v));
		sl_variants_free(v);
		seen += variants.count;
		expect_same(&found, &variants, seed);
		set_release(&nodes);
		set_release(&variants);
		set_release(&found);
	}
	assert_true(seen > RANDOM_PROGRAMS);
}

/* The variants of pairs are those of the sequence without the events of other threads. */
static void
test_random_pairs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct recording r;
		uint64_t expected = 0;

		record(&r, seed, seed % 2, false);
		for (uint32_t one = 0; one < THREADS; one++)
			for (uint32_t other = one + 1; other < THREADS; other++) {
				struct sl_rw_event events[THREADS * EVENTS];
				struct sl_rw_sequence pair = {events, 0};

				for (uint32_t i = 0; i < r.sequence.count; i++)
					if (r.events[i].thread == one || r.events[i].thread == other)
						events[pair.count++] = r.events[i];
				expected += sl_variants_count(&pair, &wide, MANY).variants;
			}
		assert_int_equal(sl_variants_count_pairs(&r.sequence, &wide, MANY).variants, expected);
	}
}

/* Every execution, and what is known in it: which of the reads that a thread's values come from saw what. */
struct knowledge {
	uint32_t seen[THREADS * EVENTS]; /* 0: not known; 1: the initial value; n + 2: event n; -n: value n */
};

struct walk {
	const struct recording *r;
	const bool *affects;
	uint32_t last;
	struct set states, orders, classes;
};

struct execution {
	struct node node;
	struct knowledge threads[THREADS], objects[OBJECTS];
	uint32_t written[OBJECTS]; /* as in struct knowledge */
	char order[THREADS * EVENTS * 8];
};

static void
class_text(const struct knowledge *k, uint32_t count, char *text)
{
	*text = '\0';
	for (uint32_t i = 0; i < count; i++)
		if (k->seen[i])
			text += sprintf(text, "%u<%d ", i, (int)k->seen[i]);
}

static void
perform(const struct walk *w, struct execution *x, uint32_t number)
{
	const struct sl_rw_event *e = &w->r->events[number];

	if (w->affects[number]) {
		struct knowledge *k = &x->threads[e->thread];

		sprintf(x->order + strlen(x->order), "%s%u", *x->order ? " -> " : "", number);
		if (e->kind != SL_RW_WRITE) {
			k->seen[number] = x->written[e->object] ? x->written[e->object] : 1;
			for (uint32_t i = 0; i < w->r->sequence.count; i++)
				if (x->objects[e->object].seen[i])
					k->seen[i] = x->objects[e->object].seen[i];
		}
		if (e->kind != SL_RW_READ) {
			memset(&x->objects[e->object], 0, sizeof(*k));
			if (!e->value)
				x->objects[e->object] = *k;
			x->written[e->object] = e->value ? -e->value : number + 2;
		}
	}
	happen(&x->node, e);
}

static void
walk(struct walk *w, const struct execution *x)
{
	char text[1024];

	node_text(&x->node, text);
	strcat(text, x->order);
	if (!set_add(&w->states, text))
		return;
	for (uint32_t t = 0; t < THREADS; t++) {
		struct execution next;
		uint32_t number;

		if (!is_ready(w->r, &x->node, t))
			continue;
		number = w->r->lanes[t][x->node.index[t]];
		next = *x;
		perform(w, &next, number);
		if (number == w->last) {
			class_text(&next.threads[t], w->r->sequence.count, text);
			set_add(&w->orders, next.order);
			set_add(&w->classes, text);
		} else {
			walk(w, &next);
		}
	}
}

/* The run is an execution, up to the branch. Returns its order and class as text. */
static void
check_run(const struct walk *w, const uint32_t *run, uint32_t count, char *order, char *class)
{
	struct execution x = {0};

	/* Operations of a thread that are not in the run come as early as they can after one that is, or right before the next one. */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t t = w->r->events[run[i]].thread, next = i + 1;

		while (x.node.index[t] == 0 || w->r->lanes[t][x.node.index[t] - 1] != run[i]) {
			assert_true(is_ready(w->r, &x.node, t));
			perform(w, &x, w->r->lanes[t][x.node.index[t]]);
		}
		while (next < count && w->r->events[run[next]].thread != t)
			next++;
		while (next < count && w->r->lanes[t][x.node.index[t]] != run[next] && is_ready(w->r, &x.node, t))
			perform(w, &x, w->r->lanes[t][x.node.index[t]]);
	}
	assert_int_equal(run[count - 1], w->last);
	strcpy(order, x.order);
	class_text(&x.threads[w->r->events[w->last].thread], w->r->sequence.count, class);
}

static void
seen_text(const struct sl_branch_seen *seen, uint32_t count, char *text)
{
	*text = '\0';
	for (uint32_t i = 0; i < count; i++) {
		int what = seen[i].value                        ? -(int)seen[i].value
			   : seen[i].write == SL_BRANCH_INITIAL ? 1
								: (int)seen[i].write + 2;

		text += sprintf(text, "%u<%d ", seen[i].read, what);
	}
}

/* Some reads of some objects, and all writes to them. Returns how many events there are. */
static uint32_t
choose_set(const struct recording *r, struct sl_rng *rng, uint32_t *set, bool *affects)
{
	uint32_t count = 0, objects = 1 + sl_rng_below(rng, 7);

	memset(affects, 0, THREADS * EVENTS);
	for (uint32_t i = 0; i < r->sequence.count; i++) {
		const struct sl_rw_event *e = &r->events[i];

		affects[i] = e->kind <= SL_RW_UPDATE && objects & 1u << e->object &&
			     (e->kind != SL_RW_READ || sl_rng_below(rng, 5));
		if (affects[i])
			set[count++] = i;
	}
	return count;
}

/* Algorithm 3 on the variants of the graph: where nothing is infeasible, the order of each group is the beginning of an order. */
static void
check_variant_groups(const struct sl_affecting *branch, const bool *affects, uint32_t last,
		     const struct set *orders)
{
	struct sl_variants *v = sl_variants_new(branch->sequence, SL_RW_ALL, SL_RW_ALL, &wide);
	struct sl_variant variant;
	struct sl_variant_groups groups = {0};

	for (uint32_t n = 0; sl_variants_next(v, &variant); n++)
		sl_variant_groups_add(&groups, affects, &variant, n);
	for (size_t g = 0; g < groups.count; g++) {
		uint32_t count = 0;
		bool found = false;
		char *text;

		while (count < groups.items[g].count && (count == 0 || groups.items[g].order[count - 1] != last))
			count++;
		text = sl_branch_order_text(branch->sequence, groups.items[g].order, count);
		for (size_t i = 0; i < orders->count && !found; i++) {
			const char *end = orders->items[i] + strlen(text);

			found = !strncmp(orders->items[i], text, strlen(text)) && (!*text || !*end || *end == ' ');
		}
		assert_true(found);
		free(text);
	}
	sl_variant_groups_release(&groups);
	sl_variants_free(v);
}

static void
test_random_groups(void **state)
{
	uint64_t orders_seen = 0, classes_seen = 0, pruned = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct recording r;
		struct sl_rng rng = {~seed};
		uint32_t set[THREADS * EVENTS], last = NONE;
		bool affects[THREADS * EVENTS];
		struct execution start = {0};
		struct set orders = {0}, classes = {0};
		struct sl_branch_seen seen[THREADS * EVENTS];
		struct sl_branch_order order;
		struct sl_branch_class class;
		char order_text[1024], known[1024], text[1024];

		record(&r, seed, seed % 2, seed % 3);

		const struct sl_affecting branch = {&r.sequence, set, choose_set(&r, &rng, set, affects),
						    sl_rng_below(&rng, 2)};

		for (uint32_t i = 0; i < branch.count; i++)
			if (r.events[set[i]].thread == branch.thread)
				last = set[i];

		struct walk w = {.r = &r, .affects = affects, .last = last};

		if (last != NONE)
			walk(&w, &start);

		struct sl_branch_orders *o = sl_branch_orders_new(&branch);

		for (uint32_t n = 0; sl_branch_orders_next(o, &order); n++) {
			check_run(&w, order.run, order.run_count, order_text, known);
			char *label = sl_branch_order_text(&r.sequence, order.events, order.until);
			assert_string_equal(order_text, label);
			if (n == 0) /* the recorded one */
				for (uint32_t i = 0; i < order.until; i++)
					assert_int_equal(order.events[i], set[i]);
			seen_text(seen, sl_branch_class_of_order(&branch, order.events, order.until, seen), text);
			assert_string_equal(text, known);
			assert_true(set_add(&orders, label));
			free(label);
		}
		assert_true(sl_branch_orders_exact(o));
		sl_branch_orders_free(o);
		expect_same(&orders, &w.orders, seed);
		if (last != NONE && seed % 2 == 0 && seed % 3 == 0)
			check_variant_groups(&branch, affects, last, &orders);

		struct sl_branch_classes *c = sl_branch_classes_new(&branch);

		while (sl_branch_classes_next(c, &class)) {
			check_run(&w, class.run, class.run_count, order_text, known);
			seen_text(class.seen, class.count, text);
			assert_string_equal(text, known);
			assert_true(set_add(&classes, text));
		}
		assert_true(sl_branch_classes_exact(c));
		sl_branch_classes_free(c);
		expect_same(&classes, &w.classes, seed);
		orders_seen += orders.count;
		classes_seen += classes.count;
		pruned += orders.count != classes.count;
		set_release(&orders);
		set_release(&classes);
		set_release(&w.states);
		set_release(&w.orders);
		set_release(&w.classes);
	}
	assert_true(orders_seen > 2 * classes_seen);
	assert_true(classes_seen > RANDOM_PROGRAMS);
	assert_true(pruned > RANDOM_PROGRAMS / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_4),
		cmocka_unit_test(test_table_2),
		cmocka_unit_test(test_figure_13),
		cmocka_unit_test(test_orders_of_figure_3),
		cmocka_unit_test(test_orders_of_figure_13),
		cmocka_unit_test(test_a_read_after_a_wait),
		cmocka_unit_test(test_table_6),
		cmocka_unit_test(test_table_7),
		cmocka_unit_test(test_tables_3_and_4),
		cmocka_unit_test(test_a_large_table),
		cmocka_unit_test(test_reorder),
		cmocka_unit_test(test_shared_locks),
		cmocka_unit_test(test_long_loops),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_random_variants),
		cmocka_unit_test(test_random_pairs),
		cmocka_unit_test(test_random_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
