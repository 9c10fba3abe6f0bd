#!/usr/bin/env python3
"""Structs have parts, and a tag means one thing.

Usage: tests/structs.py ROOT

Prints what is wrong, a line each:

- a struct with more than 40 fields of its own: its parts need names, which are sub-structs. The fields of an anonymous
  struct or union count as its owner's. Tables, with a field for each row, are exempt by name.
- a struct, union or enum tag that a header defines and another file defines, too. Structs that a .c file has for itself
  may bear the same name as those of another .c file.
"""
import collections
import os
import re
import sys

MOST = 40
TABLES = {"sl_real"}  # a pointer for each function of libc that is interposed: real.inc


def bare(text):
    """C without comments, strings, characters and preprocessor lines; lines stay where they are."""
    def blank(match):
        return "\n" * match[0].count("\n") if match[0][0] == "/" else '""'
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", lambda match: "\n" * match[0].count("\n"), text, flags=re.M)


def closing(text, start):
    """Behind the brace that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def declarators(text):
    """How many there are in a declaration."""
    for pair in (r"\([^()]*\)", r"\[[^][]*\]", r"\{[^{}]*\}"):
        while re.search(pair, text):
            text = re.sub(pair, "", text)
    return text.count(",") + 1


def fields(body):
    """How many fields there are between the braces of a struct."""
    count = at = 0
    while at < len(body):
        end = at
        while end < len(body) and body[end] != ";":
            end = closing(body, end) if body[end] == "{" else end + 1
        declaration = body[at:end].strip()
        at = end + 1
        anonymous = re.fullmatch(r"(?:struct|union)\s*\{(.*)\}", declaration, re.S)
        if anonymous:
            count += fields(anonymous[1])
        elif declaration:
            count += declarators(declaration)
    return count


def main():
    root = sys.argv[1]
    tags, wrong, structs = collections.defaultdict(list), [], 0
    for top in ("src", "include"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                if not name.endswith((".c", ".h", ".cc")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path)) as file:
                    text = bare(file.read())
                for match in re.finditer(r"\b(struct|union|class|enum)\b\s*"
                                         r"(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w*)\s*(?:final\s*)?(?::[^;{}()=]*)?\{", text):
                    kind, tag, start = match[1], match[2], match.end() - 1
                    if tag:
                        tags[tag].append(path)
                    if kind == "enum":
                        continue
                    structs += 1
                    count = fields(text[start + 1:closing(text, start) - 1])
                    if count > MOST and tag not in TABLES:
                        line = text.count("\n", 0, start) + 1
                        wrong.append(f"{path}:{line}: {kind} {tag or '(without a name)'} has {count} fields")
    for tag, places in sorted(tags.items()):
        if len(places) > 1 and any(place.endswith(".h") for place in places):
            wrong.append(f"{tag} means more than one thing: {' '.join(sorted(places))}")
    if structs < 500:
        wrong.append(f"only {structs} structs were seen")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
