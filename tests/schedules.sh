#!/bin/sh
# `sleave schedule`: what it promises, and that every example in docs/schedules.md is what the text there says.
# usage: tests/schedules.sh BUILD
# shellcheck disable=SC2016 # backquotes in messages
set -u

build=$(cd "${1:?usage: tests/schedules.sh BUILD}" && pwd) || exit 99
root=$(cd "$(dirname "$0")/.." && pwd)
sleave=$build/sleave
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
# shellcheck source=tests/checks.sh
. "$root/tests/checks.sh"
limit=20 input=in

# is FILE TEXT: exactly that.
is()
{
	checks=$((checks + 1))
	printf '%s\n' "$2" >wanted
	cmp -s "$1" wanted || { fail "$1 is not as it should be"; diff "$1" wanted; }
}

empty()
{
	checks=$((checks + 1))
	[ ! -s "$1" ] || { fail "$1 is not empty"; cat "$1"; }
}

says() # FILE WORDS
{
	checks=$((checks + 1))
	grep -q -F -e "$2" "$1" || { fail "'$2' is not in $1"; cat "$1"; }
}

: >in
# usage
expect 0 "$sleave" schedule --help
says out 'sleave schedule check [--log LOG] FILE'
empty err
expect 0 "$sleave" help schedule
says out 'sleave schedule check [--log LOG] FILE'
expect 0 "$sleave" --help
says out 'check and format schedules'
expect 2 "$sleave" schedule
says err 'expected `check` or `fmt`'
expect 2 "$sleave" schedule chek x
expect 2 "$sleave" schedule check
says err 'no file is given'
expect 2 "$sleave" schedule check --colour x
says err 'there is no option --colour'
expect 2 "$sleave" schedule check -w x
expect 2 "$sleave" schedule fmt -w -
expect 2 "$sleave" shedule
says err "did you mean 'schedule'"

# files that are not there, or are none
expect 3 "$sleave" schedule check missing.schedule
says err 'missing.schedule: No such file or directory'
expect 3 "$sleave" schedule check .
says err 'Is a directory'
head -c 3000000 /dev/zero | tr '\0' ' ' >long.schedule
expect 3 "$sleave" schedule check long.schedule
says err 'File too large'

# check: nothing to say
echo 'a -> b,c->d' >good.schedule
expect 0 "$sleave" schedule check good.schedule
empty out
empty err
cp good.schedule in
expect 0 "$sleave" schedule check -
empty err

# check: the place
printf 'schedule "x" {\n\ta ->\tb, # ä\n\t/* ü */ c -> ö d\n}\n' >bad.schedule
expect 1 "$sleave" schedule check good.schedule bad.schedule
empty out
is err "$(printf 'bad.schedule:3:17: expected `,`, `}`, `&&` or `||`, found `d`\n    \t/* ü */ c -> ö d\n    \t               ^')"
printf 'a -> \r\n' >dos.schedule
expect 1 "$sleave" schedule check dos.schedule
is err "$(printf 'dos.schedule:2:1: expected an event, `[`, `(` or `!`, found the end of the text\n    \n    ^')"
printf 'a -> \377\001' >bytes.schedule
expect 1 "$sleave" schedule check bytes.schedule
is err "$(printf 'bytes.schedule:1:6: this is not UTF-8\n    a -> ??\n         ^')"
printf 'a -> b\0c' >zero.schedule
expect 1 "$sleave" schedule check zero.schedule
says err 'found a control character'
expect 1 "$sleave" schedule check /dev/null
says err '/dev/null:1:1: expected an ordering'
# one that can't be read among others that are wrong
expect 3 "$sleave" schedule check bad.schedule missing.schedule
says err 'bad.schedule:3:17'

# fmt
expect 0 "$sleave" schedule fmt good.schedule
is out 'a -> b, c -> d'
cp good.schedule in
expect 0 "$sleave" schedule fmt -
is out 'a -> b, c -> d'
expect 1 "$sleave" schedule fmt bad.schedule
empty out
says err 'bad.schedule:3:17'
cp bad.schedule same
chmod 640 good.schedule
expect 1 "$sleave" schedule fmt -w bad.schedule good.schedule
empty out
is good.schedule 'a -> b, c -> d'
cmp -s bad.schedule same || fail "a wrong schedule was written"
[ "$(stat -c %a good.schedule)" = 640 ] || fail "the file's mode has changed"
before=$(stat -c %i good.schedule)
expect 0 "$sleave" schedule fmt --write good.schedule
[ "$(stat -c %i good.schedule)" = "$before" ] || fail "a file that does not change was written"
mkdir closed && echo 'a->b' >closed/x.schedule && chmod 500 closed
if [ "$(id -u)" != 0 ]; then
	expect 3 "$sleave" schedule fmt -w closed/x.schedule
	is closed/x.schedule 'a->b'
fi
chmod 700 closed
[ "$(ls closed)" = x.schedule ] || fail "something is left behind"
expect 3 "$sleave" schedule fmt -w missing.schedule
cat >comments.schedule <<'END'
// of all
schedule "x" { # first
    a->b, (c&&d)->e   /* last */
}
END
cat >wanted.schedule <<'END'
// of all
schedule "x" {
    # first
    a -> b,
    (c && d) -> e /* last */
}
END
expect 0 "$sleave" schedule fmt comments.schedule
cmp -s out wanted.schedule || { fail "comments"; diff out wanted.schedule; }
expect 0 "$sleave" schedule fmt wanted.schedule
cmp -s out wanted.schedule || fail "a layout that changes again"
# as long as may be
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "event%d -> last%d, # why\n", i % 300, int(i / 300) }' >many.schedule
expect 0 "$sleave" schedule fmt -w many.schedule
expect 0 "$sleave" schedule check many.schedule

# every schedule in the documents, and every complaint
for document in "$root"/docs/*.md; do
	awk -v name="$(basename "$document" .md)" '
		/^```(schedule|complaint)$/ { kind = substr($0, 4); file = sprintf("%s-%03d.%s", name, NR, kind); next }
		/^```/ { kind = ""; next }
		kind == "schedule" { print > file }
		kind == "complaint" && !(file in seen) { seen[file] = 1; print > (file ".in"); next }
		kind == "complaint" { print > file }' "$document"
done
count=0
: >in
for example in ./*-*.schedule; do
	expect 0 "$sleave" schedule check "$example"
	count=$((count + 1))
done
for example in ./*-*.complaint; do
	cp "$example.in" in
	expect 1 "$sleave" schedule check -
	is err "$(cat "$example")"
	count=$((count + 1))
done
[ $count -ge 9 ] || fail "only $count examples in the documents"

echo "$checks checks, $failures failed; $count examples"
[ $failures = 0 ]
