/*
 * Names of the test program's own functions, lines and variables (so it must be built with -g); replay files
 * written, read, damaged; each fault of the file system reported with a sentence, and nothing left behind.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr() */
#endif

#include "trace/name/name.h"
#include "trace/replay/environment.h"
#include "trace/replay/replay_file.h"
#include "trace/name/source_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

static struct sl_module modules[64];
static uint32_t module_count;
static struct sl_names *names;

static int
add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sl_module *m = &modules[module_count];

	(void)size;
	(void)data;
	if (module_count == 64)
		return 0;
	*m = (struct sl_module){.base = info->dlpi_addr, .low = UINT64_MAX};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, high = low + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		m->low = low < m->low ? low : m->low;
		m->high = high > m->high ? high : m->high;
	}
	if (info->dlpi_name[0])
		snprintf(m->path, sizeof(m->path), "%s", info->dlpi_name);
	else if (module_count == 0 && readlink("/proc/self/exe", m->path, sizeof(m->path) - 1) < 0)
		return 0;
	module_count++;
	return 0;
}

static int
start_names(void **state)
{
	struct sl_err err;

	(void)state;
	module_count = 0;
	dl_iterate_phdr(add_module, NULL);
	names = sl_names_new(modules, module_count, &err);
	return names ? 0 : -1;
}

static int
end_names(void **state)
{
	(void)state;
	sl_names_free(names);
	return 0;
}

static __attribute__((noinline)) uint64_t
here(void)
{
	__asm__ volatile("" ::: "memory"); /* or calls of it would be merged */
	return (uint64_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) uint64_t
inlined_here(void)
{
	uint64_t pc = here();

	__asm__ volatile("" : "+r"(pc)); /* or it would be a jump, and return elsewhere */
	return pc;
}
enum { INLINED_LINE = __LINE__ - 5 };

static __attribute__((noinline)) uint64_t
calls_inlined(uint32_t *line)
{
	*line = __LINE__ + 1;
	return inlined_here();
}

static void
place_of_a_call(void **state)
{
	uint64_t pc = here();
	uint32_t line = __LINE__ - 1;
	struct sl_place place;
	char text[128], expected[128];

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_true(sl_names_place(names, pc, &place));
		assert_string_equal(place.function, "place_of_a_call");
		assert_int_equal(place.line, line);
		assert_non_null(strstr(place.file, "names_and_replays_test.c"));
		assert_int_equal(place.path[0], '/');
		assert_int_equal(access(place.path, R_OK), 0);
	}
	sl_place_format(&place, text, sizeof(text));
	snprintf(expected, sizeof(expected), "names_and_replays_test.c:%u (place_of_a_call)", line);
	assert_non_null(strstr(text, expected));
}

static void
inlined_functions_are_a_chain(void **state)
{
	struct sl_place places[4];
	uint32_t line;
	uint64_t pc = calls_inlined(&line);

	(void)state;
	assert_int_equal(sl_names_places(names, pc, places, 4), 2);
	assert_string_equal(places[0].function, "inlined_here");
	assert_int_equal(places[0].line, INLINED_LINE);
	assert_string_equal(places[1].function, "calls_inlined");
	assert_int_equal(places[1].line, line);
	assert_non_null(strstr(places[1].file, "names_and_replays_test.c"));
	assert_int_equal(sl_names_places(names, pc, places, 1), 1);
	assert_string_equal(places[0].function, "inlined_here");
}

static void
functions_by_their_address(void **state)
{
	(void)state;
	assert_string_equal(sl_names_function(names, (uint64_t)(uintptr_t)&calls_inlined), "calls_inlined");
	assert_null(sl_names_function(names, 16));
}

static void
unknown_addresses_have_words(void **state)
{
	struct sl_module gone = {.base = 0x1000, .low = 0x1000, .high = 0x3000, .path = "/nowhere/libgone.so"};
	struct sl_err err;
	struct sl_names *none = sl_names_new(&gone, 1, &err);
	struct sl_place place;
	struct sl_data data;
	char text[128];

	(void)state;
	assert_false(sl_names_place(names, 0, &place));
	sl_place_format(&place, text, sizeof(text));
	assert_string_equal(text, "an unknown place");
	assert_non_null(none);
	assert_true(sl_names_place(none, 0x1235, &place));
	sl_place_format(&place, text, sizeof(text));
	assert_string_equal(text, "libgone.so+0x234");
	assert_false(sl_names_data(none, 0x1235, 4, &data));
	sl_names_free(none);
}

