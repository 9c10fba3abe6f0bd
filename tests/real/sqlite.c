/*
 * SQLite's test/threadtest3.c with less to do: its own thread functions, two or three of them at a time, each for some rounds
 * instead of ten seconds. It asks the default VFS for the time to know when to stop, so that one is set up here whose clock
 * goes on by a millisecond each time a thread asks, for each thread by itself: every thread makes the same number of rounds
 * in every interleaving.
 *
 * usage: PROGRAM TEST [ROUNDS]
 */
#define main threadtest3_main
#include "threadtest3.c"
#undef main

#include <stdlib.h>

#define WAL "PRAGMA journal_mode = WAL; "
#define EMPTY "CREATE TABLE t1(a PRIMARY KEY, b)"

static const struct test {
	const char *name, *setup;
	int shared_cache;
	char *(*threads[3])(int, void *);
	void *last; /* what the last thread is given */
} tests[] = {
	{"wal2",
	 "CREATE TABLE t1(x INTEGER PRIMARY KEY, y UNIQUE)",
	 0,
	 {walthread2_thread, walthread2_thread},
	 (void *)1},
	{"wal4",
	 WAL "CREATE TABLE t1(a INTEGER PRIMARY KEY, b UNIQUE)",
	 0,
	 {walthread4_reader_thread, walthread4_writer_thread},
	 NULL},
	{"wal4w",
	 WAL "CREATE TABLE t1(a INTEGER PRIMARY KEY, b UNIQUE)",
	 0,
	 {walthread4_writer_thread, walthread4_writer_thread},
	 NULL},
	{"shared", "CREATE TABLE t1(x)", 1, {shared_thread1, shared_thread1}, NULL},
	{"create", EMPTY, 1, {stress_thread_1, stress_thread_2}, NULL},
	{"read", EMPTY, 1, {stress_thread_4, stress_thread_3}, NULL},
	{"write", EMPTY, 1, {stress_thread_4, stress_thread_5}, (void *)1},
	{"private", EMPTY, 0, {stress_thread_4, stress_thread_5}, NULL},
	{"three", EMPTY, 0, {stress_thread_1, stress_thread_4, stress_thread_3}, NULL},
};

static __thread sqlite3_int64 asked;

static int
tell_time(sqlite3_vfs *vfs, sqlite3_int64 *now)
{
	(void)vfs;
	*now = 212500000000000 + asked++;
	return SQLITE_OK;
}

/*
 * The database is emptied, not made anew: SQLite asks for its inode number, which would be another one each time. Each of the
 * others is there, whatever the execution before left, so that removing it always does the same.
 */
static void
empty_files(void)
{
	static const char *const names[] = {"test.db-journal", "test.db-wal", "test.db-shm"};

	close(open("test.db", O_RDWR | O_CREAT | O_TRUNC, 0666));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		close(open(names[i], O_RDWR | O_CREAT | O_TRUNC, 0666));
		unlink(names[i]);
	}
}

static void
run(const struct test *test, int rounds)
{
	Error err = {0};
	Sqlite db = {0};
	Threadset threads = {0};
	int count = 0;

	empty_files();
	opendb(&err, &db, "test.db", 0);
	sql_script(&err, &db, test->setup);
	closedb(&err, &db);
	asked = 0;
	setstoptime(&err, rounds);
	sqlite3_enable_shared_cache(test->shared_cache);
	while (count < 3 && test->threads[count])
		count++;
	for (int i = 0; i < count; i++)
		launch_thread(&err, &threads, test->threads[i], i == count - 1 ? test->last : NULL);
	join_all_threads(&err, &threads);
	print_and_free_err(&err);
}

int
main(int argc, char **argv)
{
	static sqlite3_vfs vfs;

	sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
	vfs = *sqlite3_vfs_find(NULL);
	vfs.zName = "counting";
	vfs.xCurrentTimeInt64 = tell_time;
	sqlite3_vfs_register(&vfs, 1);
	for (size_t i = 0; argc > 1 && i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(argv[1], tests[i].name)) {
			run(&tests[i], argc > 2 ? atoi(argv[2]) : 2);
			return nGlobalErr > 0;
		}
	fprintf(stderr, "no such test\n");
	return 2;
}
