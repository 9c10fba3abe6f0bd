#!/usr/bin/env python3
"""`sleave paths` against all interleavings: random programs print the paths that their threads have taken.

usage: tests/paths.py BUILD [PROGRAMS [SEED]]      LEVELS=all: 400 programs

Each program is explored by dfs, to the end, and searched for paths. What is printed must be the same, and `sleave paths` may not
run more executions than dpor. A search that says that it is not complete may have printed less, and never anything else; few may say so.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
SLEAVE = os.path.join(BUILD, "sleave")
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 400 if os.environ.get("LEVELS") == "all" else 30
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1

PROGRAM = """
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static int x0, x1, x2;
static atomic_int a0, a1;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
static sem_t s0;
static int *pointer = &x0;

static int
get(int *from)
{
	return *from;
}

static void
put(int *to, int value)
{
	*to = value;
}

%s
int
main(void)
{
	static const int code[] = {%s};
	pthread_t threads[%d];
	void *path;

	sem_init(&s0, 0, 1);
%s	for (int i = 0; i < %d; i++) {
		pthread_join(threads[i], &path);
		printf("%%d:%%lx ", code[i], (unsigned long)path);
	}
	puts("");
	return 0;
}
"""


class Writer:
    """The body of a thread: its path is a number with a bit for each branch that it has come to."""

    def __init__(self, dice, size):
        self.dice, self.lines, self.left, self.locals = dice, [], size, 0

    def say(self, depth, text):
        self.lines.append("\t" * depth + text)

    def value(self):
        d = self.dice
        kind = d.randrange(6)
        if kind == 0:
            return "get(&x%d)" % d.randrange(3)
        if kind == 1:
            return "a%d" % d.randrange(2)
        if kind == 2 and self.locals:
            return "v%d" % d.randrange(self.locals)
        if kind == 3:
            return "*pointer"
        return "x%d" % d.randrange(3)

    def statement(self, depth):
        d = self.dice
        self.left -= 1
        kind = d.randrange(10)
        if kind < 2:
            self.say(depth, "x%d = %d;" % (d.randrange(3), d.randrange(3)))
        elif kind == 2:
            self.say(depth, "put(&x%d, %s + 1);" % (d.randrange(3), self.value()))
        elif kind == 3:
            self.say(depth, "a%d %s;" % (d.randrange(2), d.choice(["= 1", "+= 1", "= 2"])))
        elif kind == 4 and depth == 1:
            self.say(depth, "int v%d = %s;" % (self.locals, self.value()))
            self.locals += 1
        elif kind == 5 and d.randrange(3) == 0:
            self.say(depth, "pointer = &x%d;" % d.randrange(3))
        else:
            self.say(depth, "if (%s %s %d) {" % (self.value(), d.choice(["==", ">", "!="]), d.randrange(3)))
            self.say(depth + 1, "path = path * 2 + 1;")
            if self.left > 0 and d.randrange(2):
                self.statement(depth + 1)
            self.say(depth, "} else {")
            self.say(depth + 1, "path = path * 2;")
            if self.left > 0 and d.randrange(3) == 0:
                self.statement(depth + 1)
            self.say(depth, "}")

    def region(self):
        d = self.dice
        kind = d.randrange(8)
        if kind < 3:
            self.say(1, "pthread_mutex_lock(&m%d);" % (kind % 2))
            for _ in range(1 + d.randrange(2)):
                self.statement(1)
            self.say(1, "pthread_mutex_unlock(&m%d);" % (kind % 2))
        elif kind == 3:
            lock = d.randrange(2)
            self.say(1, "if (pthread_mutex_trylock(&m%d) == 0) {" % lock)
            self.say(2, "path = path * 2 + 1;")
            self.statement(2)
            self.say(2, "pthread_mutex_unlock(&m%d);" % lock)
            self.say(1, "}")
        elif kind == 4:
            self.say(1, "sem_wait(&s0);")
            self.statement(1)
            self.say(1, "sem_post(&s0);")
        elif kind == 5:
            self.say(1, "pthread_mutex_lock(&m0);")
            self.say(1, "pthread_cond_%s(&c0);" % d.choice(["signal", "broadcast"]))
            self.say(1, "pthread_mutex_unlock(&m0);")
        else:
            self.statement(1)


def program(dice):
    threads = dice.choice([2, 2, 3])
    bodies, calls, code, which = [], [], [], 0
    for t in range(threads):
        w = Writer(dice, 4 if threads == 2 else 2)
        while w.left > 0:
            w.region()
        bodies.append("static void *\nthread%d(void *unused)\n{\n\tunsigned long path = 1;\n\n\t(void)unused;\n%s\n\treturn (void *)path;\n}\n"
                      % (t, "\n".join(w.lines)))
        which = which if t and dice.randrange(5) == 0 else t
        calls.append("\tpthread_create(&threads[%d], NULL, thread%d, NULL);\n" % (t, which))
        code.append(str(which))
        if which != t:
            bodies[-1] = ""
    return PROGRAM % ("\n".join(bodies), ", ".join(code), threads, "".join(calls), threads)


def sleave(*words):
    return subprocess.run([SLEAVE, *words], capture_output=True, text=True, timeout=600)


def printed(done):
    """Which of several threads that run the same code takes which path makes no difference."""
    return {" ".join(sorted(line.split())) for line in done.stdout.splitlines() if re.fullmatch(r"([0-9]:[0-9a-f]+ )+", line)}


def verdict(text):
    return next((json.loads(line) for line in text.splitlines() if line.startswith("{")), None)


def try_one(number, counts):
    dice = random.Random(SEED * 100000 + number)
    text = program(dice)
    with open("program.c", "w") as file:
        file.write(text)
    compiler = dice.choice(["gcc", "clang"])
    flags = dice.choice([["-O0"], ["-O0"], ["-O1"]])
    done = subprocess.run([SLEAVE, "cc", "-g", *flags, "-Wno-unused", "-o", "program", "program.c"], capture_output=True, text=True,
                          env={**os.environ, "SLEAVE_CC": compiler})
    if done.returncode:
        return "it does not compile: " + done.stderr[-500:]
    all_of = sleave("run", "-s", "dfs", "--races=off", "--show-output", "--json", "-n", "60000", "-t", "60s", "./program")
    j = verdict(all_of.stdout)
    if not j or not j["complete"]:
        counts["too large"] += 1
        return None
    paths = sleave("paths", *os.environ.get("PATHS_OPTIONS", "").split(), "--races=off", "--show-output", "--json", "-t", "60s", "./program")
    p = verdict(paths.stdout)
    if not p or "paths" not in p:
        return "no verdict: %s %s" % (paths.returncode, paths.stderr[-500:])
    p = p["paths"]
    dpor = verdict(sleave("run", "-s", "dpor", "--races=off", "--json", "-t", "60s", "./program").stdout)
    want, got = printed(all_of), printed(paths)
    counts["interleavings"] += j["interleavings"]
    counts["executions"] += p["executions"]
    counts["dpor"] += dpor["interleavings"]
    counts["outcomes"] += len(want)
    if not got <= want:
        return "paths that no interleaving has: %s" % sorted(got - want)
    if not p["complete"]:
        counts["left out"] += 1
        counts.setdefault("why", []).append((number, compiler, flags[0], p["left_out"][:1]))
        return None
    if got != want:
        return "missing: %s of %d (%s %s)" % (sorted(want - got), len(want), compiler, flags[0])
    if p["executions"] > dpor["interleavings"] and dpor["complete"]:
        counts["more than dpor"] += 1
        counts.setdefault("more", []).append((number, p["executions"], dpor["interleavings"]))
    return None


def main():
    counts = {name: 0 for name in ("interleavings", "executions", "dpor", "outcomes", "left out", "too large", "more than dpor")}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(COUNT):
            wrong = try_one(number, counts)
            if wrong:
                failed += 1
                print("program %d of seed %d: %s" % (number, SEED, wrong))
                if failed <= 2:
                    print(open("program.c").read())
        os.chdir("/")
    print(", ".join("%s %s" % (key, value) for key, value in counts.items()))
    if counts["left out"] * 10 > COUNT:
        print("too many searches were not complete")
        failed += 1
    print("%d passed, %d failed" % (COUNT - failed, failed))
    return failed > 0


sys.exit(main())
