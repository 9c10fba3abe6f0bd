# What the scripts of the programs share; tests/real/run starts them and sets here, sleave and real.
set -u

say()
{
	echo "$name: $*"
}

die()
{
	say "$*"
	exit 1
}

# quietly COMMAND…: its output is shown only if it fails.
quietly()
{
	"$@" >"$real/$name.log" 2>&1 && return
	tail -n 20 "$real/$name.log"
	die "failed: $*"
}

# The machine's package sources as deb-src, once a day.
apt_configure()
{
	apt=$real/apt
	[ -z "$(find "$apt/done" -mtime -1 2>/dev/null)" ] || return 0
	rm -rf "$apt"
	mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")"
	done
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"$apt/parts/our-$(basename "$file" .list).list"
	done
	apt_get update || return 1
	touch "$apt/done"
}

apt_get()
{
	timeout 300 apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts" \
		-o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root "$@"
}

# fetch PACKAGE: its sources, with Debian's patches, in $source; from the machine's mirror the first time.
fetch()
{
	source=$real/source/$1
	[ -e "$source/.fetched" ] && return
	rm -rf "$source" "$real/download/$1"
	mkdir -p "$real/source" "$real/download/$1" || exit 1
	quietly apt_configure
	cd "$real/download/$1" || exit 1
	quietly apt_get source --download-only "$1"
	quietly dpkg-source --extract ./*.dsc "$source"
	touch "$source/.fetched"
}

# stale FILE: it must be built (again), for sleave has changed since, or it never was. It is removed: their makefiles know
# nothing of ours.
stale()
{
	[ ! -e "$1" ] || [ "$sleave" -nt "$1" ] || [ "$here/check.c" -nt "$1" ] || [ "$here/$name.sh" -nt "$1" ] || return 1
	rm -f "$1"
}

# The part of every program that is ours; $check are words for the linker.
build_check()
{
	check=$real/check-$name.o
	! stale "$check" || quietly "$sleave" cc -O1 -c -o "$check" "$here/check.c"
	check="$check -Xlinker --wrap=main"
}

# begin: an empty folder for inputs and outputs, and text to put into them.
begin()
{
	work=$real/work/$name
	rm -rf "$work"
	mkdir -p "$work" && cd "$work" || exit 1
	i=0
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		echo "line $i: $((i * i)) squared, $((i * 7919 % 1000)) shuffled, and again and again the same words"
	done >text
}

# Of what is asked for below a fourth more is run: a search may end executions early which lead to nothing new, and they do not count.

# explore OUTPUT EXPECTED [OPTION…] -- PROGRAM [ARGUMENT…]: at least $schedules schedules (1,000) or all, nothing found,
# none cut short, and the file OUTPUT as EXPECTED at the end of each.
explore()
{
	CHECK_OUTPUT=$1 CHECK_EXPECTED=$2 CHECK_COUNT=count
	export CHECK_OUTPUT CHECK_EXPECTED CHECK_COUNT
	shift 2
	rm -f count "$CHECK_OUTPUT" ./*.sleave
	run=$(echo "$*" | sed "s/^.*-- //; s,^[^ ]*/,,")
	flags=
	while [ "$1" != -- ]; do
		flags="$flags $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # several words
	timeout 1200 "$sleave" run --json --quiet --schedules "$((${schedules-1000} * 5 / 4))" $flags "$@" >json 2>err </dev/null
	status=$?
	[ $status = 0 ] || tail -n 40 err
	python3 - $status "$(cat count 2>/dev/null | wc -c)" "${schedules-1000}" "$run" <<'END' || exit 1
import json, sys
status, checked, schedules, name = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
o = json.load(open("json"))
wrong = []
if status or o["verdict"] != "clean" or o["findings"]:
    wrong.append("status %d, verdict %s" % (status, o["verdict"]))
if o["interleavings"] - o["abandoned"] < schedules and not o["complete"]:
    wrong.append("not %d schedules" % schedules)
if o["cut"]:
    wrong.append("%d cut short" % o["cut"])
# executions that were ended early, because they led to nothing new, have no output
if checked < o["interleavings"] - o["abandoned"] and not o["complete"] or checked < o["interleavings"] and o["complete"]:
    wrong.append("only %d outputs looked at" % checked)
warnings = len(o["warnings"])
print("%s: %s%d schedules, %d threads, %d accesses, %.0f s; %d outputs looked at; world %s%s%s" % (name, "all " * o["complete"],
      o["interleavings"],
      o["threads"], o["accesses"], o["seconds"], checked, o["world"],
      "; %d warnings" % warnings if warnings else "", "".join("; WRONG: " + w for w in wrong)))
sys.exit(bool(wrong))
END
	unset CHECK_OUTPUT CHECK_EXPECTED CHECK_COUNT
}

