# report HOW FUNCTION SCHEDULE VERDICT [COMPLETE EXECUTIONS MESSAGE REPLAY TOOK LINE]
report()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" src/some_test.c "${10:-7}" "$2" "$3" "$4" \
		"${5:-0}" "${6:-0}" "${7:-}" "${8:-}" "${9:-0}" >>"$SLEAVE_RESULTS"
}

# fake NAME: a test program whose script is on standard input: it reports to the command as the engine does, so that every end can
# be had at will.
fake()
{
	mkdir -p "$(dirname "$1")"
	[ -e fake ] || cc -o fake fake.c -I"$TREE/include" -L"$BUILD" -lsleave -Wl,-rpath,"$BUILD"
	cp fake "$1"
	{ echo ". '$PWD/fake.sh'"; cat; } >"$1.sh"
}

# on_its_own NAME [OPTION…]: NAME.c becomes NAME, which runs on real threads alone.
on_its_own()
{
	cc -g -o "$1" "$1.c" -I"$TREE/include" -L"$BUILD" -lsleave -Wl,-rpath,"$BUILD" -pthread "${@:2}"
}

# valid: out is TAP if it begins like that; junit.xml is what its schema says, or at least XML.
valid()
{
	if [ "$(head -n 1 out)" = "TAP version 13" ]; then
		awk -f tap.awk out
	fi
	if command -v xmllint >/dev/null; then
		xmllint --noout --schema junit.xsd junit.xml 2>xmllint.err || cat xmllint.err
	else
		junit root.tag >/dev/null
	fi
}

# junit EXPRESSION…: the value of each, with `root` for the root of junit.xml.
junit()
{
	python3 -c '
import sys
import xml.etree.ElementTree as tree
root = tree.parse("junit.xml").getroot()
for expression in sys.argv[1:]:
    print(eval(expression))' "$@"
}
