#!/usr/bin/env python3
"""Tables and pictures of docs/scaling.md from the model's output.

    scaling.py RESULTS [--measured RESULTS] --page docs/scaling.md

RESULTS is what `model scale` has printed, the other what `model validate` has, each time that it was run; without it its table
stays as it is. The page's parts between <!-- NAME --> and <!-- end -->
are written anew, and scaling-*.svg beside it.
"""
import argparse
import re
import statistics
from html import escape
from math import ceil, floor, log2, log10
from pathlib import Path

PICTURES = {
    "barriers": ("Barriers, in hops", ["barrier_flat", "barrier_flat_from_0", "barrier_dissemination",
                                       "barrier_following", "barrier_by_groups", "barrier_counter"]),
    "small": ("Small collectives, in hops", ["allreduce_8_flat", "allreduce_8_flat_from_0", "allreduce_8_central", "bcast_8", "allgather_8"]),
    "large": ("Allreduce of 16 KiB, in hops", ["allreduce_16K", "allreduce_16K_one_level", "allreduce_16K_of_8"]),
    "shared": ("One line that all change: time of one operation, in hops",
               ["many_to_one", "lock_exclusive", "lock_shared", "fetch_and_add"]),
}
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#999999")
STYLE = ("text{font:12px sans-serif;fill:#444}.title{font-size:14px}.grid{stroke:#ddd}"
         "polyline{fill:none;stroke-width:2}.bound{stroke-dasharray:5 4}")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 56, 170, 36, 40


def lines(path, word):
    for line in Path(path).read_text().splitlines():
        first, *rest = line.split()
        if first == word:
            yield dict(part.split("=", 1) for part in rest)


def picture(title, curves):
    """curves: {name: [(ranks, hops)]}; those named "bound ..." are dashed."""
    values = [hops for points in curves.values() for _, hops in points]
    ranks = sorted({n for points in curves.values() for n, _ in points})
    low, high = floor(log10(min(values))), max(ceil(log10(max(values))), floor(log10(min(values))) + 1)

    def x(n):
        return LEFT + (log2(n) - log2(ranks[0])) / (log2(ranks[-1]) - log2(ranks[0])) * (WIDTH - LEFT - RIGHT)

    def y(hops):
        return HEIGHT - BOTTOM - (log10(hops) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<text class="title" x="{LEFT}" y="20">{escape(title)}</text>']
    for power in range(low, high + 1):
        at = y(10.0 ** power)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
                     f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for n in ranks:
        parts.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">ranks</text>')
    names = []
    for index, (name, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{x(n):.1f},{y(hops):.1f}" for n, hops in points)
        bound = ' class="bound"' if name.startswith("bound") else ""
        parts.append(f'<polyline{bound} stroke="{colour}" points="{path}"/>')
        names.append((y(points[-1][1]), name, colour))
    line = 0.0
    for at, name, colour in sorted(names):
        line = max(at, line + 14)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{line + 4:.1f}" style="fill:{colour}">{escape(name)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
            f'<style>{STYLE}</style><rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n")


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(row) + " |" for row in rows])


def curves_table(scale, hop):
    ranks = sorted({int(r["ranks"]) for r in scale})
    cells = {(r["subject"], int(r["ranks"])): r for r in scale}
    rows = []
    for name in dict.fromkeys(r["subject"] for r in scale):
        rows.append([f"`{name}`"] + [number(float(cells[name, n]["hops"])) if (name, n) in cells else "" for n in ranks])
    bounds = []
    for name in dict.fromkeys(r["subject"] for r in scale if "tree_ns" in r):
        for n in (n for n in ranks if n >= 64 and (name, n) in cells):
            r = cells[name, n]
            flat, tree = float(r["flat_ns"]) / hop, float(r["tree_ns"]) / hop
            bounds.append([f"`{name}`", str(n), r["hops"], number(flat), number(tree),
                           f"{float(r['hops']) / min(flat, tree):.1f}", number(float(r["traffic_hops"]) / n)])
    return (table(["", *map(str, ranks)], rows),
            table(["", "ranks", "hops", "flat bound", "tree bound", "of the better", "traffic per rank, hops"], bounds))


def validation_table(path, names):
    found = {}
    for r in lines(path, "validation"):
        if "ratio" in r:
            found.setdefault(r["subject"], []).append(r)
    rows = []
    for name, runs in sorted(found.items(), key=lambda item: names.index(item[0])):
        measured, model, ratio = (statistics.median(float(r[key]) for r in runs)
                                  for key in ("measured_ns", "model_ns", "ratio"))
        rows.append([f"`{name}`", number(measured), number(model), f"{ratio:.2f}", "yes" if 0.75 <= ratio <= 1.25 else "**no**"])
    return table(["", "measured, ns", "model, ns", "model / measured", "within 25 %"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--measured")
    parser.add_argument("--page", type=Path, required=True)
    arguments = parser.parse_args()
    scale = list(lines(arguments.results, "scale"))
    hop = float(next(lines(arguments.results, "costs"))["hop"])
    curves, bounds = curves_table(scale, hop)
    text = arguments.page.read_text()
    parts = {"curves": curves, "bounds": bounds}
    if arguments.measured:
        parts["measured"] = validation_table(arguments.measured, [r["subject"] for r in scale])
    for name, part in parts.items():
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + part + "\n" + m[2], text, flags=re.S)
    arguments.page.write_text(text)
    for name, (title, subjects) in PICTURES.items():
        drawn = {s: [(int(r["ranks"]), float(r["hops"])) for r in scale if r["subject"] == s] for s in subjects}
        if name != "shared":
            drawn["bound (better of both)"] = [
                (int(r["ranks"]), min(float(r["flat_ns"]), float(r["tree_ns"])) / hop)
                for r in scale if r["subject"] == subjects[0]]
        (arguments.page.parent / f"scaling-{name}.svg").write_text(picture(title, drawn))


if __name__ == "__main__":
    main()
