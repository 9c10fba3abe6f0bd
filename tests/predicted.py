#!/usr/bin/env python3
"""
`sleave predict` against all interleavings, on pairs of random small programs: an old version and a new one that differs from it by one
change (a lock that is gone, taken, split or moved, another access, another order, a semaphore or a signal that is gone). What they access is
global or in the heap, and some accesses depend on what was read. A model of these programs, which is a few lines of this file, goes
through all interleavings.

What has to hold, for the accesses that the programs have in the calm execution, in which each thread goes on as long as it can:

- without another version, exactly those violations are confirmed that some interleaving shows;
  Not reached may be one with an access to a location whose accesses of different threads have one order in all interleavings: it is no point
  of choice, so its order to accesses of other locations, which nothing can observe, is not steered.
- of two versions, exactly those are confirmed and said to be new that some interleaving of the new version shows, and none of the old one.
  An access whose statement has changed places with another one may count as new.
- what is said to be certain to be possible is possible, and is confirmed.

A violation that is not certain may need a condition to hold that its own accesses do not decide; then it may be not reached. And where a condition decides, a
violation may be new although the context of no access in it is; so may it where the old version's wait for a condition, which held already,
was none. These are only counted.

usage: tests/predicted.py BUILD [PAIRS [SEED]]
"""

import collections, copy, itertools, json, os, random, shutil, subprocess, sys, tempfile

IN_ONE = 20  # pairs in one file: compiling takes longer than predicting
COMPILERS = ["gcc", "clang"]

# An operation: number, the same in both versions; "R", "W", "L", "U", "P" (post) or "T" (wait, for a semaphore), "S" (signal) or "C" (wait for
# a condition), "I" (an if: the operation behind it is only done if this value is read); of what.
Op = collections.namedtuple("Op", "number kind which value", defaults=(0,))


def access_of(op):
    """How it accesses memory; none: ""."""
    return {"I": "R", "R": "R", "W": "W"}.get(op.kind, "")

SHAPES = {
    "R(x) W'(x) W(x)": "RWW", "R(x) W'(x) R(x)": "RWR", "W(x) R'(x) W(x)": "WRW", "W(x) W'(x) R(x)": "WWR", "W(x) W'(x) W(x)": "WWW",
    "W(x) W'(x) W'(y) W(y)": "WW", "W(x) R'(x) R'(y) W(y)": "WR", "R(x) W'(x) W'(y) R(y)": "RW",
}
CROSSED = {"W(x) W'(x) W'(y) W(y)": "W(x) W'(y) W'(x) W(y)", "W(x) R'(x) R'(y) W(y)": "W(x) R'(y) R'(x) W(y)",
           "R(x) W'(x) W'(y) R(y)": "R(x) W'(y) W'(x) R(y)"}


# ---- random programs: a list of threads, which are lists of functions, which are lists of operations; threads may share functions ----

def unique(program):
    """Each function once."""
    return list({id(f): f for t in program["threads"] for f in t}.values())


