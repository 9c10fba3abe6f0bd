#!/usr/bin/env python3
"""Which room of src may include which: dependencies point one way.

Usage: tests/rooms.py ROOT

Each room has a README.md of 20 lines at most, which says what it may include as its row does, and which two files to read first.

A room is a folder. It may include itself, the rooms that its row names, and what these may include. A row may also name one
file of another room. There are no exceptions.

The plugins are parts of the compilers, built by themselves: they include the compilers' headers as the compilers' own sources
do, in quotes, and their own without the room's name.
"""
import os
import re
import sys

MODELS = ["memory", "sync", "signal", "process", "io", "openmp"]
ROOMS = {
    "base": [],
    "schedule": ["base"],
    "trace": ["base"],
    "trace/lane": ["trace"],
    "source": ["base"],
    "trace/name": ["trace", "schedule", "source"],
    "trace/bind": ["trace/name"],
    "trace/replay": ["trace/name"],
    "trace/tape": ["trace/lane", "trace/name"],
    "coverage": ["trace/lane"],
    "strategy": ["coverage"],
    "strategy/dpor": ["strategy"],
    "strategy/sampling": ["strategy"],
    "strategy/portfolio": ["strategy/dpor", "strategy/sampling"],
    "search": ["strategy", "schedule", "trace/replay", "trace/lane"],
    "engine/under": ["search"],
    "engine/interpose": ["engine/under"],
    "engine/upcall": ["engine/interpose"],
    "engine/core": ["engine/upcall"],
    "engine/check": ["engine/core"],
    "engine/progress": ["engine/core"],
    "engine/states": ["engine/core"],
    "engine/unseen": ["engine/core"],
    "engine/listen": ["engine/core"],
    "engine/entry": ["engine/listen"],
    **{"engine/model/" + name: ["engine/entry"] + ["engine/model/" + other for other in MODELS if other != name]
       for name in MODELS},
    "engine/section": ["engine/model/" + name for name in MODELS],
    "engine/plan": ["engine/section"],
    "engine/realtime": ["engine/section"],
    "engine/record": ["engine/entry"],
    "engine/framework": ["engine/realtime"],
    "engine/boot": ["engine/unseen", "engine/framework", "engine/record"],
    "engine/run": ["engine/boot", "engine/check", "engine/progress", "engine/states", "engine/plan"],
    "report": ["trace/replay", "trace/lane", "schedule"],
    "report/schedule": ["report"],
    "report/story": ["report/schedule"],
    "report/tests": ["report"],
    "report/cover": ["report", "coverage"],
    "report/trace": ["report/story", "trace/tape"],
    "plugin": ["source/table_format.h", "source/table_records.h"],
    "store": ["base"],
    "version": ["base"],
    "cli": ["base"],
    "cli/cc": ["cli"],
    "cli/target": ["base"],
    "cli/session": ["cli/cc", "cli/target", "search", "engine/realtime", "report/tests", "report/story", "report/trace",
                    "report/cover", "trace/bind"],
    "cli/version": ["cli/cc", "version"],
    "analysis": ["source", "version"],
    "predict": ["trace/tape", "source"],
    "paths": ["trace/lane", "trace/name", "source"],
    "cli/result": ["cli/session", "store"],
    "cli/change": ["cli/version", "cli/result", "analysis", "predict"],
    "cli/predict": ["cli/change"],
    "cli/paths": ["cli/result", "paths"],
    "cli/command": ["cli/predict", "cli/paths"],
}


SOURCES = (".c", ".h", ".cc", ".hh", ".def", ".inc")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def reach(room, seen):
    for other in ROOMS.get(room, []):
        if other not in seen:
            seen.add(other)
            reach(other, seen)
    return seen


def included(source, room, text):
    """The headers that a file of the room includes, from src."""
    for header in INCLUDE.findall(text):
        if header == "sleave.h":
            continue
        if room == "plugin" and not os.path.exists(os.path.join(source, header)):
            if not os.path.exists(os.path.join(source, room, header)):
                continue  # the compiler's
            header = room + "/" + header
        yield header


def readme(root, room):
    """What is wrong with the README of a room."""
    folder = os.path.join(root, "src", room)
    try:
        with open(os.path.join(folder, "README.md")) as file:
            text = file.read()
    except FileNotFoundError:
        return [f"src/{room} has no README.md"]
    includes = re.search(r"^Includes: (.*?)\n\n", text, re.M | re.S)
    first = re.search(r"^Read first: `([^`]+)`, `([^`]+)`\.$", text, re.M)
    wrong = []
    if text.count("\n") > 20:
        wrong.append("has more than 20 lines")
    if not includes or set(re.findall("`([^`]+)`", includes[1])) - {"src"} != set(ROOMS[room]):
        wrong.append("does not say what the room may include")
    if not first or not all(os.path.exists(os.path.join(folder, name)) for name in first.groups()):
        wrong.append("does not name two files to read first")
    return [f"src/{room}/README.md {what}" for what in wrong]


def main():
    root = sys.argv[1]
    allowed = {room: reach(room, {room}) for room in ROOMS}
    found, wrong, seen = set(), [], 0
    for folder, _, names in os.walk(os.path.join(root, "src")):
        room = os.path.relpath(folder, os.path.join(root, "src"))
        sources = [name for name in names if name.endswith(SOURCES)]
        if sources and room not in ROOMS:
            wrong.append(f"src/{room} is in no row of tests/rooms.py")
            continue
        for name in sources:
            with open(os.path.join(folder, name)) as file:
                for header in included(os.path.join(root, "src"), room, file.read()):
                    seen += 1
                    if os.path.dirname(header) not in allowed[room] and header not in allowed[room]:
                        found.add(f"{room}/{name} {header}")
    if seen < 1000:
        wrong.append(f"only {seen} includes were seen")
    for room in ROOMS:
        wrong += readme(root, room)
    wrong += [f"src/{line.replace(' ', ' must not include ')}" for line in sorted(found)]
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
