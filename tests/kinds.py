#!/usr/bin/env python3
"""What kinds of operations have in common is said in src/base/op.def, and nowhere else.

Usage: tests/kinds.py ROOT

Prints each place in src that lists kinds itself: an arm of a switch, a chain of comparisons or a table that names more than two
kinds that take locks or give them back, or more than MANY kinds of any sort; and comparisons that rely on the order of the rows.
"""
import os
import re
import sys

MANY = 6

# Switches that say something else about each kind: when such an operation can be performed, and what it touches.
ALLOWED = {"engine/core/enabled.c", "engine/core/step.c"}

CASE = r"case SL_(\w+):(?:\s|/\*.*?\*/)*"


def rows(root):
    """Kinds, and those that change who holds a lock."""
    kinds, locks = set(), set()
    with open(os.path.join(root, "src/base/op.def")) as file:
        for name, rest in re.findall(r"^SL_OP\((\w+),(.*)\)$", file.read(), re.M):
            kinds.add(name)
            if re.search(r"\b(TAKES|GIVES|LENDS)\b", rest):
                locks.add(name)
    return kinds, locks


def lists(text):
    """Places in a file that name several kinds, with the names."""
    for arm in re.finditer(f"(?:{CASE})+", text, re.S):
        yield arm.start(), re.findall(r"case SL_(\w+):", arm[0])
    for statement in re.finditer(r"[^;{}?:]+", text):
        for operator in ("==", "!="):
            yield statement.start(), re.findall(operator + r" SL_(\w+)", statement[0])
    for table in re.finditer(r"\{[^{}]*\}", text):
        yield table.start(), re.findall(r"\[SL_(\w+)\] = true", table[0])


def main():
    root = sys.argv[1]
    kinds, locks = rows(root)
    wrong = []
    assert len(kinds) > 50 and len(locks) > 5, "op.def is not understood"
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), os.path.join(root, "src"))
            if not name.endswith((".c", ".h", ".inc")) or path in ALLOWED:
                continue
            with open(os.path.join(folder, name)) as file:
                text = file.read()
            for at, found in lists(text):
                named = set(found) & kinds
                if len(named) > MANY or len(named & locks) > 2:
                    line = text.count("\n", 0, at + len(text[at:]) - len(text[at:].lstrip())) + 1
                    wrong.append(f"src/{path}:{line} lists {' '.join(sorted(named))}")
            for compared in re.finditer(r"[<>]=? SL_(\w+)", text):
                if compared[1] in kinds:
                    line = text.count("\n", 0, compared.start()) + 1
                    wrong.append(f"src/{path}:{line} relies on where {compared[1]} is in op.def")
    print("\n".join(sorted(set(wrong))))


if __name__ == "__main__":
    main()
