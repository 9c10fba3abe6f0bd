/*
 * The monitor, case by case: a schedule, the events, and the expected result, listed by hand.
 */
#include "trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static char memory[1 << 20];

static struct sl_monitor *
monitor_of(const char *text, struct sl_plan **plan)
{
	struct sl_pool pool = {memory, memory + sizeof(memory)};
	struct sl_complaint complaint;
	struct sl_monitor *m;

	*plan = sl_plan_parse(text, strlen(text), &pool, &complaint);
	if (!*plan)
		fail_msg("%s: %u:%u: %s", text, complaint.place.line, complaint.place.column, complaint.text);
	m = sl_monitor_new(*plan, &pool);
	assert_non_null(m);
	return m;
}

static void
happens(void *data, const struct sl_event *event)
{
	struct sl_match match;

	sl_monitor_match(data, event, &match);
	sl_monitor_happens(data, event, &match);
}

static void
asks(void *data, const struct sl_event *event)
{
	struct {
		struct sl_monitor *m;
		enum sl_leave leave;
	} *question = data;
	struct sl_match match;

	sl_monitor_match(question->m, event, &match);
	question->leave = sl_monitor_asks(question->m, event, &match);
	assert_int_equal(question->leave, sl_monitor_asks(question->m, event, NULL));
}

/* ---- results of traces ---- */

