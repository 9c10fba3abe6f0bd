#!/usr/bin/env python3
"""Which threads are blocked, and since when: random programs with formulas of the logic, against a list of all executions.

A small model of the program (arrivals.c) goes through all its interleavings: coming to where one waits is a step, and who finds
what it needs is never blocked. The formula is evaluated at every moment, by its definition. Whether some executions follow the
schedule, and whether some do not, must be the same for every search, checked and enforced;
real threads do one or the other.
Usage: arrivals.py SLEAVE PROGRAM FIRST LAST
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile

sleave, program, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

# ---- the program ----

TAKES = {"L": "l", "M": "m", "W": "s"}
LOCKS = {"l": "first", "m": "second"}
GIVES = {"U": "l", "V": "m", "P": "s"}


def generate(draw):
    events = iter("abcdefghijkl")
    threads = []
    for _ in range(2 if draw.random() < 0.7 else 3):
        text = ""
        for _ in range(draw.randint(1, 2)):
            kind = draw.random()
            inside = next(events) if draw.random() < 0.4 else ""
            if kind < 0.45:
                text += "L" + inside + "U"
            elif kind < 0.55:
                text += "M" + inside + "V"
            elif kind < 0.7:
                text += draw.choice("PPW") + inside
            else:
                text += next(events)
        threads.append(text)
    return threads


def moments_of_all(threads):
    """Every execution as a list of moments: (kind, thread, event, blocked threads then). None: some get stuck, or there are too many."""
    main = 0
    everybody = range(1, len(threads) + 1)

    def available(state, need):
        return need in state["ended"] if isinstance(need, int) else state["there"][need] > 0

    def settle(state):
        for t in [main, *everybody]:
            need = state["waits"].get(t)
            blocked = need is not None and not available(state, need)
            if blocked != (t in state["blocked"]):
                state["blocked"] = state["blocked"] ^ {t}
                tell(state, "block" if blocked else "unblock", t)

    def tell(state, kind, t, event=None):
        state["moments"] = state["moments"] + ((kind, t, event, frozenset(state["blocked"])),)

    def able(state):
        for t in [main, *everybody]:
            if t in state["ended"]:
                continue
            if t in state["waits"] and not available(state, state["waits"][t]):
                continue
            yield t

    def takes(state, t, need):
        if not isinstance(need, int):
            state["there"] = {**state["there"], need: state["there"][need] - 1}
        waits = dict(state["waits"])
        waits.pop(t, None)
        state["waits"] = waits
        if t in state["blocked"]:
            state["blocked"] = state["blocked"] - {t}
            tell(state, "unblock", t)
        if need in LOCKS:
            tell(state, "lock", t, LOCKS[need])
        state["at"] = {**state["at"], t: state["at"][t] + 1}

    def step(state, t):
        at = state["at"][t]
        if t in state["waits"]:
            takes(state, t, state["waits"][t])
        elif t == main:
            if at == len(threads):
                state["ended"] = state["ended"] | {main}
            elif at + 1 in state["ended"]:
                takes(state, t, at + 1)
            else:
                state["waits"] = {**state["waits"], t: at + 1}
        elif at < 0:
            tell(state, "start", t)
            state["at"] = {**state["at"], t: 0}
        elif at == len(threads[t - 1]):
            tell(state, "end", t)
            state["ended"] = state["ended"] | {t}
        elif threads[t - 1][at] in TAKES:
            need = TAKES[threads[t - 1][at]]
            if available(state, need):
                takes(state, t, need)
            else:
                state["waits"] = {**state["waits"], t: need}
        else:
            what = threads[t - 1][at]
            if what in GIVES:
                there = GIVES[what]
                state["there"] = {**state["there"], there: state["there"][there] + 1}
            else:
                tell(state, "event", t, what)
            state["at"] = {**state["at"], t: at + 1}
        settle(state)

    beginning = {"at": {main: 0, **{t: -1 for t in everybody}}, "waits": {}, "blocked": frozenset(), "ended": frozenset(),
                 "there": {"l": 1, "m": 1, "s": 0}, "moments": (("start", main, None, frozenset()),)}
    found, seen, todo = set(), set(), [beginning]
    while todo:
        state = todo.pop()
        key = (tuple(state["at"].items()), tuple(sorted(state["waits"].items())), state["moments"], state["ended"])
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > 60000:
            return None
        if main in state["ended"]:
            found.add(state["moments"])
            continue
        ways = list(able(state))
        if not ways:
            return None
        for t in ways:
            after = dict(state)
            step(after, t)
            todo.append(after)
    return found


# ---- the formula ----


def formula(draw, threads, depth):
    events = [c for text in threads for c in text if c.islower()]
    names = ["main"] + [f"T{i + 1}" for i in range(len(threads))]
    if depth == 0:
        kind = draw.random()
        if events and kind < 0.25:
            return ("event", draw.choice(events))
        if kind < 0.45 and "L" in "".join(threads):
            return ("lock", "first", draw.choice([None, *(n for n, t in zip(names[1:], threads) if "L" in t)]))
        if kind < 0.65:
            return ("blocked", draw.choice(names))
        if events and kind < 0.7:
            return ("waits", draw.choice(events))
        return (draw.choice(["block", "unblock", "block", "unblock", "end", "start"]), draw.choice(names[1:] if kind > 0.85 else names))
    kind = draw.choice(["->", "->", "->", "!", "&&", "||"])
    if kind == "!":
        return ("!", formula(draw, threads, depth - 1))
    return (kind, formula(draw, threads, draw.randint(0, depth - 1)), formula(draw, threads, depth - 1))


def text(f):
    if f[0] == "event":
        return f[1]
    if f[0] == "blocked":
        return f"[@{f[1]}]"
    if f[0] == "waits":
        return f"[{f[1]}]"
    if f[0] == "lock":
        return f"lock:{f[1]}" + (f"@{f[2]}" if f[2] else "")
    if f[0] == "!":
        return f"!({text(f[1])})"
    if f[0] in ("->", "&&", "||"):
        return f"({text(f[1])}) {f[0]} ({text(f[2])})"
    return f"{f[0]}@{f[1]}"


def named(f):
    if f[0] in ("event", "waits"):
        return {f[1]}
    if f[0] == "lock":
        return {(f[1], f[2])}
    return set().union(*(named(g) for g in f[1:] if isinstance(g, tuple)))


def counts(f, moment):
    """What the schedule does not name is no moment; but all starts, ends, blocks and unblocks are."""
    kind, thread, event, _ = moment
    if kind == "lock":
        return (event, None) in named(f) or (event, f"T{thread}") in named(f)
    return kind != "event" or event in named(f)


def holds(f, moments, threads):
    """At the last moment."""
    owner = {c: t + 1 for t, text in enumerate(threads) for c in text if c.islower()}

    def number(name):
        return 0 if name == "main" else int(name[1:])

    def at(g, i):
        kind, thread, event, blocked = moments[i]
        if g[0] == "event":
            return kind == "event" and event == g[1]
        if g[0] == "blocked":
            return number(g[1]) in blocked
        if g[0] == "waits":
            return owner[g[1]] in blocked and any(m[0] == "event" and m[2] == g[1] for m in moments[: i + 1])
        if g[0] == "lock":
            return kind == "lock" and event == g[1] and g[2] in (None, f"T{thread}")
        if g[0] == "!":
            return not at(g[1], i)
        if g[0] == "&&":
            return at(g[1], i) and at(g[2], i)
        if g[0] == "||":
            return at(g[1], i) or at(g[2], i)
        if g[0] == "->":
            trues = [k for k in range(i + 1) if at(g[2], k)]
            return not trues or any(at(g[1], j) for j in range(trues[-1] + 1))
        return kind == g[0] and thread == number(g[1])

    return at(f, len(moments) - 1)


# ---- the comparison ----


def run(threads, plan, *options):
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([sleave, "run", "-q", "--json", "-k", "-t", "10m", "-n", "300000", "--misuse=off", "-o", work, "--schedule", plan,
                               *options, program, *threads], capture_output=True, text=True, timeout=660, cwd=work)
    if done.returncode == 2 or not done.stdout:
        return None
    answer = json.loads(done.stdout)
    (tally,) = answer["schedules"]
    return answer["complete"], tally["followed"] > 0, tally["left"] > 0


passed = failed = skipped = feasible = breakable = 0
for seed in range(first, last + 1):
    draw = random.Random(seed)
    all_moments = None
    while all_moments is None:
        threads = generate(draw)
        all_moments = moments_of_all(threads)
    f = ("!", ("!", formula(draw, threads, draw.randint(1, 3))))
    if not any(word in text(f) for word in ("[", "block@")):  # only then all moments count
        skipped += 1
        continue
    verdicts = {holds(f, [m for m in ms if counts(f, m)], threads) for ms in all_moments}
    check = run(threads, text(f), "-s", "dfs", "--check")
    if check is None:  # it says nothing, or contradicts itself; none of its threads is ever blocked
        skipped += 1
        continue
    complaint = ""
    for options in (["-s", "dfs", "--check"], ["-s", "dpor", "--check"], ["-s", "icb", "--check"], ["--stateful", "-s", "dfs", "--check"],
                    ["-s", "dfs"], ["-s", "dpor"]):
        got = run(threads, text(f), *options)
        if not got[0]:
            complaint = f"{options}: not complete"
        elif got[1] != (True in verdicts):
            complaint = f"{options}: some follow it: {got[1]}, should be {True in verdicts}"
        elif "--check" in options and got[2] != (False in verdicts):
            complaint = f"{options}: some do not follow it: {got[2]}, should be {False in verdicts}"
        if complaint:
            break
    if not complaint:  # on real threads, too, where it may be a matter of luck
        done = subprocess.run([program, *threads], env={**os.environ, "SCHEDULE": text(f)}, capture_output=True, text=True, timeout=100)
        if done.returncode not in (0, -signal.SIGABRT) or (done.returncode == 0) not in verdicts:
            complaint = f"real threads: status {done.returncode}, should be one of {verdicts}; {done.stderr}"
    if complaint:
        failed += 1
        print(f"FAILED program {seed}, {' '.join(threads)}, {text(f)}: {complaint}")
    else:
        passed += 1
        feasible += True in verdicts
        breakable += False in verdicts
print(f"{passed} passed, {failed} failed ({skipped} were left out; {feasible} could be followed, {breakable} broken)")
sys.exit(failed != 0 or passed == 0)
