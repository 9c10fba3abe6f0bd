#!/usr/bin/env python3
"""Random programs with random schedules: what is explored under a schedule is what follows it of all interleavings.

Every interleaving is run once with --check, which holds no thread and counts those that follow the schedule; then only the
schedule's are run, and there must be as many. The other searches must agree on what these end with. With [...] it matters to
--check from when on a thread is blocked, and to plain orderings it does not: they are compared with themselves beside a formula of
the logic that is always true, to which it does matter.
Usage: compare.py SLEAVE PROGRAM FIRST LAST
"""
import json
import subprocess
import sys
import tempfile

sleave, program, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ALWAYS = ", !!(start@T1 -> end@T1)"
passed = failed = skipped = feasible = 0


def run(seed, plan, *options):
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([sleave, "run", "-q", "--json", "-k", "-t", "60s", "-n", "200000", "--misuse=off", "-o", work, "--schedule", plan,
                               *options, program, str(seed)],
                              capture_output=True, text=True, timeout=120, cwd=work)
    if done.returncode == 2:
        return None
    answer = json.loads(done.stdout)
    followed = sum(s["followed"] for s in answer["schedules"])
    ends = sorted(f["message"] for f in answer["findings"] if f["kind"] not in ("schedule", "deadlock"))
    infeasible = any(f["kind"] == "schedule" for f in answer["findings"])
    return answer["complete"], followed, ends, infeasible, answer["reason"]


for seed in range(first, last + 1):
    plan = subprocess.run([program, str(seed), "plan"], capture_output=True, text=True).stdout.strip()
    dfs = run(seed, plan, "-s", "dfs")
    if dfs is None:  # it says nothing, or contradicts itself
        skipped += 1
        continue
    whole = plan + ALWAYS if "[" in plan else plan
    exact = run(seed, whole, "-s", "dfs")
    check = run(seed, whole, "-s", "dfs", "--check")
    complaint = ""
    if not dfs[0] or not check[0] or not exact[0]:
        complaint = "not complete"
    elif exact[1] != check[1]:
        complaint = f"{exact[1]} executions under the schedule, {check[1]} of all follow it"
    elif exact[2] != dfs[2] or exact[3] != dfs[3]:
        complaint = f"ends {dfs[2]} {dfs[3]} instead of {exact[2]} {exact[3]}"
    elif dfs[1] and dfs[3]:
        complaint = "infeasible, though some follow it"
    elif not dfs[1] and not dfs[3] and not dfs[2]:  # a bad end on the way counts more
        complaint = "none follows it, and that is not said"
    for options in (["-s", "dpor"], ["-s", "icb"], ["--stateful", "-s", "dfs"], ["--stateful", "-s", "bfs"], []):
        other = run(seed, plan, *options)
        if complaint:
            break
        if not other[0]:
            complaint = f"{options}: not complete ({other[4]})"
        elif other[2] != dfs[2] or other[3] != dfs[3]:
            complaint = f"{options}: ends {other[2]} {other[3]} instead of {dfs[2]} {dfs[3]}"
    if complaint:
        failed += 1
        print(f"FAILED program {seed}, {plan}: {complaint}")
    else:
        passed += 1
        feasible += dfs[1] > 0
print(f"{passed} passed, {failed} failed ({skipped} schedules were refused, {feasible} could be followed)")
sys.exit(failed != 0 or passed == 0)
