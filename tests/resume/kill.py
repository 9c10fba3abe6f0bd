"""Runs a search undisturbed, then once more, killed with SIGKILL at random moments and resumed until it ends, and compares.

	kill.py SLEAVE SEED KILLS LONGEST [--shared] PROGRAM OPTION...

LONGEST: seconds from a start to the kill, at most. --shared: how often workers meet is a matter of luck, so the number of
executions is not compared. The folder must have nothing else in it.
"""
import glob
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

sleave, seed, kills, longest, *rest = sys.argv[1:]
shared = rest[0] == "--shared"
program, *options = rest[shared:]
# each process begins with executions that are no part of the search, and states that it had kept are gone with it
stateful = any("stateful" in option for option in options)
dice = random.Random(int(seed))
kills, longest = int(kills), float(longest)


def forget():
    for name in glob.glob("*.sleave") + glob.glob("counts"):
        os.unlink(name)
    shutil.rmtree(".sleave", ignore_errors=True)


def counted():
    with open("counts", "rb") as file:
        return struct.unpack("2Q", file.read(16))


def judged(text):
    """What a search came to; None: it did not end by itself."""
    try:
        o = json.loads(text)
    except ValueError:
        return None
    # how much of it was put down twice is not what was found
    return {
        "verdict": o["verdict"],
        "complete": o["complete"],
        "interleavings": o["interleavings"],
        "findings": sorted((f["kind"], f["message"], f["preemptions"]) for f in o["findings"]),
        "warnings": sorted((f["kind"], f["message"]) for f in o["warnings"]),
    }


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


begin = [sleave, "run", "--json", "--time=1000s", *options, program]  # never ended by the time, on a busy machine
forget()
calm = judged(subprocess.run(begin, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300).stdout)
calm_count, calm_files = counted(), len(glob.glob("*.sleave"))

forget()
command, done, restless, gone_on = begin, 0, None, False
deadline = time.monotonic() + 300
while restless is None:
    if time.monotonic() > deadline:
        sys.exit(f"after {done} kills it still has not ended")
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    killed = done < kills
    if killed:
        time.sleep(dice.uniform(0, longest))
        victims = [run.pid, *children(run.pid)]
        for pid in victims if dice.random() < 0.5 else reversed(victims):
            kill(pid)
        done += 1
    out, err = run.communicate()
    left = glob.glob(".sleave/*.run")
    gone_on = gone_on or "resuming after" in err
    if not gone_on and "no run can be resumed" in err:
        forget()  # it was killed before it had begun: its file is kept for a while
        command = begin
        continue
    if "that run has done its" in err:  # it was killed between its end and what it says of it
        forget()
        command, gone_on = begin, False
        continue
    # which was faster: if the command still ran when its workers were gone, it has reported that
    if not killed or (judged(out) and "SIGKILL" not in out + err and "signal 9" not in out + err):
        restless = judged(out)
        if restless is None:
            sys.exit(f"after {done} kills: {out} {err}")
        break
    if left:
        command = [sleave, "run", "--resume", "--json"]
    elif command != begin:
        sys.exit(f"after {done} kills there is nothing left to resume, and no verdict: {out} {err}")
count, files = counted(), len(glob.glob("*.sleave"))
reason = json.loads(out)["reason"]

if shared or stateful:
    calm_count = count
wrong = [
    calm != restless and f"undisturbed: {calm}\nresumed: {restless}, because: {reason}",
    not calm_count[0] <= count[0] <= calm_count[0] + done and "executions that were begun",
    not calm_count[1] <= count[1] <= calm_count[1] + done and "executions that came to their end",
    files != calm_files and "replay files",
    not killed and restless["complete"] and os.path.exists(".sleave") and f"the file of the run is still there: {os.listdir('.sleave')}",
]
for name in sorted(glob.glob("*.sleave"))[:2]:
    status = subprocess.run([sleave, "replay", name], capture_output=True, stdin=subprocess.DEVNULL, timeout=60).returncode
    wrong.append(status != 1 and f"{name} is not replayed")
said = f"{done} kills, executions {calm_count} and {count}, replay files {calm_files} and {files}"
wrong = [text for text in wrong if text]
forget()
if wrong:
    sys.exit(f"{said}\n" + "\n".join(wrong))
print(f"{done} {said}")
