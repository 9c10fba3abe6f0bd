#!/usr/bin/env python3
"""
Executions that follow scripts (strategy/script.c), and what is shown of them: the numbers of operations, the values that are read and written.

usage: tests/scripts.py BUILD

Everything that an execution shows is compared with a memory of bytes that is kept here: what a read sees was written last. All orders of the
operations of two threads are run, and each has exactly the order that its script says.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
SLEAVE = os.path.join(BUILD, "sleave")
ITEM = re.compile(r"(\S+) (\S+) size=(\d+) flags=(\d+) object=([0-9a-f]+) pc=([0-9a-f]+) value=(\d+)$")
END = re.compile(r"end reached=(\d+)/(\d+)(.*)$")
HASH, PART, BESIDE = 1, 2, 4
failed = 0


def check(what, good, *more):
    global failed
    if not good:
        failed += 1
        print("FAILED:", what, *more)


class Execution:
    """What was printed of one: operations as (thread, number, kind, address, size, value before, value written or None, flags)."""

    def __init__(self):
        self.operations, self.announced, self.asked, self.last = [], [], [], None
        self.reached = self.count = None
        self.counts = {}  # of semaphores and barriers
        self.how = ""

    def item(self, thread, kind, size, flags, obj, pc, value):
        if kind == "count":
            self.counts[obj] = value
        elif kind == "asked":
            self.asked.append((thread, pc, size, obj, value))
        elif kind == "value":
            check("a value follows its operation", self.last and self.last[0] == thread, self.last)
            self.operations.append([thread, pc, self.last[1], obj, size, value, None, flags])
            self.announced.append(self.operations[-1])
        elif kind == "written":
            op = next(o for o in reversed(self.operations) if o[0] == thread and o[1] == pc)
            check("a write is told after its operation", op[3] == obj and op[4] == size, op)
            if op is not self.operations[-1]:  # the write of a copied structure was announced before the read
                read = self.operations[-1]
                check("… and before any other", read[:2] == [thread, pc + 1] and read[2] == "READ" and read[4] == size, op, read)
                self.operations.remove(op)
                self.operations.append(op)
            op[6] = value
        self.last = (thread, kind)

    def find(self, thread, kind):
        return [o for o in self.operations if o[0] == thread and o[2] == kind]


def run(program, scripts, *options, status=0, arguments=()):
    """The executions of the scripts; the first is the calm one."""
    with open("scripts", "w") as file:
        file.write("".join(script + "\n" for script in scripts))
    done = subprocess.run([SLEAVE, "scripts", "scripts", "--races=off", *options, "./" + program, *arguments], capture_output=True, text=True,
                          timeout=300)
    check(f"{program} ends", done.returncode == status, done.returncode, done.stderr[-2000:])
    executions = []
    for line in done.stdout.splitlines():
        if line.startswith("execution "):
            executions.append(Execution())
        elif ITEM.match(line):
            t, kind, size, flags, obj, pc, value = ITEM.match(line).groups()
            executions[-1].item(t, kind, int(size), int(flags), int(obj, 16), int(pc, 16), int(value))
        elif END.match(line):
            e = executions[-1]
            e.reached, e.count, e.how = int(END.match(line)[1]), int(END.match(line)[2]), END.match(line)[3]
    return executions


def remember(e):
    """Every read sees what was written last."""
    memory, hashes = {}, {}
    for thread, number, kind, address, size, before, after, flags in e.operations:
        if flags & BESIDE:
            continue
        if flags & HASH:
            if address in hashes:
                check("a hash of the same bytes", hashes[address] == (size, before), thread, number, kind)
            hashes[address] = (size, before if after is None else after)
            continue
        known = [memory.get(address + i) for i in range(size)]
        for i, byte in enumerate(known):
            check("a read sees what was written last", byte is None or byte == before >> 8 * i & 255, thread, number, kind, before)
        value = before if after is None else after
        for i in range(size):
            memory[address + i] = value >> 8 * i & 255
    for name in {o[0] for o in e.operations}:
        numbers = [o[1] for o in e.announced if o[0] == name]
        check("numbers of operations grow", numbers == sorted(set(numbers)), name, numbers)


def every_order(program, first, second, shared, *options):
    """All orders of the operations on shared data of two threads."""
    calm = run(program, [], *options)[0]
    ops = [[o[1] for o in calm.operations if o[0] == t and shared(o)] for t in (first, second)]
    check(f"{program}: both threads have operations", all(ops), ops)
    orders = []
    for places in itertools.combinations(range(len(ops[0]) + len(ops[1])), len(ops[0])):
        left = [list(ops[0]), list(ops[1])]
        orders.append([(first, left[0].pop(0)) if i in places else (second, left[1].pop(0)) for i in range(len(ops[0]) + len(ops[1]))])
    executions = run(program, [" ".join(f"{t}:{n}" for t, n in order) for order in orders], *options)
    check(f"{program}: each script has an execution", len(executions) == 1 + len(orders), len(executions), len(orders))
    results = set()
    for order, e in zip(orders, executions[1:]):
        check(f"{program}: the script is followed", e.reached == e.count and not e.how, e.reached, e.count, e.how)
        got = [(o[0], o[1]) for o in e.operations if o[0] in (first, second) and shared(o)]
        check(f"{program}: … in its order", got == order, order, got)
        remember(e)
        results.add(tuple(o[5] for o in e.operations if o[0] in (first, second) and shared(o)))
    return len(orders), len(results)


PLAIN = r"""
#include <pthread.h>
#include <stdatomic.h>
%s x, y;
int seen;
static void *one(void *a) { (void)a; x = 1; seen = y; x = 3; return 0; }
static void *two(void *a) { (void)a; y = 1; x = x + 4; return 0; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""

LARGE = r"""
#include <pthread.h>
#include <string.h>
struct large { long one, two, three; char rest[40]; } x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *a)
{
	struct large mine;
	(void)a;
	memset(&mine, 7, sizeof(mine));
	pthread_mutex_lock(&m);
	memcpy(&x, &mine, sizeof(x));
	y = x;
	pthread_mutex_unlock(&m);
	return 0;
}
static void *two(void *a)
{
	(void)a;
	pthread_mutex_lock(&m);
	x = y;
	memmove(&y, &x, sizeof(y));
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""

WAITS = r"""
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int first, late, chosen;
sem_t s;
static void *waiter(void *a)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	if (!first)
		first = (int)(long)a;
	pthread_mutex_unlock(&m);
	return 0;
}
static void *timed(void *a)
{
	struct timespec until;
	(void)a;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	late = sem_timedwait(&s, &until) != 0;
	chosen = sleave_choose(3);
	return 0;
}
int main(void)
{
	pthread_t a, b, t;
	sem_init(&s, 0, 0);
	pthread_create(&a, 0, waiter, (void *)1);
	pthread_create(&b, 0, waiter, (void *)2);
	pthread_create(&t, 0, timed, 0);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	sem_post(&s);
	pthread_join(t, 0);
	return 0;
}
"""

COUNTS = r"""
#include <pthread.h>
#include <semaphore.h>
pthread_barrier_t b;
sem_t s;
static void *both(void *a)
{
	(void)a;
	pthread_barrier_wait(&b);
	sem_wait(&s);
	return 0;
}
__attribute__((constructor)) static void early(void) { if (%d) { pthread_barrier_init(&b, 0, 2); sem_init(&s, 0, 3); } }
int main(void)
{
	pthread_t t;
	if (!%d) {
		pthread_barrier_init(&b, 0, 2);
		sem_init(&s, 0, 3);
	}
	pthread_create(&t, 0, both, 0);
	both(0);
	pthread_join(t, 0);
	return 0;
}
"""

FAILS = r"""
#include <assert.h>
#include <pthread.h>
int x, crash;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *a) { (void)a; pthread_mutex_lock(&m); x = 5; pthread_mutex_unlock(&m); return 0; }
static void *two(void *a)
{
	int seen;
	(void)a;
	pthread_mutex_lock(&m);
	seen = x;
	pthread_mutex_unlock(&m);
	if (seen == 5 && crash)
		*(volatile int *)8 = 1;
	assert(seen != 5);
	return 0;
}
int main(int n, char **words)
{
	pthread_t a, b;
	(void)words;
	crash = n > 1;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""


def build(name, text, *options):
    with open(name + ".c", "w") as file:
        file.write(text)
    done = subprocess.run([SLEAVE, "cc", *options, "-g", "-I" + os.path.join(os.path.dirname(BUILD), "include"), "-o", name, name + ".c"],
                          capture_output=True, text=True)
    check(f"{name} is built", done.returncode == 0, done.stderr)


def accesses(o):
    return not o[7] & BESIDE


def waits():
    """Which waiter is woken, time limits, values that are chosen."""
    asleep = "0.1:%d 0.2:%d"
    calm = run("waits", [])[0]
    wait = {t: calm.find(t, "COND_WAIT") for t in ("0.1", "0.2")}
    numbers = {}
    for t in ("0.1", "0.2"):
        e = run("waits", [f"{t}:50"])[1]
        numbers[t] = e.find(t, "COND_WAIT")[0][1]
    asleep %= (numbers["0.1"], numbers["0.2"])
    signal = run("waits", [asleep])[1].find("0", "COND_SIGNAL")[0][1]
    for who in ("0.1", "0.2"):
        e = run("waits", [f"{asleep} 0:{signal} wake={who}"])[1]
        check("the waiter is woken", e.reached == e.count == 4 and not e.how, e.reached, e.how)
        check("… as the signal tells", e.find("0", "COND_SIGNAL")[0][5] == int(who[2]) + 1, e.find("0", "COND_SIGNAL"))
        check("… and it is told that this was a choice", [(a[0], a[3], a[4]) for a in e.asked][:1] == [("0", int(who[2]), 2)], e.asked)
        remember(e)
    e = run("waits", [f"{asleep} 0:{signal} wake=0.3"])[1]
    check("a thread that does not wait can't be woken", e.reached == 3 and e.how == " strayed", e.reached, e.how)
    e = run("waits", ["0.1:99"])[1]
    check("a thread can't go on that waits", e.reached == 0 and e.how == " strayed", e.reached, e.how)
    # in the calm order the semaphore is posted first; a script lets the time be over
    clock = calm.find("0.3", "CLOCK")[0][1]
    post = calm.find("0", "SEM_POST")
    check("the semaphore is posted", len(post) == 1)
    took = [o for o in calm.operations if o[0] == "0.3" and o[2] in ("SEM_WAIT", "TIMEOUT", "SEM_TIMEDWAIT")][0]
    e = run("waits", [f"0.3:{took[1]}"])[1]
    late = [o for o in e.operations if o[0] == "0.3" and o[1] == took[1]]
    check("the time is over", late and late[0][2] == "TIMEOUT" and clock < took[1], took, late)
    check("… as the script says", e.reached == 1 and not e.how, e.reached, e.how)
    choose = calm.find("0.3", "CHOOSE")[0][1]
    for value in range(3):
        e = run("waits", [f"0.3:{choose} value={value}"])[1]
        check("the value is chosen", e.reached == 2 and not e.how and e.find("0.3", "CHOOSE")[0][5] == value, e.reached, e.how)
    e = run("waits", [f"0.3:{choose} value=3"])[1]
    check("there are three values", e.reached == 1 and e.how == " strayed", e.reached, e.how)


def fails():
    """Findings, in every world: the search goes on after them, and says how each execution ended."""
    for world in ("memory", "fork", "exec"):
        for arguments in ((), ("crash",)):
            executions = run("fails", ["0.2:5 0.1:5", "0.1:5 0.2:5", "0.2:5 0.1:5"], "--keep-going", "--output=out", "--world=" + world, status=1,
                             arguments=arguments)
            check("all scripts are run", len(executions) == 4, world, arguments, len(executions))
            check("… and only one fails", ["found" in e.how for e in executions] == [False, False, True, False], [e.how for e in executions])
            for e in executions:
                remember(e)


def main():
    compilers = [c for c in ("gcc", "clang") if subprocess.run(["sh", "-c", f"command -v {c}"], capture_output=True).returncode == 0]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for compiler in compilers:
            os.environ["SLEAVE_CC"] = compiler
            for level in ("-O0", "-O2"):
                for what, kind in (("plain", "volatile int"), ("atomic", "atomic_int")):
                    build(what, PLAIN % kind, level)
                    addresses = {}
                    for o in run(what, [])[0].operations:
                        if accesses(o) and o[0] in ("0.1", "0.2") and o[4] == 4:
                            addresses.setdefault(o[3], set()).add(o[0])
                    shared = {a for a, threads in addresses.items() if len(threads) == 2}
                    orders, results = every_order(what, "0.1", "0.2", lambda o: accesses(o) and o[3] in shared)
                    print(f"{compiler} {level} {what}: {orders} orders, {results} results")
                    check("orders matter", 1 < results <= orders)
                build("large", LARGE, level)
                for e in run("large", ["0.1:20 0.2:20", "0.2:20 0.1:20"]):
                    remember(e)
                    check("large objects have a hash", any(o[7] & HASH and o[6] is not None for o in e.operations))
                build("waits", WAITS, level)
                waits()
                for early in (0, 1):
                    build("counts", COUNTS % (early, early), level)
                    e = run("counts", [])[0]
                    objects = {o[2]: o for o in e.operations}
                    check("counts of barriers and semaphores are told", sorted(e.counts.values()) == [2, 3], early, e.counts)
                    check("… the first to take one sees it", {o[5] for o in e.operations if o[2] == "SEM_WAIT"} == {3, 2}, objects)
                build("fails", FAILS, level)
                fails()
    print("FAILED" if failed else "all is well")
    return 1 if failed else 0


sys.exit(main())
