"""What the parts of bench/run measure with: a table of claims, and searches that are run until something is known."""
import argparse
import json
import os
import resource
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    pass


# ---- the table ----

WIDTHS = [43, 51, 6, 9, 5]


def line(*cells):
    left, right = zip(cells[:2], WIDTHS), zip(cells[2:], WIDTHS[2:])
    print("  ".join([c.ljust(w) for c, w in left] + [c.rjust(w) for c, w in right]).rstrip(), flush=True)


class Table:
    def __init__(self):
        self.missed = []
        self.failed = []
        self.open = []
        self.skipped = []

    def head(self):
        line("claim", "measured", "ratio", "target", "holds")
        line(*("-" * w for w in WIDTHS))

    def row(self, claim, measured, ratio=None, least=None, most=None):
        """A row; `ratio` is to be at least or at most so much, or is only shown."""
        target, holds = "", ""
        if least is not None or most is not None:
            good = ratio >= least if least is not None else ratio <= most
            target = f">= {least:,g}" if least is not None else f"<= {most:g}"
            holds = "yes" if good else "NO"
            if not good:
                self.missed.append(claim)
        shown = "" if ratio is None else f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2f}"
        line(claim, measured, shown, target, holds)

    def undecided(self, claim, why):
        self.open.append(claim)
        line(claim, why, "", "", "?")

    def skip(self, claim, why):
        self.skipped.append(f"{claim}: {why}")
        line(claim, why, "", "", "-")


# ---- measuring ----

class Bench:
    def __init__(self, options, folder):
        self.sleave, self.switch, self.watch = map(os.path.abspath, (options.sleave, options.switch, options.watch))
        self.quick = options.quick
        self.before = options.before
        self.folder = folder
        self.rounds = 2 if options.quick else 5
        self.table = Table()

    def build(self, name, how="sleave"):
        """The path of a program, built with `sleave cc`, plainly, or with the compiler's own thread sanitizer."""
        out = os.path.join(self.folder, f"{name}-{how}")
        if not os.path.exists(out):
            cc = os.environ.get("SLEAVE_CC", "gcc")
            command = {"sleave": [self.sleave, "cc"], "plain": [cc, "-pthread"],
                       "tsan": [cc, "-pthread", "-fsanitize=thread"]}[how]
            done = subprocess.run(command + ["-O2", "-g", "-o", out, f"{HERE}/programs/{name}.c"],
                                  capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"{name}.c does not build ({how}): {done.stderr.strip()}")
        return out

    def classic(self, name, n):
        """A program of the literature on partial order reduction."""
        out = os.path.join(self.folder, f"{name}-{n}")
        done = subprocess.run([self.sleave, "cc", "-O1", "-g", f"-DN={n}", "-o", out,
                               f"{HERE}/../tests/equivalence/{name}.c"], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{name}.c does not build: {done.stderr.strip()}")
        return [out]

    def spent(self, executions, program, *options):
        """Seconds of processor time that a whole search takes, with all that comes before and after it."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = self.run(program, *options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not result["complete"] or result["interleavings"] != executions:
            raise Failed(f"{result['interleavings']} interleavings instead of {executions}: {' '.join(program)}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def call(self, command, good):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode not in good:
            raise Failed(f"status {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
        return [json.loads(text) for text in done.stdout.splitlines()]

    def run(self, program, *options, seconds=600):
        """The JSON object of a search that ends by itself."""
        return self.call([self.sleave, "run", "--json", "-q", f"--time={seconds}s", *options, *program], good=[0])[-1]

    def samples(self, points, program, *options):
        """What had been spent when the search had done so many executions, for each of the points."""
        # The command looks at the file of a run that was interrupted before, and `watch` would take it for this run's.
        shutil.rmtree(os.path.join(self.folder, ".sleave"), ignore_errors=True)
        lines = self.call([self.watch, *map(str, points), "--", self.sleave, "run", "--json", "-q", "--time=600s",
                           *options, *program], good=[0, 3])
        if len(lines) != len(points) + 1 or lines[-1]["findings"]:
            raise Failed(f"the search ended too early: {' '.join(program)} {' '.join(options)}: {lines[-1]}")
        if lines[-1]["world"] != "memory" and not any(o.startswith("--world") for o in options):
            raise Failed(f"the search fell back to {lines[-1]['world']}: {' '.join(program)}")
        return lines[:-1]

    def rate(self, points, clock, program, *options):
        """Executions a second of processor time, between two points; the clock is a key and its ticks a second."""
        first, last = self.samples(points, program, *options)
        clock, ticks = clock
        spent = last[clock] - first[clock]
        if spent < (100 if clock == "tree_ms" else 1):  # processes are counted in ticks of 10 ms
            raise Failed(f"too few executions to measure: {spent / ticks} s from {first['executions']} to "
                         f"{last['executions']}: {' '.join(program)} {' '.join(options)}")
        return (last["executions"] - first["executions"]) * ticks / spent

    def cost(self, points, program, *options):
        """Nanoseconds of processor time an operation, between two points. Without the second runs for comparison: of
        the first executions all have one, and there are only a few here if they are long."""
        first, last = self.samples(points, program, "--check-determinism=off", *options)
        return (last["cpu"] - first["cpu"]) / (last["operations"] - first["operations"])

    def best(self, sides, keep, rounds=None):
        """Lets the sides (name: function) take turns; the best of each."""
        results = {name: [] for name in sides}
        for _ in range(rounds or self.rounds):
            for name, measure in sides.items():
                results[name].append(measure())
        return {name: keep(values) for name, values in results.items()}


def earlier(b, folder):
    """An earlier revision, built; None and why if it can't be had."""
    def git(*arguments):
        return subprocess.run(["git", "-C", HERE, *arguments], capture_output=True)

    for tool in ("git", "meson", "ninja", "tar"):
        if not shutil.which(tool):
            return None, f"there is no {tool}"
    if git("rev-parse", "--verify", "--quiet", b.before + "^{commit}").returncode:
        return None, f"there is no revision {b.before} here"
    top = git("rev-parse", "--show-toplevel").stdout.decode().strip()
    source, build = os.path.join(folder, "source"), os.path.join(folder, "build")
    os.makedirs(source)
    archive = subprocess.run(["git", "-C", top, "archive", b.before], capture_output=True, check=True)
    subprocess.run(["tar", "x", "-C", source], input=archive.stdout, check=True)
    for command in (["meson", "setup", build, source], ["ninja", "-C", build, "all", "bench/bench_watch"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{b.before} does not build: {(done.stderr or done.stdout).strip()[-500:]}")
    options = argparse.Namespace(sleave=f"{build}/sleave", switch=b.switch, watch=f"{build}/bench/bench_watch",
                                 quick=b.quick, before=None)
    return Bench(options, folder), ""
