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
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mpis import Failed, choose, compile_with, machine, result_lines, run

HERE = Path(__file__).resolve().parent
SHARE = "hidden"  # ends the name of a figure that is a share from 0 to 1 instead of a time


@dataclass
class Benchmark:
    program: str
    ranks: int
    # The key of a result line that, with the line's first word, tells one figure from another.
    keys: tuple
    options: tuple = ()


def benchmarks(quick):
    chosen = [
        Benchmark("latency", 2, ("bytes",)),
        Benchmark("bandwidth", 2, ("bytes",)),
        Benchmark("message_rate", 2, ("manner",)),
        Benchmark("datatypes", 2, ("shape",)),
        Benchmark("collectives", 2, ("operation", "ranks", "bytes")),
        Benchmark("overlap", 2, ("bytes",)),
        Benchmark("fences", 2, ("group", "name"), ("--only", "call")),
        Benchmark("io", 4, ("what", "bytes")),
        Benchmark("spawn", 1, ("what",)),
        Benchmark("start", 4, ()),
        Benchmark("start", 32, ()),
    ]
    if not quick:
        # With more ranks than cores some peers need milliseconds for the smallest call.
        chosen.insert(5, Benchmark("collectives", 8, ("operation", "ranks", "bytes"), ("--small",)))
    return chosen


def build(mpi, directory):
    for source in sorted((HERE / "mpi").glob("*.c")):
        compile_with(mpi, source, directory)


def build_hop(directory):
    compiler = os.environ.get("CXX", "c++")
    program = directory / "hop"
    run([compiler, "-std=c++20", "-O2", "-pthread", str(HERE / "micro" / "hop.cpp"), "-o", str(program)])
    return str(program)


def measure_hop(hop):
    try:
        for word, values in result_lines(run([hop, "--quick"])[0]):
            if word == "hop":
                return float(values["median_ns"])
    except Failed as failure:
        print(f"warning: {failure}", file=sys.stderr)
    return float("nan")


def figures(benchmark, out, wall):
    """{name of a figure: nanoseconds} of one run."""
    found = {}
    hellos = set()
    for word, values in result_lines(out):
        if word == "hello":
            hellos.add((values["rank"], values["size"]))
        elif word == "overlap":
            # A share is no time, but is shown and written like one figure more.
            name = " ".join(filter(None, ["overlap", values.get("of"), values["bytes"], "B"]))
            for what in ("comm_ns", "compute_ns", "both_ns"):
                found[f"{name} {what.removesuffix('_ns')}"] = float(values[what])
            found[f"{name} {SHARE}"] = float(values["hidden"])
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
                           str(directory / mpi.name / benchmark.program), *benchmark.options]
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

    def of_figure(self, figure, other, mpi):
        """Median over the rounds of a figure over another one of the same MPI."""
        these, those = (self.cells.get(f, {}).get(mpi, {}) for f in (figure, other))
        ratios = [ns / those[turn][0] for turn, (ns, _) in these.items() if turn in those]
        return statistics.median(ratios) if ratios else None

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
    print(f"\n{'median time':34}" + "".join(f"{n:>12}" for n in names) +
          (f"{'of fastest peer':>18}" if "ranklet" in names and peers else "") + f"{names[0] + ' in hops':>20}")
    for figure in table.cells:
        if figure.endswith(SHARE):
            shares = (table.median(figure, n) for n in names)
            print(f"{figure:34}" + "".join(f"{'-' if share is None else format(share, '.2f'):>12}" for share in shares))
            continue
        line = f"{figure:34}" + "".join(f"{readable(table.median(figure, n)):>12}" for n in names)
        if "ranklet" in names and peers:
            ratio = table.ratio(figure, "ranklet", peers)
            line += f"{'-' if ratio is None else format(ratio, '.2f'):>18}"
        hops = table.hops(figure, names[0])
        line += f"{'-' if hops is None or hops > 1e4 else format(hops, '.2f'):>20}"
        print(line)


