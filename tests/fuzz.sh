#!/bin/sh
# The readers of files that come from elsewhere (tests/fuzz/*.c says which, and what must hold), under
# AddressSanitizer and UndefinedBehaviorSanitizer. Without SECONDS: the corpus, each of its files cut off at every
# byte, and some thousand mutations, the same everywhere; then clang's libFuzzer with the schedule language, in a number of inputs
# that is always the same. LEVELS=all: four times as many mutations, libFuzzer for longer, and with traces, too. With SECONDS: libFuzzer, so long for each; what it collects stays in
# BUILD/fuzz, and so does an input that fails: it then belongs in tests/fuzz/corpus.
# Usage: tests/fuzz.sh BUILD [SECONDS [TARGET…]]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: tests/fuzz.sh BUILD [SECONDS [TARGET…]]}" && pwd) || exit 1
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

verdict() # status name
{
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $2: status $1"
	fi
}

# The input that was tried last: its size in eight bytes, then itself.
show()
{
	echo "the input:"
	tail -c +9 "$1" | head -c "$(od -A n -t d8 -N 8 "$1" | tr -d ' ')" | od -c | head -n 60
}

end()
{
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
	exit
}

# with_libfuzzer TARGET OPTION…: in the folder we are in.
with_libfuzzer()
{
	target=$1
	shift
	case $target in
	replay) sources="trace/replay/replay_file.c trace/replay/replay_parse.c base/trust.c" libraries= ;;
	suppression | tally) sources=$(cd "$root/src" && echo trace/*/*.c report/*.c report/*/*.c schedule/*.c base/trust.c base/op*.c) libraries="-ldw -lelf -lzstd" ;;
	# the readers and writers of traces; the names that those ask for are as in the command
	tape)
		sources=$(cd "$root/src" && echo trace/lane/*.c trace/tape/*.c report/trace/tape_*.c base/op*.c)
		libraries="$build/libpart_trace.a -ldw -lelf -lzstd"
		;;
	args) sources=cli/args.c libraries= ;;
	schedule) sources=$(cd "$root/src" && echo schedule/*.c) libraries= ;;
	version) sources=$(cd "$root/src" && echo version/*.c) libraries= ;;
	predict)
		sources=$(cd "$root/src" && echo predict/*.c trace/lane/*.c trace/tape/*.c base/op*.c)
		libraries="$build/libpart_trace.a -ldw -lelf -lzstd"
		;;
	sites) sources=$(cd "$root/src" && echo source/*.c) libraries="-ldw -lelf" ;;
	*) echo "there is no target $target" >&2; exit 2 ;;
	esac
	here=$(pwd)
	# shellcheck disable=SC2086 # several words
	(cd "$root/src" && clang -std=gnu11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-I. -I../include -I../tests/unit -o "$here/$target" "../tests/fuzz/$target.c" $sources base/err.c $libraries) || exit 1
	mkdir -p "corpus-$target"
	"./$target" "$@" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
		-artifact_prefix="$target-" "corpus-$target" "$root/tests/fuzz/corpus/$target" >"$target.log" 2>&1
	status=$?
	verdict $status "$target with libFuzzer"
	if [ $status = 0 ]; then
		echo "$target: $(sed -n 's/^stat::number_of_executed_units: //p' "$target.log") inputs," \
			"$(find "corpus-$target" -type f | wc -l) kept"
	else
		tail -n 40 "$target.log"
	fi
}

if [ $# = 1 ]; then
	for target in replay suppression args schedule tally tape version sites predict; do
		mutations=20000
		case $target in
		tape) mutations=4000 ;; # a file is written for each
		version) mutations=10000 ;;
		esac
		[ "${LEVELS-}" = all ] || mutations=$((mutations / 4)) # they are the same each day
		timeout 120 "$build/tests/fuzz_$target" "$work/last" $mutations "$root/tests/fuzz/corpus/$target"/* >"$work/out" 2>&1
		status=$?
		verdict $status $target
		[ $status = 0 ] || { cat "$work/out"; show "$work/last"; }
	done
	cd "$work" || exit 1
	case ${LEVELS-} in all) runs=250000 ;; *) runs=30000 ;; esac
	if command -v clang >/dev/null; then
		with_libfuzzer schedule -seed=7 -runs=$runs
		[ "${LEVELS-}" != all ] || with_libfuzzer tape -seed=7 -runs=5000
		for input in schedule-* tape-*; do
			[ ! -f "$input" ] || od -c "$input" | head -n 60
		done
	else
		echo "skipped: libFuzzer, no clang here"
	fi
	end
fi

seconds=$2
shift 2
[ $# -gt 0 ] || set -- replay suppression args schedule tally tape version sites predict
mkdir -p "$build/fuzz" && cd "$build/fuzz" || exit 1
for each in "$@"; do
	with_libfuzzer "$each" -max_total_time="$seconds"
done
end
