#!/usr/bin/env python3
"""What kinds of operations have in common, and what each is called, is said in src/base/op.def, and nowhere else.

Usage: tests/kinds.py ROOT

Prints each place in src that says it again:
  - an arm of a switch, a condition or a table that names more than MANY kinds; a function that compares with more than MANY;
  - … that names two kinds with the same trait, if that is no more than NARROW kinds have: the trait, or a function of op.h, says it;
  - a verb of op.def that is written down beside its kind;
  - a comparison that relies on the order of the rows.
"""
import os
import re
import sys

MANY = 4
NARROW = 8

# Traits that are no property but a family (SYNC, FUTEX), or say how an operation is treated: two kinds may have less in common.
FAMILIES = {"CALL", "SYNC", "RWLOCK", "FUTEX", "IO", "QUIET", "COMPARED", "WIDE", "TOLD", "ASIDE", "ALONE"}

# What has no trait, because it matters in one place only: the file, the kinds, and what they have in common there.
ALLOWED = {
    ("engine/check/life.c", "BARRIER_WAIT COND_SIGNAL MUTEX_UNLOCK RW_UNLOCK SEM_POST SPIN_UNLOCK"):
        "a use of each kind of object",
    ("report/schedule/orderings.c", "CREATE JOIN"): "each orders two threads in its own way",
    ("report/trace/tape_perfetto.c", "BARRIER_WAIT COND_WAIT"): "are recorded before their thread waits",
}

CASE = r"case SL_(\w+):\s*"


class Table:
    """op.def: the kinds, their verbs, and the kinds that have a trait."""

    def __init__(self, root):
        with open(os.path.join(root, "src/base/op.def")) as file:
            rows = re.findall(r'^SL_OP\((\w+),\s*"([^"]*)",\s*[^,]*,\s*([^,]*),', file.read(), re.M)
        self.verbs = {kind: verb for kind, verb, _ in rows}
        self.traits = {}
        for kind, _, traits in rows:
            for trait in re.findall(r"[A-Z_]+", traits):
                self.traits.setdefault(trait, set()).add(kind)

    def in_common(self, kinds):
        """Traits that two of the kinds have, and few others."""
        return sorted(trait for trait, having in self.traits.items()
                      if trait not in FAMILIES and len(having) <= NARROW and len(having & kinds) > 1)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)


def lists(text):
    """Places in a file that name several kinds: where, the names."""
    for arm in re.finditer(f"(?:{CASE})+", text):
        yield arm.start(), re.findall(CASE, arm[0])
    for statement in re.finditer(r"[^;{}?:]+", text):
        for operator in ("==", "!="):
            yield statement.start(), re.findall(operator + r" SL_(\w+)", statement[0])
    for table in re.finditer(r"\{[^{};]*\}", text):
        yield table.start(), re.findall(r"\bSL_(\w+)", table[0])


def chains(text):
    """The comparisons of a whole function: those of `else if` are statements of their own."""
    for body in re.finditer(r"^\{\n.*?^\}", text, re.M | re.S):
        yield body.start(), re.findall(r"[=!]= SL_(\w+)", body[0])


def called(table, text):
    """Kinds that are called by their verb, or the beginning of it: where, the kind."""
    for arm in re.finditer(CASE + r'(?:return|\w+ =) "([^"]+)"', text):
        if (table.verbs.get(arm[1], "") + " ").startswith(arm[2] + " "):
            yield arm.start(), arm[1]
    for row in re.finditer(r'\[SL_(\w+)\] = "([^"]+)"|== SL_(\w+)\s*\? "([^"]+)"', text):
        if table.verbs.get(row[1] or row[3]) == (row[2] or row[4]):
            yield row.start(), row[1] or row[3]


def judge(table, path, text):
    """The complaints about a file: where, and what is wrong."""
    for at, found in lists(text):
        kinds = set(found) & set(table.verbs)
        if (path, " ".join(sorted(kinds))) in ALLOWED:
            continue
        if len(kinds) > MANY:
            yield at, f"lists {' '.join(sorted(kinds))}"
        for trait in table.in_common(kinds):
            yield at, f"names {' and '.join(sorted(kinds & table.traits[trait]))}, which {trait} has in common"
    for at, found in chains(text):
        kinds = set(found) & set(table.verbs)
        if len(kinds) > MANY:
            yield at, f"compares with {' '.join(sorted(kinds))}"
    for at, kind in called(table, text):
        yield at, f"says itself what {kind} is called"
    for compared in re.finditer(r"[<>]=? SL_(\w+)", text):
        if compared[1] in table.verbs:
            yield compared.start(), f"relies on where {compared[1]} is in op.def"


# Each rule, broken once: what it then says.
BROKEN = {
    "case SL_START:\ncase SL_FENCE: /* and */\ncase SL_ALLOC:\ncase SL_YIELD:\ncase SL_CLOCK:": "lists",
    "x = kind == SL_START || kind == SL_FENCE || kind == SL_ALLOC || kind == SL_YIELD || kind == SL_CLOCK;": "lists",
    "kinds[] = {SL_START, SL_FENCE, SL_ALLOC, SL_YIELD, SL_CLOCK}": "lists",
    "{\nif (k == SL_START)\n;else if (k == SL_FENCE)\n;else if (k == SL_ALLOC)\n;"
    "else if (k == SL_YIELD)\n;else if (k == SL_CLOCK)\n;\n}": "compares with",
    "case SL_MUTEX_TRYLOCK:\ncase SL_SEM_TRYWAIT:": "TRIES has in common",
    "return kind != SL_SEM_WAIT && kind != SL_SEM_POST;": "COUNTS has in common",
    "case SL_COND_SIGNAL:\nreturn \"signals\";": "is called",
    "case SL_FUTEX_WAKE:\nreturn \"wakes\";": "is called",
    "[SL_SEM_POST] = \"posts\"": "is called",
    "if (kind >= SL_IO_OPEN)": "relies on where",
}


def main():
    root = sys.argv[1]
    table = Table(root)
    wrong = set()
    assert len(table.verbs) > 50 and len(table.traits["TAKES"]) > 5, "op.def is not understood"
    for text, what in BROKEN.items():
        if not any(what in complaint for _, complaint in judge(table, "", without_comments(text))):
            wrong.add(f"this should have been found ({what}): {text}")
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), os.path.join(root, "src"))
            if not name.endswith((".c", ".h", ".inc", ".cc", ".hh")):
                continue
            with open(os.path.join(folder, name)) as file:
                text = without_comments(file.read())
            for at, what in judge(table, path, text):
                line = text.count("\n", 0, at + len(text[at:]) - len(text[at:].lstrip())) + 1
                wrong.add(f"src/{path}:{line} {what}")
    print("\n".join(sorted(wrong)))


if __name__ == "__main__":
    main()
