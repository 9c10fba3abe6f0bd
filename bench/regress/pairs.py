"""Pairs of versions, as programs; and tables. Shared by the studies."""

import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SUBJECTS = os.path.join(HERE, "subjects")


def subjects_in(folder):
    return sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "change.patch")))


class Failed(Exception):
    pass


class Subject:
    """A subject, in both versions, built in a folder. source: its own, as subjects/README.md says."""

    def __init__(self, source, folder, options):
        self.name = name = os.path.basename(source)
        self.source = source
        self.kinds = set()  # of findings
        self.programs = {}
        for version in ("old", "new"):
            there = os.path.join(folder, name, version)
            for part in [*base_of(source), source]:
                shutil.copytree(part, there, ignore=shutil.ignore_patterns("change.patch", "base"), dirs_exist_ok=True)
            if version == "new":
                self.call(["patch", "-s", "-p1", "-i", os.path.join(source, "change.patch")], there)
            sources = sorted(os.path.relpath(f, there) for f in glob.glob(f"{there}/**/*.c", recursive=True))
            for how, compiler in (("sleave", [options.sleave, "cc"]), ("plain", [os.environ.get("SLEAVE_CC", "gcc")])):
                program = os.path.join(there, f"{name}-{how}")
                self.call([*compiler, "-O1", "-g", "-pthread", "-I.", "-o", program, *sources], there)
                self.programs[version, how] = program
        self.lines = sum(count_lines(f) for f in glob.glob(f"{folder}/{name}/old/**/*.[ch]", recursive=True))

    @staticmethod
    def call(command, folder):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise Failed(f"status {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")


def base_of(source):
    """The folder of the sources that the subject shares with others, if there is one."""
    path = os.path.join(source, "base")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [os.path.join(os.path.dirname(source), file.read().strip())]


def count_lines(path):
    with open(path, encoding="utf-8") as file:
        return sum(1 for line in file if line.strip())


def table(heads, rows):
    widths = [max(len(str(r[i])) for r in [heads, *rows]) for i in range(len(heads))]
    for n, row in enumerate([heads, *rows]):
        cells = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if n == 0:
            print("  ".join("-" * w for w in widths))
    print(flush=True)


def number(value):
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
