# Of a story on standard input: all rows of the schedule begin their last column at the same place.
import re, sys

rows = [line for line in sys.stdin if re.match(r"  (main|T1)", line)]
assert len(rows) > 2
assert len({line.index("column.c:") + len(re.search(r"column.c:\d+\s+", line).group()) for line in rows}) == 1, rows
