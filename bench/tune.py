#!/usr/bin/env python3
"""Where the algorithms of Ranklet's collectives cross on this machine: measured, and the settings that follow.

Runs bench/mpi/collectives.c with each of the two algorithms that a setting chooses between, in turns, over numbers of
ranks or sizes. For each setting it prints a table,

    RANKLET_COLL_SLICE (default 2048): allreduce on 2 ranks
             bytes         whole       in parts    ratio
              1024       1.51 us        1.20 us     0.79

the median time of one call by either algorithm and their ratio: the second over the first one, formed inside a round,
median over the rounds. Then the line `recommended RANKLET_COLL_SLICE=...`: the value with which the times of all lines
together are least (as the product of the ratios to the better algorithm), and by how much the default falls behind it
in the geometric mean. A difference under 3 % is not worth a setting; the default is recommended then. The ranks of the
two-rank tables have cores of their own; those over numbers of ranks are of ranks that share cores, as only these heed
the setting, and there are none on machines of more cores than that.

Needs nothing but the Python standard library. Exit code: 0, or 1 when a run failed or reported a wrong result.
"""
import argparse
import re
import statistics
import sys
import tempfile
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from mpis import Failed, choose, compile_with, machine, result_lines, run

HERE = Path(__file__).resolve().parent
NOTICED = 1.03
HUGE = 1 << 40


@dataclass
class Setting:
    """A setting that chooses between two algorithms, and how to have either one."""
    name: str
    operations: tuple
    algorithms: tuple  # what below the crossing point is done, and above
    values: tuple      # of the setting, so that it is the first or the second algorithm everywhere
    ranks: tuple
    sizes: tuple
    # The setting's value that has the first algorithm up to this point (ranks, bytes) and not beyond it.
    value_after: callable
    default: int = 0

    @property
    def variable(self):
        return "RANKLET_COLL_" + self.name


