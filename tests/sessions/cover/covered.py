# Compares what the report of `sleave cover --json` says is covered with what the trace of its 20 executions (`sleave trace
# --json`) shows: each pair of places that lock one mutex after another, in the execution that was first.
# covered.py REPORT ITEMS LEAST: at least so many pairs
import json
import sys

report = json.loads(open(sys.argv[1]).read().splitlines()[-1])
last, first = {}, {}
for line in open(sys.argv[2]):
    item = json.loads(line)
    if item.get("kind") == "MUTEX_LOCK" and "execution" in item:
        key = (item["execution"], item["object"])
        place = "%s:%d:%d (%s)" % (item["file"], item["line"], item["column"], item["function"])
        if key in last:
            first.setdefault((last[key], place), item["execution"])
        last[key] = place
wanted = {(p["first"], p["second"]): p["execution"] for p in report["pairs"] if p["state"] == "covered"}
assert first == wanted and len(wanted) == report["covered"] >= int(sys.argv[3]), (first, wanted)
assert len({execution for execution, _ in last}) == 20
