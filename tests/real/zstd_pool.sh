# zstd's thread pool (C): its own tests of it, one at a time (zstd_pool.c).
name=zstd_pool
. "$here/common.sh"
fetch libzstd

program=$source/pool_test
if stale "$program" || [ "$here/zstd_pool.c" -nt "$program" ]; then
	cd "$source" || exit 1
	quietly "$sleave" cc -O1 -g -w -DZSTD_MULTITHREAD -Ilib -Ilib/common -Iprograms -Itests -o "$program" "$here/zstd_pool.c" \
		programs/util.c programs/timefn.c lib/common/pool.c lib/common/threading.c lib/common/zstd_common.c lib/common/error_private.c
fi

begin
passes -- "$program" order
passes -- "$program" wait
passes -- "$program" ending
# Four threads must have been at work at the same time.
finds '^the program ended with status 1' -- "$program" reduction