static const struct {
	const char *schedule, *trace;
	enum sl_value value;
	bool satisfied;
	uint64_t broken;
} outcomes[] = {
	/* plain: before */
	{"a -> b", "", SL_OPEN, true, 0},
	{"a -> b", "a", SL_TRUE, true, 0},
	{"a -> b", "a b", SL_TRUE, true, 0},
	{"a -> b", "b", SL_FALSE, false, 1},
	{"a -> b", "x y b", SL_FALSE, false, 3},
	{"a -> b", "b a", SL_FALSE, false, 1},
	{"a -> b", "x", SL_OPEN, true, 0},
	{"a -> b", "a a b b", SL_TRUE, true, 0},
	{"(a && b) -> c", "a c", SL_FALSE, false, 2},
	{"(a && b) -> c", "b a c", SL_TRUE, true, 0},
	{"(a || b) -> c", "b c", SL_TRUE, true, 0},
	{"(a || b) -> c", "c", SL_FALSE, false, 1},
	{"((a && b) || c) -> d", "a d", SL_FALSE, false, 2},
	{"((a && b) || c) -> d", "a c d", SL_TRUE, true, 0},
	{"a -> b, b -> c", "a b", SL_TRUE, true, 0},
	{"a -> b, b -> c", "a c", SL_FALSE, false, 2},
	{"a -> b, c -> d", "a b", SL_OPEN, true, 0},
	/* threads, objects, and what needs no edit */
	{"a@T1 -> b", "a@T2 b", SL_FALSE, false, 2},
	{"a@T1 -> b", "a@T2 a@T1 b", SL_TRUE, true, 0},
	{"a@w* -> b", "a@v1 b", SL_FALSE, false, 2},
	{"a@w* -> b", "a@w7 b", SL_TRUE, true, 0},
	{"a@main -> b", "a b@T1", SL_TRUE, true, 0},
	{"add{q} -> b", "add{p} b", SL_FALSE, false, 2},
	{"add{q} -> b", "add{q} b", SL_TRUE, true, 0},
	{"add{q} -> b", "add b", SL_FALSE, false, 2},
	{"add -> b", "add{q} b", SL_TRUE, true, 0},
	{"lock:m -> unlock:q->m", "unlock:m unlock:q->m", SL_FALSE, false, 2},
	{"lock:m -> unlock:q->m", "lock:m unlock:q->m", SL_TRUE, true, 0},
	{"queue.c:12 -> b", "/src/queue.c:12 b", SL_TRUE, true, 0},
	{"queue.c:12 -> b", "/src/myqueue.c:12 b", SL_FALSE, false, 2},
	{"queue.c:12 -> b", "queue.c:13 b", SL_FALSE, false, 2},
	{"start@T1 -> a", "start@T1 a", SL_TRUE, true, 0},
	{"start@w -> a", "start@T1 start@T1=w a", SL_TRUE, true, 0},
	{"start@T1#2 -> a", "start@T1 start@T1=w a", SL_FALSE, false, 3},
	{"end@T1 -> a", "start@T1 end@T1 a", SL_TRUE, true, 0},
	/* how often */
	{"add#2 -> take#1", "add take", SL_FALSE, false, 2},
	{"add#2 -> take#1", "add add take", SL_TRUE, true, 0},
	{"add#2@T1 -> take", "add@T1 add@T2 take", SL_FALSE, false, 3},
	{"add#2@T1 -> take", "add@T1 add@T2 add@T1 take", SL_TRUE, true, 0},
	{"add#* -> take#*", "add take add take", SL_OPEN, true, 0},
	{"add#* -> take#*", "add add take take", SL_OPEN, true, 0},
	{"add#* -> take#*", "add take take add", SL_FALSE, false, 3},
	{"c -> add#*", "c add add", SL_TRUE, true, 0},
	{"c -> add#*", "add c", SL_FALSE, false, 1},
	{"add#* -> e", "add add e", SL_OPEN, true, 0},
	{"add#* -> e", "add e x add", SL_FALSE, false, 4},
	{"add#* -> e", "e", SL_OPEN, true, 0},
	{"(add#* || c) -> e", "c e add", SL_TRUE, true, 0},
	{"(add#* && c) -> e", "add e", SL_FALSE, false, 2},
	{"(add#* && c) -> e", "c add e", SL_OPEN, true, 0},
	/* blocked: when e occurs */
	{"[a] -> b", "a@T1 b", SL_FALSE, false, 2},
	{"[a] -> b", "a@T1 block@T1 b", SL_TRUE, true, 0},
	{"[a] -> b", "a@T1 block@T1 unblock@T1 b", SL_FALSE, false, 4},
	{"[a] -> b", "block@T1 b", SL_FALSE, false, 2},
	{"[a] -> b", "a@T1 block@T2 b", SL_FALSE, false, 3},
	{"[a] -> b", "a@T1 block@T1", SL_OPEN, true, 0},
	{"[a#2] -> b", "a@T1 a@T2 block@T1 b", SL_FALSE, false, 4},
	{"[a#2] -> b", "a@T1 a@T2 block@T2 b", SL_TRUE, true, 0},
	{"[a] -> b#*", "a@T1 block@T1 b unblock@T1 b", SL_FALSE, false, 5},
	{"[a] -> b", "a@T1 block@T1 b unblock@T1 b", SL_TRUE, true, 0},
	/* [x] is a thread if no event has that name */
	{"(a && [T1]) -> b", "a b", SL_FALSE, false, 2},
	{"(a && [T1]) -> b", "a block@T1 b", SL_TRUE, true, 0},
	{"[w] -> b", "start@w block@w b", SL_TRUE, true, 0},
	{"[w] -> b", "start@w block@w unblock@w b", SL_FALSE, false, 4},
	/* literal: at that moment */
	{"[@T1] -> b", "block@T1 unblock@T1 b", SL_TRUE, true, 0},
	{"(a && [@T1]) -> b", "a block@T1 b", SL_FALSE, false, 3},
	{"(a && [@T1]) -> b", "block@T1 a unblock@T1 b", SL_TRUE, true, 0},
	{"(b && [@T1]) -> b", "block@T1 unblock@T1 b", SL_FALSE, false, 3},
	{"(b && [@T1]) -> b", "block@T1 b", SL_TRUE, true, 0},
	{"(b && [@w*]) -> b", "b", SL_FALSE, false, 1},
	{"(b && [@w*]) -> b", "start@w1 start@w2 block@w1 b", SL_FALSE, false, 4},
	{"(b && [@w*]) -> b", "start@w1 start@w2 block@w1 block@w2 b", SL_TRUE, true, 0},
	{"(b && [@w*]) -> b", "start@w1 start@w2 block@w1 end@w2 b", SL_TRUE, true, 0},
	{"block@T1 -> b", "b", SL_FALSE, false, 1},
	{"block@T1 -> b", "block@T1 unblock@T1 b", SL_TRUE, true, 0},
	/* as in the logic, block@t is true each time */
	{"a -> block@T1", "block@T1 unblock@T1", SL_OPEN, false, 0},
	{"a -> block@T1", "block@T1 unblock@T1 a block@T1", SL_TRUE, true, 0},
	{"a -> block@T1#1", "block@T1 unblock@T1 a block@T1", SL_FALSE, false, 1},
	{"!(a -> b)", "", SL_OPEN, false, 0},
	{"!(a -> b)", "a b", SL_FALSE, false, 1},
	{"!(a -> b)", "b a", SL_TRUE, true, 0},
	{"(a -> b) || (b -> a)", "a b", SL_TRUE, true, 0},
	{"(a -> b) => (c -> d)", "a b d", SL_FALSE, false, 3},
	{"(a -> b) => (c -> d)", "b d", SL_TRUE, true, 0},
	{"(a -> b) <=> (c -> d)", "a b c", SL_TRUE, true, 0},
	{"(a -> b) <=> (c -> d)", "a b d", SL_FALSE, false, 3},
	{"((a -> b) && c) -> d", "c b d", SL_TRUE, true, 0}, /* when c occurred, b had not */
	{"((a -> b) && c) -> d", "b c d", SL_FALSE, false, 3},
	/* the example of the dissertation, 3.2.2 */
	{"(a1@t1 && ([@t2] || !(start@t2 -> a1@t1))) -> a2@t2, (a2@t2 && ([@t1] || (end@t1 -> a2@t2))) -> a2@t2",
	 "start@t1 start@t2 block@t2 a1@t1 block@t1 unblock@t2 a2@t2", SL_TRUE, true, 0},
	{"(a1@t1 && ([@t2] || !(start@t2 -> a1@t1))) -> a2@t2, (a2@t2 && ([@t1] || (end@t1 -> a2@t2))) -> a2@t2",
	 "start@t1 start@t2 a1@t1 block@t1 a2@t2", SL_FALSE, false, 5},
	{"(a1@t1 && ([@t2] || !(start@t2 -> a1@t1))) -> a2@t2, (a2@t2 && ([@t1] || (end@t1 -> a2@t2))) -> a2@t2",
	 "start@t1 a1@t1 end@t1 start@t2 a2@t2", SL_TRUE, true, 0},
	{"(a1@t1 && ([@t2] || !(start@t2 -> a1@t1))) -> a2@t2, (a2@t2 && ([@t1] || (end@t1 -> a2@t2))) -> a2@t2",
	 "start@t1 start@t2 block@t2 a1@t1 unblock@t2 a2@t2", SL_FALSE, false, 6},
	/* the example of the paper, Fig. 3.1 */
	{"finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
	 "finishedAdd1@T1 startingTake1 startingTake2 block@main startingAdd2@T1 unblock@main", SL_TRUE, true, 0},
	{"finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
	 "finishedAdd1@T1 startingTake1 startingTake2 startingAdd2@T1", SL_FALSE, false, 4},
};

