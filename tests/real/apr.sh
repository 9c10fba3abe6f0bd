# Apache Portable Runtime (C): its own tests of threads and locks.
name=apr
. "$here/common.sh"
needs uuid-dev
fetch apr

program=$source/test/testall
if stale "$program"; then
	cd "$source" || exit 1
	quietly ./configure CC="$sleave cc" CFLAGS="-O1 -g" --disable-shared --enable-static
	quietly make -j2
	quietly make -C test -j2 testall
fi

begin
cp -r "$source/test/data" . || exit 1
passes --races=warn -- "$program" testthread
# A thread unlocks what it did not get: the result of the timed lock is not looked at.
finds '^misuse: .* unlocks .* which .* holds' --races=off -- "$program" testlock
# A thread ends with a lock that it took twice and gave back once; main destroys it.
finds '^misuse: main destroys .* which .* holds' --races=off -- "$program" testcond