struct inner {
	char tag;
	union {
		double number;
		struct {
			short low, high;
		};
	};
};

struct account {
	int balance;
	pthread_mutex_t lock;
	struct inner history[3];
	unsigned flag : 3;
	void *owner;
};

static volatile int plain;
static struct account account;
static struct account accounts[4];
static int grid[3][5];
static pthread_cond_t ready;
static sem_t free_slots;
static float weight;
static unsigned char small;
static char letters[16];

static void
expect_data(const volatile void *address, uint32_t size, const char *name, enum sl_value_kind value)
{
	struct sl_data data;

	assert_true(sl_names_data(names, (uint64_t)(uintptr_t)address, size, &data));
	assert_string_equal(data.name, name);
	assert_int_equal(data.value, value);
}

static void
variables_and_their_members(void **state)
{
	static long inside;

	(void)state;
	plain = 1;
	inside = plain;
	grid[2][3] = accounts[2].balance = account.balance = (int)inside;
	expect_data(&plain, 4, "plain", SL_VALUE_SIGNED);
	expect_data(&inside, 8, "inside", SL_VALUE_SIGNED);
	expect_data(&account.balance, 4, "account.balance", SL_VALUE_SIGNED);
	expect_data(&account, sizeof(account), "account", SL_VALUE_UNKNOWN);
	expect_data(&account.lock, 0, "account.lock", SL_VALUE_UNKNOWN);
	expect_data(&account.owner, 8, "account.owner", SL_VALUE_POINTER);
	expect_data(&accounts[2].history[1].tag, 1, "accounts[2].history[1].tag", SL_VALUE_CHAR);
	expect_data(&accounts[2].history[1].number, 8, "accounts[2].history[1].number", SL_VALUE_FLOAT);
	expect_data(&accounts[3].history[2].high, 2, "accounts[3].history[2].high", SL_VALUE_SIGNED);
	expect_data(&accounts[1].lock, 0, "accounts[1].lock", SL_VALUE_UNKNOWN);
	expect_data(&grid[2][3], 4, "grid[2][3]", SL_VALUE_SIGNED);
	expect_data(&ready, 0, "ready", SL_VALUE_UNKNOWN);
	expect_data(&free_slots, 0, "free_slots", SL_VALUE_UNKNOWN);
	expect_data(&weight, 4, "weight", SL_VALUE_FLOAT);
	expect_data(&small, 1, "small", SL_VALUE_UNSIGNED);
	expect_data(letters, 12, "letters", SL_VALUE_UNKNOWN);
	expect_data(&letters[5], 1, "letters[5]", SL_VALUE_CHAR);
	expect_data((char *)&plain + 2, 1, "plain+2", SL_VALUE_SIGNED);
}

static void
what_is_no_variable_has_no_name(void **state)
{
	struct sl_data data;
	int local = 0;
	void *block = malloc(8);

	(void)state;
	assert_false(sl_names_data(names, (uint64_t)(uintptr_t)&local, 4, &data));
	assert_false(sl_names_data(names, (uint64_t)(uintptr_t)block, 4, &data));
	assert_false(sl_names_data(names, 0, 4, &data));
	free(block);
}

/* ---- replay files ---- */

static char directory[64];