static void
test_outcomes(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		struct sl_plan *plan;
		struct sl_monitor *m = monitor_of(outcomes[i].schedule, &plan);

		for (int again = 0; again < 2; again++) {
			trace_each(outcomes[i].trace, happens, m);
			if (sl_monitor_value(m) != outcomes[i].value ||
			    sl_monitor_satisfied(m) != outcomes[i].satisfied ||
			    sl_monitor_broken(m, NULL) != outcomes[i].broken)
				fail_msg("%s: after %s: value %d, satisfied %d, broken at %d", outcomes[i].schedule,
					 outcomes[i].trace, sl_monitor_value(m), sl_monitor_satisfied(m),
					 (int)sl_monitor_broken(m, NULL));
			sl_monitor_reset(m);
		}
	}
}

/* ---- which events may happen ---- */

static const struct {
	const char *schedule, *trace, *event;
	enum sl_leave leave;
	uint32_t holds;
} questions[] = {
	{"a -> b", "", "b", SL_NOT_YET, 1},
	{"a -> b", "", "a", SL_MAY_GO, 0},
	{"a -> b", "", "x", SL_MAY_GO, 0},
	{"a -> b", "a", "b", SL_MAY_GO, 0},
	{"a -> b, c -> b, d -> e", "", "b", SL_NOT_YET, 2},
	{"a -> b, c -> b, d -> e", "a", "b", SL_NOT_YET, 1},
	{"a -> b", "b", "b", SL_MAY_GO, 0}, /* it is too late */
	{"a -> b#2", "b", "b", SL_NOT_YET, 1},
	{"a#2 -> b", "a", "b", SL_NOT_YET, 1},
	{"a -> b@T1", "", "b@T2", SL_MAY_GO, 0},
	{"a -> b@T1", "", "b@T1", SL_NOT_YET, 1},
	{"a#* -> b#*", "a b", "b", SL_NOT_YET, 1},
	{"a#* -> b#*", "a b a", "b", SL_MAY_GO, 0},
	{"a#* -> e", "", "e", SL_WHEN_QUIET, 1},
	{"a#* -> e", "a", "e", SL_WHEN_QUIET, 1},
	{"a#* -> e", "a e", "a", SL_NOT_YET, 1},
	{"(a#* || c) -> e", "c", "e", SL_MAY_GO, 0},
	{"(a#* && c) -> e", "", "e", SL_NOT_YET, 1},
	{"[a] -> b", "a@T1", "b", SL_NOT_YET, 1},
	{"[a] -> b", "a@T1 block@T1", "b", SL_MAY_GO, 0},
	{"[a] -> b", "a@T1 block@T1 unblock@T1", "b", SL_NOT_YET, 1},
	{"[a] -> b#*", "a@T1 block@T1 b unblock@T1", "b", SL_NOT_YET, 1},
	{"(b && [@T1]) -> b", "", "b", SL_NOT_YET, 1},
	{"(b && [@T1]) -> b", "block@T1", "b", SL_MAY_GO, 0},
	{"!(a -> b)", "", "a", SL_NOT_YET, 1},
	{"!(a -> b)", "b", "a", SL_MAY_GO, 0},
	/* a would be in vain: b can't happen any more then */
	{"(a && [@T1]) -> b", "", "a", SL_WHEN_QUIET, 1},
	{"(a && [@T1]) -> b", "block@T1", "a", SL_MAY_GO, 0},
	{"(a && [@T1]) -> b", "", "b", SL_NOT_YET, 1},
	/* the same event on both sides */
	{"a@T1 -> a", "", "a@T1", SL_MAY_GO, 0},
	{"a@T1 -> a", "", "a@T2", SL_NOT_YET, 1},
};

