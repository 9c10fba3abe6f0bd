#!/bin/sh
# Random programs (tests/coverage_random/random.c): what all their interleavings cover is neither ruled out by `sleave cover` nor left.
# What the command says, and its other criteria and strategies: tests/sessions/cover.
# usage: tests/coverage_random.sh BUILD [number of random programs]
set -eu

build=$(cd "${1:?usage: tests/coverage_random.sh BUILD [number of random programs]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

"$build/sleave" cc -g -O0 -o "$work/random" "$here/coverage_random/random.c"
python3 "$here/coverage_random/compare.py" "$build/sleave" "$work/random" 1 "${2:-20}"