static int
start_directory(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/sleave-test-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static unsigned
files_in(const char *path)
{
	DIR *d = opendir(path);
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int
end_directory(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static const char *
in_directory(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static struct sl_pick items[] = {
	{SL_PICK_RUN, 0, 12},     {SL_PICK_RUN, 2, 7},   {SL_PICK_WAITER, 3, 0}, {SL_PICK_VALUE, 4294967295u, 0},
	{SL_PICK_WAITER, 0, 0}, {SL_PICK_RUN, 1, UINT64_MAX},
};

static uint64_t marks[] = {0x555555558040, 0x7ffff7fb1000, UINT64_MAX};

static char *nasty[] = {"./account", "", " ", "a b", "line\nline", "back\\slash\\x41", "\xff\xfe", "ä€", " trailing ", "#no",
			"end", "\r", "\x7f\x01", NULL};

static struct sl_environment_variable variables[] = {
	{"EMPTY", "", 0}, {"LINES OF", " two\n=lines* ", 0}, {"LC_", NULL, 1}, {"STAR*", NULL, 0}, {" ", "x", 0}, {"TZ", NULL, 0}};

static char *texts[] = {"main creates T1 (a.c:3 (main))", "T1 locks \\ \n", "T2 ends"};
static uint32_t step_path[] = {1, 2, 2, 2, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3, 3};

static struct sl_replay
sample(void)
{
	struct sl_replay r = {.program = "/home/me/acc\nount", .argv = nasty, .argc = sizeof(nasty) / sizeof(*nasty) - 1,
			      .cwd = "/home/me", .build_id = "build-id:0123abcd", .strategy = "pct", .seed = UINT64_MAX,
			      .races = 1, .spurious = 1, .again = 1, .world = 2, .explore_call = 3, .kind = SL_FINDING_DEADLOCK,
			      .preemptions = 2, .signature = 0xfeedbeefcafe0001, .operations = 10000000000, .hash = 7,
			      .message = "T1 waits\nfor \"b\"", .marks = marks, .mark_count = 3,
			      .variables = variables, .variable_count = sizeof(variables) / sizeof(*variables), .variables_cut = 1,
			      .rest = 0xabc, .steps = {texts, 3, step_path, sizeof(step_path) / sizeof(*step_path), 1}, .schedule = {6, 6, items}};

	return r;
}

static void
replay_comes_back_as_it_was(void **state)
{
	struct sl_replay out = sample(), in;
	struct sl_err err;

	(void)state;
	/* Twice: an existing file is replaced. */
	assert_int_equal(sl_replay_write(in_directory("a-1.sleave"), &out, &err), 0);
	assert_int_equal(sl_replay_write(in_directory("a-1.sleave"), &out, &err), 0);
	assert_int_equal(files_in(directory), 1);
	assert_int_equal(sl_replay_read(in_directory("a-1.sleave"), &in, &err), 0);
	assert_string_equal(in.program, out.program);
	assert_string_equal(in.cwd, out.cwd);
	assert_int_equal(in.argc, out.argc);
	for (size_t i = 0; i < out.argc; i++)
		assert_string_equal(in.argv[i], out.argv[i]);
	assert_null(in.argv[in.argc]);
	assert_string_equal(in.build_id, out.build_id);
	assert_string_equal(in.strategy, out.strategy);
	assert_string_equal(in.message, out.message);
	assert_true(in.seed == out.seed && in.races == 1 && in.spurious == 1 && in.again == 1 && in.world == 2 && in.explore_call == 3);
	assert_true(in.kind == out.kind && in.preemptions == 2 && in.signature == out.signature);
	assert_true(in.operations == out.operations && in.hash == 7);
	assert_true(in.rest == 0xabc && in.variables_cut == 1 && in.variable_count == out.variable_count);
	for (size_t i = 0; i < out.variable_count; i++) {
		assert_string_equal(in.variables[i].name, variables[i].name);
		assert_int_equal(in.variables[i].family, variables[i].family);
		assert_int_equal(!in.variables[i].value, !variables[i].value);
		if (variables[i].value)
			assert_string_equal(in.variables[i].value, variables[i].value);
	}
	assert_true(in.steps.text_count == 3 && in.steps.path_count == sizeof(step_path) / sizeof(*step_path) && in.steps.cut == 1);
	assert_memory_equal(in.steps.path, step_path, sizeof(step_path));
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(in.steps.texts[i], texts[i]);
	assert_int_equal(in.mark_count, 3);
	assert_memory_equal(in.marks, marks, sizeof(marks));
	assert_int_equal(in.schedule.count, 6);
	assert_memory_equal(in.schedule.items, items, sizeof(items));
	sl_replay_release(&in);
	sl_replay_release(&in);
}

static const char *
in_environment(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static void
environment_is_as_it_was(void **state)
{
	char *then[] = {"MODE=a", "OTHER=1", "LC_ALL=C", "LD_PRELOAD=x.so", "PWD=/a", NULL};
	char *now[] = {"MODE=b", "OTHER=1", "LC_TIME=de", "ASKED=1", "LD_PRELOAD=y.so", "PWD=/b", "SLEAVE_ARENA=/x", NULL};
	char *asked[] = {"ASKED", "MODE", "LD_PRELOAD", "SLEAVE_ARENA", "MODE"};
	struct sl_replay r = {0};
	char text[256], **again;

	(void)state;
	sl_environment_record(&r, then, asked, 5, true);
	assert_false(sl_environment_differs(&r, then, text, sizeof(text)));
	assert_true(sl_environment_differs(&r, now, text, sizeof(text)));
	assert_string_equal(text, "the environment variable ASKED was unset, is \"1\" (and 3 more differ)");
	again = sl_environment_restore(&r, now);
	assert_string_equal(in_environment(again, "MODE"), "a");
	assert_string_equal(in_environment(again, "LC_ALL"), "C");
	assert_null(in_environment(again, "LC_TIME"));
	assert_null(in_environment(again, "ASKED"));
	assert_string_equal(in_environment(again, "OTHER"), "1");
	/* variables that control how a program is started are never taken from a file */
	assert_string_equal(in_environment(again, "LD_PRELOAD"), "y.so");
	assert_string_equal(in_environment(again, "PWD"), "/b");
	assert_true(sl_environment_differs(&r, again, text, sizeof(text)));
	assert_non_null(strstr(text, "variables differ that the program did not ask for"));
	free(again);
	sl_replay_release_variables(&r);
	/* … not from one that was written by hand either */
	r = (struct sl_replay){.variables = (struct sl_environment_variable[]){{"LD_PRELOAD", "z.so", 0}}, .variable_count = 1};
	again = sl_environment_restore(&r, now);
	assert_string_equal(in_environment(again, "LD_PRELOAD"), "y.so");
	free(again);
}

static const char good[] = "sleave replay 1\n"
			   "# a comment\n"
			   "program /bin/a\n"
			   "argument a\n"
			   "directory /\n"
			   "build content:00\n"
			   "strategy dfs\n"
			   "seed 1\n"
			   "races on\n"
			   "spurious no\n"
			   "world memory\n"
			   "explore-call 0\n"
			   "finding race\n"
			   "message m\n"
			   "preemptions 0\n"
			   "signature 0f\n"
			   "operations 9\n"
			   "hash 1\n"
			   "schedule 2\n"
			   "main until 3\n"
			   "T1 to the end\n"
			   "end\n";

/* The good file with one piece replaced. */
static char *
spoilt(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	size_t room = sizeof(good) + strlen(to);
	char *text = malloc(room);

	assert_non_null(at);
	if (!text)
		abort();
	snprintf(text, room, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	return text;
}

/* Enablers are told by the words of op.def; earlier versions had words of their own. */
static void
enablers_come_back_as_they_were(void **state)
{
	static const struct {
		const char *word;
		uint32_t kind;
	} table[] = {
		{"SET_CHANGE", SL_SET_CHANGE},    {"FUTEX_WAKE_OP", SL_FUTEX_WAKE_OP}, {"UPDATE", SL_UPDATE},
		{"sets", SL_ATOMIC_STORE},        {"signals", SL_COND_SIGNAL},         {"broadcasts", SL_COND_BROADCAST},
		{"posts", SL_SEM_POST},           {"wakes", SL_FUTEX_WAKE},            {"writes", SL_IO_WRITE},
	};
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char line[128], *text;

		snprintf(line, sizeof(line), "enabler %s 10 20 30 40\nschedule 2\n", table[i].word);
		text = spoilt("schedule 2\n", line);
		assert_int_equal(sl_replay_parse("x", text, strlen(text), &r, &err), 0);
		free(text);
		for (int again = 0; again < 2; again++) { /* as it was read, and as it was written then */
			assert_int_equal(r.enabler_count, 1);
			assert_int_equal(r.enablers[0].kind, table[i].kind);
			assert_true(r.enablers[0].address == 0x10 && r.enablers[0].path == 0x20);
			assert_true(r.enablers[0].pcs[0] == 0x30 && r.enablers[0].pcs[1] == 0x40 && !r.enablers[0].pcs[2]);
			assert_int_equal(sl_replay_write(in_directory("a-1.sleave"), &r, &err), 0);
			sl_replay_release(&r);
			assert_int_equal(sl_replay_read(in_directory("a-1.sleave"), &r, &err), 0);
		}
		sl_replay_release(&r);
	}
}

static void
an_order_comes_back_as_it_was(void **state)
{
	char *text = spoilt("schedule 2\n", "order 1 5555 10 4 2\norder 2f 6666 18 8 ff\nschedule 2\n");
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	assert_int_equal(sl_replay_parse("x", text, strlen(text), &r, &err), 0);
	free(text);
	for (int again = 0; again < 2; again++) {
		const struct sl_op_order_step *steps = r.order.steps;

		assert_int_equal(r.order.count, 2);
		assert_true(steps[0].thread == 1 && steps[0].pc == 0x5555 && steps[0].address == 0x10);
		assert_true(steps[0].size == 4 && steps[0].occurrence == 2);
		assert_true(steps[1].thread == 0x2f && steps[1].pc == 0x6666 && steps[1].address == 0x18);
		assert_true(steps[1].size == 8 && steps[1].occurrence == 255);
		assert_int_equal(sl_replay_write(in_directory("a-1.sleave"), &r, &err), 0);
		sl_replay_release(&r);
		assert_int_equal(sl_replay_read(in_directory("a-1.sleave"), &r, &err), 0);
	}
	sl_replay_release(&r);
}

static void
malformed_files_are_named_with_their_line(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} table[] = {
		{"schedule 2\n", "enabler waits 1 2 3\nschedule 2\n", "x:19: expected a kind of operation, found 'waits'"},
		{"hash 1\n", "hash 1\norder 1 2 3 4\n", "x:19: expected a thread, a place, an address, a size and a number"},
		{"hash 1\n", "hash 1\norder 1 2 3 4 5 6\n", "x:19: expected a thread, a place, an address, a size and a number"},
		{"hash 1\n", "hash 1\norder 1 2 x 4 5\n", "x:19: expected hexadecimal digits, found 'x'"},
		{"hash 1\n", "hash 1\norder 1 2 3 4 1\norder 1 2 3 4 2\norder 1 2 3 4 3\norder 1 2 3 4 4\norder 1 2 3 4 5\n",
		 "x:23: too many lines 'order' (at most 4)"},
		{"sleave replay 1", "sleave replay 3", "x:1: made by a newer Sleave (format 3; this one reads up to 1)"},
		{"sleave replay 1", "sleave replay 0", "x:1: expected a format from 1 on, found '0'"},
		{"sleave replay 1", "sleave replay one", "x:1: expected the number of a format, found 'one'"},
		{"sleave replay 1", "\x7f" "ELF", "x:1: not a replay file of Sleave (it would start with 'sleave replay 1')"},
		{"seed 1", "seed -1", "x:8: expected a number, found '-1'"},
		{"seed 1", "seed", "x:8: expected a number, found ''"},
		{"seed 1", "seed 18446744073709551616", "x:8: 18446744073709551616 is too large (at most 18446744073709551615)"},
		{"seed 1", "seed 1\nseed 1", "x:9: a second line 'seed' (the first is line 8)"},
		{"seed 1", "sead 1", "x:8: a replay file has no line 'sead'"},
		{"seed 1\n", "", "x:21: 'end', but there was no line 'seed'"},
		{"races on", "races maybe", "x:9: expected one of off, warn, on, found 'maybe'"},
		{"spurious no", "spurious 2", "x:10: expected one of no, yes, found '2'"},
		{"finding race", "finding love", "x:13: expected one of assertion, abort, crash, exit, deadlock, race, use-after-free, double-free, out-of-bounds, misuse, lock-order, leak, livelock, schedule, endless, atomicity, found 'love'"},
		{"signature 0f", "signature 0g", "x:16: expected hexadecimal digits, found '0g'"},
		{"hash 1\n", "hash 1\nshared 1\nshared 0x2\n", "x:20: expected hexadecimal digits, found '0x2'"},
		{"hash 1\n", "hash 1\nstep a\npath 1 2\n", "x:20: 2 is too large (at most 1)"},
		{"hash 1\n", "hash 1\nstep a\npath 0\n", "x:20: expected numbers from 1 on"},
		{"hash 1\n", "hash 1\nstep a\npath 1*0\n", "x:20: expected numbers from 1 on"},
		{"hash 1\n", "hash 1\nstep a\npath 1*1048576 1\n", "x:20: the path is too long (at most 1048576 steps)"},
		{"hash 1\n", "hash 1\nstep a\npath\n", "x:20: expected the number of a step before it, found ''"},
		{"hash 1\n", "hash 1\nenvironment A\n", "x:19: expected NAME=VALUE, found 'A'"},
		{"hash 1\n", "hash 1\nenvironment =A\n", "x:19: expected NAME=VALUE, found '=A'"},
		{"hash 1\n", "hash 1\nunset A=\n", "x:19: expected a name, or the beginning of one and *, found 'A='"},
		{"hash 1\n", "hash 1\nunset *\n", "x:19: expected a name, or the beginning of one and *, found ''"},
		{"hash 1\n", "hash 1\nenvironment-rest x\n", "x:19: expected hexadecimal digits, found 'x'"},
		{"argument a", "argument \\q", "x:4: expected \\\\ or \\x and two of 0-9a-f, not both 0, found '\\q'"},
		{"argument a", "argument \\x0", "x:4: expected \\\\ or \\x and two of 0-9a-f, not both 0, found '\\x0'"},
		{"argument a", "argument \\x00", "x:4: expected \\\\ or \\x and two of 0-9a-f, not both 0, found '\\x00'"},
		{"strategy dfs", "strategy 12345678901234567890123456789012", "x:7: the text is too long (at most 31 bytes)"},
		{"schedule 2", "schedule 99999999999", "x:19: 99999999999 is too large (at most 4194304)"},
		{"schedule 2", "schedule 3", "x:22: the schedule has 2 lines instead of 3: it was cut off"},
		{"schedule 2", "schedule 1", "x:21: a replay file has no line 'T1'"},
		{"main until 3", "main until 0", "x:20: operations are counted from 1"},
		{"main until 3", "main until", "x:20: expected 'until 7' or 'to the end', found 'until'"},
		{"main until 3", "T0 until 3", "x:20: expected main or T1, T2, ..., found 'T0'"},
		{"main until 3", "T until 3", "x:20: expected the number of a thread, found ''"},
		{"main until 3", "T4294967296 until 3", "x:20: 4294967296 is too large (at most 1048576)"},
		{"main until 3", "main", "x:20: expected 'T1 until 7', 'T1 to the end', 'wake T1' or 'choose 1', found 'main'"},
		{"main until 3", "wake me", "x:20: expected main or T1, T2, ..., found 'me'"},
		{"main until 3", "choose 4294967296", "x:20: 4294967296 is too large (at most 4294967295)"},
		{"main until 3", "\xff" "m\x01 x", "x:20: expected main or T1, T2, ..., found '?m?'"},
		{"\nend\n", "\n", "x:21: the file ends without 'end': it was cut off"},
		{"\nend\n", "\nend\nmore\n", "x:23: something follows after 'end'"},
	};
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char *text = spoilt(table[i].from, table[i].to);

		assert_true(sl_replay_parse("x", text, strlen(text), &r, &err) < 0);
		assert_string_equal(err.text, table[i].message);
		assert_null(r.program);
		free(text);
	}
}

static void
every_truncation_is_noticed(void **state)
{
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	assert_int_equal(sl_replay_parse("x", good, sizeof(good) - 1, &r, &err), 0);
	assert_int_equal(r.schedule.count, 2);
	sl_replay_release(&r);
	for (size_t size = 0; size < sizeof(good) - 1; size++) {
		/* A copy of just that size, so that a sanitizer sees a byte too many. */
		char *text = malloc(size + !size);

		assert_non_null(text);
		memcpy(text, good, size);
		assert_true(sl_replay_parse("x", text, size, &r, &err) < 0);
		assert_true(strncmp(err.text, "x:", 2) == 0);
		free(text);
	}
}

/* Every byte replaced by each of a few bad ones: an error, never a crash. */
static void
junk_is_survived(void **state)
{
	static const char junk[] = {'\0', '\n', ' ', '\\', '9', 'T', (char)0xff};
	char text[sizeof(good)];
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		for (size_t k = 0; k < sizeof(junk); k++) {
			memcpy(text, good, sizeof(good));
			text[i] = junk[k];
			if (sl_replay_parse("x", text, sizeof(good) - 1, &r, &err) == 0)
				sl_replay_release(&r);
		}
	}
}

static void
line_ends_of_another_system_are_read(void **state)
{
	char text[2 * sizeof(good)], *to = text;
	struct sl_replay r;
	struct sl_err err;

	(void)state;
	for (const char *from = good; *from; from++) {
		if (*from == '\n')
			*to++ = '\r';
		*to++ = *from;
	}
	assert_int_equal(sl_replay_parse("x", text, (size_t)(to - text), &r, &err), 0);
	assert_string_equal(r.program, "/bin/a");
	sl_replay_release(&r);
}

static void
unreadable_files_are_named(void **state)
{
	struct sl_replay r;
	struct sl_err err;
	int fd;

	(void)state;
	assert_true(sl_replay_read("/nowhere/x.sleave", &r, &err) < 0);
	assert_string_equal(err.text, "cannot open /nowhere/x.sleave: No such file or directory");
	assert_true(sl_replay_read("/tmp", &r, &err) < 0);
	assert_string_equal(err.text, "cannot read /tmp: Is a directory");
	fd = open(in_directory("large"), O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SL_REPLAY_BYTES_MAX + 1l), 0);
	close(fd);
	assert_true(sl_replay_read(in_directory("large"), &r, &err) < 0);
	assert_non_null(strstr(err.text, "large is too large for a replay file (more than 64 MiB)"));
	unlink(in_directory("large"));
}

static void
unwritable_directories_are_named(void **state)
{
	struct sl_replay r = sample();
	struct sl_err err;
	char path[128];

	(void)state;
	assert_true(sl_replay_write("/nowhere/x.sleave", &r, &err) < 0);
	assert_string_equal(err.text, "cannot write /nowhere/x.sleave: No such file or directory");
	/* /proc takes no files, not even from root. */
	assert_true(sl_replay_write("/proc/x.sleave", &r, &err) < 0);
	assert_non_null(strstr(err.text, "cannot write /proc/x.sleave: "));
	/* The rename fails: nothing may be left behind. */
	snprintf(path, sizeof(path), "%s/occupied", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(sl_replay_write(path, &r, &err) < 0);
	assert_non_null(strstr(err.text, "Is a directory"));
	rmdir(path);
	assert_int_equal(files_in(directory), 1); /* a-1.sleave of the test above */
	if (geteuid() != 0) {
		assert_int_equal(chmod(directory, 0500), 0);
		assert_true(sl_replay_write(in_directory("b"), &r, &err) < 0);
		assert_non_null(strstr(err.text, "Permission denied"));
		chmod(directory, 0700);
	}
}

/* A full disk, at every byte: the old file stays as it was, and nothing beside it. */
static void
a_full_disk_leaves_the_old_file(void **state)
{
	struct sl_replay r = sample(), in;
	struct sl_err err;
	struct rlimit before, limit;
	struct stat status;
	const char *path = in_directory("a-1.sleave");

	(void)state;
	assert_int_equal(sl_replay_write(path, &r, &err), 0);
	assert_int_equal(stat(path, &status), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	for (off_t size = 0; size < status.st_size; size++) {
		int result;

		limit = (struct rlimit){(rlim_t)size, before.rlim_max};
		setrlimit(RLIMIT_FSIZE, &limit);
		result = sl_replay_write(path, &r, &err);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_true(result < 0);
		assert_non_null(strstr(err.text, "a-1.sleave: File too large"));
		assert_int_equal(files_in(directory), 1);
	}
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(sl_replay_read(path, &in, &err), 0);
	sl_replay_release(&in);
}

static void
build_ids_tell_files_apart(void **state)
{
	char a[72], b[72];
	struct sl_err err;
	FILE *f;

	(void)state;
	assert_int_equal(sl_build_id("/proc/self/exe", a, sizeof(a), &err), 0);
	assert_true(!strncmp(a, "build-id:", 9) || !strncmp(a, "content:", 8));
	f = fopen(in_directory("script"), "w");
	assert_non_null(f);
	fputs("#!/bin/sh\n", f);
	fclose(f);
	assert_int_equal(sl_build_id(in_directory("script"), a, sizeof(a), &err), 0);
	assert_true(!strncmp(a, "content:", 8));
	f = fopen(in_directory("script"), "a");
	assert_non_null(f);
	fputs("exit\n", f);
	fclose(f);
	assert_int_equal(sl_build_id(in_directory("script"), b, sizeof(b), &err), 0);
	assert_string_not_equal(a, b);
	unlink(in_directory("script"));
	assert_true(sl_build_id("/nowhere/a", a, sizeof(a), &err) < 0);
	assert_string_equal(err.text, "cannot open /nowhere/a: No such file or directory");
	assert_true(sl_build_id("/tmp", a, sizeof(a), &err) < 0);
	assert_string_equal(err.text, "/tmp is not a program: it is not a regular file");
}

static void
assert_from(const char *path, const char *from, const char *wanted)
{
	char *text = sl_path_from(path, from);

	assert_string_equal(text, wanted);
	free(text);
}

static void
files_are_named_from_where_they_were_compiled(void **unused)
{
	(void)unused;
	assert_from("/p/x/src/q.c", "/p", "x/src/q.c");
	assert_from("/home/me/project/src/q.c", "/home/me/project/build", "../src/q.c");
	assert_from("/home/me/project/src/q.c", "/home/me/project/build/deep/", "../../src/q.c");
	assert_from("/home/me/projects/q.c", "/home/me/project", "../projects/q.c");
	assert_from("/usr/include/c++/12/bits/std_mutex.h", "/home/me", "bits/std_mutex.h");
	assert_from("/elsewhere/src/q.c", "/tmp/x", "src/q.c");
	assert_from("/elsewhere/src/q.c", NULL, "src/q.c");
	assert_from("/elsewhere/src/q.c", "/", "src/q.c");
	assert_from("/elsewhere/src/q.c", ".", "src/q.c");
	assert_from("/q.c", "/", "q.c");
	assert_from("/a/q.c", "/a/q.c", "a/q.c");
}

int
main(void)
{
	const struct CMUnitTest name_tests[] = {
		cmocka_unit_test(files_are_named_from_where_they_were_compiled),
		cmocka_unit_test(place_of_a_call),
		cmocka_unit_test(inlined_functions_are_a_chain),
		cmocka_unit_test(functions_by_their_address),
		cmocka_unit_test(unknown_addresses_have_words),
		cmocka_unit_test(variables_and_their_members),
		cmocka_unit_test(what_is_no_variable_has_no_name),
	};
	const struct CMUnitTest replay_tests[] = {
		cmocka_unit_test(replay_comes_back_as_it_was),
		cmocka_unit_test(environment_is_as_it_was),
		cmocka_unit_test(enablers_come_back_as_they_were),
		cmocka_unit_test(an_order_comes_back_as_it_was),
		cmocka_unit_test(malformed_files_are_named_with_their_line),
		cmocka_unit_test(every_truncation_is_noticed),
		cmocka_unit_test(junk_is_survived),
		cmocka_unit_test(line_ends_of_another_system_are_read),
		cmocka_unit_test(unreadable_files_are_named),
		cmocka_unit_test(unwritable_directories_are_named),
		cmocka_unit_test(a_full_disk_leaves_the_old_file),
		cmocka_unit_test(build_ids_tell_files_apart),
	};

	return cmocka_run_group_tests(name_tests, start_names, end_names) +
	       cmocka_run_group_tests(replay_tests, start_directory, end_directory);
}
