#!/usr/bin/env python3
"""Runs the programs of bench/mpi under several MPIs, in turns, and shows their figures side by side.

Each round runs every benchmark once under every MPI, one right after the other, and measures the raw
cache-line hop before each; so a change of the machine's mood (virtual cores that move apart, other
load) meets all of them. A figure is the median over the rounds; ratios are formed inside a round and
then their median is taken. The targets of the project are checked at the end.

Needs nothing but the Python standard library. Exit code: 0, or 1 when a benchmark failed or reported a
wrong result, or 2 with --check when a target is missed.
"""
import argparse
import csv
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mpis import Failed, known_mpis, run

HERE = Path(__file__).resolve().parent
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-w"]


@dataclass
class Benchmark:
    program: str
    ranks: int
    # The key of a result line that, with the line's first word, tells one figure from another.
    keys: tuple


def benchmarks(quick):
    chosen = [
        Benchmark("latency", 2, ("bytes",)),
        Benchmark("bandwidth", 2, ("bytes",)),
        Benchmark("message_rate", 2, ("manner",)),
        Benchmark("datatypes", 2, ("shape",)),
        Benchmark("collectives", 2, ("operation", "ranks", "bytes")),
        Benchmark("start", 4, ()),
        Benchmark("start", 32, ()),
    ]
    if not quick:
        chosen.insert(5, Benchmark("collectives", 8, ("operation", "ranks", "bytes")))
    return chosen


def parse(out):
    """Yields (first word, {key: value}) of each result line."""
    for line in out.splitlines():
        word, *pairs = line.split()
        if pairs and all("=" in p for p in pairs):
            yield word, dict(p.split("=", 1) for p in pairs)


def build(mpi, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / "mpi").glob("*.c")):
        run([mpi.mpicc, *FLAGS, str(source), "-o", str(directory / source.stem)], mpi.environment)


def build_hop(directory):
    compiler = os.environ.get("CXX", "c++")
    program = directory / "hop"
    run([compiler, "-std=c++20", "-O2", "-pthread", str(HERE / "micro" / "hop.cpp"), "-o", str(program)])
    return str(program)


def measure_hop(hop):
    try:
        for word, values in parse(run([hop, "--quick"])[0]):
            if word == "hop":
                return float(values["median_ns"])
    except Failed as failure:
        print(f"warning: {failure}", file=sys.stderr)
    return float("nan")


def figures(benchmark, out, wall):
    """{name of a figure: nanoseconds} of one run."""
    found = {}
    hellos = set()
    for word, values in parse(out):
        if word == "hello":
            hellos.add((values["rank"], values["size"]))
        elif word == benchmark.program and benchmark.program != "start":
            found[" ".join([word] + [values[k] + (" B" if k == "bytes" else "") for k in benchmark.keys])] = \
                float(values["median_ns"])
    if benchmark.program == "start":
        wanted = {(str(r), str(benchmark.ranks)) for r in range(benchmark.ranks)}
        if hellos != wanted:
            raise Failed(f"start: {len(hellos)} of {benchmark.ranks} ranks said hello")
        found[f"start {benchmark.ranks} ranks"] = wall
    elif not found:
        raise Failed(f"{benchmark.program}: no result line in its output")
    return found


def collect(arguments, mpis, directory, hop):
    """A list of records {round, mpi, figure, ns, hop_ns}, and the list of failures."""
    records, failures = [], []
    for turn in range(arguments.rounds):
        for benchmark in benchmarks(arguments.quick):
            if arguments.only and benchmark.program not in arguments.only:
                continue
            order = list(mpis.values())
            order = order[turn % len(order):] + order[:turn % len(order)]
            for mpi in order:
                command = [mpi.mpiexec, *mpi.options, "-n", str(benchmark.ranks),
                           str(directory / mpi.name / benchmark.program)]
                if arguments.quick and benchmark.program != "start":
                    command.append("--quick")
                hop_ns = measure_hop(hop)
                print(f"round {turn + 1}/{arguments.rounds}  {mpi.name:8} {benchmark.program} "
                      f"on {benchmark.ranks} ranks (hop {hop_ns:.0f} ns)", file=sys.stderr)
                try:
                    out, wall = run(command, mpi.environment, arguments.limit)
                    for name, ns in figures(benchmark, out, wall).items():
                        records.append(dict(round=turn, mpi=mpi.name, figure=name, ns=ns, hop_ns=hop_ns))
                except Failed as failure:
                    failures.append(f"{mpi.name}: {failure}")
                    print(f"FAILED {failures[-1]}", file=sys.stderr)
    return records, failures


class Table:
    """The records by figure and MPI, with medians over rounds."""

    def __init__(self, records):
        self.cells = {}
        for r in records:
            self.cells.setdefault(r["figure"], {}).setdefault(r["mpi"], {})[r["round"]] = (r["ns"], r["hop_ns"])

    def median(self, figure, mpi):
        rounds = self.cells.get(figure, {}).get(mpi)
        return statistics.median(ns for ns, _ in rounds.values()) if rounds else None

    def hops(self, figure, mpi):
        rounds = self.cells.get(figure, {}).get(mpi)
        return statistics.median(ns / hop for ns, hop in rounds.values()) if rounds else None

    def ratio(self, figure, mpi, peers):
        """Median over the rounds of mpi's time over the fastest of the peers' in the same round."""
        row = self.cells.get(figure, {})
        ratios = []
        for turn, (ns, _) in row.get(mpi, {}).items():
            others = [row[p][turn][0] for p in peers if turn in row.get(p, {})]
            if others:
                ratios.append(ns / min(others))
        return statistics.median(ratios) if ratios else None