class Maker:
    def __init__(self, rng):
        self.rng, self.count = rng, 0

    def op(self, kind, which):
        self.count += 1
        return Op(self.count, kind, which)

    def access(self):
        return self.op(self.rng.choice("RW"), self.rng.randrange(2))

    def function(self, accesses):
        """Accesses, some of them in regions of a lock or of two."""
        rng, ops, held = self.rng, [], []
        for _ in range(accesses):
            if rng.random() < 0.5 and len(held) < 2 and (not held or held[-1] == 0):
                held.append(rng.randrange(2) if not held else 1)
                ops.append(self.op("L", held[-1]))
            ops.append(self.access())
            if held and rng.random() < 0.5:
                ops.append(self.op("U", held.pop()))
        while held:
            ops.append(self.op("U", held.pop()))
        return ops

    def program(self):
        rng = self.rng
        threads = []
        for _ in range(2 if rng.random() < 0.8 else 3):
            total = rng.choice([2, 2, 3, 3, 4])
            cut = rng.randrange(total + 1)
            threads.append([self.function(n) for n in (cut, total - cut) if n])
        if rng.random() < 0.4:  # a function that two threads call
            giver, taker = rng.sample(range(len(threads)), 2)
            threads[taker].insert(rng.randrange(len(threads[taker]) + 1), rng.choice(threads[giver]))
        ordered = rng.random() < 0.1
        if not ordered and rng.random() < 0.35:  # an order that a semaphore makes, or a signal, between functions, where no lock is held
            poster, waiter = rng.sample(range(len(threads)), 2)
            kinds = rng.choice(["PT", "SC"])
            for thread, kind in ((poster, kinds[0]), (waiter, kinds[1])):
                at = rng.randrange(len(threads[thread]) + 1)
                threads[thread].insert(at, [self.op(kind, 0)])
        program = {"threads": threads, "ordered": ordered, "heap": rng.random() < 0.3}
        if rng.random() < 0.3:
            self.condition(program)
        return program

    def condition(self, program):
        """Makes an access depend on what is read before it: what somebody has written there, or nobody."""
        rng = self.rng
        f = rng.choice([f for f in unique(program) if any(access_of(op) for op in f)])
        at = rng.choice([i for i, op in enumerate(f) if access_of(op)])
        which = rng.randrange(2)
        values = [0] + [op.number for g in unique(program) for op in g if op.kind == "W" and op.which == which]
        f.insert(at, self.op("I", which)._replace(value=rng.choice(values)))

    def change(self, old):
        """One change of one function."""
        rng = self.rng
        new = {**old, "threads": copy.deepcopy(old["threads"]), "moved": set()}
        functions = unique(new)
        if rng.random() < 0.1:
            for f in functions:
                if f[0].kind in "PTSC":
                    f.clear()
            return new
        f = rng.choice(functions)
        locks = [(i, next(k for k in range(i, len(f)) if f[k].kind == "U" and f[k].which == f[i].which))
                 for i in range(len(f)) if f[i].kind == "L"]
        what = rng.choice(["unlock", "unlock", "split", "split", "lock", "access", "swap", "nothing"])
        if what == "unlock" and locks:
            low, high = rng.choice(locks)
            del f[high], f[low]
        elif what == "split" and locks:
            low, high = rng.choice(locks)
            inside = [i for i in range(low + 2, high) if f[i].kind in "RW" and all(o.kind in "RW" for o in f[low + 1:high])]
            if inside:
                at = rng.choice(inside)
                f[at:at] = [self.op("U", f[low].which), self.op("L", f[low].which)]
        elif what == "lock" and not locks and f[0].kind in "RW":
            lock = rng.randrange(2)
            f[:] = [self.op("L", lock), *f, self.op("U", lock)]
        elif what == "access" and f[0].kind not in "PTSC":
            at = rng.randrange(len(f) + 1)
            free = [i for i, o in enumerate(f) if o.kind in "RW" and (not i or f[i - 1].kind != "I")]
            if rng.random() < 0.5 or len(free) < 2:
                f.insert(at - (at and f[at - 1].kind == "I"), self.access())
            else:
                del f[rng.choice(free)]
        elif what == "swap":
            near = [i for i in range(len(f) - 1) if f[i].kind in "RW" and f[i + 1].kind in "RW" and (not i or f[i - 1].kind != "I")]
            if near:
                at = rng.choice(near)
                f[at], f[at + 1] = f[at + 1], f[at]
                new["moved"] = {f[at].number, f[at + 1].number}
        return new


def out_lines(out):
    """The number of the last line: an operation may have several."""
    return sum(1 + text.count("\n") for text in out)