def settings(quick, cores):
    many = (2, 4, 8, 16) if quick else (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    sharing = tuple(ranks for ranks in many if ranks > cores)
    sizes = [1 << k for k in (range(10, 18, 2) if quick else range(9, 18))]
    short = [1 << k for k in (range(6, 13, 2) if quick else range(6, 13))]
    large = [1 << k for k in (range(12, 21, 2) if quick else range(11, 21))]
    return [
        # At most as many ranks as the last line with the first algorithm.
        Setting("FLAT_MEMBERS", ("allreduce", "iallreduce"), ("flat", "gathered"), (HUGE, 1), sharing, (8,),
                lambda ranks, size: ranks),
        Setting("FLAT_BARRIER", ("barrier",), ("flat", "counted"), (HUGE, 1), sharing, (0,), lambda ranks, size: ranks),
        # The first size with the second algorithm is twice the last one with the first; it has a part for each rank.
        Setting("COPIED", ("bcast", "allgather"), ("copied", "read"), (HUGE, 1), (2,), short,
                lambda ranks, size: size),
        Setting("SLICE", ("reduce", "allreduce"), ("whole", "in parts"), (HUGE, 1), (2,), sizes,
                lambda ranks, size: 2 * size // ranks),
        Setting("SHARED_BCAST", ("bcast",), ("readers", "root helps"), (HUGE, 1), (2,), large,
                lambda ranks, size: 2 * size),
    ]


def default_of(mpi, variable):
    text = run([mpi.mpiexec, "--help-options"])[0]
    return int(re.search(variable + r", default (\d+)", text).group(1))


def measure(arguments, mpi, program, setting):
    """{(operation, ranks, bytes): [(ns by the first algorithm, ns by the second), one for each round]}"""
    found = {}
    for turn in range(arguments.rounds):
        for ranks in setting.ranks:
            print(f"round {turn + 1}/{arguments.rounds}  {setting.variable} on {ranks} ranks", file=sys.stderr)
            pair = [{}, {}]
            for which in ((0, 1) if turn % 2 == 0 else (1, 0)):
                command = [mpi.mpiexec, "-n", str(ranks), program, "--only", ",".join(setting.operations),
                           "--sizes", ",".join(map(str, setting.sizes)), "--quick"]
                out, _ = run(command, {setting.variable: str(setting.values[which])}, arguments.limit)
                for word, v in result_lines(out):
                    if word == "collectives":
                        key = v["operation"], int(v["ranks"]), int(v["bytes"])
                        pair[which][key] = float(v["median_ns"])
            for key, first in pair[0].items():
                found.setdefault(key, []).append((first, pair[1][key]))
    return found


def ratio(times):
    return statistics.median(second / first for first, second in times)


def cost(points, ratios, crossing):
    """By how much the choice is slower than the better algorithm, in the geometric mean, when it changes after
    `crossing` of the points."""
    total = sum(max(0, -log(r)) if points.index(k[1:]) < crossing else max(0, log(r)) for k, r in ratios.items())
    return exp(total / len(ratios))


def recommend(setting, found):
    """The best value, and how much the default's choice is slower than that of the best."""
    points = sorted({k[1:] for k in found})
    ratios = {k: ratio(times) for k, times in found.items()}
    costs = [cost(points, ratios, n) for n in range(len(points) + 1)]
    best = min(range(len(costs)), key=costs.__getitem__)
    now = sum(setting.value_after(*p) <= setting.default for p in points)
    behind = costs[now] / costs[best]
    if behind < NOTICED:
        return setting.default, behind
    # Before the first point the value is that of a point half as large.
    ranks, size = points[best - 1] if best else (points[0][0] // (2 if size_free(points) else 1), points[0][1] // 2)
    return max(1, setting.value_after(ranks, size)), behind


def size_free(points):
    return len({size for _, size in points}) == 1


def show(setting, found):
    for operation in setting.operations:
        rows = {k: times for k, times in sorted(found.items()) if k[0] == operation}
        over_ranks = size_free([k[1:] for k in rows])
        where = "" if over_ranks else f" on {setting.ranks[0]} ranks"
        print(f"\n{setting.variable} (default {setting.default}): {operation}{where}")
        first, second = setting.algorithms
        print(f"{'ranks' if over_ranks else 'bytes':>10}{first:>15}{second:>15}{'ratio':>9}")
        for (_, ranks, size), times in rows.items():
            point = str(ranks if over_ranks else size)
            medians = [statistics.median(t[i] for t in times) / 1000 for i in (0, 1)]
            print(f"{point:>10}" + "".join(f"{m:>12.2f} us" for m in medians) + f"{ratio(times):>9.2f}")
    value, behind = recommend(setting, found)
    print(f"recommended {setting.variable}={value}" +
          (f" (the default is {100 * (behind - 1):.0f} % slower)" if value != setting.default else
           " (the default)"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="a build tree of Ranklet, searched for mpicc and mpiexec")
    parser.add_argument("--ranklet", help="the directory of Ranklet's mpicc and mpiexec (default: from PATH)")
    parser.add_argument("--only", type=lambda s: s.upper().split(","),
                        help="comma-separated: flat_members,flat_barrier,slice,shared_bcast")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run in turn (default 5)")
    parser.add_argument("--limit", type=float, default=120, help="seconds until a run is given up (default 120)")
    parser.add_argument("--quick", action="store_true", help="fewer numbers of ranks and sizes")
    arguments = parser.parse_args()
    arguments.bind = False
    arguments.mpi = "ranklet"
    mpi = choose(arguments, "tune.py")["ranklet"]
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, {arguments.rounds} rounds", flush=True)
    with tempfile.TemporaryDirectory(prefix="ranklet-tune-") as scratch:
        try:
            program = compile_with(mpi, HERE / "mpi" / "collectives.c", scratch)
            for setting in settings(arguments.quick, here["cores"]):
                if setting.ranks and (not arguments.only or setting.name in arguments.only):
                    setting.default = default_of(mpi, setting.variable)
                    show(setting, measure(arguments, mpi, program, setting))
        except Failed as failure:
            sys.exit(f"tune.py: {failure}")


if __name__ == "__main__":
    main()
