# OpenJPEG (C): a thread pool whose jobs encode and decode code blocks; jobs wait, with time limits, for others to finish.
name=openjpeg
. "$here/common.sh"
command -v cmake >/dev/null || die "cmake is missing"
fetch openjpeg2
build_check

bin=$source/b/bin
if stale "$bin/opj_decompress"; then
	rm -rf "$source/b"
	mkdir -p "$source/b" && cd "$source/b" || exit 1
	printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$sleave" >compiler && chmod +x compiler
	quietly cmake .. -DCMAKE_C_COMPILER="$source/b/compiler" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" \
		-DCMAKE_EXE_LINKER_FLAGS="$check" -DBUILD_SHARED_LIBS=OFF -DBUILD_THIRDPARTY=OFF -DBUILD_DOC=OFF \
		-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_TIFF=ON \
		-DCMAKE_DISABLE_FIND_PACKAGE_LCMS=ON -DCMAKE_DISABLE_FIND_PACKAGE_LCMS2=ON
	quietly make -j2 opj_compress opj_decompress
fi

begin
(printf 'P5\n16 16\n255\n' && head -c 256 text) >in.pgm
quietly "$bin/opj_compress" -i in.pgm -o expected.j2k -n 2 -b 4,4
quietly "$bin/opj_decompress" -i expected.j2k -o expected.pgm
# only the header differs, by a comment
[ "$(tail -c 256 in.pgm | cksum)" = "$(tail -c 256 expected.pgm | cksum)" ] || die "does not work by itself"
explore out.j2k expected.j2k -- "$bin/opj_compress" -i in.pgm -o out.j2k -n 2 -b 4,4 -threads 2
explore out.pgm expected.pgm -- "$bin/opj_decompress" -i expected.j2k -o out.pgm -threads 2
