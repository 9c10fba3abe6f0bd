# x264 (C): a thread pool that encodes frames in parallel, each waiting for rows of the one before, and a thread that looks
# ahead.
name=x264
. "$here/common.sh"
fetch x264
build_check

x264=$source/x264
if stale "$x264"; then
	cd "$source" || exit 1
	export CC="$sleave cc"
	quietly ./configure --disable-asm --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac \
		--disable-lsmash --disable-opencl --disable-interlaced --bit-depth=8 --chroma-format=420 \
		--extra-cflags="-O1 -g" --extra-ldflags="$check"
	quietly make -j2 x264
	unset CC
fi

begin
# three pictures of 32 x 32 points
head -c 4608 text >in.yuv
options='--quiet --no-progress --threads 2 --preset ultrafast --input-res 32x32 --fps 25'
# shellcheck disable=SC2086
"$x264" $options -o expected.264 in.yuv 2>/dev/null && [ -s expected.264 ] || die "does not work by itself"
# The context of a frame is copied from one that is still being encoded.
# shellcheck disable=SC2086
finds '^data race .*encoder/encoder.c:314[68]' -- "$x264" $options -o out.264 in.yuv
# shellcheck disable=SC2086
explore out.264 expected.264 --races=warn -- "$x264" $options -o out.264 in.yuv
