"""Ratios to the fastest peer that are kept in a file, and what has become worse since: compare.py --save, --gate."""
import json
import sys
from pathlib import Path

TOLERANCE = 1.25  # times the saved ratio: less is the noise of virtual cores


def ratios(table, peers):
    """{figure: median ratio} of the figures that are measured under Ranklet and a peer."""
    found = {figure: table.ratio(figure, "ranklet", peers) for figure in table.cells}
    return {figure: round(ratio, 3) for figure, ratio in found.items() if ratio is not None}


def save(path, table, peers, machine):
    Path(path).write_text(json.dumps(dict(machine=machine, peers=peers, ratios=ratios(table, peers)), indent=1) + "\n")


def read(path):
    try:
        saved = json.loads(Path(path).read_text())["ratios"]
        return {figure: float(ratio) for figure, ratio in saved.items()}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        sys.exit(f"compare.py: {path} holds no ratios that --save has written: {error}")


def regressions(saved, table, peers):
    """Yields (figure, saved ratio, ratio) where even the best round is worse than the saved ratio by more than the tolerance.
    What is not measured now, or was not then, does not count."""
    for figure, before in saved.items():
        best = table.best_ratio(figure, "ranklet", peers)
        if best is not None and best > before * TOLERANCE:
            yield figure, before, best
