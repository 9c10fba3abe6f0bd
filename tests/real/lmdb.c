/*
 * The program around LMDB, which is a library: two threads add to a counter in transactions of their own, a third reads two
 * records that every transaction keeps equal. What the database holds in the end goes to the output.
 */
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITERS = 2, ROUNDS = 2 };

static MDB_env *environment;
static MDB_dbi table;

static void
must(int result)
{
	if (result) {
		fprintf(stderr, "lmdb: %s\n", mdb_strerror(result));
		abort();
	}
}

static MDB_val
text(const char *string)
{
	return (MDB_val){strlen(string), (void *)string};
}

static int
number(MDB_txn *transaction, const char *name)
{
	MDB_val key = text(name), value;
	int result = mdb_get(transaction, table, &key, &value), n;

	if (result == MDB_NOTFOUND)
		return 0;
	must(result);
	memcpy(&n, value.mv_data, sizeof(n));
	return n;
}

static void *
writer(void *arg)
{
	for (int round = 0; round < ROUNDS; round++) {
		MDB_txn *transaction;
		MDB_val key, value;
		int n;

		must(mdb_txn_begin(environment, NULL, 0, &transaction));
		n = number(transaction, "left") + 1;
		value = (MDB_val){sizeof(n), &n};
		key = text("left");
		must(mdb_put(transaction, table, &key, &value, 0));
		key = text("right");
		must(mdb_put(transaction, table, &key, &value, 0));
		must(mdb_txn_commit(transaction));
	}
	return arg;
}

static void *
reader(void *arg)
{
	for (int round = 0; round < ROUNDS; round++) {
		MDB_txn *transaction;

		must(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
		if (number(transaction, "left") != number(transaction, "right")) {
			fprintf(stderr, "lmdb: a reader saw half of a transaction\n");
			abort();
		}
		mdb_txn_abort(transaction);
	}
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t threads[WRITERS + 1];
	MDB_txn *transaction;
	FILE *out;

	if (argc != 3)
		return 2;
	unlink(argv[1]);
	must(mdb_env_create(&environment));
	must(mdb_env_set_mapsize(environment, 1 << 20));
	must(mdb_env_open(environment, argv[1], MDB_NOSUBDIR | MDB_NOSYNC, 0600));
	must(mdb_txn_begin(environment, NULL, 0, &transaction));
	must(mdb_dbi_open(transaction, NULL, 0, &table));
	must(mdb_txn_commit(transaction));
	for (int i = 0; i <= WRITERS; i++)
		must(pthread_create(&threads[i], NULL, i < WRITERS ? writer : reader, NULL));
	for (int i = 0; i <= WRITERS; i++)
		must(pthread_join(threads[i], NULL));
	must(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
	out = fopen(argv[2], "w");
	if (!out || fprintf(out, "%d %d\n", number(transaction, "left"), number(transaction, "right")) < 0 || fclose(out))
		abort();
	mdb_txn_abort(transaction);
	mdb_env_close(environment);
	unlink(argv[1]);
	return 0;
}