static void
test_questions(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct sl_plan *plan;
		struct {
			struct sl_monitor *m;
			enum sl_leave leave;
		} question = {monitor_of(questions[i].schedule, &plan), SL_MAY_GO};
		struct word_event w;
		uint32_t which[4], holds;

		trace_each(questions[i].trace, happens, question.m);
		trace_each(questions[i].event, asks, &question);
		word_event_parse(&w, questions[i].event);
		holds = sl_monitor_holds(question.m, &w.event, which, 4);
		if (question.leave != questions[i].leave || holds != questions[i].holds)
			fail_msg("%s: after %s, %s: %d, held by %u", questions[i].schedule, questions[i].trace,
				 questions[i].event, question.leave, holds);
	}
}

/* ---- what is waited for ---- */

static void
note_want(void *data, const struct sl_formula *missing)
{
	char *all = data, one[64];

	sl_formula_print(missing, one, sizeof(one));
	strcat(strcat(all, *all ? " " : ""), one);
}

static const struct {
	const char *schedule, *trace, *wants;
} wants[] = {
	{"a -> b", "", "a"},
	{"a -> b", "a", ""},
	{"(a && b) -> c", "", "a b"},
	{"(a && b) -> c", "a", "b"},
	{"(a || b) -> c", "", "a b"},
	{"(a || b) -> c", "b", ""},
	{"(a && [b]) -> c", "a b@T1", "[b]"},
	{"a#* -> b#*", "a b", "a#*"},
	{"(a && [@t]) -> b", "", "a [@t]"},
};

static void
test_wants(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct sl_plan *plan;
		struct sl_monitor *m = monitor_of(wants[i].schedule, &plan);
		char all[256] = "";

		trace_each(wants[i].trace, happens, m);
		sl_monitor_wants(m, 0, note_want, all);
		assert_string_equal(all, wants[i].wants);
	}
}

