"""The page of ranklet-fences: plots as SVG of our own, tables, and what they mean; one file without any other."""
from html import escape
from math import ceil, floor, log10

NAMES = {"ranklet": "Ranklet", "mpich": "MPICH", "openmpi": "Open MPI", "alone": "alone", "shared": "shared"}
# Distinguishable for colour-blind readers (Okabe and Ito); on dark ground those of DARK stand out better.
DARK = {"ranklet": "#4ea3e0", "openmpi": "#2fc69a", "shared": "#f0803c"}
COLOURS = {"ranklet": "#0072b2", "mpich": "#e69f00", "openmpi": "#009e73", "alone": "#56b4e9", "shared": "#d55e00"}

GROUPS = {
    "write-read": ("Write-read: P0 stores A, synchronises, P1 loads A",
                   "One handover from rank to rank: the store, the synchronisation, the load that sees it."),
    "read-write": ("Read-write: P0 loads B, synchronises, P1 stores B",
                   "The load must not see the store that comes after the synchronisation."),
    "write-write": ("Write-write: P0 stores C, synchronises, P1 stores and loads C",
                    "The load gives P1's own value."),
    "call": ("One-sided calls",
             "Rank 0 calls, rank 1 waits in a barrier. Fence and PSCW are epochs of both. memcpy1MiB is the C library's "
             "copy to the same memory."),
    "fences": ("Fences and atomic orders",
               "A store, the fence or order, a load. Alone: lines that nobody else touches. Shared: both ranks at once, "
               "each loads the line that the other one stores, so every store must fetch it back."),
}
STYLE = """
:root { color-scheme: light dark; --ground: #fdfdfc; --ink: #1f2328; --faint: #5c656f; --rule: #e2e4e8;
  --panel: #f5f6f8; --warn: #fff4d6; --warn-rule: #d9a514; LIGHT_COLOURS }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181d; --ink: #e4e6ea; --faint: #a3aab4; --rule: #31353d; --panel: #1f2229; --warn: #332b12;
    --warn-rule: #b98d17; DARK_COLOURS } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0 auto;
  max-width: 62rem; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { margin: 2.6rem 0 .2rem; font-size: 1.35rem; }
h3 { margin: 1.8rem 0 .1rem; font-size: 1.05rem; } p { margin: .3rem 0 .8rem; } .faint { color: var(--faint); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.card { background: var(--panel); border-radius: .6rem; padding: .7rem 1rem; min-width: 8rem; }
.card b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.key span { margin-right: 1.2rem; white-space: nowrap; } .key i { display: inline-block; width: .75em; height: .75em;
  border-radius: 50%; margin-right: .4em; }
svg { width: 100%; height: auto; display: block; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .faint { fill: var(--faint); } svg .grid { stroke: var(--rule); }
.narrow { display: none; } .legend { max-width: 34rem; margin: .4rem 0 1rem; }
.warning { background: var(--warn); border-left: .3rem solid var(--warn-rule); padding: .6rem 1rem; border-radius: .3rem; }
@media (max-width: 640px) { .plain { display: none; } .narrow { display: block; } body { padding: 1rem .8rem 3rem; }
  h1 { font-size: 1.5rem; } .card { flex: 1 1 40%; } }
details { margin: .4rem 0 1rem; } summary { cursor: pointer; color: var(--faint); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child, td:nth-child(2), th:nth-child(2) { text-align: left; }
"""
for place, colours in (("LIGHT_COLOURS", COLOURS), ("DARK_COLOURS", {**COLOURS, **DARK})):
    STYLE = STYLE.replace(place, " ".join(f"--{name}: {colour};" for name, colour in colours.items()))


def colour_of(name):
    """For a style: the page's colour, which the ground decides, or in a file of its own the one for white."""
    return f"var(--{name}, {COLOURS.get(name, '#888')})"


def readable(ns):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.3g} ns"


