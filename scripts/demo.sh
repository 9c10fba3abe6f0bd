#!/bin/sh
# Finds the bug in examples/account.c and replays it, as a newcomer would.
# usage: scripts/demo.sh BUILD
set -eu

build=$(cd "${1:-build}" && pwd)
examples=$(cd "$(dirname "$0")/../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

PATH=$build:$PATH
cp "$examples/account.c" "$folder"
cd "$folder"

# Shows a command, runs it, and insists on its exit status.
try()
{
	expected=$1
	shift
	printf '\n$ %s\n' "$*"
	status=0
	"$@" || status=$?
	if [ "$status" != "$expected" ]; then
		echo "demo: exit status $status instead of $expected" >&2
		exit 1
	fi
}

try 0 sleave cc -o account account.c
try 1 sleave run ./account
set -- *.sleave
if [ ! -f "$1" ]; then
	echo "demo: no replay file was written" >&2
	exit 1
fi
try 1 sleave replay "$1"

cat <<'EOF'

That was examples/account.c: `sleave run` tried its interleavings until one went wrong, and `sleave replay`
shows the same one again, every time. Try the others in examples/, or your own:

EOF
cat <<EOF
    export PATH="$build:\$PATH"
    CC="sleave cc" make && sleave run ./your-test
EOF
