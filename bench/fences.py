#!/usr/bin/env python3
"""What memory order costs: fences, atomic orders, one-sided calls, and the rules of shared windows under each MPI.

Runs bench/mpi/fences.c on one pair of CPUs for each nearness that hwloc shows, in turns under every MPI that is
installed, and shows medians side by side: as a table, as CSV and JSON with every sample, and as one HTML page with
plots.

Exit code: 0, or 1 when a run failed or reported a wrong result.
"""
import argparse
import csv
import json
import os
import statistics
import sys
import tempfile
from math import ceil, floor, sqrt
from pathlib import Path

import report
from mpis import Failed, choose, compile_with, core_pairs, machine, result_lines, run

HERE = Path(__file__).resolve().parent
# The same instructions under every MPI: taken from the first one's runs.
OF_THE_PROCESSOR = ("alone", "shared")


class Samples:
    """Nanoseconds of one subject, and what they say."""

    def __init__(self):
        self.values = []

    def add(self, values):
        self.values = sorted(self.values + values)

    def percentile(self, p):
        at = p / 100 * (len(self.values) - 1)
        low, high = self.values[floor(at)], self.values[ceil(at)]
        return low + (high - low) * (at - floor(at))

    def summary(self):
        # 95 % confidence interval of the median, from the order of the samples alone.
        n = len(self.values)
        reach = 0.98 * sqrt(n)
        low, high = max(0, floor(n / 2 - reach)), min(n - 1, ceil(n / 2 + reach))
        return dict(median=statistics.median(self.values), ci_low=self.values[low], ci_high=self.values[high],
                    min=self.values[0], p5=self.percentile(5), p25=self.percentile(25), p75=self.percentile(75),
                    p95=self.percentile(95), samples=n)


def collect(arguments, mpis, programs, pairs):
    """{(nearness, group, name): {mpi: Samples}}, and the list of failures."""
    table, failures = {}, []
    first = next(iter(mpis))
    for turn in range(arguments.rounds):
        for nearness, *cpus in pairs:
            order = list(mpis.values())
            for mpi in order[turn % len(order):] + order[:turn % len(order)]:
                command = [mpi.mpiexec, *mpi.options, "-n", "2", programs[mpi.name],
                           "--cores", ",".join(map(str, cpus))]
                command += ["--quick"] if arguments.quick else []
                command += ["--only", arguments.only] if arguments.only else []
                print(f"round {turn + 1}/{arguments.rounds}  {mpi.name:8} CPUs {cpus[0]} and {cpus[1]} ({nearness})",
                      file=sys.stderr)
                try:
                    out, _ = run(command, mpi.environment, arguments.limit)
                except Failed as failure:
                    failures.append(f"{mpi.name}: {failure}")
                    continue
                for word, v in result_lines(out):
                    if word != "fences" or (v["group"] in OF_THE_PROCESSOR and mpi.name != first):
                        continue
                    cell = table.setdefault((nearness, v["group"], v["name"]), {})
                    cell.setdefault(mpi.name, Samples()).add([float(x) for x in v["samples"].split(",")])
    return table, failures


def show(rows, pairs, names):
    for nearness, first, second in pairs:
        print(f"\nCPUs {first} and {second} ({nearness}): median, ns")
        print(f"{'group':13}{'subject':26}" + "".join(f"{n:>30}" for n in names))
        for row in rows:
            if row["nearness"] != nearness:
                continue
            line = f"{row['group']:13}{row['name']:26}"
            for name in names:
                s = row["mpis"].get(name)
                line += f"{'' if s is None else figure(s):>30}"
            print(line.rstrip())


def figure(s):
    return f"{s['median']:.1f} ({s['ci_low']:.1f}-{s['ci_high']:.1f})"


def write(arguments, rows, table, pairs, names, load_before):
    here = dict(machine(), load_before=load_before)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            fields = ["nearness", "group", "name", "mpi", "median", "ci_low", "ci_high", "min", "p5", "p25", "p75",
                      "p95", "samples"]
            writer = csv.DictWriter(out, fields)
            writer.writeheader()
            for row in rows:
                for name, s in row["mpis"].items():
                    writer.writerow(dict(nearness=row["nearness"], group=row["group"], name=row["name"], mpi=name,
                                         **s))
    if arguments.json:
        samples = [dict(nearness=nearness, group=group, name=name, mpi=mpi, samples=s.values)
                   for (nearness, group, name), cell in table.items() for mpi, s in cell.items()]
        Path(arguments.json).write_text(json.dumps(
            dict(machine=here, mpis=names, pairs=pairs, rows=rows, samples=samples), indent=1) + "\n")
    if arguments.html:
        Path(arguments.html).write_text(report.page(rows, pairs, names, here))
    if arguments.plots:
        report.write_plots(rows, pairs, names, Path(arguments.plots))


def read_arguments():
    parser = argparse.ArgumentParser(prog="ranklet-fences", description=__doc__.splitlines()[0])
    parser.add_argument("--html", metavar="FILE", help="write a page with plots and tables here")
    parser.add_argument("--csv", metavar="FILE", help="write medians, percentiles and confidence intervals here")
    parser.add_argument("--json", metavar="FILE", help="write these, every sample, and the machine's description")
    parser.add_argument("--plots", metavar="DIR", help="write each plot as SVG here, and as PNG with matplotlib")
    parser.add_argument("--mpi", help="comma-separated: ranklet,mpich,openmpi (default: all that are found); NAME=PREFIX is "
                        "one more, whose mpicc and mpiexec are in PREFIX/bin")
    parser.add_argument("--cores", type=lambda s: [("chosen", *map(int, p.split(","))) for p in s.split(":")],
                        help="pairs of CPUs, a,b:c,d (default: one pair for each nearness that hwloc shows)")
    parser.add_argument("--only", help="one group (alone, shared, call, write-read, read-write, write-write) or subject")
    parser.add_argument("--rounds", type=int, default=3, help="how often each MPI is run in turn (default 3)")
    parser.add_argument("--quick", action="store_true", help="shorter repetitions")
    parser.add_argument("--build", help="a build tree of Ranklet")
    parser.add_argument("--ranklet", help="the directory of Ranklet's programs")
    parser.add_argument("--limit", type=float, default=300, help="seconds until a run is given up (default 300)")
    arguments = parser.parse_args()
    arguments.bind = False
    return arguments


def main():
    arguments = read_arguments()
    load_before = os.getloadavg()[0]
    mpis = choose(arguments, "ranklet-fences")
    names = list(mpis)
    with tempfile.TemporaryDirectory(prefix="ranklet-fences-") as scratch:
        try:
            pairs = arguments.cores or core_pairs(arguments.build, arguments.ranklet)
            programs = {m.name: compile_with(m, HERE / "mpi" / "fences.c", Path(scratch) / m.name)
                        for m in mpis.values()}
        except Failed as failure:
            sys.exit(f"ranklet-fences: {failure}")
        if not pairs:
            sys.exit("ranklet-fences: needs two CPUs")
        table, failures = collect(arguments, mpis, programs, pairs)
    rows = [dict(nearness=nearness, group=group, name=name, mpis={m: s.summary() for m, s in cell.items()})
            for (nearness, group, name), cell in table.items()]
    show(rows, pairs, names)
    write(arguments, rows, table, pairs, names, load_before)
    for failure in failures:
        print(f"FAILED {failure}")
    sys.exit(1 if failures or not rows else 0)


if __name__ == "__main__":
    main()
