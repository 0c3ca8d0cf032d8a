#!/usr/bin/env python3
"""Runs the programs of bench/mpi and bench/python under several MPIs, in turns, and shows their figures side by side.

Each round runs every benchmark once under every MPI, one right after the other. The raw cache-line hop is measured
before and after each run, and by most programs around each repetition, of which those count that met one hop; so a
change of the machine's mood (virtual cores that move apart, other load) meets all of them, or has a run repeated. A
figure is the median over the rounds; ratios are formed inside a round and then their median is taken. The targets of the project are checked at the end.

Needs nothing but the Python standard library; the programs in Python run under the MPIs that have an mpi4py, where
--mpi4py says or where the interpreter finds it. Exit code: 0, or 1 when a benchmark failed or reported a
wrong result, or 2 with --check when a target is missed, or 3 with --gate when a ratio to the faster peer is worse than the
saved one in every round.
"""
import argparse
import csv
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import gate
from mpis import Failed, choose, compile_with, machine, result_lines, run
from picture import picture
from python_programs import add_mpi4py, default_interpreter
from table import BYTES, HIDDEN, OF_A_CORE, SHARES, Table, as_far, markdown
from targets import targets

HERE = Path(__file__).resolve().parent
ATTEMPTS = 5


@dataclass(frozen=True)
class Benchmark:
    program: str
    ranks: int
    # The key of a result line that, with the line's first word, tells one figure from another.
    keys: tuple
    options: tuple = ()
    python: bool = False


def sweep():
    """Sizes around all powers of two, where protocols change."""
    return [
        Benchmark("latency", 2, ("bytes",), ("--around",)),
        Benchmark("collectives", 2, ("operation", "ranks", "bytes"),
                  ("--around", "--only", "bcast,reduce,allreduce,allgather,alltoall")),
    ]


def on_request():
    """All of chapter 6 in all forms, so many lines that they are a table of their own; and what takes long under others."""
    keys = ("operation", "form", "ranks", "bytes")
    return [Benchmark("every_collective", 2, keys),
            *(Benchmark("every_collective", ranks, keys, ("--small",)) for ranks in (4, 8)),
            *(Benchmark("oversubscribed", ranks, ("what", "ranks")) for ranks in (8, 32, 128, 512))]


def benchmarks(quick):
    chosen = [
        Benchmark("latency", 2, ("bytes",)),
        Benchmark("bandwidth", 2, ("bytes",)),
        Benchmark("message_rate", 2, ("manner",)),
        Benchmark("new_data", 2, ("operation", "bytes")),
        Benchmark("datatypes", 2, ("shape",)),
        Benchmark("collectives", 2, ("operation", "ranks", "bytes")),
        Benchmark("overlap", 2, ("bytes",)),
        Benchmark("fences", 2, ("group", "name"), ("--only", "call")),
        Benchmark("io", 4, ("what", "bytes")),
        Benchmark("spawn", 1, ("what",)),
        Benchmark("start", 4, ()),
        Benchmark("start", 32, ()),
        *(Benchmark("memory", ranks, ()) for ranks in ((1, 32) if quick else (1, 32, 256))),
        Benchmark("numpy_buffers", 2, ("what", "bytes"), python=True),
        *(Benchmark("python_loop", ranks, ("ranks",), python=True) for ranks in (1, 2)),
        *(Benchmark("numpy_import", ranks, ("ranks",), python=True) for ranks in (1, 8)),
    ]
    if not quick:
        # With more ranks than cores some peers need milliseconds for the smallest call.
        chosen.insert(5, Benchmark("collectives", 8, ("operation", "ranks", "bytes"), ("--small",)))
    return chosen