/* ---- the state ---- */

static void
test_state(void **unused)
{
	struct sl_plan *plan;
	struct sl_monitor *m = monitor_of("[a] -> b, c#2 -> d, (e && [@w*]) -> f", &plan);
	size_t size, size2, past_size;
	const void *state, *past;
	char copy[4096], past_copy[256];

	(void)unused;
	trace_each("x a@T1 start@w1 block@w1 c", happens, m);
	state = sl_monitor_state(m, &size);
	past = sl_monitor_past(m, &past_size);
	assert_true(size < sizeof(copy) && past_size < sizeof(past_copy));
	memcpy(copy, state, size);
	memcpy(past_copy, past, past_size);
	/* events that the plan does not mention change nothing, nor do threads that start and end */
	trace_each("x y start@T70 z@T70 end@T70", happens, m);
	assert_ptr_equal(sl_monitor_state(m, &size2), state);
	assert_int_equal(size2, size);
	assert_memory_equal(copy, state, size);
	trace_each("block@T1 c e b start@w1 start@w2 d f d", happens, m);
	assert_true(sl_monitor_satisfied(m));
	trace_each("x", happens, m);
	sl_monitor_state(m, &size2);
	assert_true(size2 != size || memcmp(copy, state, size) != 0);
	/* and back */
	memcpy((void *)state, copy, size);
	memcpy((void *)past, past_copy, past_size);
	sl_monitor_state(m, &size2);
	assert_int_equal(size2, size);
	trace_each("d", happens, m);
	assert_int_equal(sl_monitor_broken(m, NULL), 6);
}

/* Threads that are there before it begins. */
static void
test_threads(void **unused)
{
	struct sl_plan *plan;
	struct sl_monitor *m = monitor_of("(b && [@w*]) -> b, start@v -> c", &plan);

	(void)unused;
	for (int again = 0; again < 2; again++) {
		sl_monitor_thread(m, 5, "w1", true);
		sl_monitor_thread(m, 6, "w2", again);
		sl_monitor_thread(m, 7, "v", false);
		assert_true(sl_monitor_satisfied(m) && !sl_monitor_broken(m, NULL));
		assert_int_equal(sl_monitor_count(m, plan->atoms[1]), 0); /* it has not started now */
		trace_each("b", happens, m);
		assert_int_equal(sl_monitor_satisfied(m), again);
		assert_false(sl_monitor_lost(m));
		sl_monitor_reset(m);
	}
	/* a thread that can't be followed is not ignored */
	trace_each("block@T8191", happens, m);
	assert_false(sl_monitor_lost(m));
	trace_each("block@T8192", happens, m);
	assert_true(sl_monitor_lost(m));
	sl_monitor_reset(m);
	sl_monitor_thread(m, 8192, NULL, false);
	assert_true(sl_monitor_lost(m));
	/* and does not matter where the plan does not ask for it */
	m = monitor_of("a -> b", &plan);
	trace_each("a@T9000 b@T9001", happens, m);
	assert_true(!sl_monitor_lost(m) && sl_monitor_value(m) == SL_TRUE);
}

/* An event that is more atoms than a match has room for. */
static void
test_many(void **unused)
{
	char text[1024] = "";
	struct sl_plan *plan;
	struct sl_monitor *m;
	struct sl_match match;
	struct sl_event a = {.name = "a"}, b = {.name = "b"};

	(void)unused;
	for (int i = 1; i <= 15; i++)
		sprintf(text + strlen(text), "a#%d -> b,", i);
	m = monitor_of(text, &plan);
	sl_monitor_match(m, &a, &match);
	assert_int_equal(match.count, UINT32_MAX);
	for (uint32_t i = 0; i < 15; i++) {
		uint32_t held[15];

		assert_int_equal(sl_monitor_asks(m, &b, NULL), SL_NOT_YET);
		assert_int_equal(sl_monitor_holds(m, &b, held, 15), 15 - i);
		assert_int_equal(held[0], i);
		assert_true(sl_monitor_happens(m, &a, &match));
	}
	assert_int_equal(sl_monitor_asks(m, &b, NULL), SL_MAY_GO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_wants),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
