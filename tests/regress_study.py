#!/usr/bin/env python3
"""The evaluation of prioritisation by changes (bench/regress) in a very small form: its tables are well-formed, and their figures are
those of the measurements, which are those that `sleave regress --json` tells; its statistics are as calculated by hand. The evaluation
of predicted violations (bench/regress/predict) in the same way.

usage: tests/regress_study.py BUILD_DIR
"""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "regress")
sys.path.insert(0, STUDY)

import stats  # noqa: E402

SUBJECT = "bubble_sort"
HEURISTICS = ["LOA", "FS"]
passed, failed = 0, []


def check(what, holds, *told):
    global passed
    if holds:
        passed += 1
    else:
        failed.append(what)
        print("FAILED", what, *told)


def same(what, got, wanted):
    check(what, got == wanted, f"{got!r}, expected {wanted!r}")


def close(what, got, wanted):
    check(what, math.isclose(got, wanted, rel_tol=1e-4), f"{got!r}, expected {wanted!r}")


def statistics():
    close("a geometric mean", stats.geometric_mean([1, 10, 100]), 10)
    same("ranks, with a tie", stats.ranks([7, 3, 7, 1]), [3.5, 2, 3.5, 1])
    same("a median between two values", stats.median([4, 1, 2, 3]), 2.5)
    same("a quartile", stats.quantile([1, 2, 3, 4, 5], 0.25), 2)
    # U = 0; the mean of U is 12.5, its variance 25 * 11 / 12: z = 12 / 4.787
    u, p = stats.mann_whitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    same("U of two samples without overlap", u, 0)
    close("p of two samples without overlap", p, 0.0121858)
    # ranks 1, 2.5, 4.5 and 2.5, 4.5, 6; two ties of two: variance 9 / 12 * (7 - 12 / 30) = 4.95
    u, p = stats.mann_whitney([1, 2, 3], [2, 3, 4])
    same("U with ties", u, 2)
    close("p with ties", p, math.erfc(2 / math.sqrt(4.95) / math.sqrt(2)))
    same("p of what is all the same", stats.mann_whitney([1, 1], [1, 1]), (2, 1.0))
    same("A12: less is better", stats.a12([1, 2], [3, 4]), 1)
    same("A12: worse", stats.a12([3, 4], [1, 2]), 0)
    close("A12 with ties", stats.a12([1, 2, 3], [2, 3, 4]), 7 / 9)


def tables(text):
    """What lies between a line of dashes and an empty line, with the heads above."""
    lines, found = text.splitlines(), []
    for i, line in enumerate(lines):
        if i and line.replace(" ", "") and not line.replace(" ", "").strip("-"):
            columns, at = [], 0
            for dashes in line.split():
                start = line.index(dashes, at)
                at = start + len(dashes)
                columns.append((start, at))
            end = next((k for k in range(i, len(lines)) if not lines[k]), len(lines))
            found.append([[row[a:b].strip() for a, b in columns] for row in [lines[i - 1], *lines[i + 1:end]]])
            check("no cell is wider than its column", all(not "".join(row[b:b + 2] for _, b in columns).strip()
                                                          for row in [lines[i - 1], *lines[i + 1:end]]), line)
    return found


def value(cell):
    return float(cell.strip("*<> ").replace(",", ""))


def shown(wanted):
    return f"{wanted:,.1f}" if wanted < 100 else f"{wanted:,.0f}"


