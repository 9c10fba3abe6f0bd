#!/usr/bin/env python3
"""
`sleave run --impacted --prioritise` against a twin: the algorithm of CAPP (Fig. 4.2 of Jagannath's dissertation), with its sets of
transitions to explore now and next, on programs whose interleavings are known: threads of atomic operations on one variable.
Which code is impacted is drawn at random, and given as ranges of addresses. What is compared, for each of the 14
heuristics: the number of interleavings in the first iterations, in each of them, and in all, with dfs and icb.

usage: tests/prioritise.py BUILD [PROGRAMS]
"""

import json, os, random, re, shutil, subprocess, sys, tempfile

HEURISTICS = [o + m for o in ("C", "CO", "M", "MO", "L", "LO") for m in "AS"] + ["FA", "FS"]
COMPILERS = ["gcc", "clang"]
UNBOUNDED = 1 << 30


def shape(rng):
    """The operations of each thread: (leaf function, function that calls it)."""
    return rng.choice([[2, 2], [3, 2], [3, 3], [2, 2, 1], [2, 1, 1], [2, 2, 2]])


def source(lengths):
    """Each operation is in a function of its own, which a function of its own calls."""
    out = ["#include <pthread.h>", "#include <stdatomic.h>", "", "static atomic_int shared;", ""]
    for t, length in enumerate(lengths):
        for i in range(length):
            out += [f"__attribute__((noinline)) void leaf_{t}_{i}(void) {{ atomic_fetch_add(&shared, 1); }}",
                    f"__attribute__((noinline)) void middle_{t}_{i}(void) {{ leaf_{t}_{i}(); __asm__ volatile(\"\"); }}"]
        calls = " ".join(f"middle_{t}_{i}();" for i in range(length))
        out += [f"void *thread_{t}(void *unused) {{ {calls} return unused; }}", ""]
    count = len(lengths)
    out += ["int main(void)", "{", f"\tpthread_t ids[{count}];"]
    out += [f"\tpthread_create(&ids[{t}], 0, thread_{t}, 0);" for t in range(count)]
    out += [f"\tpthread_join(ids[{t}], 0);" for t in range(count)]
    return "\n".join(out + ["\treturn 0;", "}", ""])


def symbols(program):
    """Name of each function -> the range of its code."""
    found = {}
    for line in subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tT] ((?:leaf|middle|thread)_\w+)$", line)
        if match:
            found[match[3]] = (int(match[1], 16), int(match[1], 16) + int(match[2], 16))
    return found


def impact(rng, names):
    """Letters of the kinds of impacted code that each function is."""
    often = rng.choice([0.15, 0.4, 0.8])
    return {name: "".join(kind for kind in "CMLF" if rng.random() < often) for name in names}


def is_impacted(letters, heuristic, t, i):
    """Is the operation a match of the heuristic?"""
    functions = [f"leaf_{t}_{i}"]
    if heuristic[1] == "O":
        functions += [f"middle_{t}_{i}", f"thread_{t}"]
    return any(heuristic[0] in letters[f] for f in functions)


def twin(lengths, letters, heuristic, bound):
    """The number of executions in each iteration. A state is (how far each thread is, the last one, preemptions)."""
    first = (tuple(0 for _ in lengths), None, 0)
    counts, now, later = [0], [], []

    def expand(state):
        at, last, spent = state
        enabled = [t for t, length in enumerate(lengths) if at[t] < length]
        if not enabled:
            counts[-1] += 1
            return
        can_stay = last in enabled
        answers = [t for t in enabled if spent + (can_stay and t != last) <= bound]
        match = [t for t in answers if is_impacted(letters, heuristic, t, at[t])]
        others = [t for t in answers if t not in match]
        go = answers
        if can_stay and heuristic.endswith("A") and others:
            go = [last if last in others else others[0]]
        elif can_stay and heuristic.endswith("S") and not match:
            go = [last]
        for t in answers:
            (now if t in go else later).append((state, t))

    expand(first)
    while now or later:
        if not now:
            now, later = later, []
            counts.append(0)
        (at, last, spent), t = now.pop()
        preempts = last is not None and last != t and at[last] < lengths[last]
        expand((tuple(n + (k == t) for k, n in enumerate(at)), t, spent + preempts))
    return counts


class Failure(Exception):
    pass


def explore(sleave, program, ranges, options):
    run = subprocess.run([sleave, "run", "--json", "--keep-going", "--time=100s", "--impacted", ranges, *options, "--", program],
                         capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        raise Failure(f"{options}: status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def compare(sleave, program, ranges, lengths, letters):
    checks = 0
    for heuristic in HEURISTICS:
        for strategy, bound in (("dfs", UNBOUNDED), ("icb", 1), ("icb", 2)):
            expected = twin(lengths, letters, heuristic, bound)
            options = [f"--strategy={strategy}", f"--prioritise={heuristic}"]
            options += [f"--preemptions={bound}"] if strategy == "icb" else []
            for iterations in sorted({1, 2, len(expected)}):
                if iterations > len(expected):
                    continue
                result = explore(sleave, program, ranges, [*options, f"--iterations={iterations}"])
                seen, wanted = result["interleavings"], sum(expected[:iterations])
                if seen != wanted:
                    raise Failure(f"{options}, {iterations} iterations of {lengths}, {letters}: "
                                  f"{seen} interleavings, expected {wanted} of {expected}")
                checks += 1
            result = explore(sleave, program, ranges, options)
            if result["interleavings"] != sum(expected) or (result["bound"] != bound and not result["complete"]):
                raise Failure(f"{options} of {lengths}, {letters}: {result}, expected {expected}")
    return checks


def main():
    build = os.path.abspath(sys.argv[1])
    programs = int(sys.argv[2]) if len(sys.argv) > 2 else 6 if os.environ.get("LEVELS") != "all" else 60
    sleave, rng, passed, failed = os.path.join(build, "sleave"), random.Random(8), 0, 0
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        for number in range(programs):
            lengths, compiler = shape(rng), COMPILERS[number % 2]
            with open("program.c", "w") as file:
                file.write(source(lengths))
            subprocess.run([sleave, "cc", "-g", "-O1" if number % 4 < 2 else "-O2", "-o", "program", "program.c"], check=True,
                           env={**os.environ, "SLEAVE_CC": compiler})
            functions = symbols("program")
            letters = impact(rng, sorted(functions))
            with open("ranges", "w") as file:
                for name, (low, high) in functions.items():
                    if letters[name]:
                        file.write(f"{low:x}-{high:x} {letters[name]}\n")
            try:
                passed += compare(sleave, "./program", "ranges", lengths, letters)
            except Failure as failure:
                failed += 1
                print(f"FAILED {compiler}: {failure}")
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