def panels(rows, nearness, names):
    """Yields (group, [(subject, {series: summary})], series) for each plot."""
    mine = [r for r in rows if r["nearness"] == nearness]
    for group in ("write-read", "read-write", "write-write", "call"):
        subjects = [(r["name"], r["mpis"]) for r in mine if r["group"] == group]
        if subjects:
            yield group, subjects, names
    fences = {}
    for r in mine:
        if r["group"] in ("alone", "shared"):
            fences.setdefault(r["name"], {})[r["group"]] = next(iter(r["mpis"].values()))
    if fences:
        yield "fences", list(fences.items()), ["alone", "shared"]


def plot(subjects, series, standalone=False, narrow=False):
    """Each subject a row, each series a dot at its median, on a logarithmic axis; a bar for the confidence interval,
    a line from the 5th to the 95th percentile, which ends in an arrow where it leaves the plot. narrow: for small
    screens, with the subjects above their dots."""
    left, width, right, top, step = (22, 380, 64, 26, 17) if narrow else (190, 900, 80, 26, 15)
    above = 18 if narrow else 0
    found = [s for _, cells in subjects for s in cells.values()]
    low = floor(log10(max(0.1, min(s["p5"] for s in found))))
    high = max(low + 1, ceil(log10(max(s["median"] for s in found) * 1.3)))

    def x(ns):
        at = (log10(max(ns, 10 ** low)) - low) / (high - low)
        return left + min(at, 1.0) * (width - left - right)

    rows_high = [above + step * max(1, len(cells)) + 12 for _, cells in subjects]
    height = top + sum(rows_high) + 8
    shown = "narrow" if narrow else "plain"
    parts = [f'<svg class="{shown}" viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg">']
    if standalone:
        parts.append("<style>text{font:12px sans-serif}.grid{stroke:#ddd}.faint{fill:#666}</style>"
                     f'<rect width="{width}" height="{height}" fill="white"/>')
    every = 2 if narrow and high - low > 4 else 1
    for decade in range(low, high + 1, every):
        at = x(10 ** decade)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{top - 6}" y2="{height}"/>'
                     f'<text class="faint" x="{at:.1f}" y="{top - 11}" text-anchor="middle">{readable(10.0 ** decade)}</text>')
    y = top
    for (subject, cells), row_high in zip(subjects, rows_high):
        parts.append(f'<line class="grid" x1="0" x2="{width}" y1="{y}" y2="{y}"/>'
                     f'<text x="4" y="{y + 15 if narrow else y + row_high / 2 + 4:.1f}">{escape(subject.replace("_", " "))}</text>')
        for k, name in enumerate(n for n in series if n in cells):
            parts.append(dot(cells[name], name, subject, x, y + above + 6 + step * (k + 0.5), 10 ** high))
        y += row_high
    return "".join(parts) + "</svg>"


def dot(s, name, subject, x, y, limit):
    colour = colour_of(name)
    told = (f"{NAMES.get(name, name)}, {subject}: median {readable(s['median'])}, 95 % confidence "
            f"{readable(s['ci_low'])} to {readable(s['ci_high'])}, 5th to 95th percentile {readable(s['p5'])} to "
            f"{readable(s['p95'])}, {s['samples']} samples")
    end = max(x(s["median"]) + 6, x(s["p95"]) + 3, x(s["ci_high"]) + 3)
    arrow = ""
    if s["p95"] > limit:
        tip = x(s["p95"])
        arrow = f'<path d="M{tip:.1f} {y - 4}l7 4l-7 4z" style="fill:{colour}"/>'
        end = max(end, tip + 8)
    return (f'<g><title>{escape(told)}</title>'
            f'<line x1="{x(s["p5"]):.1f}" x2="{x(s["p95"]):.1f}" y1="{y}" y2="{y}" style="stroke:{colour}" opacity=".55"/>'
            f'<line x1="{x(s["ci_low"]):.1f}" x2="{x(s["ci_high"]):.1f}" y1="{y}" y2="{y}" style="stroke:{colour}" '
            f'stroke-width="5" opacity=".55"/>{arrow}<circle cx="{x(s["median"]):.1f}" cy="{y}" r="4" style="fill:{colour}"/>'
            f'<text x="{end + 3:.1f}" y="{y + 4:.1f}">{readable(s["median"])}</text></g>')