def collective_targets(table, peers):
    for figure, most, most_hops in (
            ("barrier 2 0 B", 0.7, 1.5), ("allreduce 2 8 B", 0.6, 1.9), ("allreduce 2 1048576 B", 0.4, None),
            ("bcast 2 1048576 B", 0.4, None), ("alltoall 2 65536 B", 0.5, None), ("iallreduce 2 8 B", 0.3, 4),
            ("barrier 8 0 B", 0.4, None), ("allreduce 8 8 B", 0.4, None)):
        ratio, hops = table.ratio("collectives " + figure, "ranklet", peers), None
        if most_hops:
            hops = table.hops("collectives " + figure, "ranklet")
        operation, ranks, size, _ = figure.split()
        what = operation + ("" if size == "0" else f" of {size} B") + f" on {ranks} ranks"
        yield (f"{what}: at most {most} of the faster peer" + (f", or {most_hops} hops" if most_hops else ""),
               ", ".join(([] if ratio is None else [f"{ratio:.2f} of the faster peer"]) +
                         ([] if hops is None else [f"{hops:.2f} hops"])) or "not measured",
               None if ratio is None and hops is None else
               (ratio is not None and ratio <= most) or (hops is not None and hops <= most_hops))


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
    yield from one_sided_targets(table, peers)
    yield from collective_targets(table, peers)
    yield from file_targets(table)
    ns = table.median("start 32 ranks", "ranklet")
    yield ("start of 32 ranks: under 50 ms", readable(ns) if ns is not None else "not measured",
           None if ns is None else ns < 50e6)


def one_sided_targets(table, peers):
    for what, name, limit, of in (("put 8 B and flush", "put8_flush", 0.5, ["openmpi"]),
                                  ("accumulate 8 B and flush", "accumulate8_flush", 0.5, ["openmpi"]),
                                  ("Win_sync", "win_sync", 0.7, ["openmpi"]),
                                  ("lock and unlock, exclusive", "lock_unlock_exclusive", 0.5, peers),
                                  ("PSCW epoch", "pscw_epoch_put8", 0.6, peers)):
        ratio = table.ratio(f"fences call {name}", "ranklet", of)
        whose = "Open MPI's" if of == ["openmpi"] else "the faster peer's"
        yield (f"{what}: at most {limit} of {whose} time",
               "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= limit)
    fence = "fences call win_fence"
    ratio, hops = table.ratio(fence, "ranklet", peers), table.hops(fence, "ranklet")
    known = [text for value, text in ((ratio, f"{ratio or 0:.2f} of the faster peer's"), (hops, f"{hops or 0:.2f} hops"))
             if value is not None]
    yield ("Win_fence: at most 0.7 of the faster peer's time, or 1.8 hops", ", ".join(known) or "not measured",
           None if not known else (ratio is not None and ratio <= 0.7) or (hops is not None and hops <= 1.8))
    ratio = table.of_figure("fences call put1MiB_flush", "fences call memcpy1MiB", "ranklet")
    yield ("put 1 MiB: at most 1.1 of memcpy's time to the same memory",
           "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= 1.1)


def file_targets(table):
    for what, figure, limit, peer in (
            ("collective write in pieces of 1 KiB", "interleaved_write/1024 4194304 B", 0.33, "mpich"),
            ("collective write in pieces of 1 KiB", "interleaved_write/1024 4194304 B", 0.5, "openmpi"),
            ("independent write in pieces of 512 B", "strided_write/512 1048576 B", 0.2, "mpich")):
        ratio = table.ratio("io " + figure, "ranklet", [peer])
        yield (f"{what}, 4 ranks: at most {limit} of {peer}'s time",
               "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= limit)
    for what in ("write", "read"):
        ratio = table.of_figure(f"io {what} 16777216 B", f"io raw_{what} 16777216 B", "ranklet")
        yield (f"{what} 16 MiB of a file: at most 1.05 of p{what}'s time",
               "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= 1.05)
    shared, raw = (table.median(f"io {what} 64 B", "ranklet") for what in ("shared_write", "raw_write_small"))
    yield ("MPI_File_write_shared: at most 400 ns above pwrite",
           "not measured" if shared is None else f"{shared - raw:.0f} ns", None if shared is None else shared - raw <= 400)


def write(arguments, records, failures, names):
    here = machine()
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(
            dict(machine=here, mpis=names, records=records, failures=failures), indent=1) + "\n")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            writer = csv.DictWriter(out, ["round", "mpi", "figure", "ns", "hop_ns"])
            writer.writeheader()
            writer.writerows(records)
    return here


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
    mpis = choose(arguments, "compare.py")
    wanted = list(mpis)
    with tempfile.TemporaryDirectory(prefix="ranklet-bench-") as scratch:
        scratch = Path(scratch)
        try:
            for mpi in mpis.values():
                build(mpi, scratch / mpi.name)
            hop = arguments.hop or build_hop(scratch)
        except Failed as failure:
            sys.exit(f"compare.py: {failure}")
        records, failures = collect(arguments, mpis, scratch, hop)
    here = write(arguments, records, failures, wanted)
    table = Table(records)
    hops = [r["hop_ns"] for r in records]
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, {arguments.rounds} rounds"
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
