# A trace of 20 executions on real threads, after one without noise, as `sleave trace --json --locks` shows it: it is whole, and
# no thread has a mutex that another thread holds.
# noises.py ITEMS STRATEGY
import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[0]["mode"] == "free" and lines[0]["strategy"] == sys.argv[2]
assert lines[-1]["whole"] and lines[-1]["end"] == "the search ended"
parts = {}
for item in lines:
    if "kind" in item:
        parts.setdefault(item["part"], []).append(item)
assert sorted(parts) == list(range(1, 22)), sorted(parts)
for part, items in parts.items():
    assert [i["number"] for i in items] == list(range(1, len(items) + 1))
    assert all(i.get("without_noise") if part == 1 else i.get("execution") == part - 1 for i in items)
    assert items[0]["kind"] == "START" and any(i["kind"] == "EXIT" for i in items)
    assert {i["thread_path"] for i in items} >= {"0", "0.1", "0.2"}
    held = {}
    for i in items:
        if i["kind"] == "MUTEX_LOCK":
            assert i["object"] not in held, i
            held[i["object"]] = i["thread"]
        elif i["kind"] == "MUTEX_UNLOCK":
            assert held.pop(i["object"]) == i["thread"], i
    assert not held
