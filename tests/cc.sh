#!/bin/sh
# `sleave cc` and `sleave c++` are an ordinary compiler to everybody who calls them, with both families: what comes
# out calls __tsan_…, needs libsleave.so and not libtsan, and runs as usual when it is started on its own.
# usage: tests/cc.sh BUILD
# shellcheck disable=SC2086,SC2015 # $cc is two words; a failed check is said twice
set -u

build=$(cd "${1:?usage: tests/cc.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset SLEAVE_CC SLEAVE_CXX MAKEFLAGS MAKELEVEL CFLAGS LDFLAGS CPPFLAGS

ln -s "$build/sleave" sleave # two words, wherever the tree is
sleave=$folder/sleave
failures=0
checks=0

fail()
{
	echo "FAIL [${family:-any}] $*"
	failures=$((failures + 1))
}

# check WHAT COMMAND…: the command succeeds, in bounded time and without a word of warning.
check()
{
	what=$1
	shift
	checks=$((checks + 1))
	if ! timeout 60 "$@" >out 2>err </dev/null; then
		fail "$what: $*"
		cat out err
		return 1
	fi
	if [ -s err ]; then
		fail "$what: says something"
		cat err
		return 1
	fi
}

# refuse STATUS WORDS COMMAND…: ends with that status, and the message has the words.
refuse()
{
	expected=$1
	words=$2
	shift 2
	checks=$((checks + 1))
	timeout 60 "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$expected" ] || fail "status $status instead of $expected: $*"
	grep -q -e "$words" err || { fail "the message lacks '$words': $*"; cat err; }
}

instrumented() # FILE, an object or a program
{
	checks=$((checks + 1))
	{ nm "$1"; nm -D "$1"; } 2>/dev/null | grep -q ' U __tsan_\(func_entry\|write\)' || fail "$1 is not instrumented"
}

linked() # PROGRAM or shared library
{
	checks=$((checks + 1))
	readelf -d "$1" | grep -q 'NEEDED.*\[libsleave\.so' || fail "$1 does not need libsleave.so"
	if readelf -d "$1" | grep -q 'NEEDED.*tsan' || nm -D --defined-only "$1" | grep -q __tsan_; then
		fail "$1 has the compiler's own runtime"
	fi
}

# On its own: the usual output and exit status.
runs() # PROGRAM
{
	checks=$((checks + 1))
	timeout 60 "$1" 7 >out 2>err
	status=$?
	[ $status = 7 ] || fail "$1: exit status $status instead of 7"
	[ "$(cat out)" = "sum 20" ] || { fail "$1: another output"; cat out err; }
}

good() # PROGRAM
{
	instrumented "$1"
	linked "$1"
	runs "$1"
}

cat >main.c <<'EOF'
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <stdlib.h>
#include "add.h"
#if !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#error "not instrumented"
#endif
static volatile int polled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		add(&sum, 1);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	polled = sleave_active();
	printf("sum %d\n", sum);
	return argc > 1 ? atoi(argv[1]) + polled : 0;
}
EOF
cat >add.c <<'EOF'
#include "add.h"
void add(int *to, int what)
{
	*to += what;
}
EOF
echo 'void add(int *to, int what);' >add.h
cat >thrower.cc <<'EOF'
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
static std::atomic<int> sum;
int main(int, char **argv)
{
	std::thread a([] { sum += 10; }), b([] { sum += 10; });
	a.join();
	b.join();
	std::printf("sum %d\n", sum.load());
	try {
		throw std::runtime_error(argv[1]);
	} catch (const std::exception &e) {
		return std::stoi(e.what());
	}
}
EOF
cat >Makefile <<'EOF'
CFLAGS = -O2 -Wall -MMD
OBJS = main.o add.o
counter: main.o libadd.a
libadd.a: add.o
	$(AR) rcs $@ $^
counter: ; $(CC) $(LDFLAGS) -o $@ main.o libadd.a $(LDLIBS)
clean: ; rm -f counter *.o *.d *.a
-include $(OBJS:.o=.d)
EOF

