#!/bin/sh
# What the last `sleave run --json` (>out 2>err) warned of has a replay file, and is shown again by it.
python3 -c '
import json
for line in open("out"):
    o = json.loads(line) if line.startswith("{") else o
for w in o["warnings"]:
    assert w["replay"], w
    print(w["replay"], w["message"].split(";")[0].split(" at ")[0])' >replays || exit
grep -q 'See it again with: *sleave replay' err || echo "a warning does not say how to see it again"
while read -r file message; do
	sleave replay --json "$file" >replayed 2>/dev/null </dev/null
	status=$?
	python3 -c '
import json, sys
shown = json.loads(open("replayed").read().splitlines()[-1])["findings"][0]["message"]
print("shown again" if shown.startswith(sys.argv[1]) else shown, "[%s]:" % sys.argv[2], sys.argv[1])' "$message" $status
	rm -f "$file"
done <replays
