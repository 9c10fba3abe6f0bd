#!/usr/bin/env python3
"""Reads what tests/record/drain prints of loops.c: is each access of its first thread there, in its order?"""

import sys

places, there, handler = None, [], []
for text in sys.stdin:
    words = text.split()
    if words and words[0] == "table":
        places = words
        table, height, width = int(words[1], 16), int(words[2]), int(words[3])
        rows, twice, from_handler = int(words[5], 16), int(words[7], 16), int(words[9], 16)
    if len(words) < 5 or words[0] != "1" or words[1] not in ("READ", "WRITE"):
        continue
    address = int(words[3], 16)
    if from_handler <= address < from_handler + 128:
        handler.append((address - from_handler) // 8)
    elif any(a <= address < a + 8 * n for a, n in ((table, height * width), (rows, height), (twice, 1000))):
        there.append((words[1], address))
if not places:
    sys.exit("the program has not said where its tables are")
wanted = []
for _ in range(4):
    for r in range(height):
        wanted += [("READ", table + 8 * (c * height + r)) for c in range(width)] + [("WRITE", rows + 8 * r)]
    for i in range(20):
        for j in range(20):
            for k in range(18 if j == 13 else 19, -1, -1):
                wanted += [("READ", table + 8 * (i * width + k)), ("READ", table + 8 * (k * width + j))]
            wanted += [("WRITE", rows + 8 * j)]
    for i, times in enumerate((40, 40, 40, 40, 55, 40, 40, 40, 40, 33, 40, 40, 40, 40, 170, 40, 40)):
        for j in range(times):
            wanted += [("READ", table + 8 * (j + 200)), ("WRITE", table + 8 * j)]
        wanted += [("WRITE", rows + 8 * i)]
for i in range(300):
    for c in range(i % 9):
        wanted += [("READ", table + 8 * (c + 1)), ("WRITE", table + 8 * c)]
for i in range(500):
    wanted += [("WRITE", twice + 8 * i), ("WRITE", twice + 8 * (999 - i))]
for number, (a, b) in enumerate(zip(there, wanted)):
    if a != b:
        sys.exit(f"access {number}: {a[0]} {a[1]:x}, expected {b[0]} {b[1]:x}")
if len(there) != len(wanted):
    sys.exit(f"{len(there)} accesses, expected {len(wanted)}")
if handler != list(range(16)) * (len(handler) // 16):
    sys.exit("what the handler wrote is torn")
