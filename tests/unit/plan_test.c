/*
 * Text to plan and back: what is accepted, how it is printed, and what is wrong with the rest.
 */
#include "schedule/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char memory[1 << 20];

static struct sl_plan *
parse(const char *text, struct sl_complaint *complaint)
{
	struct sl_pool pool = {memory, memory + sizeof(memory)};

	return sl_plan_parse(text, strlen(text), &pool, complaint);
}

/* NULL: printed as it is written */
static const struct {
	const char *text, *printed;
} texts[] = {
	{"a -> b", NULL},
	{"a->b", "a -> b"},
	{"a -> b,", "a -> b"},
	{"a -> b, c -> d", NULL},
	{"a\n->\nb # why\n, // and\nc /* or */ -> d", "a -> b, c -> d"},
	{"a && b -> c", "(a && b) -> c"},
	{"a || b && c -> d", "(a || (b && c)) -> d"},
	{"(a && (b && c)) -> d", NULL},
	{"((a)) -> (b)", "a -> b"},
	{"pkg.Queue.add@worker -> Queue::take", NULL},
	{"add@t#2 -> take#*", "add#2@t -> take#*"},
	{"add{q->lock}#2@w-* -> \"a take\"{\"my q\"}", NULL},
	{"start@t -> end@\"a thread\"", NULL},
	{"\"start\" -> b", NULL},
	{"enter:Queue::~Queue -> exit:f", NULL},
	{"lock:table.locks[3] -> unlock:q->m", NULL},
	{"wait:c -> signal:c@T1", NULL},
	{"write:x -> read:x#2", NULL},
	{"read:\"operator()\" -> b", NULL},
	{"queue.c:12 -> src/queue.c:13@T1", NULL},
	{"\"my-queue.c\":12 -> b", NULL},
	{"[a] -> b", NULL},
	{"[a#2@t] -> b", NULL},
	{"[@w*] -> b", NULL},
	{"[ @ t ] -> b", "[@t] -> b"},
	{"!(a -> b)", NULL},
	{"!!a => b => c", "!!a => b => c"},
	{"(a => b) => c", NULL},
	{"a <=> b <=> c", NULL},
	{"a <=> (b <=> c)", NULL},
	{"(a -> b) -> c", NULL},
	{"a -> (b -> c)", NULL},
	{"block@t -> unblock@t#2", "block@t -> unblock#2@t"},
	{"schedule -> enter", NULL},
	{"größe -> naïve", NULL},
	{"schedule \"x\" { a -> b }", "schedule \"x\" {\n    a -> b\n}\n"},
};

static void
test_prints(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sl_complaint complaint;
		struct sl_plan *plan = parse(texts[i].text, &complaint);
		char printed[512];

		if (!plan)
			fail_msg("%s: %u:%u: %s", texts[i].text, complaint.place.line, complaint.place.column,
				 complaint.text);
		sl_plan_print(plan, printed, sizeof(printed));
		assert_string_equal(printed, texts[i].printed ? texts[i].printed : texts[i].text);
	}
}

static const struct {
	const char *pattern, *text;
	bool fits;
} globs[] = {
	{"", "", true},	      {"", "a", false},	       {"a", "a", true},      {"a", "b", false},
	{"*", "", true},      {"*", "abc", true},      {"a*", "abc", true},   {"a*c", "abc", true},
	{"a*d", "abc", false}, {"?", "a", true},       {"?", "", false},      {"?", "ä", true},
	{"w?", "w12", false}, {"w*-?", "w12-3", true}, {"*a*b*", "xaybz", true}, {"*a*b*", "xbya", false},
	{"\\*", "*", true},   {"\\*", "a", false},     {"**a", "ba", true},   {"a**", "a", true},
};

static void
test_globs(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		if (sl_glob(globs[i].pattern, globs[i].text) != globs[i].fits)
			fail_msg("%s %s", globs[i].pattern, globs[i].text);
}

static void
test_nearest(void **unused)
{
	static const char *const names[] = {"finishedAdd1", "startingTake1", "startingTake2", "go"};

	(void)unused;
	assert_string_equal(sl_nearest("finishedAd1", names, 4), "finishedAdd1");
	assert_string_equal(sl_nearest("startingtake2", names, 4), "startingTake2");
	assert_string_equal(sl_nearest("finished", names, 4), "finishedAdd1");
	assert_string_equal(sl_nearest("og", names, 4) ? sl_nearest("og", names, 4) : "none", "none");
	assert_null(sl_nearest("nothing like it", names, 4));
	assert_null(sl_nearest("x", names, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prints),
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