def details(subjects, series):
    head = "".join(f"<th>{h}</th>" for h in ("subject", "", "median", "95 % confidence", "min", "5 %", "25 %", "75 %",
                                             "95 %", "samples"))
    body = []
    for subject, cells in subjects:
        for name in series:
            if name not in cells:
                continue
            s = cells[name]
            cols = [f"{s['median']:.1f}", f"{s['ci_low']:.1f} – {s['ci_high']:.1f}"] + \
                [f"{s[k]:.1f}" for k in ("min", "p5", "p25", "p75", "p95")] + [str(s["samples"])]
            body.append(f"<tr><td>{escape(subject)}</td><td>{NAMES.get(name, name)}</td>" +
                        "".join(f"<td>{c}</td>" for c in cols) + "</tr>")
    return (f'<details><summary>figures, in nanoseconds</summary><div class="wide"><table><thead><tr>{head}</tr></thead>'
            f'<tbody>{"".join(body)}</tbody></table></div></details>')


def key(series):
    return '<p class="key">' + "".join(
        f'<span><i style="background:{colour_of(n)}"></i>{NAMES.get(n, n)}</span>' for n in series) + "</p>"


def cards(rows, nearness, names):
    def median(group, name, mpi):
        for r in rows:
            if (r["nearness"], r["group"], r["name"]) == (nearness, group, name) and mpi in r["mpis"]:
                return r["mpis"][mpi]["median"]
        return None

    wanted = [("a line from core to core", "write-read", "polled_release_acquire"), ("a full fence", "alone", "fence_seq_cst"),
              ("MPI_Win_sync", "call", "win_sync"), ("put 8 B, flush", "call", "put8_flush"),
              ("MPI_Win_fence", "call", "win_fence")]
    found = [(what, median(group, name, names[0])) for what, group, name in wanted]
    return '<div class="cards">' + "".join(
        f'<div class="card"><b>{readable(ns)}</b>{escape(what)}</div>' for what, ns in found if ns is not None) + "</div>"


def legend():
    """The parts of a row, with their names."""
    def word(x, text, y=58):
        return f'<text class="faint" x="{x}" y="{y}" text-anchor="middle">{text}</text>'

    colour = colour_of("ranklet")
    return (f'<svg class="legend" viewBox="0 0 420 66" role="img" xmlns="http://www.w3.org/2000/svg">'
            f'<title>a dot, a bar behind it, a thin line, and an arrow at its end</title>'
            f'<line x1="56" x2="362" y1="26" y2="26" style="stroke:{colour}" opacity=".55"/>'
            f'<line x1="130" x2="190" y1="26" y2="26" style="stroke:{colour}" stroke-width="5" opacity=".55"/>'
            f'<path d="M362 22l7 4l-7 4z" style="fill:{colour}"/><circle cx="160" cy="26" r="4" style="fill:{colour}"/>'
            + word(48, "5th percentile", 46) + word(160, "median", 12) + word(160, "bar: 95 % confidence", 46)
            + word(275, "line", 18)
            + word(358, "95th percentile", 46) + word(358, "arrow: cut", 60) + "</svg>")


READING = """<p>Each row is one subject, on a logarithmic axis in nanoseconds; further left is faster.</p><ul>
<li>The <b>dot</b>, with its figure, is the median of all samples. A sample is the mean of many calls in a row.</li>
<li>The <b>bar</b> behind it is the 95 % confidence interval of the median. Where two bars overlap, nothing says that
one is faster. Often it is narrower than the dot.</li>
<li>The thin <b>line</b> goes from the 5th to the 95th percentile: how much samples differ. A line much longer than its
neighbours' was disturbed.</li>
<li>An <b>arrow</b> at the end of a line: it is cut there, as it goes beyond the axis. The table under the plot has its
end, as a pointer that rests on the row shows it.</li></ul>"""


def spread(s):
    """How far the middle half of the samples is apart, as a part of the median."""
    return (s["p75"] - s["p25"]) / s["median"] if s["median"] > 0 else 0.0


