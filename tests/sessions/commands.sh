# What sessions have in common (tests/sessions.py): read by each of them before its first command.
# shellcheck shell=bash
set -o pipefail

# show PATTERN…: of standard input the lines that match one of these (grep's basic regular expressions), and a status that
# `run` wrote. What must never be said is among the patterns, too: it is not in the expected output.
show()
{
	local arguments=(-e '^\[[0-9]*\]$')
	for pattern; do
		arguments+=(-e "$pattern")
	done
	grep "${arguments[@]}" || [ $? = 1 ]
}

# count PATTERN…: how many lines of standard input match each.
count()
{
	local text
	text=$(cat)
	for pattern; do
		echo "$(grep -c -e "$pattern" <<<"$text") $pattern"
	done
}

# run COMMAND…: with its status, if that is not 0: for commands of a loop.
run()
{
	"$@" || echo "[$?]"
}

# json EXPRESSION…: the value of each, with `o` for the JSON object that is alone on a line of standard input, `f` for its
# first finding. Lines that match a pattern are shown as well, if patterns come first: json -e PATTERN… EXPRESSION…
# (-IS: Python starts in half of the time.)
json()
{
	python3 -IS "$TREE/tests/sessions/objects.py" object "$@"
}

# items EXPRESSION…: the value of each, with `items` for the items of a trace that `sleave trace --json` wrote on standard
# input, and `lines` for all lines.
items()
{
	python3 -IS "$TREE/tests/sessions/objects.py" items "$@"
}

# await COMMAND…: until it succeeds; a minute at most.
await()
{
	for _ in $(seq 600); do
		if "$@" >/dev/null 2>&1; then
			return 0
		fi
		sleep 0.1
	done
	echo "never true: $*"
	return 1
}

# Each number of standard input becomes N.
numbers()
{
	sed 's/[0-9][0-9,.]*[0-9]\|[0-9]/N/g'
}

# The items of a trace without their numbers, sorted: for what real threads do in any order.
sorted()
{
	sed 's/^ *[0-9]* //' | sort
}

# program NAME [OPTION…]: NAME.c becomes NAME, without a word of the compiler.
program()
{
	sleave cc -g "${@:2}" -o "$1" "$1.c"
}

# checkout FOLDER FILE…: a git repository with these files, committed; it becomes the current folder. Git's settings, and what Sleave
# remembers for its user, are the session's own.
checkout()
{
	export HOME=$PWD/home XDG_STATE_HOME=$PWD/state GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
	command -v git >/dev/null || exit 77
	git init -q -b trunk "$1" && cp -r "${@:2}" "$1" && cd "$1" && commit first
}

# commit MESSAGE: everything in the current folder.
commit()
{
	git add -A && git commit -q -m "$1"
}
