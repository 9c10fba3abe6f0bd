/*
 * What lasts between runs: it adds up, several processes may write at the same time, and neither a kill nor a
 * failing disk leaves half of a transaction. A file that is damaged, newer, or foreign is named in the message.
 */
#include "store/store.h"

#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER "store"
#define FILE_PATH FOLDER "/" SL_STORE_FILE

static char home[] = "/tmp/sleave-store-XXXXXX";
static const struct sl_store_scope all = {.last = SL_STORE_NOW};

/* ---- each test begins with no store ---- */

static void
remove_store(void)
{
	unlink(FILE_PATH);
	unlink(FILE_PATH "-journal");
	unlink(FOLDER "/.gitignore");
	rmdir(FOLDER);
}

static int
set_up(void **state)
{
	(void)state;
	remove_store();
	return 0;
}

static int
enter(void **state)
{
	(void)state;
	return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int
leave(void **state)
{
	(void)state;
	remove_store();
	return chdir("/") == 0 ? rmdir(home) : -1;
}

/* ---- short forms ---- */

static struct sl_store *
store_open(bool read_only)
{
	struct sl_store *store;
	struct sl_err err = {""};

	if (sl_store_open(&store, FOLDER, read_only, &err) < 0)
		fail_msg("%s", err.text);
	return store;
}

static void
store_must(int result, const struct sl_err *err)
{
	if (result < 0)
		fail_msg("%s", err->text);
}

static int64_t
put(struct sl_store *store, const char *program, const char *build, int64_t started, const char *list)
{
	struct sl_store_run run = {.program = program,
				   .build = build,
				   .arguments = "",
				   .criterion = "sync-pair",
				   .strategy = "tsa",
				   .started = started,
				   .executions = 10,
				   .ended = true};
	struct sl_err err;

	store_must(sl_store_begin(store, &err), &err);
	store_must(sl_store_put_run(store, &run, &err), &err);
	/* "abC": the pair of places a, b was Covered, Estimated, or is Infeasible */
	for (const char *at = list; *at; at += 3 + (at[3] == ' ')) {
		char first[2] = {at[0], 0}, second[2] = {at[1], 0};
		struct sl_store_requirement r = {.first = first, .second = second, .object = "", .execution = 7};

		r.state = at[2] == 'C' ? SL_STORE_COVERED : at[2] == 'E' ? SL_STORE_ESTIMATED : SL_STORE_INFEASIBLE;
		r.reason = at[2] == 'I' ? "held on" : "";
		store_must(sl_store_put_requirement(store, run.id, &r, &err), &err);
	}
	store_must(sl_store_commit(store, &err), &err);
	return run.id;
}

struct state_text {
	char text[4096];
	unsigned count;
};

static void
note(void *context, const struct sl_store_requirement *r)
{
	struct state_text *state = context;
	size_t used = strlen(state->text);

	state->count++;
	snprintf(state->text + used, sizeof(state->text) - used, "%s%s%s%c", used ? " " : "", r->first, r->second,
		 " IEC"[r->state]);
	used = strlen(state->text);
	if (r->state == SL_STORE_COVERED)
		snprintf(state->text + used, sizeof(state->text) - used, "%lld", (long long)r->run);
	else
		snprintf(state->text + used, sizeof(state->text) - used, "%s", *r->reason ? "!" : "");
}

static const char *
state_at(struct sl_store *store, int64_t last, const char *program)
{
	static struct state_text state;
	struct sl_err err;

	memset(&state, 0, sizeof(state));
	store_must(sl_store_state(store, &(struct sl_store_scope){last, program, NULL, "sync-pair"}, note, &state, &err), &err);
	return state.text;
}

/* ---- it adds up ---- */

static void
runs_and_tests_add_up(void **unused)
{
	struct sl_store *store = store_open(false);

	(void)unused;
	put(store, "one", "1", 100, "abC acE adI");
	put(store, "one", "1", 200, "abE acC");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acC2 adI!");
	put(store, "two", "1", 300, "adE xyE");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acC2 adE xyE");
	put(store, "two", "1", 400, "adC abC xyI");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acC2 adC4 xyE");
	/* earlier, and of one program */
	assert_string_equal(state_at(store, 1, NULL), "abC1 acE adI!");
	assert_string_equal(state_at(store, 3, NULL), "abC1 acC2 adE xyE");
	assert_string_equal(state_at(store, SL_STORE_NOW, "two"), "abC1 adC4 xyE");
	assert_string_equal(state_at(store, SL_STORE_NOW, "three"), "");
	sl_store_close(store);
	store = store_open(true);
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acC2 adC4 xyE");
	sl_store_close(store);
}

/* What only an earlier build knew is not known any more; that something was covered still counts, unless it can't be now. */
static void
a_new_build_forgets_what_is_gone(void **unused)
{
	struct sl_store *store = store_open(false);

	(void)unused;
	put(store, "one", "1", 100, "abC acE adC");
	put(store, "two", "9", 150, "aaE");
	put(store, "one", "2", 200, "abE aeE");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "aaE abC1 aeE");
	assert_string_equal(state_at(store, 2, NULL), "aaE abC1 acE adC1");
	put(store, "one", "2", 300, "adI");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "aaE abC1 adI! aeE");
	put(store, "one", "2", 400, "adC");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "aaE abC1 adC1 aeE");
	sl_store_close(store);
}

