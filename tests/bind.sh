#!/bin/sh
# From names to addresses: programs that ask `sleave bind` about themselves, built by both compilers in several ways.
# Usage: tests/bind.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sleave=$(cd "$1" && pwd)/sleave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir bind && cp "$root"/tests/bind/* bind/ || exit 1
failed=0
number() { grep -n "/\* $1 \*/" bind/program.c | cut -d: -f1; }

one() # what, compiler and options
{
	what=$1
	shift
	"$sleave" "$@" -Ibind -I"$root/src" -fPIC -shared -o liblibrary.so bind/library.c &&
		"$sleave" "$@" -I"$root/src" -o program bind/program.c -L. -llibrary -Wl,-rpath,. &&
		timeout 120 ./program "$sleave" "$(number LINE)" "$(number CALL)" >out 2>&1 || failed=$((failed + 1))
	sed "s/^/$what: /" out
}

for optimise in -O0 -O2; do
	SLEAVE_CC=gcc one "gcc $optimise" cc $optimise
	SLEAVE_CC=gcc one "gcc $optimise without PIE" cc $optimise -no-pie
	command -v clang >/dev/null && SLEAVE_CC=clang one "clang $optimise" cc $optimise
done
[ "$failed" -eq 0 ]
