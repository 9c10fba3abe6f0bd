# Of `sleave trace --json` on standard input: what is read of there and back, so many times, was written before.
import json, sys

written, reads = set(), 0
for line in sys.stdin:
    item = json.loads(line)
    name = item.get("object") or ""
    if not name.startswith(("there", "back")):
        continue
    if item["kind"] == "WRITE":
        written.add(name)
    elif item["kind"] == "READ":
        reads += 1
        assert name in written, item
assert reads == int(sys.argv[1]), reads