def source(programs):
    """Each operation is on a line of its own, which differs from all others. Also returns the operation of each line."""
    out = ["#include <pthread.h>", "#include <semaphore.h>", "#include <stdlib.h>", ""]
    lines = {}
    for number, program in enumerate(programs):
        p = f"p{number}"
        out += [f"static struct {p} {{ volatile int m0, m1; }} {'*' if program['heap'] else ''}{p}_s;", f"static pthread_mutex_t {p}_l0, {p}_l1, {p}_lc;",
                f"static sem_t {p}_sem;", f"static pthread_cond_t {p}_cond;", f"static int {p}_flag;", ""]
        dot = "->" if program["heap"] else "."
        names = {id(f): f"{p}_f{i}" for i, f in enumerate(unique(program))}
        for f in unique(program):
            out += [f"__attribute__((noinline)) int {names[id(f)]}(void)", "{", "\tint sum = 0;"]
            for before, op in zip([None, *f], f):
                member = f"{p}_s{dot}m{op.which}"
                out.append({"R": f"\tsum += {member} + {op.number};", "W": f"\t{member} = {op.number};",
                            "L": f"\tpthread_mutex_lock(&{p}_l{op.which});", "U": f"\tpthread_mutex_unlock(&{p}_l{op.which});",
                            "P": f"\tsem_post(&{p}_sem);", "T": f"\tsem_wait(&{p}_sem);", "I": f"\tif ({member} == {op.value}) {{",
                            "S": f"\tpthread_mutex_lock(&{p}_lc);\n\t{p}_flag = 1;\n\tpthread_cond_broadcast(&{p}_cond);\n\tpthread_mutex_unlock(&{p}_lc);",
                            "C": f"\tpthread_mutex_lock(&{p}_lc);\n\twhile (!{p}_flag)\n\t\tpthread_cond_wait(&{p}_cond, &{p}_lc);\n\tpthread_mutex_unlock(&{p}_lc);",
                            }[op.kind])
                if access_of(op):
                    lines[out_lines(out)] = op
                if before and before.kind == "I":
                    out.append("\t}")
            out += ["\treturn sum;", "}", ""]
        for t, functions in enumerate(program["threads"]):
            out += [f"static void *{p}_t{t}(void *sum)", "{", *(f"\t*(int *)sum += {names[id(f)]}();" for f in functions), "\treturn sum;", "}", ""]
        count = len(program["threads"])
        joined = [f"\tpthread_create(&ids[{t}], 0, {p}_t{t}, &sums[{t}]);\n\tpthread_join(ids[{t}], 0);" for t in range(count)]
        made = [f"\tpthread_create(&ids[{t}], 0, {p}_t{t}, &sums[{t}]);" for t in range(count)]
        made += [f"\tpthread_join(ids[{t}], 0);" for t in range(count)]
        body = "\n".join(joined if program["ordered"] else made).split("\n")
        out += [f"static void {p}(void)", "{", f"\tpthread_t ids[{count}];", f"\tstatic int sums[{count}];", f"\tsem_init(&{p}_sem, 0, 0);",
                *([f"\t{p}_s = calloc(1, sizeof(*{p}_s));"] if program["heap"] else []), *body,
                *([f"\tfree({p}_s);"] if program["heap"] else []), "}", ""]
    out += ["int main(int argc, char **argv)", "{", "\tstatic void (*const all[])(void) = {"]
    out += [f"\t\tp{number}," for number in range(len(programs))]
    out += ["\t};", "\tif (argc == 2)", "\t\tall[atoi(argv[1])]();", "\treturn 0;", "}", ""]
    return "\n".join(out), lines


# ---- the model ----

def is_feasible(program, steps):
    """Is there an interleaving with these operations, each a thread and a number, in this order?"""
    threads = [[op for f in t for op in f] for t in program["threads"]]
    place = {step: k for k, step in enumerate(steps)}
    seen, todo = set(), [(tuple(0 for _ in threads), (0, 0), 0)]
    while todo:
        at, values, done = todo.pop()
        if done == len(steps):
            return True
        if (at, values, done) in seen:
            continue
        seen.add((at, values, done))
        for t in range(len(threads)):
            if not can_go(program, threads, at, t):
                continue
            op = threads[t][at[t]]
            if place.get((t, op.number), done) == done:
                todo.append((*step(threads, at, values, t), done + ((t, op.number) in place)))
    return False


def can_go(program, threads, at, t):
    """Has the thread an operation that it can do, where each thread has come to `at`?"""
    if at[t] == len(threads[t]) or (program["ordered"] and any(at[k] < len(threads[k]) for k in range(t))):
        return False
    op = threads[t][at[t]]
    before = [o for k, n in enumerate(at) for o in threads[k][:n]]
    if op.kind == "L":
        return not sum({"L": 1, "U": -1}.get(o.kind, 0) for o in before if o.which == op.which)
    if op.kind == "T":
        return sum({"P": 1, "T": -1}.get(o.kind, 0) for o in before) > 0
    return op.kind != "C" or any(o.kind == "S" for o in before)


def step(threads, at, values, t):
    """Where the threads are then, and the values of the members: the number of the write."""
    op, more = threads[t][at[t]], 1
    if op.kind == "W":
        values = tuple(op.number if i == op.which else v for i, v in enumerate(values))
    elif op.kind == "I" and values[op.which] != op.value:
        more = 2
    return at[:t] + (at[t] + more,) + at[t + 1:], values


