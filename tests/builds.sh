#!/bin/sh
# A small project builds with Sleave's compilers under make, CMake, Meson and autotools: a shared and a static library in
# C, a program in C++, a test that explores from inside and finds Sleave by pkg-config. In each the seeded bug is found,
# and nothing in the repaired one. Then: objects from elsewhere, and runtimes that do not go together.
# And the recipes for tests with schedules, examples/schedules, under CTest and Meson.
# CMake takes gcc and Meson clang, make both; LEVELS=all: all both.
# Sleave is used as it is installed, below a temporary DESTDIR.
# usage: tests/builds.sh BUILD [make|cmake|meson|autotools|mixes|recipes]
# shellcheck disable=SC2086 # flags are several words
set -u

build=$(cd "${1:?usage: tests/builds.sh BUILD [PART]}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
source=$(cd "$(dirname "$0")" && pwd)/builds
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset SLEAVE_CC SLEAVE_CXX MAKEFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR
LC_ALL=C && export LC_ALL
checks=0 failures=0 what=

fail()
{
	failures=$((failures + 1))
	echo "FAIL $what: $*"
	[ ! -s "$folder/out" ] || tail -n 15 "$folder/out"
}

check() # COMMAND…
{
	checks=$((checks + 1))
	timeout 300 "$@" >"$folder/out" 2>&1 </dev/null || { fail "$*"; return 1; }
}

# status STATUS WORDS COMMAND…: it ends so, and says so.
status()
{
	wanted=$1 words=$2
	shift 2
	checks=$((checks + 1))
	timeout 60 "$@" >"$folder/out" 2>&1 </dev/null
	got=$?
	[ $got = "$wanted" ] || { fail "status $got instead of $wanted: $*"; return; }
	grep -q -e "$words" "$folder/out" || fail "nothing of '$words': $*"
}

says() # WORDS: the last command
{
	checks=$((checks + 1))
	grep -q -e "$1" "$folder/out" || fail "nothing of '$1'"
}

# A fresh copy of the project with the files for one kind of building.
project() # KIND
{
	what="$1 ${SLEAVE_CC-}"
	kind=$1
	rm -rf "${folder:?}/$kind"
	mkdir "$folder/$kind"
	cp "$source/project"/* "$source/$kind"/* "$folder/$kind"
	cd "$folder/$kind" || exit 99
}

found() # FOLDER: of the program and of the test in it
{
	status 1 'finding: data race on sum' sleave run -q "$1/program"
	status 1 'data race on sum' "$1/explore"
}

nothing_found() # FOLDER
{
	check "$1/program" && says '^5 words$'
	status 0 '^clean: all' sleave run -q "$1/program"
	check "$1/explore"
}

check meson install -C "$build" --no-rebuild --destdir "$folder/installed" || exit 1
command=$(find installed -path '*/bin/sleave') package=$(find installed -name sleave.pc)
PATH=$folder/$(dirname "$command"):$PATH
PKG_CONFIG_PATH=$folder/$(dirname "$package") PKG_CONFIG_SYSROOT_DIR=$folder/installed
export PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR

build_make()
{
	project make
	check make -j2 CC="sleave cc" CXX="sleave c++" && found .
	# the installed plugin, if there is one: in each file
	if find "$build/src/plugin" -name "$1-*.so" | grep -q .; then
		check sh -c "! nm -D --undefined-only program libtally.so | grep __tsan_init"
		check sh -c "nm -D --undefined-only program | grep __sleave_init"
	fi
	touch tally.h words.h
	check make -j2 CC="sleave cc" CXX="sleave c++"
	for object in main explore tally words; do
		says "$object.o"
	done
	check make -j2 CC="sleave cc" CXX="sleave c++" && says "Nothing to be done"
	check make clean
	check make -j2 CC=sleave-cc CXX=sleave-c++ CPPFLAGS=-DREPAIRED && nothing_found .
}

# What takes long is to find out about a compiler, so that is done once a family: by one word with gcc, by two with
# clang. The repaired project is the same folder, configured anew.
build_cmake()
{
	project cmake
	if [ "$SLEAVE_CC" = gcc ]; then
		check cmake -S . -B build -DCMAKE_C_COMPILER=sleave-cc -DCMAKE_CXX_COMPILER=sleave-c++ -DCMAKE_BUILD_TYPE=Release
	else
		check env CC="sleave cc" CXX="sleave c++" cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
	fi
	says "compilers: $1 $1"
	check cmake --build build -j 2 && found build
	check cmake -S . -B build -DREPAIRED=ON -DCMAKE_BUILD_TYPE=Debug
	says "compilers: $1 $1"
	check cmake --build build -j 2 && nothing_found build
	touch tally.h
	check cmake --build build -j 2 && says 'tally\.c'
}

build_meson()
{
	project meson
	if [ "$SLEAVE_CC" = gcc ]; then
		check env CC=sleave-cc CXX=sleave-c++ meson setup build && says "compilers: $1 $1"
	else
		check env CC="sleave cc" CXX="sleave c++" meson setup build && says "compilers: $1 $1"
	fi
	check meson compile -C build && found build
	check meson configure build -Drepaired=true -Dbuildtype=release
	check meson compile -C build && nothing_found build
}

build_autotools()
{
	project autotools
	mkdir m4
	check autoreconf -i || return
	mkdir build
	cd build || exit 99
	check ../configure CC=sleave-cc CXX="sleave c++" && says 'pthread_create with ""... yes'
	check make -j2
	# what make leaves in the folder is a script that sets paths
	status 3 'is a script' sleave run -q ./program
	status 1 'finding: data race on sum' ./libtool --mode=execute sleave run -q ./program
	status 1 'data race on sum' ./explore
	check make clean
	check make -j2 CPPFLAGS=-DREPAIRED
	check ./program && says '^5 words$'
	status 0 '^clean: all' ./libtool --mode=execute sleave run -q ./program
	check ./explore
	check make install DESTDIR="$folder/autotools/installed"
}

# The example, as its comments say; with CTest and Meson. Then with a bug in the queue, which its tests are for.
build_recipes()
{
	what=recipes
	cp -r "$source/../../examples/schedules" "$folder/recipes"
	# not a root for all packages: cmocka is where it is
	sed "s|^prefix=|prefix=$folder/installed|" "$folder/$package" >recipes/sleave.pc
	PKG_CONFIG_PATH=$folder/recipes
	unset PKG_CONFIG_SYSROOT_DIR
	cd "$folder/recipes" || exit 99
	check cmake -S . -B ctest && check cmake --build ctest && check ctest --test-dir ctest
	check ctest/queue_test && says 'test_take_needs_add'
	check grep -c 'name="test_take blocking take" classname="queue_test"' ctest/queue.xml
	check grep 'tests="3" failures="0" errors="0"' ctest/queue.xml
	check meson setup mesontest && check meson test -C mesontest && says '3 subtests passed'
	# the same, explored
	check cmake -S . -B ctest2 -DCMAKE_C_COMPILER=sleave-cc && check cmake --build ctest2
	check ctest --test-dir ctest2 --verbose && says 'ok  *queue_test test_take non-blocking take: all 6 interleavings'
	check env CC=sleave-cc meson setup mesontest2 && check meson test -C mesontest2 && says '3 subtests passed'
	sed -i 's/while (!queue->count)/if (queue->count > QUEUE_ROOM)/' queue.c # takes from an empty queue
	check cmake --build ctest
	status 8 '0% tests passed' ctest --test-dir ctest --output-on-failure
	says 'FAILED    queue_test test_take blocking take: '
	# The thread that the failed test leaves behind writes to a frame that has ended; now and then the program is ended by
	# that before its last section.
	check grep -E 'tests="([23])" failures="\1"' ctest/queue.xml
	status 1 '^Fail: *1' meson test -C mesontest
	check cmake --build ctest2
	status 8 '0% tests passed' ctest --test-dir ctest2 --output-on-failure
	says 'FAILED    queue_test test_take blocking take: assertion failed'
	says 'See it again with: *sleave replay queue_test-1.sleave'
	status 1 '^Fail: *1' meson test -C mesontest2
}

# Objects that were compiled elsewhere; ccache before and behind; runtimes that do not go together.
build_mixes()
{
	project make
	what=mixes
	cflags="$(pkg-config --cflags sleave) -DHAVE_THREADS" libs=$(pkg-config --libs sleave)
	rpath=-Wl,-rpath,$(pkg-config --variable=libdir sleave)
	case $rpath in *"$folder"*) ;; *) rpath=-Wl,-rpath,$PKG_CONFIG_SYSROOT_DIR$(pkg-config --variable=libdir sleave) ;; esac
	for object in tally words explore; do
		check gcc -g -O1 -fsanitize=thread $cflags -c $object.c
	done
	check g++ -g -O1 -fsanitize=thread $cflags -c main.cc
	check sleave c++ -o program main.o tally.o words.o
	status 1 'finding: data race on sum' sleave run -q ./program
	says '^not seen: structs' # these were compiled without the plugin
	check gcc -o explore explore.o tally.o $libs $rpath
	status 1 'data race on sum' ./explore
	check gcc -g -O1 -fsanitize=thread -DREPAIRED $cflags -c -o repaired.o tally.c
	check gcc -o repaired explore.o repaired.o $libs $rpath
	status 0 '^not seen: structs' ./repaired

	for option in thread address undefined; do
		check g++ -fsanitize=$option -o mixed main.o tally.o words.o -Wl,--no-as-needed $libs $rpath
		case $option in
		thread) words='ThreadSanitizer.*-fsanitize=thread' ;;
		address) words='AddressSanitizer.*-fsanitize=address' ;;
		*) continue ;;
		esac
		status 3 "$words" ./mixed
		status 3 "$words" sleave run -q ./mixed
	done
	status 1 'data race on sum' sleave run -q ./mixed # undefined goes together
	check sleave c++ -o mixed main.o tally.o words.o -Wl,--no-as-needed -ltsan
	status 3 'ThreadSanitizer' ./mixed
	status 3 'ThreadSanitizer' sleave run -q ./mixed
	# in a library that only the program's libraries need
	check gcc -shared -fPIC -fsanitize=thread -g -o libtally.so tally.c
	check sleave c++ -o mixed main.o words.o -L. -ltally -Wl,-rpath,"$PWD"
	status 3 'ThreadSanitizer' ./mixed
	status 3 'ThreadSanitizer' sleave run -q ./mixed
	check g++ -fsanitize=address -static-libasan -o mixed main.o tally.o words.o -Wl,--no-as-needed $libs $rpath
	status 3 'AddressSanitizer' sleave run -q ./mixed
	if command -v clang >/dev/null; then
		check clang++ -fsanitize=thread -o mixed main.o tally.o words.o -Wl,--no-as-needed $libs $rpath
		status 3 'ThreadSanitizer' ./mixed
		status 3 'ThreadSanitizer' sleave run -q ./mixed
	fi

	if command -v ccache >/dev/null; then
		CCACHE_DIR=$folder/ccache && export CCACHE_DIR
		for words in "ccache sleave-cc" "env SLEAVE_CC='ccache gcc' sleave-cc"; do
			rm -f cached.o
			for _ in 1 2; do
				check sh -c "$words -O2 -c -o cached.o tally.c"
				check sh -c 'nm cached.o | grep -q __tsan_'
			done
		done
		check ccache --print-stats && says '^direct_cache_hit.[1-9]'
		check sleave c++ -o program main.o cached.o words.o
		status 1 'finding: data race on sum' sleave run -q ./program
	fi
}

for part in ${2-make cmake meson autotools mixes recipes}; do
	case $part in
	mixes | autotools | recipes) build_$part ;;
	*)
		for SLEAVE_CC in gcc clang; do
			export SLEAVE_CC
			command -v $SLEAVE_CC >/dev/null || { echo "no $SLEAVE_CC here"; continue; }
			case ${LEVELS-}$part$SLEAVE_CC in cmakeclang | mesongcc) command -v gcc clang >/dev/null && continue ;; esac
			id=$SLEAVE_CC
			[ $part = cmake ] && [ $SLEAVE_CC = gcc ] && id=GNU
			[ $part = cmake ] && [ $SLEAVE_CC = clang ] && id=Clang
			build_$part $id
		done
		unset SLEAVE_CC
		;;
	esac
	cd "$folder" || exit 99
done

echo "$checks checks, $failures failures"
[ $failures = 0 ]
