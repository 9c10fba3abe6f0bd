# Of `sleave trace --json` on standard input: a thread that is cancelled does nothing between its sem_post() and that, but for
# its wait; what it reads was written before.
import json, sys

written, ready, cancelled, reads = set(), set(), set(), 0
for line in sys.stdin:
    item = json.loads(line)
    kind, name, thread = item.get("kind"), item.get("object") or "", item.get("thread")
    assert thread not in ready or thread in cancelled or kind == "COND_WAIT", item
    if kind == "CANCEL":
        cancelled.add(item["other_thread"])
    elif kind == "SEM_POST":
        ready.add(thread)
    elif kind == "WRITE":
        written.add(name)
    elif kind == "READ" and name.startswith("there"):
        reads += 1
        assert name in written, item
assert reads == 60, reads
