#!/bin/sh
# Two versions of a program: found by the words of the user, checked out aside, built, kept; and nothing of the checkout is touched. In
# throwaway repositories, by tests/versions/get.c, which calls what `sleave regress` calls, under sanitizers.
# usage: tests/versions.sh BUILD
# shellcheck disable=SC2086,SC2016 # words of options; dollars of make
set -u

build=$(cd "${1:?usage: tests/versions.sh BUILD}" && pwd) || exit 99
if [ ! -x "$build/tests/versions_get" ] || [ ! -x "$build/sleave" ] || ! command -v git >/dev/null; then
	echo "skipped: no versions_get or no sleave in $build, or no git"
	exit 77
fi
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder" 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset SLEAVE_CC SLEAVE_CXX MAKEFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
export LC_ALL=C HOME="$folder/home" XDG_STATE_HOME="$folder/state" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
mkdir home
git config --global init.defaultBranch trunk
git config --global protocol.file.allow always
umask 022

# shellcheck source=tests/checks.sh
. "$here/tests/checks.sh"
sleave=$build/sleave
get="$build/tests/versions_get --sleave $sleave"

same() # WHAT EXPECTED FOUND
{
	checks=$((checks + 1))
	[ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"
}

holds() # WHAT COMMAND…
{
	checks=$((checks + 1))
	what=$1
	shift
	"$@" >/dev/null 2>&1 || fail "$what"
}

commit() # MESSAGE
{
	git add -A && git commit -q -m "$1" || exit 99
}

# of the version that was built: a field of the output
of() # FIELD old|new
{
	sed -n "s/^$1 $2 //p" "$top/out"
}

# A program that prints its number, and a Makefile that insists on gcc.
project() # FOLDER
{
	mkdir -p "$1"
	cd "$1" || exit 99
	top=$PWD
	git init -q .
	printf 'CC = gcc\nCXX = g++\ntest: test.o\n\t$(CC) -o $@ test.o\ntest.o: test.c number.h\n\t$(CC) -g -c -o $@ test.c\n' >Makefile
	printf '*.o\n/test\nout\nerr\n' >.gitignore
	printf '#include <stdio.h>\n#include "number.h"\nint main(void)\n{\n\tprintf("%%d\\n", NUMBER);\n\treturn 0;\n}\n' >test.c
	echo '#define NUMBER 1' >number.h
	commit one
	git tag v1
	echo '#define NUMBER 2' >number.h
	commit two
	echo '#define NUMBER 3' >number.h
}

# Everything in the checkout but .sleave, with times, modes, links and content. Reading a file may change its access time.
everything()
{
	find . -mindepth 1 -path ./.sleave -prune -o -path ./out -prune -o -path ./err -prune -o -printf '%p %y %m %l %s %T@ %i\n' | sort
	find . -path ./.sleave -prune -o -type f ! -path ./out ! -path ./err -exec sha1sum {} + | sort
}

prints() # old|new WORDS: the program of that version
{
	same "the $1 program" "$2" "$("$(sed -n "s/^program $1 [^ ]* //p" "$top/out")")"
}

# ---- HEAD against the working tree, and revisions; nothing is touched ----

project "$folder/plain"
echo untracked >note.txt
git update-index -q --refresh
: >out && : >err
everything >"$folder/before"
expect 0 $get -- ./test
says '^label old HEAD (' '^label new the working tree$' '^identical no' '^sources differ' '^pair number.h <- number.h' '^command make test$'
never '^text old test.c'
prints old 2
prints new 3
everything >"$folder/after"
holds "the checkout was touched: $(diff "$folder/before" "$folder/after")" cmp "$folder/before" "$folder/after"
same "what git sees" " M number.h ?? note.txt " "$(git status --short | tr '\n' ' ')"
holds "the program is instrumented" grep -q libsleave.so "$(sed -n 's/^program new [^ ]* //p' out)"
holds "the untracked file is there" test -f "$(of root new)/note.txt"
holds "it is not in HEAD" test ! -e "$(of root old)/note.txt"

expect 0 $get -v -- ./test
says '^reused old yes' '^reused new yes' 'was built earlier'
expect 0 $get --old v1 -- ./test
says '^label old v1 (' '^label new the working tree$' '^reused old no' '^reused new yes'
prints old 1
expect 0 $get --old HEAD~1 --new trunk -- ./test
says '^reused old yes' '^reused new yes' '^label new trunk ('
prints old 1
prints new 2
hash=$(git rev-parse v1)
expect 0 $get --old "$hash" --new 'HEAD^{tree}' --list -- ./test
says "^label old $(echo "$hash" | cut -c 1-7)$"
expect 0 $get --list --all -- ./test
says '^text new test.c' '^pair test.c <- test.c'
expect 3 $get --old nothing -- ./test
says "there is no revision 'nothing'" '(--old)'
expect 3 $get --new HEAD:number.h -- ./test
says 'neither a commit nor a tree (--new)'
expect 3 $get --old v1 --old-tree . -- ./test
says 'both name the old version'
expect 3 $get -- ../test
says 'is outside of'

# a diff of nothing; what a compiler has made and git does not know is no difference
git checkout -q number.h
rm note.txt
gcc -c -o built test.c
ln -s Makefile link && git add link && git rm -q --cached link && rm link
expect 0 $get -v -- ./test
says '^identical yes' '^sources same' '^reused new yes' 'built was made by a compiler'
same "one version is both" "$(of root old)" "$(of root new)"
echo '#define NUMBER 2 ' >number.h
expect 0 $get --list -- ./test
says '^identical no'
git checkout -q number.h
rm built

# ---- the working tree: modes, links, deleted files, strange names, objects that are older than they look ----

name=$(printf 'a\tb\nc"d\\\303\244 *.c')
printf 'int strange;\n' >"$name"
commit strange
printf 'int stranger;\n' >"$name"
printf '#!/bin/sh\n' >script && chmod 755 script
ln -s /nowhere dangling
mkdir deep && printf 'x\n' >deep/file && chmod 640 deep/file
rm .gitignore && printf '*.o\n/test\n/out\n/err\nignored\n' >.gitignore && : >ignored
git rm -q --cached test.c
mkfifo pipe
: >found-1.sleave
expect 0 $get -- ./test
root=$(of root new)
same "the link" /nowhere "$(readlink "$root/dangling")"
same "the modes" "755 640 " "$(stat -c %a "$root/script" "$root/deep/file" | tr '\n' ' ')"
same "the strange file" 'int stranger;' "$(cat "$root/$name")"
same "the strange file of HEAD" 'int strange;' "$(cat "$(of root old)/$name")"
holds "what git ignores is no part" test ! -e "$root/ignored"
holds "a replay file is no part" test ! -e "$root/found-1.sleave"
holds "a file that was taken out of the index is" test -e "$root/test.c"
git add -A . && rm test.c pipe
expect 3 $get -- ./test
says 'the new version (the working tree) does not build: `make test`' "No rule to make target 'test.c'"
git reset -q --hard

# ---- a checkout of another user, which git does not read ----

if [ "$(id -u)" = 0 ]; then
	project "$folder/strange"
	commit first
	chown -R 65534 "$folder/strange"
	expect 3 $get -- ./test
	says 'belongs to another user' 'safe.directory'
	never 'is not in a git checkout'
fi

# ---- folders, without git ----

mkdir "$folder/folders" && cd "$folder/folders" && top=$PWD || exit 99
mkdir -p a/objects b/objects
for each in a b; do
	printf 'CC = gcc\nall: test\nobjects/test.o: test.c\n\t$(CC) -g -c -o $@ test.c\ntest: objects/test.o\n\t$(CC) -o $@ objects/test.o\n' >$each/Makefile
	printf '#include <stdio.h>\nint main(void) { puts("%s"); return 0; }\n' $each >$each/test.c
done
expect 3 $get -- ./test
says 'is not in a git checkout' 'no HEAD to compare with'
expect 3 $get --old-tree a --new-tree missing -- ./test
says 'there is no folder missing (--new-tree)'
make -s -C b
expect 0 $get --old-tree a/ --new-tree b/ --build make -- ./test
prints old a
prints new b
says '^label old a/$' "^subfolder ''"
holds "an object that was built without Sleave is not used" grep -q libsleave.so "$(sed -n 's/^program new [^ ]* //p' out)"
holds "an empty folder is there" test -d "$(of root old)/objects"
cp a/test.c a/Makefile b
expect 0 $get --old-tree a --new-tree b --list -- ./test
says '^identical yes' # apart from objects
mkdir -p b/unit && cp b/test.c b/unit/u.c && cp -r b/unit a && echo 'u: u.c' >a/unit/Makefile && cp a/unit/Makefile b/unit
cd b/unit || exit 99
expect 0 $get --old-tree ../../a --new-tree .. -- ./u
mv out "$top"
says() { for words; do checks=$((checks + 1)); grep -q -e "$words" "$top/out" "$top/err" 2>/dev/null || { fail "'$words' is not said"; cat "$top/out"; }; done; }
says "^subfolder 'unit'" '^command make u$'

# ---- programs that are built already ----

cd "$top" || exit 99
mkdir p && cd p && top=$PWD || exit 99
printf 'int same(void);\nint same(void)\n{\n\treturn 1;\n}\n' >same.c
printf 'int same(void);\nint main(void)\n{\n\treturn same();\n}\n' >test.c
gcc -g -o test same.c test.c && cp test test.old
printf '%s\n' "$PWD/same.c" "$PWD/test.c" /nowhere/gone.c >list
sleep 0.02 && echo '/* changed */' >>test.c && gcc -g -o test same.c test.c
expect 0 $get --old-program ./test.old --sources list list -- ./test
says "^lost $PWD/test.c" '^identical no' "^program old ./test $PWD/test.old" "^program new ./test $PWD/test$"
checks=$((checks + 1))
! grep '^text' out || fail "a lost text is given"
mkdir v1 v2 && cp same.c test.c v1 && cp same.c v2/same.c && sed 's/return same/return 1 + same/' test.c >v2/test.c
(cd v1 && gcc -g -o test same.c test.c) && (cd v2 && gcc -g -o test same.c test.c)
printf '%s\n' "$PWD/v1/same.c" "$PWD/v1/test.c" >old && printf '%s\n' "$PWD/v2/same.c" "$PWD/v2/test.c" >new
expect 0 $get --old-program v1/test --sources old new -- v2/test
says "^pair $PWD/v2/test.c <- $PWD/v1/test.c" "^pair $PWD/v2/same.c <- $PWD/v1/same.c" '^identical no'
expect 3 $get --old-program missing -- v2/test
says 'cannot access missing'
git init -q . && commit before && echo '/* again */' >>test.c && gcc -g -o test same.c test.c
expect 0 $get --old-program ./test.old --old HEAD --sources list list --texts -- ./test
says '^text old .*/test.c' '^text new .*/test.c' "^pair $PWD/test.c <- $PWD/test.c" '^/\* again'
checks=$((checks + 1))
! grep '^lost' out || fail "a text is lost that git has"

# ---- renames ----

project "$folder/renames"
seq 1 60 | sed 's/.*/int number_&;/' >apple.c
seq 1 60 | sed 's/.*/long value_&;/' >pear.h
echo 'int only_new;' >other.cc
git add pear.h apple.c && git commit -q -m fruit
mkdir src && git mv apple.c src/fruit.c && echo 'int more;' >>src/fruit.c && git mv pear.h melon.h
expect 0 $get --list -- ./test
says '^pair src/fruit.c <- apple.c' '^pair melon.h <- pear.h' '^pair other.cc <- nothing' '^pair number.h <- number.h'
git commit -qam moved
expect 0 $get --old HEAD~1 --new HEAD --list -- ./test
says '^pair src/fruit.c <- apple.c' '^pair melon.h <- pear.h'
mkdir ../x ../y && cp src/fruit.c ../x/old.c && cp src/fruit.c ../y/new.c && echo 'int x;' >>../y/new.c
expect 0 $get --old-tree ../x --new-tree ../y --list -- ./test
says '^pair new.c <- old.c'

# ---- the build command ----

project "$folder/command"
mkdir -p tests && printf 'all: one two\n%%: %%.c\n\t$(CC) -g -o $@ $<\n' >tests/Makefile
for each in one two; do
	printf '#include <stdio.h>\nint main(void) { puts("%s"); return 0; }\n' $each >tests/$each.c
done
printf '/one\n/two\n/out\n/err\n' >tests/.gitignore
commit tests
expect 0 $get --build 'make CFLAGS=-O1 test' -- ./test
says '^command make CFLAGS=-O1 test$'
expect 0 $get -- ./test
says '^command make CFLAGS=-O1 test$' '^reused new yes' # that of last time
cp -r . "$folder/clone"
cd "$folder/clone" && top=$PWD || exit 99
mkdir -p .sleave/builds && echo 'touch /tmp/never' >.sleave/builds/command
expect 0 $get -- ./test
says '^command make test$' '^reused new no' # neither the command nor the versions of a clone are taken
expect 0 $get --build 'make CFLAGS=-O1 test' -- ./test
says '^reused new no' # not even where the key is the same
cd "$folder/command/tests" && top=$PWD || exit 99
expect 3 $get -- './*'
says "which command builds './\*'"
expect 0 $get -- one ./two
says '^command make one two$' "^subfolder 'tests'" '^program old one '
same "the folder" "$(of root new)/tests" "$(of cwd new)"
expect 0 $get --build 'make -C .. tests/one && make two' -- './*' # the root's Makefile has a rule of make's own for it
says '^program new ./one ' '^program new ./two '
cd .. && top=$PWD || exit 99
mkdir empty && cd empty && top=$PWD || exit 99
expect 3 $get -- ./test
says 'has no folder empty, in which you are'
cd .. && top=$PWD && git rm -q Makefile && rm -rf "$XDG_STATE_HOME" || exit 99
expect 3 $get -- ./test
says 'which command builds the program? Give it with --build'
git checkout -q HEAD Makefile

# CC of make, of a make below it, and of what reads the environment; options of Sleave reach the compiler; git finds no checkout
cat >build.sh <<'END'
read line && echo "there is input"
git rev-parse --show-toplevel && exit 1
echo "$CC"
SLEAVE_CC=clang && export SLEAVE_CC
make -f sub.mk
END
printf 'CC = gcc\nall:\n\t@echo below: $(CC)\n' >sub.mk
printf 'CC=gcc\nCXX=g++\ntest: test.c\n\t@sh build.sh\n\t@echo here: $(CC) and $(CXX)\n\t$(CC) -g -o $@ test.c\n' >Makefile
commit build
MAKEFLAGS="-k --jobserver-auth=77,78 -j9 -- V=1" expect 0 $get --build 'make test && echo $MAKEFLAGS' -- ./test
log=$(of log new)
says() { for words; do checks=$((checks + 1)); grep -q -e "$words" "$top/out" "$top/err" || { fail "'$words' is not said"; cat "$top/out" "$top/err"; }; done; }
for words in "^$sleave cc$" "^below: $sleave cc$" "^here: $sleave cc and $sleave c++$" '^k -- V=1 CC=\|^-k -- V=1 CC='; do
	holds "'$words' is in the log: $(cat "$log")" grep -q -e "$words" "$log"
done
holds "standard input is closed" test -z "$(grep 'there is input' "$log")"
cp "$log" "$folder/first"
SLEAVE_CC=clang expect 0 $get -- ./test
says '^reused new no' # other compiler
CFLAGS=-O2 expect 0 $get -- ./test
says '^reused new no'

# ---- builds that fail ----

project "$folder/failing"
echo 'int main(void) { return missing; }' >test.c
expect 3 $get -- ./test
says 'error the new version (the working tree) does not build: `make test` ended with status 2 (--build gives another command); all that it said is in' \
	"test.c:1:.*error: .missing. undeclared" '^log\|/log$'
holds "the log is there" test -s "$(sed -n 's/^error .* is in //p' out)"
checks=$((checks + 1))
[ "$(wc -l <out)" -lt 30 ] || fail "all of the log is shown"
expect 0 $get --old v1 --new HEAD -- ./test
commit broken
git checkout -q HEAD~1 -- test.c
expect 3 $get -- ./test
says "error the old version (HEAD, $(git rev-parse --short=7 HEAD)) does not build"
expect 3 $get --old v1 --new HEAD~1 --build true -- ./test
says '`true` has built the new version .*, but it has left no program ./test'
expect 3 $get --build 'seq 1 10000; kill -9 $$' -- ./test
says 'was killed by signal 9' '^9998$'
# a test that the old version does not have, by our make and by another command
printf 'new: new.c\n\t$(CC) -g -o $@ new.c\n' >>Makefile && sed 's/NUMBER/5/' test.c >new.c
expect 0 $get --old v1 -- ./test ./new
says '^missing old ./new' '^program old ./test ' '^program new ./new '
expect 0 $get --old v1 -- ./new
says '^missing old ./new' '^program new ./new '
expect 0 $get --old v1 --build 'make test; make new || true' -- ./new
says '^missing old ./new'

# ---- Ctrl-C, a kill, and two at the same time ----

project "$folder/killed"
printf 'test: test.c\n\techo $$$$ >"$(PIDS)/pid" && while [ -e "$(PIDS)/wait" ]; do sleep 0.05; done\n\t$(CC) -g -o $@ test.c\n' >Makefile
commit slow
export PIDS="$folder/pids"
mkdir "$PIDS" && : >"$PIDS/wait"
has_ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
started() { until [ -s "$PIDS/pid" ]; do sleep 0.05; done; }
for signal in INT TERM KILL; do
	rm -f "$PIDS/pid"
	sh -c 'echo $$ >"$PIDS/self"; exec "$@"' sh python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' $get --old HEAD -- ./test >out 2>err &
	started
	kill -$signal "$(cat "$PIDS/self")"
	wait $! 2>/dev/null
	status=$?
	[ $signal = KILL ] || { same "the status after $signal" 130 $status; says 'error interrupted'; }
	[ $signal != KILL ] || kill -9 "$(cat "$PIDS/pid")" 2>/dev/null
	until has_ended "$(cat "$PIDS/pid")"; do sleep 0.05; done
	same "complete versions after $signal" 0 "$(find .sleave -name complete | wc -l)"
done
rm -f "$PIDS/pid"
$get -- ./test >"$folder/first" 2>&1 &
started
: >err
$get -v -- ./test >out 2>err &
until grep -q 'another process is building' err; do sleep 0.05; done
rm "$PIDS/wait"
wait
says '^reused new yes' 'waiting for it'
same "the first one has built" "reused new no" "$(grep '^reused new' "$folder/first")"

# on a terminal: who is built is shown, and wiped; a typed Ctrl-C ends all
terminal=$here/tests/versions/terminal.py
export TERM=xterm
: >"$PIDS/wait"
expect 0 $terminal "building the new version (the working tree) … 1 s" remove "$PIDS/wait" $get --build 'make  test' --old v1 -- ./test
says 'words were said' "<CR><ESC>\[Kbuilding the old version (v1, $(git rev-parse --short=7 v1)) and the new version (the working" '<ESC>\[Kcommand make  test'
: >"$PIDS/wait" && rm -f "$PIDS/pid"
expect 130 $terminal "… 0 s" type ^C $get --build 'make   test' --old HEAD -- ./test
says 'words were said' 'error interrupted'
rm "$PIDS/wait"
expect 0 $terminal '^label new' type nothing $get -q --build 'make    test' -- ./test
never 'building\|<CR>'

# ---- the limit, and --clean ----

project "$folder/limit"
for n in 4 5 6 7; do
	echo "#define NUMBER $n" >number.h
	commit $n
done
for n in 3 2 1; do
	expect 0 $get --old HEAD~$n --new HEAD --keep 3 -- ./test
done
same "versions that are kept" 3 "$(find .sleave -name complete | wc -l)"
expect 0 $get --old HEAD~3 --new HEAD --keep 3 -- ./test
says '^reused old no' '^reused new yes' # the one that was not used for the longest time was removed
expect 0 $get --old HEAD~1 --new HEAD --keep-bytes 1 -- ./test
same "versions beyond the bytes" 2 "$(find .sleave -name complete | wc -l)" # those in use
mkfifo hold
: >out
$get --wait -- ./test <hold >out 2>err &
exec 9>hold
until grep -q '^program new' out; do sleep 0.05; done
$get --clean >"$folder/said"
same "while it is used" "removed 1 in use 1" "$(cat "$folder/said")" # HEAD is the working tree
exec 9>&-
wait
expect 0 $get --clean
says '^removed 1 in use 0'
same "what --clean leaves" ".gitignore" "$(ls -A .sleave/versions)"
rm hold

# no folder to remember in: all is built each time
for n in 1 2; do
	XDG_STATE_HOME=/proc/none expect 0 $get -- ./test
	says '^reused new no' 'versions that are built are not used again: cannot make the folder /proc/none'
done
chmod 777 "$XDG_STATE_HOME/sleave"
expect 0 $get -- ./test
says 'every user may write'
chmod 700 "$XDG_STATE_HOME/sleave"

# ---- what is in the way: links, other people's folders, a full disk ----

rm -rf .sleave && mkdir "$folder/elsewhere" && ln -s "$folder/elsewhere" .sleave
expect 3 $get -- ./test
says 'is not a folder, but a link'
rm .sleave
blob=$(echo x | git hash-object -w --stdin)
evil() # NAME: a tree with that file
{
	printf '100644 %s\0' "$1" >"$folder/tree"
	printf '%s' "$blob" | sed 's/../\\x&/g' | xargs -0 printf '%b' >>"$folder/tree"
	git hash-object --literally -t tree -w --stdin <"$folder/tree"
}
echo 'leak:libgit2' >"$folder/leaks" # of trees that it refuses to read
for name in .. .git ../escaped a/../../b; do
	LSAN_OPTIONS=suppressions=$folder/leaks expect 3 $get --new "$(evil $name)" -- ./test
	says 'would not check out either\|cannot read'
done
holds "nothing has escaped" test ! -e "$folder/escaped"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	cat >full.sh <<'END'
mkdir .sleave && mount -t tmpfs -o size=400k,mode=755 tmpfs .sleave && "$@"
status=$?
find .sleave -name complete -o -type f -size +8k >>"$FOLDER/left"
exit $status
END
	export FOLDER="$folder"
	everything >"$folder/before"
	expect 3 unshare -m sh full.sh $get --build 'make test && dd if=/dev/zero of=fill bs=64k' -- ./test
	says 'error the disk is full: the .* version .* could not be built' 'No space left on device'
	same "what a full disk leaves" "" "$(cat "$folder/left")"
	rmdir .sleave
	head -c 600000 /dev/urandom >big.bin
	expect 3 unshare -m sh full.sh $get -- ./test
	says 'error the disk of .* is full: big.bin could not be written'
	rm big.bin && rmdir .sleave
	everything >"$folder/after"
	holds "the checkout was touched: $(diff "$folder/before" "$folder/after")" cmp "$folder/before" "$folder/after"
else
	echo "note: no tmpfs can be mounted here: a full disk is not tested"
fi
. "$here/tests/versions/git.sh"
. "$here/tests/versions/faults.sh"
verdict
