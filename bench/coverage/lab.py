"""The measurements of bench/coverage/run: one execution of `sleave cover`, or of noise, each kept in a file."""
import hashlib
import json
import os
import struct
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NOISE = ["rnd-y", "rnd-s10", "rnd-s100"]
PROBABILITIES = ["0.1", "0.2", "0.3", "0.4", "0.5"]
PART = 25  # executions of noise by sleeping in one process


class Failed(Exception):
    pass


class Technique:
    def __init__(self, name, options):
        self.name, self.options = name, options

    @property
    def steers(self):
        return self.name.startswith("tsa")

    @property
    def sleeps(self):
        return self.name.startswith("rnd-s")


TSA = Technique("tsa", ["-s", "tsa"])
TSA_H = Technique("tsa-h", ["-s", "tsa", "--no-estimate-rule"])


BARE = "bare"
WRAPPED = ["pthread_mutex_init", "pthread_mutex_lock", "pthread_cond_wait"]


def noise(kind, probability):
    return Technique(f"{kind}-{probability}", ["-s", kind, f"--probability={probability}"])


def hash_of(*paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def hash_of_program(path):
    """A digest of the loaded parts: debug information contains compiler options and directories."""
    with tempfile.NamedTemporaryFile() as bare:
        subprocess.run(["strip", "-R", ".note.gnu.build-id", "-R", ".comment", "-o", bare.name, path], check=True)
        return hash_of(bare.name)


def merged(parts):
    """What the parts have covered, as if one process had made their executions one after the other."""
    first, executions, seconds = {}, 0, 0.0
    for part in parts:
        for pair in part["pairs"]:
            if pair["state"] == "covered":
                first.setdefault((pair["first"], pair["second"]), (executions + pair["execution"], seconds + pair["seconds"]))
        executions += part["executions"]
        seconds += part["seconds"]
    growth = []
    for execution, at in sorted(first.values()):
        if growth and growth[-1][0] == execution:
            growth[-1][2] += 1
        else:
            growth.append([execution, at, (growth[-1][2] if growth else 0) + 1])
    return {**parts[0], "executions": executions, "seconds": seconds, "covered": len(first), "growth": growth, "pairs": [],
            "wall": sum(p["wall"] for p in parts)}


class Lab:
    def __init__(self, arguments):
        self.arguments = arguments
        self.sleave = os.path.abspath(arguments.sleave)
        self.folder = os.path.abspath(arguments.folder)
        self.results = os.path.join(self.folder, "results")
        self.programs = os.path.join(self.folder, "programs")
        self.cache, self.made, self.build_of = {}, {}, None
        os.makedirs(self.results, exist_ok=True)
        listed = subprocess.run([os.path.join(HERE, "build"), "--list"], check=True, capture_output=True, text=True)
        self.subjects = [line.split()[0] for line in listed.stdout.splitlines()]
        for name in arguments.subject:
            if name not in self.subjects:
                raise Failed(f"there is no subject {name}; there are: {' '.join(self.subjects)}")
        self.subjects = [name for name in self.subjects if not arguments.subject or name in arguments.subject]

    def build(self):
        """Builds all of them; those that differ replace the old files, which may be running."""
        os.makedirs(self.programs, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as fresh:
            subprocess.run([os.path.join(HERE, "build"), fresh, *self.subjects, "--", self.sleave, "cc"], check=True)
            for subject in self.subjects:
                new, old = os.path.join(fresh, subject), os.path.join(self.programs, subject)
                self.made[subject] = hash_of_program(new)
                if not os.path.exists(old) or hash_of_program(old) != self.made[subject]:
                    os.replace(new, old)
        self.build_of = hash_of(self.sleave, os.path.join(os.path.dirname(self.sleave), "libsleave.so"))

    def part_count(self, technique):
        return -(-self.arguments.executions // PART) if technique.sleeps else 1

    def path(self, subject, technique, repetition, part):
        ending = f".{part}" if technique.sleeps else ""
        return os.path.join(self.results, f"{subject}.{technique.name}.{repetition}{ending}.json")

    def read(self, subject, technique, repetition, part):
        """What was measured, if it is of this program."""
        path = self.path(subject, technique, repetition, part)
        if path in self.cache:
            return self.cache[path]
        try:
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
        except FileNotFoundError:
            return None
        if result["hash"] != self.made[subject] or (technique.steers and result["build"] != self.build_of):
            return None
        self.cache[path] = result
        return result

    def measure(self, subject, technique, repetition, part):
        if self.read(subject, technique, repetition, part):
            return
        path = self.path(subject, technique, repetition, part)
        budget = self.arguments.budget
        executions = min(PART, self.arguments.executions - part * PART) if technique.sleeps else self.arguments.executions
        command = [
            self.sleave, "cover", "--json", "--quiet", "--no-store", "--window=0", f"--seed={repetition * 1000 + part + 1}",
            f"--schedules={executions}", f"--time={budget:g}s", f"--plot={path}.svg",
            *technique.options, os.path.join(self.programs, subject),
        ]
        begun = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=self.folder,
                                  timeout=3 * budget + 60, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{' '.join(command)}: no end after {3 * budget + 60:.0f} s") from late
        # 1 is a finding, or executions of noise that failed: then it is not a measurement
        if done.returncode != 0 or not done.stdout.startswith("{"):
            raise Failed(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")
        os.remove(path + ".svg")
        result = json.loads(done.stdout)
        result.update(wall=time.monotonic() - begun, hash=self.made[subject], build=self.build_of)
        with open(path + ".new", "w", encoding="utf-8") as out:
            json.dump(result, out)
        os.replace(path + ".new", path)  # atomically

    def build_bare(self):
        wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
        subprocess.run([os.path.join(HERE, "build"), os.path.join(self.folder, BARE), *self.subjects, "--", "cc", "-no-pie",
                        os.path.join(HERE, "bare.c"), *wraps], check=True)

    def measure_bare(self, subject, probability, repetition):
        """The number of pairs that so many executions cover without Sleave. Kept, as all measurements are."""
        program = os.path.join(self.folder, BARE, subject)
        made = hash_of_program(program)
        path = os.path.join(self.results, f"{subject}.{BARE}-{probability}.{repetition}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            if result["hash"] == made and result["executions"] == self.arguments.executions:
                return result["covered"]
        covered = set()
        with tempfile.TemporaryDirectory() as work:
            log = os.path.join(work, "log")
            for execution in range(self.arguments.executions):
                seed = repetition * 1000003 + execution
                subprocess.run([program], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={
                    **os.environ, "BARE_LOG": log, "BARE_SEED": str(seed), "BARE_CHANCE": str(round(float(probability) * 1000))})
                with open(log, "rb") as file:
                    taken = file.read()
                last = {}
                for lock, place in struct.iter_unpack("QQ", taken):
                    if place and last.get(lock):
                        covered.add((last[lock], place))
                    last[lock] = place
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"hash": made, "executions": self.arguments.executions, "covered": len(covered)}, out)
        return len(covered)

    def get(self, subject, technique, repetition):
        """None if a part is missing."""
        parts = [self.read(subject, technique, repetition, part) for part in range(self.part_count(technique))]
        if not all(parts):
            return None
        return parts[0] if len(parts) == 1 else merged(parts)

    def all_of(self, subject, technique):
        """All repetitions; None if there are none, or if one did not complete its executions."""
        results = [self.get(subject, technique, r) for r in range(self.arguments.repetitions)]
        results = [r for r in results if r]
        if not results or any(r["executions"] < self.arguments.executions for r in results):
            return None
        return results

    def is_too_long(self, subject, technique, repetition):
        """A part of it, of an earlier repetition, or of less of the same noise tells that it would take more than its budget."""
        if technique.steers:
            return False
        kind, probability = technique.name.rsplit("-", 1)
        for p in PROBABILITIES[:PROBABILITIES.index(probability) + 1]:
            for r in range(repetition + 1):
                for part in range(self.part_count(technique)):
                    result = self.read(subject, noise(kind, p), r, part)
                    if result and result["seconds"] / result["executions"] * self.arguments.executions > self.arguments.budget:
                        return True
        return False
