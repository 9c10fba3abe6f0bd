# perfetto.json has the locks of locks.cc, by their names.
import json

held = [e['name'] for e in json.load(open('perfetto.json'))['traceEvents'] if e.get('cat') == 'lock' and e['ph'] == 'b']
assert held == ['main holds ' + name for name in ('m', 'rm', 'rm', 'tm', 'sm', 'm')], held