static void
count_run(void *context, const struct sl_store_run *run, uint64_t covered, uint64_t estimated, uint64_t infeasible)
{
	struct state_text *state = context;
	size_t used = strlen(state->text);

	state->count++;
	snprintf(state->text + used, sizeof(state->text) - used, "%lld %s %d %llu: %llu of %llu, %llu\n",
		 (long long)run->id, run->strategy, run->ended, (unsigned long long)run->executions,
		 (unsigned long long)covered, (unsigned long long)estimated, (unsigned long long)infeasible);
}

static void
count_growth(void *context, const struct sl_store_growth *growth)
{
	struct state_text *state = context;
	size_t used = strlen(state->text);

	snprintf(state->text + used, sizeof(state->text) - used, "%llu:%llu ", (unsigned long long)growth->execution,
		 (unsigned long long)growth->covered);
}

/* A run that is saved again while it is under way, also with less than before. */
static void
a_run_is_saved_many_times(void **unused)
{
	struct sl_store *store = store_open(false);
	struct sl_store_run run = {.program = "p", .build = "", .arguments = "-x", .criterion = "sync-pair", .strategy = "tsa"};
	struct sl_store_requirement r = {.first = "a", .second = "b", .object = "", .reason = ""};
	static const enum sl_store_state states[] = {SL_STORE_ESTIMATED, SL_STORE_COVERED, SL_STORE_ESTIMATED};
	struct state_text text = {0};
	struct sl_err err;

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		run.executions = 10 * (i + 1);
		run.ended = i == 2;
		r.state = states[i];
		r.execution = i + 1;
		store_must(sl_store_begin(store, &err), &err);
		store_must(sl_store_put_run(store, &run, &err), &err);
		assert_int_equal(run.id, 1);
		store_must(sl_store_put_requirement(store, run.id, &r, &err), &err);
		for (unsigned k = 0; k <= i; k++)
			store_must(sl_store_put_growth(store, run.id,
						       &(struct sl_store_growth){.execution = k + 1, .covered = k}, &err),
				   &err);
		store_must(sl_store_commit(store, &err), &err);
	}
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	store_must(sl_store_runs(store, &all, count_run, &text, &err), &err);
	assert_string_equal(text.text, "1 tsa 1 30: 1 of 1, 0\n");
	text.text[0] = '\0';
	store_must(sl_store_growth(store, 1, count_growth, &text, &err), &err);
	assert_string_equal(text.text, "1:0 2:1 3:2 ");
	/* rolled back: nothing */
	store_must(sl_store_begin(store, &err), &err);
	run.id = 0;
	store_must(sl_store_put_run(store, &run, &err), &err);
	sl_store_rollback(store);
	text = (struct state_text){0};
	store_must(sl_store_runs(store, &(struct sl_store_scope){SL_STORE_NOW, "p", NULL, "sync-pair"}, count_run, &text, &err), &err);
	assert_int_equal(text.count, 1);
	/* a run that does not exist */
	store_must(sl_store_begin(store, &err), &err);
	assert_int_equal(sl_store_put_requirement(store, 77, &r, &err), -1);
	assert_non_null(strstr(err.text, "no run 77"));
	sl_store_rollback(store);
	sl_store_close(store);
}