def chosen_benchmarks(arguments):
    if arguments.sweep:
        return sweep()
    return benchmarks(arguments.quick) + (on_request() if arguments.only else [])


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
    """{name of a figure: (nanoseconds, the hop that it met, 0 if its repetitions did not meet one, or None if the program does
    not look)} of one run."""
    found, hops = {}, {}
    hellos = set()
    for word, values in result_lines(out):
        if word == "hello":
            hellos.add((values["rank"], values["size"]))
        elif word == "overlap":
            # A share is no time, but is shown and written like one figure more.
            name = " ".join(filter(None, ["overlap", values.get("of"), values["bytes"], "B"]))
            for what in ("comm_ns", "compute_ns", "both_ns"):
                found[f"{name} {what.removesuffix('_ns')}"] = float(values[what])
            found[f"{name} {HIDDEN}"] = float(values["hidden"])
        elif "part_of_a_core" in values:
            found[f"{word} {values['what']} {values['ranks']} {OF_A_CORE}"] = float(values["part_of_a_core"])
        elif word == "memory":
            found[f"memory {values['ranks']} ranks {BYTES}"] = float(values["bytes_per_rank"])
        elif word == benchmark.program and benchmark.program != "start":
            name = " ".join([word] + [values[k] + (" B" if k == "bytes" else "") for k in benchmark.keys])
            found[name] = float(values["median_ns"])
            if "hop_ns" in values:
                hops[name] = float(values["hop_ns"])
    if benchmark.program == "start":
        wanted = {(str(r), str(benchmark.ranks)) for r in range(benchmark.ranks)}
        if hellos != wanted:
            raise Failed(f"start: {len(hellos)} of {benchmark.ranks} ranks said hello")
        found[f"start {benchmark.ranks} ranks"] = wall
    elif not found:
        raise Failed(f"{benchmark.program}: no result line in its output")
    return {name: (ns, hops.get(name)) for name, ns in found.items()}


def steady_run(command, mpi, benchmark, limit, hop, like):
    """{figure: (time, hop)} of a run. A host may move its cores: the run is repeated, a few times, for the figures whose cores
    were not as far from each other as `like` says, the hops of the peer it is compared with; or, where the program does not
    look itself, not as far after the run as before. A figure for which they never were is the last run's."""
    kept, last = {}, {}
    for _ in range(ATTEMPTS):
        before = measure_hop(hop)
        out, wall = run(command, mpi.environment, limit)
        steady = as_far(before, measure_hop(hop))
        for name, (ns, met) in figures(benchmark, out, wall).items():
            last[name] = ns, met or before
            if (steady if met is None else met > 0) and as_far(last[name][1], like.get(name, last[name][1])):
                kept.setdefault(name, last[name])
        if len(kept) == len(last):
            break
    return last | kept


def between(values):
    """The least and the largest, as people read them."""
    values = list(values)
    return f"{min(values):.0f}-{max(values):.0f}"


def collect(arguments, mpis, directory, hop):
    """A list of records {round, mpi, figure, ns, hop_ns}, and the list of failures."""
    records, failures, given_up = [], [], set()
    with_mpi4py = add_mpi4py(mpis, arguments.python, arguments.mpi4py)
    for turn in range(arguments.rounds):
        for benchmark in chosen_benchmarks(arguments):
            if arguments.only and benchmark.program not in arguments.only:
                continue
            order = list(mpis.values())
            order = order[turn % len(order):] + order[:turn % len(order)]
            like = {}
            for mpi in order:
                if benchmark.python and mpi.name not in with_mpi4py or (benchmark, mpi.name) in given_up:
                    continue
                program = [arguments.python, str(HERE / "python" / (benchmark.program + ".py"))] if benchmark.python \
                    else [str(directory / mpi.name / benchmark.program)]
                command = [mpi.mpiexec, *mpi.options, "-n", str(benchmark.ranks), *program, *benchmark.options]
                if arguments.quick and benchmark.program != "start":
                    command.append("--quick")
                try:
                    found = steady_run(command, mpi, benchmark, arguments.limit, hop, like)
                    for name, (ns, hop_ns) in found.items():
                        like.setdefault(name, hop_ns)
                        records.append(dict(round=turn, mpi=mpi.name, figure=name, ns=ns, hop_ns=hop_ns))
                except Failed as failure:
                    failures.append(f"{mpi.name}: {failure}")
                    given_up.add((benchmark, mpi.name))  # mostly it was late, and would be again
                    print(f"FAILED {failures[-1]}", file=sys.stderr)
                else:
                    print(f"round {turn + 1}/{arguments.rounds}  {mpi.name:8} {benchmark.program} "
                          f"on {benchmark.ranks} ranks (hop {between(met for _, met in found.values())} ns)", file=sys.stderr)
    return records, failures


