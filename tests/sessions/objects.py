# For `json` and `items` of commands.sh: values of expressions about JSON on standard input.
import json, os, re, sys

mode, *arguments = sys.argv[1:]
patterns = []
while arguments[:1] == ["-e"]:
    patterns.append(arguments[1])
    arguments = arguments[2:]
text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").splitlines()
objects = []
for line in text:
    if line.startswith("{"):
        objects.append(json.loads(line))
    elif any(re.search(pattern, line) for pattern in patterns) or re.fullmatch(r"\[\d+\]", line):
        print(line)
names = {"os": os}
if mode == "items":
    names.update(lines=objects, items=[o for o in objects if "kind" in o])
elif objects:
    names.update(o=objects[-1], f=(objects[-1].get("findings") or [None])[0])
else:
    sys.exit("no JSON object")
for expression in arguments:
    print(eval(expression, names))
