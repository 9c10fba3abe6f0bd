#!/usr/bin/env python3
"""Compares what `sleave replay --trace` and `sleave trace` say of one execution, operation by operation.

usage: tests/narrator.py FOLDER…

Each folder has `replayed`, the output of `sleave replay --trace`, and `traced`, that of `sleave trace` of the search which
found what was replayed. Prints each operation that is told in two ways, and ends with status 1 then; else says how much it
has compared.

What only one of the two can know is left out: the values of accesses, which traces do not have; which of the blocks of one
place it is, by which thread and calls, for which traces have names that are the same in each execution (in C++ they name the
allocator, stories the program's own line); names of arguments, and where on which stack a variable is, which stories do not have;
names of local variables that only another operation tells, which traces do not have;
the name of a thread that has not started yet. A trace forgets blocks that were freed. Calls, returns and requests are items and
no operations.
"""
import os
import re
import sys

VALUE = re.compile(r"(.*) \((?:(?:=|was) .*|\S.* -> .*)\)$")
ITEM = re.compile(r"(?:calls|returns|returns from|wants|goes to)(?: |$)")
PROGRAMS_MIN, OPERATIONS_MIN, VERBS_MIN = 50, 2000, 40
# What is told in two ways, and is still to be mended; looked at by LEVELS=all alone, which has these programs.
KNOWN = {
    "clean-process_numbers.c": "the descriptors of dup() are numbers in stories alone",
    "clean-write_beyond.c": "the socket of send() is told as another descriptor in stories",
}


def replayed(path):
    """Thread and words of each operation."""
    found = []
    with open(path, errors="replace") as file:
        for line in file:
            match = re.match(r" *\d+  (.{16,}?) +\d+  (.*?)  +\S", line)
            if match:
                found.append((match[1].strip(), VALUE.sub(r"\1", match[2])))
            elif found:
                break
    return found


def traced(path):
    """The same of each finding that is in the trace."""
    parts, part = {}, None
    with open(path, errors="replace") as file:
        for line in file:
            if line.startswith("# "):
                part = parts.setdefault(line.strip(), []) if line.startswith("# finding ") else None
            elif part is not None:
                part.append(re.match(r" *\d+ (.*)", line)[1])
    return parts.values()


def split(line, labels):
    """Thread and words of a line of `sleave trace`: the thread has the longest of the labels that it can have."""
    for label in labels:
        if line.startswith(label + " "):
            return label, re.split(r"  +", line[len(label):].lstrip())[0]
    return line, ""


def plain(words, labels, cxx):
    for label in labels:
        words = re.sub(r"\b%s(?=$|,)" % re.escape(label), label.split(" ")[0], words)
    words = re.sub(r"heap block(?: #\d+)?(?: of \S+)? from (\S+?)(?: \((?!\d).*?\))?(?=, \+|$| \(\d)",
                   "heap block" if cxx else r"heap block from \1", words)
    return re.sub(r"a local variable (?:at 0x[0-9a-f]+|of [0-9.]+, -\d+)|(?:argv|environ)\[\S*", "a local variable", words)


IDENTITY = re.compile(r"heap block|a local variable|thread-local of |memory at |NULL|[^()]*? #\d+ of \S+ from ")


def is_same(said, told):
    """Of what has no name of its own, "ctx->stop_flag", both say the words of the source; then traces have "(struct mg_context #1 of 0
    from web.c:12 (start), +8)", which is the same in each execution, and stories what tells it from others in the story."""
    pattern, at = "", 0
    for match in re.finditer(r" \(", told):
        if match.start() < at or not IDENTITY.match(told, match.end()):
            continue
        end, depth = match.end(), 1
        while depth and end < len(told):
            depth += {"(": 1, ")": -1}.get(told[end], 0)
            end += 1
        pattern += re.escape(told[at:match.start()]) + r"(?: \(.*\)| in .*|)"
        at = end
    rest = re.escape(told[at:])
    # a story also knows by which name another operation accesses the variable
    rest = rest.replace(re.escape("a local variable"), r"(?:\S+, )?a local variable(?: of [^\s(]+)?(?: \(a local variable\))?")
    return re.fullmatch(pattern + rest, said)


def verb(words):
    return re.match(r"(?:tries to |wakes up (?:spuriously )?and |atomically |waits |takes a )?\S+", words)[0]


def compare(folder):
    """Operations that differ, of the finding in the trace that is most like the replay; operations; verbs."""
    operations = replayed(os.path.join(folder, "replayed"))
    labels = sorted({label for label, _ in operations}, key=len, reverse=True)
    numbers = {label.split(" ")[0] for label in labels}
    every = labels + sorted(numbers - set(labels), key=len, reverse=True)
    best, cxx = None, folder.endswith(".cc")
    for lines in traced(os.path.join(folder, "traced")):
        items = [split(line, every) for line in lines]
        items = [(label, words) for label, words in items if not ITEM.match(words)]
        different = []
        if len(items) != len(operations):
            different = [("%d operations" % len(operations), "%d" % len(items))]
        for (one, said), (other, told) in zip(operations, items):
            said, told = plain(said, labels, cxx), plain(told, labels, cxx)
            if one.split(" ")[0] != other.split(" ")[0] or (
                    not is_same(said, told) and not ("-free" in folder and "heap block" in said and "memory at 0x" in told)):
                different.append((one + " " + said, other + " " + told))
        if best is None or len(different) < len(best):
            best = different
    return best, len(operations), {verb(words) for _, words in operations}


def main():
    programs = operations = 0
    verbs, wrong, other, known = set(), [], [], []
    for folder in sys.argv[1:]:
        name = os.path.basename(folder)
        different, count, used = compare(folder)
        if different is None or not count:
            wrong.append(f"{name}: there is nothing to compare")
        elif different and different[0][0].endswith(" operations"):
            other.append(name)  # the replay went another way: a library was loaded before, or is loaded only now
        elif different and name in KNOWN:
            known.append(name)
        else:
            if name in KNOWN:
                wrong.append(f"{name} is told in the same words, and need not be known: {KNOWN[name]}")
            wrong += [f"{name}: a story says '{a}', a trace '{b}'" for a, b in different[:3]]
            programs, operations, verbs = programs + 1, operations + count, verbs | used
    print("\n".join(wrong))
    print(f"{programs} programs, {operations} operations, {len(verbs)} verbs; not the same operations: {' '.join(other) or 'none'}; "
          f"known to differ: {' '.join(known) or 'none'}")
    if programs < PROGRAMS_MIN or operations < OPERATIONS_MIN or len(verbs) < VERBS_MIN or len(other) > programs // 12:
        sys.exit("too little was compared")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
