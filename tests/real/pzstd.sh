# pzstd (C++ and C, of zstd): a thread pool, work queues and threads that read and write.
name=pzstd
. "$here/common.sh"
fetch libzstd
build_check

pzstd=$source/contrib/pzstd/pzstd
if stale "$pzstd"; then
	cd "$source" || exit 1
	quietly make -C lib -j2 libzstd.a CC="$sleave cc" CFLAGS="-O1 -g" ZSTD_NO_ASM=1 ZSTD_LEGACY_SUPPORT=0
	quietly make -C contrib/pzstd -j2 pzstd CC="$sleave cc" CXX="$sleave c++" CFLAGS="-O1 -g" CXXFLAGS="-O1 -g" LIBS="$check"
fi

begin
head -c 1000 text >in
"$pzstd" -q -1 -p 2 -f -k in -o expected.zst && "$pzstd" -q -d -c expected.zst | cmp - in || die "does not work by itself"
explore out.zst expected.zst -- "$pzstd" -q -1 -p 2 -f -k in -o out.zst
explore out in -- "$pzstd" -q -d -p 2 -f -k expected.zst -o out