# needs PACKAGE…: Debian's packages that this program is built with, beyond those of scripts/setup.sh.
needs()
{
	missing=
	for package; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || die "missing packages; install them as root: apt-get install$missing"
	say "installing$missing"
	# shellcheck disable=SC2086 # several words
	DEBIAN_FRONTEND=noninteractive quietly apt-get install -y -qq --no-install-recommends $missing
}

# build_server: the client of a server (server.c); $client are words for the linker.
build_server()
{
	client=$real/server-$name.o
	if stale "$client" || [ "$here/server.c" -nt "$client" ]; then
		quietly "$sleave" cc -O1 -g -c -o "$client" "$here/server.c"
	fi
	client="$client -Xlinker --wrap=main"
}

# serve: from now on the server's program is run with its clients. Not before: a configure script runs programs that it is
# linked into, too.
serve()
{
	CLIENT_SCRIPT=script CLIENT_SOCKET=socket
	export CLIENT_SCRIPT CLIENT_SOCKET
}

# compilers: `$cc` and `$cxx` for builds that want the compiler in one word.
compilers()
{
	cc=$real/cc-$name cxx=$real/c++-$name
	printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$sleave" >"$cc" && printf '#!/bin/sh\nexec "%s" c++ "$@"\n' "$sleave" >"$cxx"
	chmod +x "$cc" "$cxx"
}

# passes [OPTION…] -- PROGRAM [ARGUMENT…]: a test program, which says by its exit status whether its result is right: at
# least $schedules schedules (200) or all, nothing found, none cut short.
passes()
{
	rm -f ./*.sleave
	run=$(echo "$*" | sed "s/^.*-- //; s,^[^ ]*/,,")
	flags=
	while [ "$1" != -- ]; do
		flags="$flags $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # several words
	timeout 600 "$sleave" run --json --quiet --time 300s --schedules "$((${schedules-200} * 5 / 4))" $flags "$@" >json 2>err </dev/null
	status=$?
	[ $status = 0 ] || tail -n 40 err
	python3 - $status "${schedules-200}" "$name: $run" <<'END' || exit 1
import json, sys
status, schedules, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
o = json.load(open("json"))
wrong = []
if status or o["verdict"] != "clean" or o["findings"]:
    wrong.append("status %d, verdict %s, %s" % (status, o["verdict"], o.get("reason")))
if o["interleavings"] - o["abandoned"] < schedules and not o["complete"]:
    wrong.append("not %d schedules" % schedules)
if o["cut"]:
    wrong.append("%d cut short" % o["cut"])
warnings = len(o["warnings"])
print("%s: %s%d schedules, %d threads, %d operations, %.1f s; world %s%s%s" % (name, "all " * o["complete"], o["interleavings"],
      o["threads"], o["operations"], o["seconds"], o["world"],
      "; %d warnings" % warnings if warnings else "", "".join("; WRONG: " + w for w in wrong)))
sys.exit(bool(wrong))
END
}

# finds PATTERN [OPTION…] -- PROGRAM [ARGUMENT…]: a bug of the program that docs/real-programs.md describes; the message
# of the first finding matches the extended regular expression. By a number of schedules, not in the ten seconds that a run has by
# itself: on a busy machine they may not be enough.
finds()
{
	pattern=$1
	shift
	flags=
	while [ "$1" != -- ]; do
		flags="$flags $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # several words
	timeout 600 "$sleave" run --json --quiet --time 300s --schedules 5000 $flags "$@" >json 2>err </dev/null
	status=$?
	rm -f ./*.sleave
	[ $status = 1 ] || { tail -n 20 err; die "status $status, not 1: nothing found?"; }
	message=$(python3 -c 'import json; print(json.load(open("json"))["findings"][0]["message"])')
	echo "$message" | grep -Eq -e "$pattern" || die "found something else than $pattern: $message"
	say "found, as it should be: $message"
}
