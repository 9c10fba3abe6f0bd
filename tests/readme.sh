#!/bin/sh
# README's sessions are what one sees: each block with lines that begin with `$ ` is run as it is written, in a folder with copies of
# examples/, and what comes out is compared line by line. `[…]`, alone or with words in it, stands for any lines; how long
# something took, how high bars are, how well a trace is packed and which commit was made is not compared. The first block of C is test.c.
# `cd FOLDER`, alone, is for the rest of its block. Git's settings, and what Sleave remembers, are the test's own.
# usage: tests/readme.sh BUILD
set -u

build=$(cd "${1:?usage: tests/readme.sh BUILD}" && pwd) || exit 99
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cp -r "$root/examples/." "$work" && cd "$work" || exit 99
unset SLEAVE_CC SLEAVE_CXX CC CXX CFLAGS LDFLAGS MAKEFLAGS MAKELEVEL GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE XDG_STATE_HOME
PATH=$build:$PATH LC_ALL=C.UTF-8 HOME=$work/home GIT_CONFIG_NOSYSTEM=1
export PATH LC_ALL HOME GIT_CONFIG_NOSYSTEM
mkdir "$HOME"
if ! command -v git >/dev/null; then
	echo "skipped: no git"
	exit 77
fi
python3 - "$root/README.md" <<'EOF'
import re, subprocess, sys

text = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
with open("test.c", "w") as file:
    file.write(next(body for kind, body in blocks if kind == "c"))

def plain(line):
    line = re.sub(r"[0-9.]+ bytes each", "N bytes each", line) # names have the folder in them
    line = re.sub(r"[▁▂▃▄▅▆▇█]+", "BAR", line)
    line = re.sub(r"in [0-9,]+ executions, which", "in N executions, which", line)
    line = re.sub(r"HEAD \([0-9a-f]{7}\)", "HEAD", line)
    return re.sub(r"in [0-9.,]+ (s|ms)\b", "in T", line.rstrip())

def matches(wanted, got):
    """Do the lines match, where None stands for any number of them?"""
    if not wanted:
        return not got
    if wanted[0] is None:
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and wanted[0] == got[0] and matches(wanted[1:], got[1:])

checks = failed = 0
for kind, body in blocks:
    if kind or not body.startswith("$ "):
        continue
    folder = "."
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        command = command.split("   #")[0]
        if re.fullmatch(r"cd \S+", command):
            folder = command[3:]
            continue
        wanted = [None if line.startswith("[…") else plain(line) for line in expected.splitlines()]
        try:
            done = subprocess.run(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120)
            got = [plain(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
        except subprocess.TimeoutExpired:
            got = ["(no end within two minutes)"]
        while got and not got[0]:
            del got[0]
        checks += 1
        if not matches(wanted, got):
            failed += 1
            print("FAIL $", command)
            print("README says:", *(line if line is not None else "[…]" for line in wanted), sep="\n    ")
            print("it is:", *got, sep="\n    ")
print("%d commands, %d failed" % (checks, failed))
sys.exit(1 if failed or checks < 8 else 0)
EOF