# Was Sleave's own plugin at work? Not in a build without it.
helped() # FILE, an object or a program
{
	checks=$((checks + 1))
	wanted=__tsan_init
	[ -z "$plugins" ] || wanted=__sleave_init
	[ "$({ nm "$1"; nm -D "$1"; } 2>/dev/null | sed -n 's/.* U \(__[a-z]*_init\)$/\1/p' | sort -u)" = $wanted ] ||
		fail "$1 calls something else than $wanted"
}

family_checks()
{
	cc="$sleave cc"
	plugins=$(find "$build/src/plugin" -name "$family-*.so")
	[ -n "$plugins" ] || echo "no plugin for $family here"

	# one step, many steps, in that order
	for level in -O0 -O2; do
		check "one step" $cc $level -Wall -o one main.c add.c && good ./one && helped ./one
	done
	check "-c" $cc -O2 -Wall -c main.c && instrumented main.o
	check "-c several" $cc -c main.c add.c && instrumented add.o
	check "link only" $cc -o many main.o add.o && good ./many
	check "default name" $cc main.o add.o && good ./a.out
	check "-S" $cc -S -o add.s add.c && grep -q __tsan_ add.s || fail "-S: not instrumented"
	check "-S assembled" $cc -c -o assembled.o add.s && instrumented assembled.o && helped assembled.o
	check "-pipe and standard input" sh -c "$cc -pipe -c -x c -o stdin.o - <add.c" && instrumented stdin.o
	check "debug information by default" readelf -S many
	grep -q '\.debug_line' out || fail "no debug information"
	check "-g0 is respected" $cc -g0 -c -o g0.o add.c
	readelf -S g0.o | grep -q debug_info && fail "-g0: debug information all the same"
	check "volatile" sh -c "nm main.o | grep __tsan_volatile_write4"
	check "-flto" $cc -O2 -flto -o lto main.c add.c && good ./lto && helped ./lto
	check "-no-pie" $cc -no-pie -fno-pie -o nopie main.c add.c && good ./nopie
	check "--as-needed and --gc-sections" $cc -Wl,--as-needed,--gc-sections -o needed main.c add.c && good ./needed

	# libraries
	check "static library" sh -c "$cc -c add.c && rm -f libadd.a && ar rcs libadd.a add.o"
	check "with a static library" $cc -o archived main.c -L. -ladd && good ./archived
	rm -f libadd.a
	check "shared library" $cc -shared -fPIC -Wl,-z,defs -o libadd.so add.c && linked libadd.so
	instrumented libadd.so
	check "with a shared library" $cc -o shared main.c -L. -ladd -Wl,-rpath,"$folder" && good ./shared
	[ "$(readelf -d shared | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | head -1)" != libadd.so ] ||
		fail "libsleave is not first among the libraries"
	check "-r" $cc -r -o both.o main.o add.o
	check "-r linked" $cc -o relocated both.o && good ./relocated
	rm -f libadd.so

	# the preprocessor and dependencies
	check "-MMD" $cc -c -MMD add.c && grep -q 'add\.h' add.d || fail "-MMD: no dependencies"
	check "-MF" $cc -c -MD -MF deps -MT target add.c && grep -q '^target:.*add\.c' deps || fail "-MF: no dependencies"
	check "-M" $cc -M add.c && grep -q 'add\.h' out || fail "-M: no dependencies"
	check "-MM" $cc -MM main.c && grep -q 'add\.h' out || fail "-MM: no dependencies"
	check "-E" $cc -E main.c && grep -q 'sleave_active' out || fail "-E: no text"
	check "-E -P of something else than C" sh -c "echo 'a: b' | $cc -E -P -x c -" && [ "$(cat out)" = 'a: b' ] ||
		fail "-E -P: something is added"
	check "-E, then compiled" sh -c "$cc -E -o add.i add.c && $cc -c -o fromi.o add.i" && instrumented fromi.o

	echo '#define ONE 1' >pre.h
	check "precompiled header" $cc -x c-header -o pre.h.gch pre.h
	check "precompiled header by its name" $cc -o pre.h.gch pre.h
	check "with a precompiled header" $cc -Winvalid-pch -include ./pre.h -c -o pre.o add.c && instrumented pre.o
	rm -f pre.h pre.h.gch
	check "builtins in constants" sh -c "echo 'enum { A = __builtin_strlen(\"ab\") }; char a[__builtin_strlen(\"abc\")];
		static long b = __builtin_strlen(\"abcd\"); long f(void); long f(void) { return b; }' |
		$cc -std=c99 -Wall -Wextra -Dindex=strchr -x c -c -o constants.o -"

	# response files
	printf '%s\n' '-O2 "-DUNUSED=a b"' '-o respond' 'main.c add.c' >args
	check "response file" $cc @args && good ./respond
	printf '%s\n' '-fsanitize=thread' '-o' 'sp\ ace' '@more.args' >args
	echo "main.c 'add.c'" >more.args
	check "response file with -fsanitize=thread" $cc @args && good "./sp ace"
	echo '@loop' >loop
	refuse 2 'without end' $cc @loop

	# sanitizers of one's own
	check "-fsanitize=thread" $cc -fsanitize=thread -o own main.c add.c && good ./own
	check "-fno-sanitize=thread" $cc -fno-sanitize=thread -c add.c
	nm add.o | grep -q __tsan_ && fail "-fno-sanitize=thread: instrumented all the same"
	if echo 'int main(void) { return 0; }' | ${SLEAVE_CC:-gcc} -fsanitize=undefined -x c -o ub - 2>/dev/null; then
		check "-fsanitize=undefined" $cc -fsanitize=thread,undefined -o ub main.c add.c && good ./ub
	fi
	for name in address hwaddress memory leak; do
		refuse 2 "-fsanitize=$name" $cc -fsanitize=undefined,$name -c add.c
	done
	echo '-fsanitize=address' >args
	refuse 2 '-fsanitize=address' $cc @args -c add.c
	refuse 2 'statically' $cc -static -o never main.c add.c
	refuse 2 'statically' $cc -static-pie -o never main.c add.c
	refuse 2 '64-bit' $cc -m32 -c add.c
	check "-static in CFLAGS" $cc -static -c add.c

	# only asking
	check "--version" $cc --version
	checks=$((checks + 1))
	$cc -v >out 2>&1 || fail "-v: exit status $?"
	check "-dumpmachine" $cc -dumpmachine && grep -q linux out || fail "-dumpmachine: no answer"
	check "-print-file-name" $cc -print-file-name=libc.so
	check "-print-prog-name" $cc -print-prog-name=ld
	refuse 1 'no input files' $cc -O2
	check "fences without warnings" sh -c \
		"echo 'void f(void); void f(void) { __atomic_thread_fence(5); }' | $cc -Wall -Wextra -Werror -x c -c -o fence.o -"
	echo 'int f(void) { return 0 }' >wrong.c
	refuse 1 'wrong.c:1' $cc -c wrong.c

	# C++
	check "c++" "$sleave" c++ -O2 -o thrower thrower.cc && good ./thrower && helped ./thrower
	check "c++, two steps" sh -c "$sleave c++ -c thrower.cc && $sleave c++ -o thrower2 thrower.o" && good ./thrower2

	# an ordinary Makefile
	rm -f ./*.o ./*.d ./*.a
	check "make" make -j2 CC="$cc" && good ./counter
	touch add.h
	check "make again" make -j2 CC="$cc"
	[ "$(grep -c -e ' -c ' out)" = 2 ] || fail "make: the dependencies were not written"
	good ./counter
	check "make clean" make clean
}

for family in gcc clang; do
	command -v $family >/dev/null || { echo "no $family here"; continue; }
	SLEAVE_CC=$family
	export SLEAVE_CC
	unset SLEAVE_CXX
	family_checks
done
family=

# Without a plugin for the compiler everything works, and the verdict says what is missing.
mkdir alone
cp "$build/sleave" "$build/libsleave.so" alone
printf '#!/bin/sh\ncase $* in *-dumpfullversion*) echo 99.1.0 ;; *) exec gcc "$@" ;; esac\n' >gcc-99
printf '#!/bin/sh\nexec clang "$@"\n' >renamed-clang
chmod +x gcc-99 renamed-clang
for SLEAVE_CC in gcc clang ./gcc-99 ./renamed-clang "env CHOSEN=1 clang -m64"; do
	export SLEAVE_CC
	command=$sleave family=$SLEAVE_CC plugins=
	case $family in
	gcc | clang) command=./alone/sleave ;;
	*clang*) plugins=$(find "$build/src/plugin" -name 'clang-*.so') ;;
	esac
	check "whether there is a plugin" "$command" cc -O1 -I "$build/../include" -o some main.c add.c && helped ./some
	checks=$((checks + 1))
	timeout 60 "$build/sleave" run -q -n 20 ./some >out 2>&1
	[ "$(grep -c '^not seen: structs' out)" = "$([ -n "$plugins" ] && echo 0 || echo 1)" ] ||
		{ fail "the verdict is about something else"; cat out; }
	timeout 60 "$build/sleave" run --json -n 20 ./some >out 2>err
	grep -q "\"unaided\": $([ -n "$plugins" ] && echo false || echo true)" out || fail "unaided in the JSON object"
done
family=

# which compiler
SLEAVE_CC="env CHOSEN=1 clang -m64 -fsanitize=thread" && export SLEAVE_CC
check "SLEAVE_CC with words" "$sleave" cc -o words main.c add.c && good ./words
SLEAVE_CC=cc
check "a compiler without a telling name" "$sleave" cc -o named main.c add.c && good ./named
SLEAVE_CC=gcc SLEAVE_CXX=clang++ && export SLEAVE_CXX
check "SLEAVE_CXX" "$sleave" c++ --version && grep -q clang out || fail "SLEAVE_CXX was not heard"
unset SLEAVE_CXX
SLEAVE_CC=clang
check "SLEAVE_CC for c++" "$sleave" c++ --version && grep -q clang out || fail "SLEAVE_CC=clang does not mean clang++"
SLEAVE_CC=
check "the default" "$sleave" cc --version && grep -q '^gcc' out || fail "the default is not gcc"
SLEAVE_CC=gcc-that-is-not-there
refuse 3 'SLEAVE_CC' "$sleave" cc -c add.c
SLEAVE_CC=not-there
refuse 3 'SLEAVE_CC' "$sleave" cc -c add.c
SLEAVE_CC=-m64
refuse 3 'no compiler' "$sleave" cc -c add.c
SLEAVE_CC=false
refuse 3 'neither gcc nor clang' "$sleave" cc -c add.c
SLEAVE_CC="$sleave cc"
refuse 3 'SLEAVE_CC' "$sleave" cc -c add.c
unset SLEAVE_CC
mkdir bin
printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$sleave" >bin/gcc
chmod +x bin/gcc
refuse 3 'is Sleave itself' env PATH="$folder/bin:$PATH" "$sleave" cc -c add.c
refuse 2 'usage: sleave cc' "$sleave" cc
refuse 2 'usage: sleave c++' "$sleave" c++
check "--help" "$sleave" cc --help

# a folder whose name means something to specs, -Wl and shells
odd="$folder/a b,%c\$d\\e"
mkdir -p "$odd"
cp "$build/sleave" "$build/libsleave.so" "$odd"
mkdir -p "$odd/src/plugin"
find "$build/src/plugin" -name '*.so' -exec cp {} "$odd/src/plugin" \;
for SLEAVE_CC in gcc clang; do
	export SLEAVE_CC
	plugins=$(find "$build/src/plugin" -name "$SLEAVE_CC-*.so")
	check "odd folder, $SLEAVE_CC" "$odd/sleave" cc -I "$build/../include" -o odd main.c add.c && linked ./odd
	helped ./odd
	readelf -d odd | grep -qF "$odd" || fail "$SLEAVE_CC: $odd is not in the run path"
done

echo "$checks checks, $failures failures"
[ $failures = 0 ]
