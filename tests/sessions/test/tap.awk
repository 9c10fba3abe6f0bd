# TAP: the version first, numbers in order, the plan once and right, blocks closed, nothing else.
NR == 1 { if ($0 != "TAP version 13") exit bad = 1; next }
block { if ($0 == "  ...") block = 0; else if ($0 !~ /^  [a-z]+: ./) exit bad = 2; next }
$0 == "  ---" { if (!failed) exit bad = 3; block = 1; next }
/^(not )?ok [0-9]+ - ./ { failed = $1 == "not"; if ($(1 + failed + 0) != "ok" || $(2 + failed) != ++count) exit bad = 4; next }
/^1\.\.[0-9]+$/ { if (plan++) exit bad = 5; planned = substr($0, 4); next }
/^# / || $0 == "#" { next }
{ exit bad = 6 }
END {
	if (bad) {
		print "no TAP: line " NR ": " bad
		exit 1
	}
	if (block || plan != 1 || planned != count) {
		print "no TAP"
		exit 1
	}
}