def study(sleave, folder):
    files = {name: os.path.join(folder, name) for name in ("all.csv", "all.json", "plots")}
    words = [os.path.join(STUDY, "run"), f"--subject={SUBJECT}", "--seeds=1", "--default-seeds=1", "--runs=2", "--clean=20",
             "--most=3000", "--plots", files["plots"], "--csv", files["all.csv"], "--json", files["all.json"],
             *[f"--heuristic={h}" for h in HEURISTICS], sleave]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check("the study ends", done.returncode in (0, 1), done.returncode, done.stdout, done.stderr)
    if done.returncode not in (0, 1):
        return
    with open(files["all.json"], encoding="utf-8") as file:
        told = json.load(file)
    with open(files["all.csv"], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    every = told["measurements"]
    same("the CSV has all measurements", [(r["part"], r["search"], r["heuristic"], int(r["cost"])) for r in rows],
         [(m["part"], m["search"], m["heuristic"], m["cost"]) for m in every])
    same("how many there are", len(every), 3 * 3 + 2 * 3 + 2 + 2)

    def cost(part, search, heuristic=""):
        return next(m["cost"] for m in every if (m["part"], m["search"], m["heuristic"]) == (part, search, heuristic))

    found = tables(done.stdout)
    same("six tables", len(found), 6)
    for rows, search in zip(found, ("stateless", "stateful", "stateful-bfs")):
        part = search.split("-")[0]
        basic = cost(part, search, "BASIC")
        same(f"{search}: heads", rows[0], ["", "basic", *HEURISTICS])
        same(f"{search}: subjects", [r[0] for r in rows[1:-1]], [SUBJECT])
        same(f"{search}: the basic cost", value(rows[1][1]), basic)
        for i, h in enumerate(HEURISTICS):
            ratio = basic / cost(part, search, h)
            same(f"{search}: the speed-up of {h}", rows[1][2 + i].strip("*<> "), shown(ratio))
            if basic >= 100:
                close(f"{search}: the mean of {h}", told["means"][search][h], ratio)
                same(f"{search}: the mean of {h} in the table", rows[-1][2 + i], shown(ratio))
        same(f"{search}: the best is marked", any("*" in c for c in rows[1][2:]), True)
    same("random: heuristics", [r[0] for r in found[3][1:]], HEURISTICS)
    run, regress = cost("default", "run"), cost("default", "regress")
    same("default: executions", [value(c) for c in found[4][1][1:4]], [run, regress, float(shown(run / regress))])
    same("native: a row", found[5][1][0], SUBJECT)
    same("native: failures", [int(c) for c in found[5][1][3:5]], [cost("native", "new"), cost("native", "old")])
    same("the correct version is clean", found[5][1][5], "clean")

    for search in ("stateless", "stateful"):
        root = xml.etree.ElementTree.parse(os.path.join(files["plots"], f"{search}.svg")).getroot()
        same(f"{search}: boxes", sum(e.get("class") == "box" for e in root.iter()), 1 + len(HEURISTICS))

    again(sleave, folder, cost("stateless", "stateless", "LOA"))


def again(sleave, folder, wanted):
    """One of the measurements, by hand."""
    programs = {}
    for version in ("old", "new"):
        there = os.path.join(folder, version)
        shutil.copytree(os.path.join(STUDY, "subjects", SUBJECT), there)
        if version == "new":
            subprocess.run(["patch", "-s", "-p1", "-i", "change.patch"], cwd=there, check=True)
        programs[version] = os.path.join(there, "test")
        subprocess.run([sleave, "cc", "-O1", "-g", "-pthread", "-o", "test", *sorted(f for f in os.listdir(there) if f.endswith(".c"))],
                       cwd=there, check=True)
    done = subprocess.run([sleave, "regress", "--json", "-q", "--check-determinism=off", "--prioritise=LOA", "-n", "3000",
                           "--old-program", programs["old"], "--", programs["new"]], cwd=folder, capture_output=True, text=True)
    same("a search by hand finds the fault", done.returncode, 1)
    same("a search by hand has the cost of the study", json.loads(done.stdout)["spent"]["search"], wanted)


def predictions(sleave, folder):
    """Tables I to III and the curve, of two subjects, and a measurement by hand."""
    out = os.path.join(folder, "predict.json")
    done = subprocess.run([os.path.join(STUDY, "predict"), "--runs=1", "--time=20s", "--most=200", "--subject=vector_copy",
                           "--subject=logger", "--json", out, sleave], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check("the study of predictions ends", done.returncode in (0, 1), done.returncode, done.stdout, done.stderr)
    if done.returncode not in (0, 1):
        return
    with open(out, encoding="utf-8") as file:
        told = json.load(file)
    rows = {part: {r["subject"]: r for r in told["measurements"] if r["part"] == part} for part in ("analysis", "effort")}
    first, second, unmerged, third = tables(done.stdout)
    names = ["vector_copy", "logger"]
    for title, found in (("I", first), ("II", second), ("of what there is without merging", unmerged), ("III", third)):
        same(f"table {title}: subjects", [r[0] for r in found[1:]], names)
    for name, one, two, apart, three in zip(names, first[1:], second[1:], unmerged[1:], third[1:]):
        a, e = rows["analysis"][name], rows["effort"][name]
        i, every = a["impacted"], a["all"]
        same(f"{name}: accesses", [value(c) for c in one[5:]], [i["accesses"], i["shared"]])
        same(f"{name}: potential violations", [value(two[3]), value(two[5])], [i["potential"], every["potential"]])
        same(f"{name}: how many fewer", two[7], shown(every["potential"] / i["potential"]))
        same(f"{name}: how much faster", [two[8], two[9]], [shown(every["phase_2"] / i["phase_2"]),
                                                           shown(every["phase_2"] / (i["phase_1"] + i["phase_2"]))])
        same(f"{name}: without merging", [value(apart[1]), value(apart[2])], [i["unmerged"], every["unmerged"]])
        same(f"{name}: fewer by selection, merging and both", apart[3:6],
             [shown(every["unmerged"] / n) for n in (i["unmerged"], every["potential"], i["potential"])])
        check(f"{name}: merging adds nothing", i["potential"] <= i["unmerged"] <= every["unmerged"])
        check(f"{name}: both phases took time", i["phase_1"] > 0 and i["phase_2"] > 0 and every["phase_2"] > 0)
        check(f"{name}: the change makes fewer possible than there are", i["potential"] <= every["potential"])
        same(f"{name}: a violation is confirmed", two[10], "yes")
        same(f"{name}: executions", value(three[1].lstrip(">")), e["explored"])
        same(f"{name}: executions, predicted", value(three[2]), i["executions"])
        same(f"{name}: ratio", three[3].lstrip(">"), shown(e["explored"] / e["total"]))
    close("the mean of one subject is its own", told["means"]["fewer"],
          rows["analysis"]["logger"]["all"]["potential"] / rows["analysis"]["logger"]["impacted"]["potential"])
    done = subprocess.run([os.path.join(STUDY, "predict"), "--part=curve", "--subject=cache", "--curve=1", "--curve=2", sleave],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    curve = tables(done.stdout)[0]
    lengths = [value(r[0]) for r in curve[1:]]
    check("the second trace is twice as long", len(lengths) == 2 and 1.9 < lengths[1] / lengths[0] < 2.1, lengths)
    check("its classes are not", value(curve[2][2]) <= 1.1 * value(curve[1][2]), curve)


def main():
    sleave = os.path.join(os.path.abspath(sys.argv[1]), "sleave")
    folder = tempfile.mkdtemp(prefix="sleave-study-")
    try:
        statistics()
        study(sleave, folder)
        predictions(sleave, folder)
    finally:
        shutil.rmtree(folder)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
