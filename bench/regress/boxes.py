"""Box plots as SVG, in the form of the paper's: a panel for each subject, a box for each heuristic, normalised so that 100 is the median
of the basic search; whiskers reach to the last value within 1.5 times the range of the quartiles, values beyond are circles. A dashed
line is the basic search in its default order. The axis is logarithmic."""

import math
from xml.sax.saxutils import escape

from stats import median, quantile

STEP, HEIGHT, LEFT, TOP, BOTTOM, GAP = 34, 180, 48, 28, 24, 14


def panel(out, title, names, samples, default, x, y):
    """samples: by name, values; the first name is that of the basic search."""
    unit = median(samples[names[0]]) / 100
    values = [v / unit for name in names for v in samples[name]] + ([default / unit] if default else [])
    low = math.floor(math.log10(max(min(values), 0.01)))
    high = max(math.ceil(math.log10(max(values))), low + 1)

    def at(value):
        return y + TOP + HEIGHT * (high - math.log10(max(value, 10.0**low))) / (high - low)

    def line(x1, y1, x2, y2, kind):
        out.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    right = x + LEFT + STEP * len(names)
    out.append(f'<text class="title" x="{x + LEFT}" y="{y + 18}">{escape(title)}</text>')
    for power in range(low, high + 1):
        line(x + LEFT, at(10.0**power), right, at(10.0**power), "grid")
        out.append(f'<text class="tick" x="{x + LEFT - 6}" y="{at(10.0 ** power) + 4:.1f}">{10.0 ** power:g}</text>')
    if default:
        line(x + LEFT, at(default / unit), right, at(default / unit), "default")
    for i, name in enumerate(names):
        some = sorted(v / unit for v in samples[name])
        q1, q2, q3 = (quantile(some, q) for q in (0.25, 0.5, 0.75))
        inside = [v for v in some if q1 - 1.5 * (q3 - q1) <= v <= q3 + 1.5 * (q3 - q1)]
        middle = x + LEFT + STEP * (i + 0.5)
        line(middle, at(inside[0]), middle, at(q1), "whisker")
        line(middle, at(q3), middle, at(inside[-1]), "whisker")
        for end in (inside[0], inside[-1]):
            line(middle - 5, at(end), middle + 5, at(end), "whisker")
        out.append(f'<rect class="box" x="{middle - 9:.1f}" y="{at(q3):.1f}" width="18" '
                   f'height="{max(at(q1) - at(q3), 0.5):.1f}"/>')
        line(middle - 9, at(q2), middle + 9, at(q2), "median")
        for v in some:
            if v < inside[0] or v > inside[-1]:
                out.append(f'<circle class="outlier" cx="{middle:.1f}" cy="{at(v):.1f}" r="2"/>')
        out.append(f'<text class="name" x="{middle:.1f}" y="{y + TOP + HEIGHT + 16}">{escape(name)}</text>')


def write(path, title, names, panels):
    """panels: of (subject, samples by name, the default order's value or None)."""
    columns = 2 if len(panels) > 1 else 1
    width, height = LEFT + STEP * len(names) + GAP, TOP + HEIGHT + BOTTOM + GAP
    rows = -(-len(panels) // columns)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width}" height="{rows * height + 30}" '
           'font-family="sans-serif" font-size="10">',
           "<style>.title{font-size:12px;font-weight:bold}.tick{text-anchor:end}.name{text-anchor:middle}"
           ".grid{stroke:#ddd}.default{stroke:#c33;stroke-dasharray:4 3}.whisker{stroke:#333}"
           ".box{fill:#cde;stroke:#333}.median{stroke:#036;stroke-width:2}.outlier{fill:none;stroke:#666}</style>",
           f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>']
    for i, (subject, samples, default) in enumerate(panels):
        panel(out, subject, names, samples, default, i % columns * width, 30 + i // columns * height)
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