static void
runs_are_found_by_number_and_date(void **unused)
{
	struct sl_store *store = store_open(false);
	struct tm tm = {.tm_year = 126, .tm_mon = 10, .tm_mday = 16, .tm_hour = 12, .tm_min = 30, .tm_isdst = -1};
	int64_t noon = (int64_t)mktime(&tm), id;
	struct sl_err err;
	static const struct {
		const char *text;
		int64_t id; /* 0: an error */
	} cases[] = {
		{"1", 1},          {"#2", 2},
		{"3", 3},          {"4", 0},
		{"0", 0},          {"2026-11-16 12:30", 1},
		{"2026-11-16", 2}, {"2026-11-16T12:29:59", 0},
		{"2026-11-17", 3}, {"2026-11-15", 0},
		{"yesterday", 0},  {"", 0},
		{"#", 0},          {"2026-11-16 25:00", 0},
		{"99999999999999999999999", 0},
	};

	(void)unused;
	put(store, "one", "", noon, "");
	put(store, "one", "", noon + 3600, "");
	put(store, "one", "", noon + 24 * 3600, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		id = 0;
		err.text[0] = '\0';
		if (sl_store_find_run(store, cases[i].text, &id, &err) < 0) {
			id = 0;
			assert_true(err.text[0]);
		}
		if (id != cases[i].id)
			fail_msg("'%s': run %lld, expected %lld", cases[i].text, (long long)id, (long long)cases[i].id);
	}
	sl_store_close(store);
}

/* ---- several processes ---- */

enum { WRITERS = 5, ROUNDS = 12 };

static void
write_much(unsigned writer)
{
	struct sl_store *store;
	struct sl_err err;

	if (sl_store_open(&store, FOLDER, false, &err) < 0)
		_exit(1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct sl_store_run run = {.program = "p", .build = "", .arguments = "", .criterion = "c", .strategy = "s"};
		char first[16], second[16];
		struct sl_store_requirement r = {first, second, "", SL_STORE_COVERED, "", i, 0, 0};

		if (sl_store_begin(store, &err) < 0 || sl_store_put_run(store, &run, &err) < 0)
			_exit(2);
		/* one that all have, and one of its own */
		for (unsigned own = 0; own < 2; own++) {
			snprintf(first, sizeof(first), "%u", own ? writer : 99);
			snprintf(second, sizeof(second), "%u", i);
			if (sl_store_put_requirement(store, run.id, &r, &err) < 0)
				_exit(3);
		}
		if (sl_store_commit(store, &err) < 0)
			_exit(4);
	}
	sl_store_close(store);
	_exit(0);
}

static void
writers_do_not_lose_each_others_runs(void **unused)
{
	struct state_text text = {0};
	struct sl_store *store;
	struct sl_err err;
	int status;

	(void)unused;
	/* not even the directory exists when they begin */
	for (unsigned i = 0; i < WRITERS; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child)
			write_much(i);
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	store = store_open(true);
	store_must(sl_store_runs(store, &all, count_run, &text, &err), &err);
	assert_int_equal(text.count, WRITERS * ROUNDS);
	text = (struct state_text){0};
	store_must(sl_store_state(store, &(struct sl_store_scope){SL_STORE_NOW, NULL, NULL, "c"}, note, &text, &err), &err);
	assert_int_equal(text.count, (WRITERS + 1) * ROUNDS);
	sl_store_close(store);
}

/* ---- killed in the middle ---- */

enum { KILLS = 25, IN_A_RUN = 40 };

/* Runs, each in one transaction, and says so when it has been committed. */
static void
write_until_killed(int told)
{
	struct sl_store *store;
	struct sl_err err;

	if (sl_store_open(&store, FOLDER, false, &err) < 0)
		_exit(1);
	for (;;) {
		struct sl_store_run run = {.program = "p", .build = "", .arguments = "", .criterion = "c", .strategy = "s"};
		char first[32], second[32];
		struct sl_store_requirement r = {first, second, "", SL_STORE_COVERED, "", 1, 0, 0};

		if (sl_store_begin(store, &err) < 0 || sl_store_put_run(store, &run, &err) < 0)
			_exit(2);
		for (unsigned i = 0; i < IN_A_RUN; i++) {
			snprintf(first, sizeof(first), "%lld", (long long)run.id);
			snprintf(second, sizeof(second), "%u", i);
			if (sl_store_put_requirement(store, run.id, &r, &err) < 0)
				_exit(3);
		}
		if (sl_store_commit(store, &err) < 0 || write(told, &run.id, sizeof(run.id)) != sizeof(run.id))
			_exit(4);
	}
}

