# perfetto.json has a track for each thread of all.c, on which what begins ends.
import json

events = json.load(open('perfetto.json'))['traceEvents']
names = {e['tid']: e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
assert names == {1: 'main', 2: 'T1'} or names == {1: 'main', 2: 'T1 helper'}, names
assert {e['pid'] for e in events} == {1} # that of the main thread
for tid in names:
    slices = []
    for e in events:
        if e['tid'] == tid and e['ph'] == 'B':
            slices.append(e['name'])
        elif e['tid'] == tid and e['ph'] == 'E':
            assert e['name'] == slices.pop() # some versions of Perfetto end none of another name
    assert not slices
held = [e for e in events if e['ph'] == 'b']
assert len(held) == len([e for e in events if e['ph'] == 'e']) and held
assert any(e['ph'] == 'B' and e['name'] == 'make' for e in events)
assert any(e['ph'] == 'B' and e['name'] == 'waits for lock' for e in events)
assert any(e['ph'] == 'i' and e['name'] == 'reaches halfway' for e in events)
