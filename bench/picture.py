"""Latency and bandwidth over the size of messages as SVG of our own, one curve for each MPI: compare.py --svg."""
from html import escape
from math import ceil, floor, log2, log10

from report import COLOURS, NAMES

WIDTH, PANEL, TOP, BOTTOM, LEFT, RIGHT = 760, 330, 40, 44, 74, 96
# For MPIs that the user names.
FURTHER_COLOURS = ("#cc79a7", "#56b4e9", "#d55e00", "#777777")


def colours(names):
    further = iter(FURTHER_COLOURS * len(names))
    return {name: COLOURS.get(name) or next(further) for name in names}


def curves(table, names, benchmark, value):
    """{name: [(bytes, value(bytes, ns))]} by rising size."""
    found = {name: [] for name in names}
    for figure in table.cells:
        word, *rest = figure.split()
        if word != benchmark or not rest or not rest[0].isdigit():
            continue
        for name in names:
            ns = table.median(figure, name)
            if ns:
                found[name].append((int(rest[0]), value(int(rest[0]), ns)))
    return {name: sorted(points) for name, points in found.items() if points}


def size_text(size):
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size // factor} {unit}"
    return f"{size} B"


def panel(top, title, drawn, colour, unit):
    """A plot with logarithmic axes whose upper edge is at `top`."""
    sizes = sorted({size for points in drawn.values() for size, _ in points})
    values = [v for points in drawn.values() for _, v in points]
    first, last = log2(sizes[0]), max(log2(sizes[-1]), log2(sizes[0]) + 1)
    low = floor(log10(min(values)))
    high = max(low + 1, ceil(log10(max(values))))
    above, below = top + TOP, top + PANEL - BOTTOM

    def x(size):
        return LEFT + (log2(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return below - (log10(value) - low) / (high - low) * (below - above)

    parts = [f'<text x="{LEFT}" y="{top + 22}" class="title">{escape(title)}</text>']
    for decade in range(low, high + 1):
        at = y(10.0 ** decade)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
                     f'<text class="faint" x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** decade:g} {unit}</text>')
    for power in range(ceil(first), floor(last) + 1):
        if (power - ceil(first)) % 3 == 0:
            at = x(2 ** power)
            parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{above}" y2="{below}"/><text class="faint" '
                         f'x="{at:.1f}" y="{below + 18}" text-anchor="middle">{size_text(2 ** power)}</text>')
    ends = []
    for name, points in drawn.items():
        path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points)
        parts.append(f'<polyline fill="none" stroke="{colour[name]}" stroke-width="2" points="{path}"/>')
        ends.append((y(points[-1][1]), name))
    # Names at the ends of the curves, apart from each other.
    line = above - 14.0
    for at, name in sorted(ends):
        line = max(at, line + 14)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{line + 4:.1f}" style="fill:{colour[name]}">'
                     f"{escape(NAMES.get(name, name))}</text>")
    return "".join(parts)


def picture(table, names):
    """The SVG, or None when neither benchmark was run."""
    colour = colours(names)
    panels = [("Time of a message one way (ping-pong)", curves(table, names, "latency", lambda _, ns: ns / 1e3), "µs"),
              ("Bandwidth of a window of 16 messages", curves(table, names, "bandwidth", lambda size, ns: size / ns), "GB/s")]
    panels = [one for one in panels if one[1]]
    if not panels:
        return None
    height = PANEL * len(panels)
    drawn = "".join(panel(PANEL * i, title, points, colour, unit) for i, (title, points, unit) in enumerate(panels))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
            "<style>text{font:12px sans-serif}.title{font-size:15px}.grid{stroke:#ddd}.faint{fill:#666}</style>"
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>{drawn}</svg>\n')
