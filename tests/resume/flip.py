"""A run is killed, one byte of its strategy's tables is changed, and it is resumed: it is refused as damaged, or the byte was of no
consequence, and it comes to what an undisturbed run comes to.

	flip.py SLEAVE STATES_AT SEED FLIPS PROGRAM OPTION...

Prints how often it was refused. The folder must have nothing else in it.
"""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sleave, states_at, seed, flips, program, *options = sys.argv[1:]
dice = random.Random(int(seed))
begin = [sleave, "run", "--json", "--time=1000s", *options, program]


def forget():
    for name in glob.glob("*.sleave") + glob.glob("counts"):
        os.unlink(name)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def come_to(text):
    o = json.loads(text)
    return o["verdict"], o["complete"], o["interleavings"]


def killed_run():
    """The file of a run that was killed in the middle of its search."""
    pause = 0.2
    while True:
        shutil.rmtree(".sleave", ignore_errors=True)
        run = subprocess.Popen(begin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        time.sleep(pause)
        if run.poll() is None:
            for pid in [run.pid] + children(run.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        run.wait()
        files = glob.glob(".sleave/*.run")
        if files and tables(files[0]):
            return files[0]
        pause *= 0.8


def tables(name):
    """Where the tables of the strategy have bytes that are not 0."""
    at, size = map(int, subprocess.check_output([states_at]).split())
    found, end = [], at + size
    with open(name, "rb") as file:
        while True:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                return found
            if at >= end:
                return found
            hole = min(os.lseek(file.fileno(), at, os.SEEK_HOLE), end)
            found += [at + i for i, byte in enumerate(os.pread(file.fileno(), min(hole - at, 1 << 20), at)) if byte]
            at = hole


calm = come_to(subprocess.run(begin, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300).stdout)
forget()
refused = 0
for attempt in range(6):
    # a run that was killed in its first execution begins anew, whatever its tables are
    kept = killed_run()
    places = tables(kept)
    for _ in range(int(flips)):
        forget()
        subprocess.check_call(["cp", "--sparse=always", kept, "flipped.run"])
        # the first bytes are what all the rest depends on; most others may be of a cache
        at, bit = dice.choice(places if dice.random() < 0.5 else places[:40]), 1 << dice.randrange(8)
        with open("flipped.run", "r+b") as file:
            byte = os.pread(file.fileno(), 1, at)[0]
            os.pwrite(file.fileno(), bytes([byte ^ bit]), at)
        run = subprocess.run([sleave, "run", "--json", "--resume=flipped.run"], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=300)
        if run.returncode == 3 and "damaged" in run.stderr:
            refused += 1
        elif run.returncode not in (0, 1) or come_to(run.stdout) != calm:
            sys.exit(f"byte {at - places[0]} of the tables, bit {bit}: status {run.returncode}, {run.stdout[:200]} {run.stderr[-300:]}; undisturbed: {calm}")
        if os.path.exists("flipped.run"):
            os.unlink("flipped.run")
    if refused:
        break
shutil.rmtree(".sleave", ignore_errors=True)
if not refused:
    sys.exit("no damage was noticed")
print(refused)
