# LMDB (C): two writers behind a robust mutex in a mapped file, a reader that takes no lock. A library, so that the program
# around it is ours (lmdb.c).
name=lmdb
. "$here/common.sh"
fetch lmdb
build_check

program=$source/program
library=$source/libraries/liblmdb
if stale "$program" || [ "$here/lmdb.c" -nt "$program" ]; then
	# shellcheck disable=SC2086
	quietly "$sleave" cc -O1 -g -I"$library" -o "$program" "$here/lmdb.c" "$library/mdb.c" "$library/midl.c" $check
fi

begin
echo 4 4 >expected
finds '^data race on txn->mt_flags \(struct MDB_txn\): .*mdb.c:2679' -- "$program" data out
# Its reader table is of volatile fields, and meant to be read while they are written.
explore out expected --races=warn -- "$program" data out
