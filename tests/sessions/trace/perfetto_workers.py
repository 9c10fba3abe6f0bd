# perfetto.json has a process for each execution of two workers: so many, by the argument.
import json, sys

events = json.load(open('perfetto.json'))['traceEvents']
names = [e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name']
assert len(names) == int(sys.argv[1]) == len(set(names)), len(names)
assert {name.split(' of ')[1] for name in names} == {'worker 1', 'worker 2'}
# no thread has the number of another, and each process that of its main thread
threads = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
assert len(threads) == len({tid for pid, tid in threads})
assert [(pid, tid) for (pid, tid), name in threads.items() if name == 'main'] == [(e['pid'], e['pid']) for e in events if e['name'] == 'process_name']
