/*
 * LevelDB in use: two threads write and read while the library's own thread compacts. At the end the database is opened
 * anew, and everything in it written to a file. The folder is removed first and last: the order in which a folder lists its files
 * depends on its past.
 */
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include "leveldb/db.h"
#include "leveldb/write_batch.h"

static leveldb::DB *
open(const std::string &folder)
{
	leveldb::Options options;
	leveldb::DB *db = nullptr;

	options.create_if_missing = true;
	options.write_buffer_size = 64 << 10;
	options.compression = leveldb::kNoCompression;
	if (!leveldb::DB::Open(options, folder, &db).ok())
		abort();
	return db;
}

static std::string
value_of(int who, int i)
{
	return std::string(40, static_cast<char>('a' + who)) + std::to_string(i * i);
}

static void
expect(leveldb::DB *db, int who, int i)
{
	std::string got;

	if (!db->Get({}, std::to_string(who) + "/" + std::to_string(i), &got).ok() || got != value_of(who, i))
		abort();
}

static void
work(leveldb::DB *db, int who)
{
	for (int i = 0; i < 4; i++) {
		leveldb::WriteBatch batch;

		batch.Put(std::to_string(who) + "/" + std::to_string(i), value_of(who, i));
		batch.Delete("gone");
		if (!db->Write({}, &batch).ok())
			abort();
		expect(db, who, i);
	}
}

/* Everything that is in the database, in order, goes to the file: one line a key. */
static void
dump(leveldb::DB *db, const char *file)
{
	std::ofstream out(file);
	leveldb::Iterator *it = db->NewIterator({});

	for (it->SeekToFirst(); it->Valid(); it->Next())
		out << it->key().ToString() << " = " << it->value().ToString() << "\n";
	delete it;
}

int
main(int argc, char **argv)
{
	std::string folder = "db";

	if (argc != 2)
		return 2;
	std::filesystem::remove_all(folder);
	leveldb::DB *db = open(folder);
	std::thread one(work, db, 0), two(work, db, 1);

	db->CompactRange(nullptr, nullptr);
	one.join();
	two.join();
	delete db;
	db = open(folder);
	dump(db, argv[1]);
	delete db;
	std::filesystem::remove_all(folder);
	return 0;
}
