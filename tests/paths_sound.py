#!/usr/bin/env python3
"""No read that affects a branch is missed: random programs, each with many interleavings (src/paths/flow.h).

Usage: tests/paths_sound.py BUILD [PROGRAMS [SEED]]

What a thread executes must follow from what its mattering reads, and those of the other threads, have seen: if these saw the same writes in two
executions, all threads went the same ways. The executions are random ones.
"""
import os
import random
import subprocess
import sys
import tempfile

EXECUTIONS = 400


class Program:
    """A program of two or three threads that read and write a few variables, with branches on some of them."""

    def __init__(self, rng):
        self.rng = rng
        self.depth = 0
        self.locals = 0

    def variable(self):
        return self.rng.choice(["x0", "x1", "x2", "s.a", "s.b", "c0", "a[0]", "a[1]", "p->b", "*q"])

    def operand(self):
        kind = self.rng.randrange(10)
        if kind < 5:
            return self.variable()
        if kind < 7 and self.locals:
            return f"v{self.rng.randrange(self.locals)}"
        if kind == 7:
            return f"a[{self.operand()} & 1]"
        if kind == 8:
            return f"{self.rng.choice(['twice', 'big', 'get_x', 'read_of'])}({self.argument()})"
        return str(self.rng.randrange(4))

    def argument(self):
        return self.rng.choice(["x0", "x1", "s.a", "c0", "1", "2"])

    def expression(self):
        kind = self.rng.randrange(6)
        if kind < 3:
            return self.operand()
        if kind == 3:
            return f"{self.operand()} + {self.operand()}"
        if kind == 4:
            return f"({self.operand()} > 1 ? {self.operand()} : {self.operand()})"
        return f"({self.operand()} && {self.operand()})"

    def statement(self, out, indent):
        kind = self.rng.randrange(16)
        if kind < 4 or kind > 13:
            value = self.expression() if kind < 3 else self.rng.randrange(1, 4)
            out.append(f"{indent}{self.variable()} = {value};")
        elif kind < 6:
            out.append(f"{indent}int v{self.locals} = {self.expression()};" if self.depth == 0 else f"{indent}sink = {self.expression()};")
            self.locals += self.depth == 0
        elif kind < 9 and self.depth < 2:
            self.depth += 1
            out.append(f"{indent}if ({self.expression()}) {{")
            self.statement(out, indent + "\t")
            if self.rng.randrange(2):
                out.append(f"{indent}}} else {{")
                self.statement(out, indent + "\t")
            out.append(f"{indent}}}")
            self.depth -= 1
        elif kind == 9 and self.depth < 2:
            self.depth += 1
            out.append(f"{indent}for (int i = 0; i < ({self.operand()} & 3); i++) {{")
            self.statement(out, indent + "\t")
            out.append(f"{indent}}}")
            self.depth -= 1
        elif kind == 10:
            out.append(f"{indent}put(&{self.rng.choice(['x0', 'x1', 's.a', 'a[1]'])}, {self.expression()});")
        elif kind == 11:
            out.append(f"{indent}{self.rng.choice(['t = s;', 's = t;', 'sink = t.a;', 'if (t.b) sink = 7;'])}")
        elif kind == 12 and self.depth == 0:
            out.append(f"{indent}pthread_mutex_lock(&m);")
            self.depth += 1
            self.statement(out, indent)
            self.depth -= 1
            out.append(f"{indent}pthread_mutex_unlock(&m);")
        else:
            out.append(f"{indent}sink = {self.expression()};")

    def text(self):
        out = ["#include <pthread.h>", "struct two { int a, b; } s, t;", "int x0, x1 = 1, x2, a[2] = {0, 2};", "char c0;",
               "struct two *p = &s;", "int *q = &x2;", "volatile int sink;",
               "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
               "static int twice(int v) { return 2 * v; }",
               "static int big(int v) { if (v > 1) return 1; return 0; }",
               "static int get_x(int v) { return v ? x1 : 3; }",
               "static int __attribute__((noinline)) read_of(int v) { sink = v; return s.b + v; }",
               "static void put(int *to, int v) { *to = v; }"]
        threads = self.rng.choice([2, 2, 3])
        for number in range(threads):
            self.locals = 0
            out.append(f"static void *t{number}(void *arg)\n{{")
            for _ in range(self.rng.randrange(3, 8 if threads == 2 else 6)):
                self.statement(out, "\t")
            out.append("\treturn arg;\n}")
        out.append("int main(void)\n{\n\tpthread_t t[3];")
        for number in range(threads):
            out.append(f"\tpthread_create(&t[{number}], 0, t{number}, 0);")
        for number in range(threads):
            out.append(f"\tpthread_join(t[{number}], 0);")
        out.append("\treturn 0;\n}")
        return "\n".join(out) + "\n"


def run(*command, **options):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60, **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, f"{command[0]} takes too long")


def main():
    build = os.path.abspath(sys.argv[1])
    programs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    compilers = [name for name in ("gcc", "clang") if run("sh", "-c", f"command -v {name}").returncode == 0]
    failed = executions = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(seed, seed + programs):
            text = Program(random.Random(number)).text()
            with open("program.c", "w") as file:
                file.write(text)
            compiler = compilers[number % len(compilers)]
            level = ("-O0", "-O2", "-O1")[number // len(compilers) % 3]
            made = run(f"{build}/sleave", "cc", "--branches", "-w", "-g", "-no-pie", level, "-o", "program", "program.c",
                       env={**os.environ, "SLEAVE_CC": compiler})
            if made.returncode:
                print(f"program {number}: {made.stdout}")
                failed += 1
                continue
            explored = run(f"{build}/sleave", "run", "-s", "random", "-q", "--races=warn", "--keep-going", f"--schedules={EXECUTIONS}",
                           "--trace=program.trace", "./program")
            told = run(f"{build}/tests/paths_flows", "--sound", "program.trace", "program")
            if told.returncode or not told.stdout.strip():
                print(f"program {number}, {compiler} {level}: {told.stdout}{explored.stdout[-500:] if told.returncode > 1 else ''}")
                if told.returncode == 1 and "-v" in sys.argv:
                    print(text)
                failed += 1
            else:
                executions += int(told.stdout.split()[0])
    print(f"{programs} programs, {executions} executions, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
