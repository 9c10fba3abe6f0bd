# Of `sleave trace --json --locks` on standard input: every execution is there once, its items are numbered from 1 on, it begins with
# the start of the program and ends with its end (unless it is cut, as the arguments say), and a thread returns from what
# it called and holds no lock in the end. Prints how many workers, executions and different executions there are.
import json, sys
parts = {}
for line in sys.stdin:
    item = json.loads(line)
    if 'kind' in item and 'finding' not in item:
        parts.setdefault((item['part'], item.get('worker'), item['execution']), []).append(item)
assert len({key[1:] for key in parts}) == len(parts)
for key, items in parts.items():
    assert [i['number'] for i in items] == list(range(1, len(items) + 1)), key
    assert items[0]['kind'] == 'START' and items[0]['thread'] == 0, key
    assert all(i['thread_path'] for i in items), key
    if 'cut' in sys.argv:
        continue
    assert items[-1]['kind'] in ('EXIT', 'RETURN'), (key, items[-1])
    assert sum((i['kind'] == 'CALL') - (i['kind'] == 'RETURN') for i in items) == 0, key
    assert items[-1]['locks'] == [], key
orders = {tuple((i['thread_path'], i['kind'], i.get('object')) for i in items if i['kind'].startswith('ATOMIC')) for items in parts.values()}
print(len({key[1] for key in parts}), len(parts), len(orders))