def calm(sleave, which, number, lines, count):
    """What each thread accesses in the first execution: a list for each stretch in which it has not waited for a condition."""
    if os.path.exists("calm.trace"):
        os.remove("calm.trace")
    subprocess.run([sleave, "record", "--controlled", "-o", "calm.trace", which, str(number)], capture_output=True, timeout=300)
    items = subprocess.run([sleave, "trace", "--json", "calm.trace"], capture_output=True, text=True, timeout=300).stdout
    done = [[[]] for _ in range(count)]
    for item in map(json.loads, items.splitlines()):
        thread, op = item.get("thread", 0) - 1, lines.get(item.get("line"))
        if item.get("kind") == "COND_RELOCK":
            done[thread].append([])
        elif op and item["kind"] == {"R": "READ", "W": "WRITE"}[access_of(op)] and not item["object"].endswith("_s"):  # the pointer
            done[thread][-1].append(op)
    return done


def pairs_of(stretches):
    return [(a, b) for ops in stretches for a, b in itertools.combinations(ops, 2)]


def candidates(threads):
    """All that are instances of a pattern: its shape, and the threads and numbers of the operations."""
    for t, u in itertools.permutations(range(len(threads)), 2):
        others = [op for ops in threads[u] for op in ops]
        for first, second in pairs_of(threads[t]):
            kinds_here = access_of(first) + access_of(second)
            for shape, kinds in SHAPES.items():
                if len(kinds) == 3 and first.which == second.which and kinds[0] + kinds[2] == kinds_here:
                    for other in others:
                        if access_of(other) == kinds[1] and other.which == first.which:
                            yield shape, ((t, first.number), (u, other.number), (t, second.number))
                if len(kinds) != 2 or first.which == second.which or kinds_here != kinds[0] * 2:
                    continue
                for x, y in pairs_of(threads[u]):
                    if access_of(x) + access_of(y) == kinds[1] * 2 and x.which != y.which:
                        yield (shape if x.which == first.which else CROSSED[shape],
                               ((t, first.number), (u, x.number), (u, y.number), (t, second.number)))


def uncontested(program):
    """Numbers of accesses to locations whose conflicting accesses have one order in all interleavings: the engine performs them at once."""
    threads = [[op for f in t for op in f if access_of(op)] for t in program["threads"]]
    free = set()
    for t, u in itertools.combinations(range(len(threads)), 2):
        for a, b in itertools.product(threads[t], threads[u]):
            if a.which == b.which and "W" in a.kind + b.kind and a.which not in free:
                orders = [(t, a.number), (u, b.number)]
                if is_feasible(program, orders) and is_feasible(program, orders[::-1]):
                    free.add(a.which)
    return {op.number for t in threads for op in t if op.which not in free}


def shown(program, threads):
    """Violations by different threads at the same places are told as one. threads: what they access in the execution that is recorded."""
    found = set()
    for shape, steps in candidates(threads):
        key = (shape, tuple(number for _, number in steps))
        if key not in found and is_feasible(program, steps):
            found.add(key)
    return found


# ---- the comparison ----

class Failure(Exception):
    pass