struct wholeness {
	int64_t count, last;
};

static void
look_whether_whole(void *context, const struct sl_store_run *run, uint64_t covered, uint64_t estimated,
		   uint64_t infeasible)
{
	struct wholeness *whole = context;

	(void)estimated;
	(void)infeasible;
	assert_int_equal(covered, IN_A_RUN);
	assert_int_equal(run->id, whole->last + 1);
	whole->last = run->id;
	whole->count++;
}

/* The part of a transaction that it had written is in the file, and the journal has what to restore. */
static void
write_half_and_die(void)
{
	sqlite3 *db;

	if (sqlite3_open(FILE_PATH, &db) == SQLITE_OK)
		sqlite3_exec(db,
			     "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM seen;"
			     "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20000)"
			     " INSERT INTO name (text) SELECT 'name ' || x FROM n",
			     NULL, NULL, NULL);
	kill(getpid(), SIGKILL);
}

static void
who_only_reads_finds_what_was_committed(void **unused)
{
	struct sl_store *store = store_open(false);
	pid_t child;

	(void)unused;
	put(store, "one", "1", 100, "abC acE");
	sl_store_close(store);
	child = fork();
	if (child == 0)
		write_half_and_die();
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(access(FILE_PATH "-journal", F_OK), 0);
	store = store_open(true);
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acE");
	sl_store_close(store);
}

static void
a_kill_leaves_whole_runs(void **unused)
{
	struct sl_rng dice = sl_rng_derive(1, 2);
	int64_t committed = 0;

	(void)unused;
	for (unsigned round = 0; round < KILLS; round++) {
		struct wholeness whole = {0};
		struct sl_store *store;
		struct sl_err err;
		int pipes[2], status;
		int64_t id;
		pid_t child;

		assert_int_equal(pipe(pipes), 0);
		child = fork();
		assert_true(child >= 0);
		if (!child)
			write_until_killed(pipes[1]);
		close(pipes[1]);
		/* after so many runs, and then some part of the next */
		for (unsigned runs = sl_rng_below(&dice, 4); runs--;)
			if (read(pipes[0], &id, sizeof(id)) == sizeof(id))
				committed = id;
		usleep(sl_rng_below(&dice, 8000)); /* at any point: what is checked holds at every moment */
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		while (read(pipes[0], &id, sizeof(id)) == sizeof(id))
			committed = id;
		close(pipes[0]);
		/* it may have been killed before there was anything */
		store = store_open(false);
		store_must(sl_store_runs(store, &all, look_whether_whole, &whole, &err), &err);
		assert_true(whole.count >= committed);
		assert_true(whole.count <= committed + 1); /* killed between the commit and saying so */
		committed = whole.count;
		sl_store_close(store);
	}
	assert_true(committed > 0);
}

/* ---- a disk that fails ---- */

static int calls_left = -1, with_errno; /* the call that finds 0 fails */
static bool persistent;
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_open)(const char *, int, int);
static int (*real_ftruncate)(int, off_t);

static bool
fails(void)
{
	if (calls_left < 0 || (calls_left > 0 && --calls_left >= 0))
		return false;
	if (!persistent)
		calls_left = -1;
	errno = with_errno;
	return true;
}

static ssize_t
failing_pwrite(int fd, const void *data, size_t size, off_t offset)
{
	return fails() ? -1 : real_pwrite(fd, data, size, offset);
}

static int
failing_open(const char *path, int flags, int mode)
{
	if ((flags & O_ACCMODE) != O_RDONLY && fails())
		return -1;
	return real_open(path, flags, mode);
}

static int
failing_ftruncate(int fd, off_t size)
{
	return fails() ? -1 : real_ftruncate(fd, size);
}

static void
replace(const char *name, void *with, void *real)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_syscall_ptr old = vfs->xGetSystemCall(vfs, name);

	if (!old)
		return;
	if (real)
		memcpy(real, &old, sizeof(old));
	assert_int_equal(vfs->xSetSystemCall(vfs, name, (sqlite3_syscall_ptr)with), SQLITE_OK);
}

static void
make_faulty(void)
{
	replace("pwrite", failing_pwrite, &real_pwrite);
	replace("pwrite64", failing_pwrite, &real_pwrite);
	replace("open", failing_open, &real_open);
	replace("ftruncate", failing_ftruncate, &real_ftruncate);
}

static void
make_well(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	assert_int_equal(vfs->xSetSystemCall(vfs, NULL, NULL), SQLITE_OK);
	calls_left = -1;
}