def show(table, names):
    peers = [n for n in names if n != "ranklet"]
    print(f"\n{'median time':34}" + "".join(f"{n:>12}" for n in names) +
          (f"{'of fastest peer':>18}" if "ranklet" in names and peers else "") + f"{names[0] + ' in hops':>20}")
    for figure in table.cells:
        line = f"{figure:34}" + "".join(f"{table.text(figure, n):>12}" for n in names)
        if figure.endswith(SHARES):
            print(line)
            continue
        if "ranklet" in names and peers:
            ratio = table.ratio(figure, "ranklet", peers)
            line += f"{'-' if ratio is None else format(ratio, '.2f'):>18}"
        hops = table.hops(figure, names[0])
        line += f"{'-' if hops is None else format(hops, '.2f'):>20}"
        print(line)


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
    parser.add_argument("--build", help="a build tree of Ranklet, searched for mpicc and mpiexec (default: the one of the "
                        "source tree that was made last)")
    parser.add_argument("--ranklet", help="the directory of Ranklet's mpicc and mpiexec (default: a build, else from PATH)")
    parser.add_argument("--mpi", help="comma-separated: ranklet,mpich,openmpi (default: all that are found); NAME=PREFIX is "
                        "one more, whose mpicc and mpiexec are in PREFIX/bin")
    parser.add_argument("--only", type=lambda s: s.split(","), help="comma-separated names of programs in mpi/")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run in turn (default 5)")
    parser.add_argument("--limit", type=float, default=120, help="seconds until a run is given up (default 120)")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, shorter repetitions")
    parser.add_argument("--sweep", action="store_true", help="message sizes around all powers of two instead, and which "
                        "compare worst")
    parser.add_argument("--bind", action="store_true", help="leave binding to each launcher's default")
    parser.add_argument("--hop", help="the hop program (default: built from micro/hop.cpp)")
    parser.add_argument("--python", default=default_interpreter(), help="the interpreter (default %(default)s)")
    parser.add_argument("--mpi4py", action="append", default=[], metavar="NAME=DIRECTORY",
                        help="where the mpi4py lies that was built with this MPI; may be given for each")
    parser.add_argument("--csv", help="write every single figure here")
    parser.add_argument("--json", help="write every single figure and the machine's description here")
    parser.add_argument("--markdown", metavar="FILE", help="write the table here, for a page")
    parser.add_argument("--svg", help="write a picture of latency and bandwidth over size here")
    parser.add_argument("--save", metavar="FILE", help="write the ratios to the faster peer here, for --gate")
    parser.add_argument("--gate", metavar="FILE", help="exit with 3 when a ratio is worse than in FILE by more than "
                        f"{round(gate.TOLERANCE * 100 - 100)} %% in every round")
    parser.add_argument("--check", action="store_true", help="exit with 2 when a target is missed")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    saved = gate.read(arguments.gate) if arguments.gate else {}
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
    peers = [name for name in wanted if name != "ranklet"]
    if arguments.markdown:
        Path(arguments.markdown).write_text(markdown(table, wanted, peers))
    if arguments.save:
        gate.save(arguments.save, table, peers, here)
    drawn = picture(table, wanted) if arguments.svg else None
    if drawn:
        Path(arguments.svg).write_text(drawn)
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load']:.1f}, {arguments.rounds} rounds"
          + (f", hop {between(r['hop_ns'] for r in records)} ns" if records else ""))
    if records:
        show(table, wanted)
    if arguments.sweep:
        for kind, (figure, ratio) in table.worst(peers).items():
            print(f"largest ratio of {kind}: {ratio:.2f}, {figure}")
    missed = False
    if "ranklet" in wanted and not arguments.sweep:
        print("\ntargets")
        for what, figure, reached in targets(table, wanted):
            print(f"  {'?' if reached is None else 'yes' if reached else 'NO':4}{what}: {figure}")
            missed |= reached is False
    worse = list(gate.regressions(saved, table, peers))
    for figure, before, now in worse:
        print(f"WORSE {figure}: {now:.2f} of the faster peer at best, {before:.2f} when saved")
    for failure in failures:
        print(f"FAILED {failure}")
    sys.exit(1 if failures else 3 if worse else 2 if missed and arguments.check else 0)


if __name__ == "__main__":
    main()