def predict(sleave, lines, arguments):
    """The violations that are confirmed, and what became of the others."""
    run = subprocess.run([sleave, "predict", "--json", "-v", "-k", "--races=off", "--violations=warn", "--tries=40", "--time=1h", *arguments],
                         capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        raise Failure(f"status {run.returncode}: {run.stderr}")
    result, confirmed, certain = {}, set(), set()
    for violation in json.loads(run.stdout)["violations"]:
        if any(step["line"] not in lines for step in violation["steps"]):
            if violation["result"] != "infeasible":  # of the pointer to a heap object, or of the flag of a condition
                raise Failure(f"{violation['result']}: {violation}")
            continue
        key = (violation["pattern"], tuple(lines[step["line"]].number for step in violation["steps"]))
        if violation["certain"]:
            certain.add(key)
        if result.get(key) in ("happens", "fails"):
            continue
        result[key] = violation["result"]
        if violation["result"] in ("happens", "fails") and not violation["in_old"]:
            confirmed.add(key)
    return confirmed, result, certain


def tell(what, keys, result, program):
    text = "".join("\n    " + " | ".join(" ; ".join(" ".join(f"{o.kind}{o.which}#{o.number}" + (f"={o.value}" if o.kind == "I" else "") for o in f) for f in t)
                                         for t in p["threads"]) + (" (one after the other)" if p["ordered"] else "") for p in program)
    return f"{what}: " + ", ".join(f"{shape} {steps} ({result.get((shape, steps), 'not predicted')})" for shape, steps in sorted(keys)) + text


def waits(program):
    return sum(op.kind == "C" for f in unique(program) for op in f)


def check_certain(certain, possible, at_once, result, programs):
    if certain - possible:
        raise Failure(tell("certain and not possible", certain - possible, result, programs))
    lost = {key for key in certain if result[key] == "not reached" and not at_once & set(key[1])}
    if lost:
        raise Failure(tell("certain and not reached", lost, result, programs))


def compare(sleave, number, old, new, old_lines, lines, count):
    in_new = shown(new, calm(sleave, "./new", number, lines, len(new["threads"])))
    in_old = shown(old, calm(sleave, "./old", number, old_lines, len(old["threads"])))
    confirmed, result, certain = predict(sleave, lines, ["--", "./new", str(number)])
    conditions = any(op.kind == "I" for p in (old, new) for f in unique(p) for op in f)
    at_once = uncontested(new)
    check_certain(certain, in_new, at_once, result, [new])
    possible = in_new
    count["certain"] += len(certain)
    apart = {key for key in in_new if result.get(key) == "not reached" and at_once & set(key[1])}
    count["apart"] += len(apart)
    in_new -= apart
    if conditions:
        decided = {key for key in in_new if result.get(key) == "not reached"}
        count["decided"] += len(decided)
        in_new -= decided
    if confirmed != in_new:
        raise Failure(tell("one version, confirmed and not possible", confirmed - in_new, result, [new]) +
                      tell("\n  possible and not confirmed", in_new - confirmed, result, []))
    changed, result, certain = predict(sleave, lines, ["--old-program", "./old", "--", "./new", str(number)])
    check_certain(certain, possible, at_once, result, [old, new])
    expected = in_new - in_old
    if conditions or waits(old) > waits(new):
        unseen = {key for key in expected if key not in result}
        count["unseen"] += len(unseen)
        expected -= unseen
    moved = {key for key in in_new if new["moved"] & set(key[1])}
    if not expected <= changed <= expected | moved:
        raise Failure(tell("two versions, not confirmed", expected - changed, result, [old, new]) +
                      tell("\n  not possible, or also before", changed - expected - moved, result, []))
    count["shown"] += len(in_new)
    count["new"] += len(expected)
    count["tried"] += len(result)


def main():
    build = os.path.abspath(sys.argv[1])
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 40 if os.environ.get("LEVELS") != "all" else 2000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 19)
    sleave, passed, failed, count = os.path.join(build, "sleave"), 0, 0, collections.Counter()
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        for batch in range(0, pairs, IN_ONE):
            compiler = COMPILERS[batch // IN_ONE % 2] if shutil.which("clang") else "gcc"
            olds, news, all_lines = [], [], {}
            for _ in range(min(IN_ONE, pairs - batch)):
                maker = Maker(rng)
                olds.append(maker.program())
                news.append(maker.change(olds[-1]))
            for name, programs in (("old", olds), ("new", news)):
                os.makedirs(name + "_source", exist_ok=True)
                text, all_lines[name] = source(programs)
                with open(f"{name}_source/program.c", "w") as file:
                    file.write(text)
                subprocess.run([sleave, "cc", "-g", "-O1", "-o", name, f"{name}_source/program.c"], check=True,
                               env={**os.environ, "SLEAVE_CC": compiler})
            for number, (old, new) in enumerate(zip(olds, news)):
                try:
                    compare(sleave, number, old, new, all_lines["old"], all_lines["new"], count)
                    passed += 1
                except Failure as failure:
                    failed += 1
                    print(f"FAILED {compiler}, pair {batch + number}: {failure}")
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"{count['shown']} violations, {count['new']} of them only in the new version; {count['tried']} contain an impacted access; "
          f"{count['apart']} were not reached, with an access that is performed at once; {count['certain']} are certain; by conditions "
          f"{count['decided']} were not reached, and {count['unseen']} are new without an impacted access")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