/* Everything that a save does; which of it failed is in err. */
static int
save_once(struct sl_err *err)
{
	struct sl_store_run run = {.program = "p", .build = "", .arguments = "", .criterion = "sync-pair", .strategy = "s"};
	char second[16];
	struct sl_store_requirement r = {"first", second, "", SL_STORE_COVERED, "", 1, 0, 0};
	struct sl_store *store;
	int result;

	if (sl_store_open(&store, FOLDER, false, err) < 0)
		return -1;
	result = sl_store_begin(store, err);
	if (result == 0)
		result = sl_store_put_run(store, &run, err);
	for (unsigned i = 0; result == 0 && i < 300; i++) {
		snprintf(second, sizeof(second), "%u", i);
		result = sl_store_put_requirement(store, run.id, &r, err);
	}
	if (result == 0)
		result = sl_store_commit(store, err);
	else
		sl_store_rollback(store);
	sl_store_close(store);
	return result;
}

/* The n-th call fails, for n = 0, 1, … until that does not matter any more. Then the whole transaction is there. */
static void
fail_one_by_one(int error, bool from_then_on, const char *words)
{
	unsigned n = 0, said = 0;
	bool done = false;

	for (; !done; n++) {
		struct state_text text = {0};
		struct sl_err err = {""};
		struct sl_store *store;
		int result;

		assert_true(n < 2000);
		remove_store();
		make_faulty();
		with_errno = error;
		persistent = from_then_on;
		calls_left = (int)n;
		result = save_once(&err);
		done = calls_left > 0; /* the failure did not happen */
		make_well();
		assert_true(!done || result == 0);
		assert_true(result == 0 || err.text[0]);
		said += result < 0 && strstr(err.text, words) != NULL;
		/* all or nothing, and it can be used again */
		store = store_open(false);
		store_must(sl_store_state(store, &(struct sl_store_scope){SL_STORE_NOW, NULL, NULL, "sync-pair"}, note, &text, &err), &err);
		if (text.count != 300 * (result == 0))
			fail_msg("call %u failed: result %d (%s), but %u requirements", n, result, err.text, text.count);
		sl_store_close(store);
	}
	assert_true(n > 3);
	assert_true(said > 0);
}

static void
a_full_disk_is_named(void **unused)
{
	(void)unused;
	fail_one_by_one(ENOSPC, true, "no space left");
	fail_one_by_one(ENOSPC, false, "no space left");
}

static void
a_disk_that_fails_leaves_all_or_nothing(void **unused)
{
	(void)unused;
	fail_one_by_one(EIO, false, FILE_PATH);
}

static void
a_folder_that_cannot_be_written_is_named(void **unused)
{
	struct sl_err err = {""};
	struct sl_store *store;

	(void)unused;
	/* created before: reading works, writing reports why not */
	put(store = store_open(false), "one", "", 1, "abC");
	sl_store_close(store);
	make_faulty();
	with_errno = EROFS;
	persistent = true;
	calls_left = 0;
	assert_int_equal(save_once(&err), -1);
	assert_non_null(strstr(err.text, FILE_PATH " can't be written"));
	store = store_open(true);
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	sl_store_close(store);
	make_well();
	/* the folder itself */
	assert_int_equal(sl_store_open(&store, "no/such/place", false, &err), -1);
	assert_null(store);
	assert_non_null(strstr(err.text, "no/such/place can't be made"));
	/* nothing there, and reading creates nothing */
	remove_store();
	assert_int_equal(sl_store_open(&store, FOLDER, true, &err), -1);
	assert_non_null(strstr(err.text, "no run has been stored yet"));
	assert_false(sl_store_exists(FOLDER));
	assert_int_equal(access(FOLDER, F_OK), -1);
}

/* ---- damaged and foreign files ---- */

