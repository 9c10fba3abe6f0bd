# Of `sleave trace --json` on standard input: each block that was entered is of the function that is innermost there.
import json, sys

inside, seen = [], 0
for line in sys.stdin:
    item = json.loads(line)
    kind = item.get('kind')
    if kind == 'CALL':
        inside.append(item['object'])
    elif kind == 'RETURN':
        inside.pop()
    elif kind == 'BRANCH':
        assert item['function'] == inside[-1], (item, inside)
        seen += 1
assert seen > 20, seen
