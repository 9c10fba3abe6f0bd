# xz (C): compresses in blocks and decompresses them, with worker threads that the first thread polls with a time limit.
name=xz
. "$here/common.sh"
fetch xz-utils
build_check

xz=$source/b/src/xz/xz
if stale "$xz"; then
	mkdir -p "$source/b" && cd "$source/b" || exit 1
	quietly ../configure CC="$sleave cc" CFLAGS="-O1 -g" LIBS="$check" --disable-shared --disable-nls --disable-lzmadec \
		--disable-lzmainfo --disable-scripts --disable-doc --disable-assembler --disable-xzdec
	quietly make -j2
fi

begin
head -c 2600 text >in
options='--threads=3 --block-size=1KiB --lzma2=preset=0,dict=4KiB,mf=hc3,nice=16'
# shellcheck disable=SC2086
"$xz" $options -c in >expected.xz && "$xz" -dc expected.xz | cmp - in || die "does not work by itself"
explore in.xz expected.xz -- "$xz" $options --keep --force in
cp expected.xz out.xz
# The checksum reads in steps of 16 bytes, past the end of the last buffer.
finds '^out of bounds: .*emmintrin.h' -- "$xz" --decompress --keep --force --threads=3 out.xz
echo out-of-bounds:crc64_clmul >known
explore out in --suppressions=known -- "$xz" --decompress --keep --force --threads=3 out.xz
