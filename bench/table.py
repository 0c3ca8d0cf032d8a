"""The figures of compare.py as a table."""
import re
import statistics

# How the names of figures end that are no times: a share from 0 to 1, and memory.
HIDDEN = "hidden"
OF_A_CORE = "of a core"
SHARES = (HIDDEN, OF_A_CORE)
BYTES = "bytes a rank"
# Cores whose hops differ by more were moved in between.
FARTHER = 2


def as_far(hop, other):
    """Whether cores were as far from each other. What could not be measured is taken to be."""
    return not (hop / other >= FARTHER or other / hop >= FARTHER)


def of_one_distance(row):
    """What was measured on cores as far from each other as most were, if each MPI was measured there; else None."""
    def as_far_as(hop):
        return {mpi: {turn: cell for turn, cell in rounds.items() if as_far(hop, cell[1])} for mpi, rounds in row.items()}
    hops = sorted(hop for rounds in row.values() for _, hop in rounds.values())
    best = max(map(as_far_as, hops), key=lambda found: (min(map(len, found.values())), sum(map(len, found.values()))))
    return best if all(best.values()) else None


class Table:
    """The records by figure and MPI, with medians over the rounds in which the cores were as far from each other."""

    def __init__(self, records):
        cells = {}
        for r in records:
            cells.setdefault(r["figure"], {}).setdefault(r["mpi"], {})[r["round"]] = (r["ns"], r["hop_ns"])
        steady = {figure: of_one_distance(row) for figure, row in cells.items()}
        self.cells = {figure: steady[figure] or row for figure, row in cells.items()}
        self.of_several_distances = {figure for figure in cells if not steady[figure]}

    def median(self, figure, mpi):
        rounds = self.cells.get(figure, {}).get(mpi)
        return statistics.median(ns for ns, _ in rounds.values()) if rounds else None

    def text(self, figure, mpi):
        """The median as people read it."""
        value = self.median(figure, mpi)
        if value is None:
            return "-"
        if figure.endswith(SHARES):
            return format(value, ".2f" if figure.endswith(HIDDEN) else ".4f")
        return f"{value / 1024:.0f} KiB" if figure.endswith(BYTES) else readable(value)

    def hops(self, figure, mpi):
        """Of times that are no longer than ten thousand."""
        rounds = self.cells.get(figure, {}).get(mpi)
        if not rounds or figure.endswith(BYTES):
            return None
        hops = statistics.median(ns / hop for ns, hop in rounds.values())
        return None if hops > 1e4 else hops

    def of_figure(self, figure, other, mpi):
        """Median over the rounds of a figure over another one of the same MPI."""
        these, those = (self.cells.get(f, {}).get(mpi, {}) for f in (figure, other))
        ratios = [ns / those[turn][0] for turn, (ns, _) in these.items() if turn in those]
        return statistics.median(ratios) if ratios else None

    def ratio(self, figure, mpi, peers):
        """Median over the rounds of mpi's time over the fastest of the peers' in the same round."""
        ratios = self.ratios(figure, mpi, peers)
        return statistics.median(ratios) if ratios else None

    def worst(self, peers):
        """By kind of figure, which is its name up to the bytes: the one with the largest ratio, and that."""
        found = {}
        for figure in self.cells:
            kind, ratio = re.sub(r" \d+ B$", "", figure), self.ratio(figure, "ranklet", peers)
            if ratio is not None and ratio > found.get(kind, ("", 0))[1]:
                found[kind] = figure, ratio
        return found

    def best_ratio(self, figure, mpi, peers):
        return min(self.ratios(figure, mpi, peers), default=None)

    def ratios(self, figure, mpi, peers):
        """One for each round in which mpi and its peers were measured, on cores that were as far from each other: a host may
        move them between two programs. If there is no such round, that of the medians at one distance. Of shares there
        are none: more may be better."""
        row = {} if figure.endswith(SHARES) else self.cells.get(figure, {})
        found = []
        for turn, (ns, hop) in row.get(mpi, {}).items():
            others = [row[p][turn] for p in peers if turn in row.get(p, {})]
            if others and all(as_far(hop, other) for _, other in others):
                found.append(ns / min(others)[0])
        others = [self.median(figure, peer) for peer in peers if peer in row]
        if not found and mpi in row and others and figure not in self.of_several_distances:
            found.append(self.median(figure, mpi) / min(others))
        return found


def markdown(table, names, peers):
    """The figures as a table for a page: times and memory, ratio to the fastest peer, and the first MPI's time in hops."""
    rows = [["", *names, "of fastest peer", f"{names[0]} in hops"]]
    for figure in table.cells:
        if figure.endswith(SHARES):
            continue
        ratio = table.ratio(figure, names[0], peers)
        hops = table.hops(figure, names[0])
        rows.append([figure, *(table.text(figure, name) for name in names),
                     "-" if ratio is None else f"{ratio:.2f}", "-" if hops is None else f"{hops:.1f}"])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]]) + "\n"


def readable(ns):
    if ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size * 10:
            return f"{ns / size:.1f} {unit}"
    return f"{ns:.0f} ns" if ns >= 1000 else f"{ns:.1f} ns"