def warning(rows, machine):
    """What readers should know of a machine that did other things as well; empty if it was quiet."""
    reasons = []
    if machine["load_before"] >= 0.5:
        reasons.append(f"its load was {machine['load_before']:.1f} on {machine['cores']} CPUs before the first run")
    cells = [s for row in rows for s in row["mpis"].values()]
    wide = sum(spread(s) > 0.5 for s in cells)
    if wide * 10 >= len(cells):
        reasons.append(f"in {wide} of {len(cells)} measurements the middle half of the samples is wider than half of the "
                       "median")
    if not reasons:
        return ""
    return (f'<p class="warning" role="note"><b>The machine was busy:</b> {", and ".join(reasons)}. Other work makes medians '
            "larger and lines longer, and not the same for every MPI: do not compare small differences, run it again on "
            "a quiet machine.</p>")


def page(rows, pairs, names, machine):
    parts = ["<!doctype html><html lang='en'><head><meta charset='utf-8'>"
             "<meta name='viewport' content='width=device-width, initial-scale=1'>"
             f"<title>What memory order costs</title><style>{STYLE}</style></head><body>"
             "<h1>What memory order costs</h1>"
             f"<p class='faint'>{escape(machine['cpu'])}, {machine['cores']} CPUs, load {machine['load_before']:.1f} before, {machine['load']:.1f} "
             f"after, "
             f"{escape(machine['time'])}. {', '.join(NAMES.get(n, n) for n in names)}.</p>",
             warning(rows, machine), "<h2>How to read the plots</h2>", legend(), READING]
    for nearness, first, second in pairs:
        plots = list(panels(rows, nearness, names))
        if not plots:
            continue
        parts.append(f"<h2>CPUs {first} and {second}: {escape(nearness)}</h2>")
        parts.append(f"<p class='faint'>The cards show {NAMES.get(names[0], names[0])}'s medians.</p>")
        parts.append(cards(rows, nearness, names))
        for group, subjects, series in plots:
            title, text = GROUPS[group]
            parts.append(f"<h3>{escape(title)}</h3><p class='faint'>{escape(text)}</p>{key(series)}")
            parts.append(plot(subjects, series) + plot(subjects, series, narrow=True) + details(subjects, series))
    parts.append(
        "<h2>How it was measured</h2><p>The MPIs ran in turns. Confidence intervals are made from the order of the samples "
        "alone. Every handover and every operation was checked for its value.</p><p>polled relaxed gives no order: it is the cost of a line that moves "
        "from core to core, and the least that any synchronisation can cost. What comes on top is the price of the rule. "
        "A barrier or MPI_Win_fence hands over in both directions at once.</p></body></html>\n")
    return "".join(parts)


def write_plots(rows, pairs, names, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for nearness, *_ in pairs:
        for group, subjects, series in panels(rows, nearness, names):
            stem = f"{nearness.replace(' ', '-')}-{group}"
            (directory / f"{stem}.svg").write_text(plot(subjects, series, standalone=True))
            write_png(subjects, series, GROUPS[group][0], directory / f"{stem}.png")


def write_png(subjects, series, title, file):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(9, 1 + 0.4 * len(subjects)), layout="constrained")
    axes = figure.subplots()
    for k, name in enumerate(series):
        at = [(i + (k - len(series) / 2) * 0.2, cells[name]) for i, (_, cells) in enumerate(subjects) if name in cells]
        axes.errorbar([s["median"] for _, s in at], [y for y, _ in at],
                      xerr=[[max(0, s["median"] - s["p5"]) for _, s in at], [max(0, s["p95"] - s["median"]) for _, s in at]],
                      fmt="o", color=COLOURS.get(name), label=NAMES.get(name, name))
    axes.set(xscale="log", xlabel="ns", title=title, yticks=range(len(subjects)),
             yticklabels=[subject.replace("_", " ") for subject, _ in subjects])
    axes.invert_yaxis()
    axes.legend()
    figure.savefig(file, dpi=150)
