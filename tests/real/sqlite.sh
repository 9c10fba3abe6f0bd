# SQLite (C): connections of two or three threads to one database, in write-ahead mode, with a journal, with a shared cache: the
# thread functions of its test/threadtest3.c, with less to do (sqlite.c).
name=sqlite
. "$here/common.sh"
needs tcl
fetch sqlite3

program=$source/program
if stale "$program" || [ "$here/sqlite.c" -nt "$program" ]; then
	cd "$source" || exit 1
	if [ ! -e sqlite3.c ]; then
		quietly ./configure --disable-tcl --disable-readline
		quietly make sqlite3.c
	fi
	if stale sqlite3-sleave.o; then
		quietly "$sleave" cc -O1 -g -w -DSQLITE_THREADSAFE=1 -DHAVE_USLEEP=1 -I. -c -o sqlite3-sleave.o sqlite3.c
	fi
	quietly "$sleave" cc -O1 -g -w -I. -Isrc -Itest -o "$program" "$here/sqlite.c" src/test_multiplex.c sqlite3-sleave.o -lm -ldl
fi

begin
passes -- "$program" private
passes -- "$program" three
# The header of the write-ahead log's index is read while it is written, and compared with a copy and a checksum.
finds '^data race on memory at .*sqlite3.c:(65293|63751|63753|65856)' -- "$program" wal4
for test in wal2 wal4 wal4w; do
	passes --races=warn -- "$program" $test
done
# With a shared cache, whether there is a schema is looked at without its lock.
finds '^data race on pBt->pSchema \(struct BtShared .*sqlite3.c:79062' -- "$program" shared
for test in shared create read write; do
	passes --races=warn -- "$program" $test
done
