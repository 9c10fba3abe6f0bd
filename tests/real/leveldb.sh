# LevelDB (C++): writers that queue behind each other, lock-free readers, a thread that compacts. A library, so that the
# program around it is ours (leveldb.cc).
name=leveldb
. "$here/common.sh"
command -v cmake >/dev/null || die "cmake is missing"
fetch leveldb
build_check

program=$source/b/program
if stale "$program" || [ "$here/leveldb.cc" -nt "$program" ]; then
	mkdir -p "$source/b" && cd "$source/b" || exit 1
	printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$sleave" >cc && printf '#!/bin/sh\nexec "%s" c++ "$@"\n' "$sleave" >cxx
	chmod +x cc cxx
	quietly cmake .. -DCMAKE_C_COMPILER="$source/b/cc" -DCMAKE_CXX_COMPILER="$source/b/cxx" -DCMAKE_BUILD_TYPE=None \
		-DCMAKE_CXX_FLAGS="-O1 -g" -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=0 \
		-DHAVE_CRC32C=0 -DHAVE_TCMALLOC=0
	quietly make -j2 leveldb
	# shellcheck disable=SC2086
	quietly "$sleave" c++ -std=c++17 -O1 -g -I"$source/include" -o "$program" "$here/leveldb.cc" libleveldb.a $check
fi

begin
# what must be in it, not written by LevelDB
for who in 0:aaaaaaaaaa 1:bbbbbbbbbb; do
	for i in 0 1 2 3; do
		echo "${who%:*}/$i = ${who#*:}${who#*:}${who#*:}${who#*:}$((i * i))"
	done
done >expected
explore out expected -- "$program" out
