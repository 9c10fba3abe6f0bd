#!/usr/bin/env python3
"""Can items have happened in this order? Reads what tests/record/drain prints. Says what is wrong, and exits with 1."""

import collections
import sys

ACCESSES = {"READ", "WRITE", "ATOMIC_LOAD", "ATOMIC_STORE", "ATOMIC_UPDATE"}
started, created, ended = set(), {0}, set()
holders = collections.defaultdict(list)  # mutexes: who, once for each time
readers = collections.defaultdict(collections.Counter)
values = collections.Counter()  # of semaphores
blocks = {}
waiting = collections.defaultdict(list)  # at a barrier: threads of this round
passed = collections.defaultdict(set)
once = set()


def wrong(number, text, why):
    sys.exit(f"item {number}: {text}: {why}")


number = 0
running = set()  # the words of threads that have started and not ended: of an access nothing else matters
for text in sys.stdin:
    words = text.split(None, 2)
    if len(words) > 1 and words[0] in running and words[1] in ACCESSES:
        number += 1
        continue
    words = text.split()
    if not words or not words[0].isdigit() or words[1] == "NAME":
        continue
    number += 1
    thread, kind = int(words[0]), words[1]
    obj, value = words[3], int(words[5], 16)

    def check(good, why):
        if not good:
            wrong(number, text.strip(), why)

    check(kind != "?", "there is no such kind")
    if kind == "START":
        check(thread not in started and thread in created, "twice, or before it was created")
        started.add(thread)
        running.add(words[0])
    check(thread in started and thread not in ended, "by a thread that is not there")
    if kind == "CREATE":
        created.add(value)
    elif kind == "END":
        ended.add(thread)
        running.discard(words[0])
    elif kind == "JOIN" and value != 0xFFFFFFFF and value in started:
        check(value in ended, "it has not ended")
    elif kind in ("MUTEX_LOCK", "MUTEX_TIMEDLOCK", "SPIN_LOCK", "COND_RELOCK") or kind == "MUTEX_TRYLOCK" and not value:
        check(not holders[obj] or holders[obj][-1] == thread, f"held by {holders[obj]}")
        holders[obj].append(thread)
    elif kind in ("MUTEX_UNLOCK", "SPIN_UNLOCK"):
        check(thread in holders[obj], f"held by {holders[obj]}")
        holders[obj].pop()
    elif kind == "COND_WAIT":
        mutex = words[5]
        check(thread in holders[mutex], f"held by {holders[mutex]}")
        holders[mutex].pop()
    elif kind == "RW_RDLOCK":
        check(not holders[obj], f"held by {holders[obj]}")
        readers[obj][thread] += 1
    elif kind == "RW_WRLOCK":
        check(not holders[obj] and not +readers[obj], "held")
        holders[obj].append(thread)
    elif kind == "RW_UNLOCK":
        check(thread in holders[obj] or readers[obj][thread], "not held")
        if thread in holders[obj]:
            holders[obj].remove(thread)
        else:
            readers[obj][thread] -= 1
    elif kind == "SEM_POST":
        values[obj] += 1
    elif kind == "SEM_WAIT" or kind == "SEM_TRYWAIT" and not value:
        values[obj] -= 1
        check(values[obj] >= 0, "no thread had posted")
    elif kind == "ALLOC":
        check(obj not in blocks, "it was there already")
        blocks[obj] = value
    elif kind == "FREE":
        blocks.pop(obj, None)
    elif kind == "ONCE":
        check(bool(value) == (obj in once), "done before it was begun, or begun twice")
        once.add(obj)
    elif kind == "BARRIER_WAIT":
        check(thread not in waiting[obj], "it has not left the round before")
        waiting[obj].append(thread)
    elif kind == "BARRIER_LEAVE":
        check(thread in waiting[obj], "it did not come")
        waiting[obj].remove(thread)
print(f"{number} in order")
