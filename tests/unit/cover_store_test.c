/*
 * `sleave cover --show` and `--diff`: what is printed for what is stored, word for word.
 */
#include "cli/result/cover_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char home[] = "/tmp/sleave-cover-store-XXXXXX";

static int
enter(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static void
forget(void)
{
	unlink(SL_STORE_FOLDER "/" SL_STORE_FILE);
	unlink(SL_STORE_FOLDER "/.gitignore");
	rmdir(SL_STORE_FOLDER);
}

static int
set_up(void **state)
{
	(void)state;
	forget();
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	forget();
	return chdir("/") == 0 ? rmdir(home) : -1;
}

static void
save(const char *program, const char *build, bool ended, const struct sl_store_requirement *requirements, size_t count)
{
	static int64_t day = 1794787200; /* 2026-11-16 */
	struct sl_store_run run = {.program = program,
				   .build = build,
				   .arguments = strcmp(program, "./b") == 0 ? "-n 3" : "",
				   .criterion = "sync-pair",
				   .strategy = "tsa",
				   .started = day + 3600 * (ended ? 12 : 13),
				   .seconds = 1.5,
				   .executions = 500,
				   .ended = ended};
	struct sl_store_growth growth = {.execution = 1, .covered = count};
	struct sl_store *store;
	struct sl_err err;

	if (sl_store_open(&store, SL_STORE_FOLDER, false, &err) < 0 ||
	    sl_cover_save(store, &run, requirements, count, &growth, 1, &err) < 0 ||
	    sl_cover_save(store, &run, requirements, count, &growth, 1, &err) < 0) /* once more changes nothing */
		fail_msg("%s", err.text);
	assert_true(run.id > 0);
	sl_store_close(store);
}

static void
save_three_runs(void)
{
	static const struct sl_store_requirement first[] = {
		{"put a.c:3", "get a.c:9", "", SL_STORE_COVERED, "", 2, 0.1, 0},
		{"get a.c:9", "put a.c:3", "", SL_STORE_ESTIMATED, "came as near as one between", 0, 0, 0},
		{"put a.c:3", "put a.c:3", "", SL_STORE_INFEASIBLE, "one thread does both", 0, 0, 0},
		{"old a.c:1", "put a.c:3", "", SL_STORE_COVERED, "", 4, 0.1, 0},
	};
	static const struct sl_store_requirement second[] = {
		{"get a.c:9", "put a.c:3", "", SL_STORE_COVERED, "", 17, 0.1, 0},
		{"put a.c:3", "put a.c:3", "", SL_STORE_ESTIMATED, "", 0, 0, 0},
		{"new \"b\".c:1", "put a.c:3", "m", SL_STORE_ESTIMATED, "", 0, 0, 0},
	};

	save("./a", "1", true, first, 4);
	save("./b", "1", false, second, 3);
	save("./a", "2", true, first, 3);
}

static char *
shown(const struct sl_cover_query *query, struct sl_cover_total *total, int wanted)
{
	struct sl_err err = {""};
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(sl_cover_show(out, query, total, &err), wanted);
	fclose(out);
	if (wanted < 0) {
		free(text);
		text = strdup(err.text);
	}
	return text;
}

static void
expect(const struct sl_cover_query *query, const char *wanted)
{
	struct sl_cover_total total;
	char *text = shown(query, &total, 0);

	assert_string_equal(text, wanted);
	free(text);
}

#define QUERY .folder = SL_STORE_FOLDER, .criterion = "sync-pair", .what = "synchronisation pairs"

static void
the_state_now(void **unused)
{
	struct sl_cover_total total;
	char *text;

	(void)unused;
	save_three_runs();
	expect(&(struct sl_cover_query){QUERY, .all = true},
	       "synchronisation pairs: 2 of 4 covered (50.0%), 0 infeasible, after 3 runs\n"
	       "\n"
	       "  run  begun             covered  estimated  executions  strategy  test\n"
	       "    1  2026-11-16 12:00        2          3         500  tsa       ./a\n"
	       "    2  2026-11-16 13:00        1          3         500  tsa       ./b -n 3  (did not end)\n"
	       "    3  2026-11-16 12:00        1          2         500  tsa       ./a\n"
	       "\n"
	       "not covered yet:\n"
	       "  new \"b\".c:1, then put a.c:3 on m\n"
	       "  put a.c:3, then put a.c:3\n"
	       "\n"
	       "covered:\n"
	       "  get a.c:9, then put a.c:3 (run 2, execution 17)\n"
	       "  put a.c:3, then get a.c:9 (run 1, execution 2)\n");
	expect(&(struct sl_cover_query){QUERY, .program = "./a"},
	       "synchronisation pairs: 2 of 2 covered (100.0%), 1 infeasible, after 2 runs\n"
	       "\n"
	       "  run  begun             covered  estimated  executions  strategy  test\n"
	       "    1  2026-11-16 12:00        2          3         500  tsa       ./a\n"
	       "    3  2026-11-16 12:00        1          2         500  tsa       ./a\n"
	       "\n"
	       "infeasible:\n"
	       "  put a.c:3, then put a.c:3\n"
	       "      one thread does both\n");
	text = shown(&(struct sl_cover_query){QUERY}, &total, 0);
	free(text);
	assert_int_equal(total.covered, 2);
	assert_int_equal(total.estimated, 4);
	assert_true(sl_cover_percent(&total) == 50.0);
}

static void
since_an_earlier_run(void **unused)
{
	(void)unused;
	save_three_runs();
	expect(&(struct sl_cover_query){QUERY, .since = "1"},
	       "synchronisation pairs: 2 of 4 covered (50.0%), 0 infeasible, after 3 runs\n"
	       "after run 1: 2 of 3 (66.7%), 1 infeasible\n"
	       "\n"
	       "covered since:\n"
	       "  get a.c:9, then put a.c:3 (run 2, execution 17)\n"
	       "\n"
	       "new, and not covered yet:\n"
	       "  new \"b\".c:1, then put a.c:3 on m\n"
	       "\n"
	       "gone: the program's last build does not have them:\n"
	       "  old a.c:1, then put a.c:3\n"
	       "\n"
	       "judged differently since:\n"
	       "  put a.c:3, then put a.c:3\n");
	/* nothing has changed since the last one */
	expect(&(struct sl_cover_query){QUERY, .since = "#3"},
	       "synchronisation pairs: 2 of 4 covered (50.0%), 0 infeasible, after 3 runs\n"
	       "after run 3: 2 of 4 (50.0%), 0 infeasible\n");
	expect(&(struct sl_cover_query){QUERY, .since = "1", .json = true},
	       "{\"criterion\": \"sync-pair\", \"since\": 1, \"before\": {\"covered\": 2, \"estimated\": 3, \"infeasible\": 1, \"earlier\": 0, "
	       "\"runs\": 1, \"lost\": 0}, \"now\": {\"covered\": 2, \"estimated\": 4, \"infeasible\": 0, \"earlier\": 0, \"runs\": 3, \"lost\": 0}, \"changes\": ["
	       "{\"first\": \"get a.c:9\", \"second\": \"put a.c:3\", \"state\": \"covered\", \"run\": 2, \"execution\": 17, "
	       "\"change\": \"covered\"}, "
	       "{\"first\": \"new \\\"b\\\".c:1\", \"second\": \"put a.c:3\", \"object\": \"m\", \"state\": \"estimated\", "
	       "\"run\": 2, \"change\": \"new\"}, "
	       "{\"first\": \"old a.c:1\", \"second\": \"put a.c:3\", \"state\": \"covered\", \"run\": 1, \"execution\": 4, "
	       "\"change\": \"gone\"}, "
	       "{\"first\": \"put a.c:3\", \"second\": \"put a.c:3\", \"state\": \"estimated\", \"run\": 2, "
	       "\"change\": \"revised\"}]}\n");
}

static void
what_is_not_there(void **unused)
{
	struct sl_cover_total total;
	char *text = shown(&(struct sl_cover_query){QUERY}, &total, -1);

	(void)unused;
	assert_non_null(strstr(text, "no run has been stored yet"));
	free(text);
	save_three_runs();
	text = shown(&(struct sl_cover_query){QUERY, .program = "./c"}, &total, -1);
	assert_non_null(strstr(text, "no run of ./c"));
	free(text);
	text = shown(&(struct sl_cover_query){QUERY, .since = "9"}, &total, -1);
	assert_non_null(strstr(text, "there is no run 9"));
	free(text);
	text = shown(&(struct sl_cover_query){QUERY, .since = "soon"}, &total, -1);
	assert_non_null(strstr(text, "neither the number of a run nor a date"));
	free(text);
}

static void
one_test_of_a_program(void **unused)
{
	struct sl_cover_total total;
	char *text;

	(void)unused;
	save_three_runs();
	/* what that test knows; which one covered it does not matter */
	expect(&(struct sl_cover_query){QUERY, .program = "./b", .arguments = "-n 3"},
	       "synchronisation pairs: 1 of 3 covered (33.3%), 0 infeasible, after 1 run\n"
	       "\n"
	       "  run  begun             covered  estimated  executions  strategy  test\n"
	       "    2  2026-11-16 13:00        1          3         500  tsa       ./b -n 3  (did not end)\n"
	       "\n"
	       "not covered yet:\n"
	       "  new \"b\".c:1, then put a.c:3 on m\n"
	       "  put a.c:3, then put a.c:3\n");
	text = shown(&(struct sl_cover_query){QUERY, .program = "./b", .arguments = "-n 4"}, &total, -1);
	assert_non_null(strstr(text, "no run of ./b -n 4"));
	free(text);
}

static unsigned
count(const char *text, const char *words)
{
	unsigned n = 0;

	while ((text = strstr(text, words))) {
		text += strlen(words);
		n++;
	}
	return n;
}

/* Fifty of each list, unless all is wanted; and exactly fifty are not cut. */
static void
long_lists_are_cut(void **unused)
{
	struct sl_store_requirement r[103];
	static char names[103][16];
	struct sl_cover_total total;
	char *text;

	(void)unused;
	for (unsigned i = 0; i < 103; i++) {
		snprintf(names[i], sizeof(names[i]), "a.c:%u", i);
		r[i] = (struct sl_store_requirement){names[i], "b.c:1", "", i < 53 ? SL_STORE_ESTIMATED : SL_STORE_INFEASIBLE,
						     i < 53 ? "" : "held on", 0, 0, 0};
	}
	save("./none", "1", true, r, 0);
	save("./a", "1", true, r, 103);
	text = shown(&(struct sl_cover_query){QUERY}, &total, 0);
	assert_int_equal(count(text, ", then b.c:1"), 100);
	assert_int_equal(count(text, "  … and 3 more (--all)\n"), 1);
	assert_int_equal(count(text, "more (--all)"), 1);
	free(text);
	text = shown(&(struct sl_cover_query){QUERY, .all = true}, &total, 0);
	assert_int_equal(count(text, ", then b.c:1"), 103);
	assert_int_equal(count(text, "--all"), 0);
	free(text);
	text = shown(&(struct sl_cover_query){QUERY, .since = "1"}, &total, 0); /* they are one list there */
	assert_int_equal(count(text, ", then b.c:1"), 50);
	assert_int_equal(count(text, "  … and 53 more (--all)\n"), 1);
	free(text);
	text = shown(&(struct sl_cover_query){QUERY, .since = "1", .all = true}, &total, 0);
	assert_int_equal(count(text, ", then b.c:1"), 103);
	free(text);
}

/* Of nothing there is no share. */
static void
nothing_to_cover(void **unused)
{
	static const struct sl_store_requirement one = {"a.c:1", "b.c:1", "", SL_STORE_COVERED, "", 1, 0.1, 0};

	(void)unused;
	save("./a", "1", true, NULL, 0);
	expect(&(struct sl_cover_query){QUERY},
	       "synchronisation pairs: nothing to cover, 0 infeasible, after 1 run\n"
	       "\n"
	       "  run  begun             covered  estimated  executions  strategy  test\n"
	       "    1  2026-11-16 12:00        0          0         500  tsa       ./a\n");
	save("./a", "1", true, &one, 1);
	expect(&(struct sl_cover_query){QUERY, .since = "1"},
	       "synchronisation pairs: 1 of 1 covered (100.0%), 0 infeasible, after 2 runs\n"
	       "after run 1: nothing to cover, 0 infeasible\n"
	       "\n"
	       "covered since:\n"
	       "  a.c:1, then b.c:1 (run 2, execution 1)\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_state_now, set_up),
		cmocka_unit_test_setup(since_an_earlier_run, set_up),
		cmocka_unit_test_setup(what_is_not_there, set_up),
		cmocka_unit_test_setup(one_test_of_a_program, set_up),
		cmocka_unit_test_setup(long_lists_are_cut, set_up),
		cmocka_unit_test_setup(nothing_to_cover, set_up),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