def readable(ns):
    if ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size * 10:
            return f"{ns / size:.1f} {unit}"
    return f"{ns:.0f} ns" if ns >= 1000 else f"{ns:.1f} ns"


def show(table, names):
    peers = [n for n in names if n != "ranklet"]
    print(f"\n{'median time':32}" + "".join(f"{n:>12}" for n in names) +
          (f"{'of fastest peer':>18}" if "ranklet" in names and peers else "") + f"{names[0] + ' in hops':>20}")
    for figure in table.cells:
        line = f"{figure:32}" + "".join(f"{readable(table.median(figure, n)):>12}" for n in names)
        if "ranklet" in names and peers:
            ratio = table.ratio(figure, "ranklet", peers)
            line += f"{'-' if ratio is None else format(ratio, '.2f'):>18}"
        hops = table.hops(figure, names[0])
        line += f"{'-' if hops is None or hops > 1e4 else format(hops, '.2f'):>20}"
        print(line)


def targets(table, names):
    """Yields (what, figure as text, reached or None when not measured)."""
    peers = [n for n in names if n != "ranklet"]
    ratio, hops = table.ratio("latency 8 B", "ranklet", peers), table.hops("latency 8 B", "ranklet")
    known = ratio is not None or hops is not None
    yield ("8 B one way: at most 0.8 of the faster peer, or 1.35 hops",
           "not measured" if not known else
           ", ".join(([] if ratio is None else [f"{ratio:.2f} of the faster peer"]) +
                     ([] if hops is None else [f"{hops:.2f} hops"])),
           None if not known else (ratio is not None and ratio <= 0.8) or (hops is not None and hops <= 1.35))
    ratio = table.ratio("latency 1048576 B", "ranklet", ["openmpi"])
    yield ("1 MiB one way: under half of Open MPI's time", "not measured" if ratio is None else
           f"{ratio:.2f} of Open MPI's", None if ratio is None else ratio < 0.5)
    shapes = {f.split()[1]: table.ratio(f, "ranklet", peers) for f in table.cells if f.startswith("datatypes ")}
    shapes = {shape: ratio for shape, ratio in shapes.items() if ratio is not None}
    yield ("derived datatypes: at most half the faster peer's time",
           ", ".join(f"{shape} {ratio:.2f}" for shape, ratio in shapes.items()) or "not measured",
           all(ratio <= 0.5 for ratio in shapes.values()) if shapes else None)
    ns = table.median("start 32 ranks", "ranklet")
    yield ("start of 32 ranks: under 50 ms", readable(ns) if ns is not None else "not measured",
           None if ns is None else ns < 50e6)


def write(arguments, records, failures, names):
    machine = dict(cpu=cpu_name(), cores=len(os.sched_getaffinity(0)), system=platform.platform(),
                   load=os.getloadavg()[0], time=time.strftime("%Y-%m-%dT%H:%M:%S%z"))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(
            dict(machine=machine, mpis=names, records=records, failures=failures), indent=1) + "\n")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            writer = csv.DictWriter(out, ["round", "mpi", "figure", "ns", "hop_ns"])
            writer.writeheader()
            writer.writerows(records)
    return machine


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="a build tree of Ranklet, searched for mpicc and mpiexec")
    parser.add_argument("--ranklet", help="the directory of Ranklet's mpicc and mpiexec (default: from PATH)")
    parser.add_argument("--mpi", help="comma-separated: ranklet,mpich,openmpi (default: all that are found)")
    parser.add_argument("--only", type=lambda s: s.split(","), help="comma-separated names of programs in mpi/")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run in turn (default 5)")
    parser.add_argument("--limit", type=float, default=120, help="seconds until a run is given up (default 120)")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, shorter repetitions")
    parser.add_argument("--bind", action="store_true", help="leave binding to each launcher's default")
    parser.add_argument("--hop", help="the hop program (default: built from micro/hop.cpp)")
    parser.add_argument("--csv", help="write every single figure here")
    parser.add_argument("--json", help="write every single figure and the machine's description here")
    parser.add_argument("--check", action="store_true", help="exit with 2 when a target is missed")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    found = known_mpis(arguments.build, arguments.ranklet, arguments.bind)
    wanted = arguments.mpi.split(",") if arguments.mpi else list(found)
    for name in wanted:
        if name not in found:
            sys.exit(f"compare.py: no {name} found" +
                     (" (give --build or --ranklet)" if name == "ranklet" else ""))
    mpis = {name: found[name] for name in wanted}
    if not mpis:
        sys.exit("compare.py: no MPI found")
    with tempfile.TemporaryDirectory(prefix="ranklet-bench-") as scratch:
        scratch = Path(scratch)
        try:
            for mpi in mpis.values():
                build(mpi, scratch / mpi.name)
            hop = arguments.hop or build_hop(scratch)
        except Failed as failure:
            sys.exit(f"compare.py: {failure}")
        records, failures = collect(arguments, mpis, scratch, hop)
    machine = write(arguments, records, failures, wanted)
    table = Table(records)
    hops = [r["hop_ns"] for r in records]
    print(f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f}, {arguments.rounds} rounds"
          + (f", hop {min(hops):.0f}-{max(hops):.0f} ns" if hops else ""))
    if records:
        show(table, wanted)
    missed = False
    if "ranklet" in wanted:
        print("\ntargets")
        for what, figure, reached in targets(table, wanted):
            print(f"  {'?' if reached is None else 'yes' if reached else 'NO':4}{what}: {figure}")
            missed |= reached is False
    for failure in failures:
        print(f"FAILED {failure}")
    sys.exit(1 if failures else 2 if missed and arguments.check else 0)


if __name__ == "__main__":
    main()
