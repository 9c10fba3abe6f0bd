# pbzip2 (C++), with its library (C, of bzip2): a producer, consumers and a thread that writes in order; another one waits
# for signals until the end.
name=pbzip2
. "$here/common.sh"
fetch bzip2
library=$source
fetch pbzip2
build_check

pbzip2=$source/pbzip2
if stale "$pbzip2"; then
	cd "$library" || exit 1
	quietly make -B -j2 libbz2.a CC="$sleave cc" CFLAGS="-O1 -g -D_FILE_OFFSET_BITS=64"
	cd "$source" || exit 1
	rm -f ./*.o
	quietly make -j2 CXX="$sleave c++" CXXFLAGS="-O1 -g -Wno-literal-suffix -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
		-DUSE_STACKSIZE_CUSTOMIZATION -pthread -D_POSIX_PTHREAD_SEMANTICS -I$library" LDLIBS="$check $library/libbz2.a"
fi

begin
schedules=300 # an execution has 800,000 accesses, most of them to clear libbz2's tables
head -c 600 text >in
options='-r -p2 -1 -q -k -f'
# shellcheck disable=SC2086
"$pbzip2" $options -c in >expected.bz2 && "$pbzip2" -d -c expected.bz2 | cmp - in || die "does not work by itself"
# shellcheck disable=SC2086
explore in.bz2 expected.bz2 -- "$pbzip2" $options in
cp expected.bz2 out.bz2
explore out in -- "$pbzip2" -d -p2 -q -k -f out.bz2