static void
overwrite(off_t from, size_t size, const char *with)
{
	int fd = open(FILE_PATH, O_WRONLY);

	assert_true(fd >= 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(pwrite(fd, with, 1, from + (off_t)i), 1);
	close(fd);
}

static void
execute(const char *sql)
{
	sqlite3 *db;

	mkdir(FOLDER, 0777);
	assert_int_equal(sqlite3_open(FILE_PATH, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void
expect_refusal(const char *words)
{
	for (unsigned read_only = 0; read_only < 2; read_only++) {
		struct sl_err err = {""};
		struct sl_store *store;

		assert_int_equal(sl_store_open(&store, FOLDER, read_only, &err), -1);
		assert_null(store);
		if (!strstr(err.text, words))
			fail_msg("'%s' does not say '%s'", err.text, words);
	}
}

static void
damage_is_named(void **unused)
{
	struct sl_store *store;
	struct stat st;
	long pages;

	(void)unused;
	/* each page in turn */
	for (long page = 0;; page++) {
		struct sl_err err;

		remove_store();
		store_must(save_once(&err), &err);
		assert_int_equal(stat(FILE_PATH, &st), 0);
		pages = st.st_size / 4096;
		assert_true(pages > 8);
		if (page == pages)
			break;
		overwrite(page * 4096, 4096, "\xa5");
		expect_refusal("is damaged; move it away");
	}
	/* cut */
	assert_int_equal(truncate(FILE_PATH, st.st_size / 2), 0);
	expect_refusal("is damaged");
	/* no database at all */
	assert_int_equal(truncate(FILE_PATH, 0), 0);
	overwrite(0, 4096, "x");
	expect_refusal("is damaged");
	/* empty is as good as new */
	assert_int_equal(truncate(FILE_PATH, 0), 0);
	store = store_open(false);
	put(store, "one", "", 1, "abC");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	sl_store_close(store);
}

static void
newer_and_other_databases_are_refused(void **unused)
{
	(void)unused;
	sl_store_close(store_open(false));
	execute("PRAGMA user_version = 99");
	expect_refusal("was written by a newer Sleave (format 99; this one knows 3)");
	remove_store();
	execute("CREATE TABLE t (x)");
	expect_refusal("is a database, but not one of Sleave's");
}

static uint64_t
earlier_at(struct sl_store *store, int64_t last, const char *program)
{
	struct sl_store_scope scope = {.last = last, .program = program};
	struct sl_err err = {""};
	uint64_t count;

	store_must(sl_store_earlier(store, &scope, &count, &err), &err);
	return count;
}

/* They count, since the names are the same; but a message must say so. */
static void
what_only_an_earlier_build_covered_is_counted(void **unused)
{
	struct sl_store *store = store_open(false);

	(void)unused;
	put(store, "one", "1", 100, "abC acC adC");
	assert_int_equal(earlier_at(store, SL_STORE_NOW, NULL), 0);
	put(store, "one", "2", 200, "abE acC adI");
	assert_int_equal(earlier_at(store, SL_STORE_NOW, NULL), 1);
	assert_int_equal(earlier_at(store, 1, NULL), 0);
	put(store, "two", "7", 300, "abC"); /* another program that is as it was */
	assert_int_equal(earlier_at(store, SL_STORE_NOW, NULL), 0);
	assert_int_equal(earlier_at(store, SL_STORE_NOW, "one"), 0);
	put(store, "two", "8", 400, "abE");
	assert_int_equal(earlier_at(store, SL_STORE_NOW, "one"), 1);
	put(store, "one", "2", 500, "abC");
	assert_int_equal(earlier_at(store, SL_STORE_NOW, NULL), 0);
	sl_store_close(store);
}

static uint64_t
lost_at(struct sl_store *store, int64_t last)
{
	struct sl_store_scope scope = {.last = last};
	struct sl_err err = {""};
	uint64_t runs;

	store_must(sl_store_lost(store, &scope, &runs, &err), &err);
	return runs;
}

/* That a run had no room counts as long as what it knows does. */
static void
runs_without_room_are_counted(void **unused)
{
	struct sl_store_run run = {.program = "one",
				   .build = "1",
				   .arguments = "",
				   .criterion = "sync-pair",
				   .strategy = "tsa"};
	struct sl_store *store = store_open(false);
	struct sl_err err;

	(void)unused;
	put(store, "one", "1", 100, "abC");
	assert_int_equal(lost_at(store, SL_STORE_NOW), 0);
	for (run.lost = 0; run.lost < 3; run.lost += 2) { /* it happens while the run is under way */
		store_must(sl_store_begin(store, &err), &err);
		store_must(sl_store_put_run(store, &run, &err), &err);
		store_must(sl_store_commit(store, &err), &err);
		assert_int_equal(lost_at(store, SL_STORE_NOW), run.lost > 0);
	}
	put(store, "two", "1", 100, "abC");
	assert_int_equal(lost_at(store, SL_STORE_NOW), 1);
	put(store, "one", "2", 200, "abC");
	assert_int_equal(lost_at(store, SL_STORE_NOW), 0);
	assert_int_equal(lost_at(store, 2), 1);
	sl_store_close(store);
}

static void
an_older_database_is_read_and_brought_up_to_date(void **unused)
{
	struct sl_store *store = store_open(false);

	(void)unused;
	put(store, "one", "1", 100, "abC");
	sl_store_close(store);
	execute("ALTER TABLE run DROP COLUMN lost; ALTER TABLE run DROP COLUMN folder; PRAGMA user_version = 1");
	store = store_open(true);
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	assert_int_equal(lost_at(store, SL_STORE_NOW), 0);
	sl_store_close(store);
	store = store_open(false);
	put(store, "one", "1", 200, "acC");
	/* names were other ones then: it counts as another build */
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "acC2");
	assert_int_equal(lost_at(store, SL_STORE_NOW), 0);
	put(store, "one", "1", 300, "abE adE");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acC2 adE");
	sl_store_close(store);
}

static void
add_folder(void *context, const char *folder)
{
	strcat(strcat(context, folder), " ");
}

static const char *
folders_of(struct sl_store *store)
{
	static char text[256];
	struct sl_err err = {""};

	text[0] = '\0';
	store_must(sl_store_folders(store, add_folder, text, &err), &err);
	return text;
}

static void
a_store_knows_where_it_has_been(void **unused)
{
	static const char *const folders[] = {"/a", "/b", NULL, "/c", "/a"};
	struct sl_store *store = store_open(false);
	struct sl_err err;

	(void)unused;
	for (unsigned i = 0; i < 5; i++) {
		struct sl_store_run run = {.program = "one",
					   .build = "1",
					   .arguments = "",
					   .criterion = "sync-pair",
					   .strategy = "tsa",
					   .folder = folders[i]};

		store_must(sl_store_begin(store, &err), &err);
		store_must(sl_store_put_run(store, &run, &err), &err);
		store_must(sl_store_commit(store, &err), &err);
	}
	assert_string_equal(folders_of(store), "/a /c /b ");
	sl_store_close(store);
}

static void
names_of_before_are_those_of_an_earlier_build(void **unused)
{
	struct sl_store *store = store_open(false);

	(void)unused;
	put(store, "one", "1", 100, "abC acE");
	sl_store_close(store);
	execute("ALTER TABLE run DROP COLUMN folder; PRAGMA user_version = 2");
	store = store_open(true);
	assert_string_equal(folders_of(store), "");
	sl_store_close(store);
	store = store_open(false);
	assert_string_equal(folders_of(store), "");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1 acE");
	put(store, "one", "1", 200, "abE");
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	assert_int_equal(earlier_at(store, SL_STORE_NOW, NULL), 1);
	sl_store_close(store);
	store = store_open(false); /* only once */
	assert_string_equal(state_at(store, SL_STORE_NOW, NULL), "abC1");
	sl_store_close(store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runs_and_tests_add_up, set_up),
		cmocka_unit_test_setup(a_new_build_forgets_what_is_gone, set_up),
		cmocka_unit_test_setup(a_run_is_saved_many_times, set_up),
		cmocka_unit_test_setup(runs_are_found_by_number_and_date, set_up),
		cmocka_unit_test_setup(writers_do_not_lose_each_others_runs, set_up),
		cmocka_unit_test_setup(who_only_reads_finds_what_was_committed, set_up),
		cmocka_unit_test_setup(a_kill_leaves_whole_runs, set_up),
		cmocka_unit_test_setup(a_full_disk_is_named, set_up),
		cmocka_unit_test_setup(a_disk_that_fails_leaves_all_or_nothing, set_up),
		cmocka_unit_test_setup(a_folder_that_cannot_be_written_is_named, set_up),
		cmocka_unit_test_setup(damage_is_named, set_up),
		cmocka_unit_test_setup(newer_and_other_databases_are_refused, set_up),
		cmocka_unit_test_setup(what_only_an_earlier_build_covered_is_counted, set_up),
		cmocka_unit_test_setup(runs_without_room_are_counted, set_up),
		cmocka_unit_test_setup(an_older_database_is_read_and_brought_up_to_date, set_up),
		cmocka_unit_test_setup(names_of_before_are_those_of_an_earlier_build, set_up),
		cmocka_unit_test_setup(a_store_knows_where_it_has_been, set_up),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
