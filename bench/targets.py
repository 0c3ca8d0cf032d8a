"""What the figures of compare.py have to reach. Each is (what, figure as text, reached or None when not measured)."""
from table import readable


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
    yield from python_targets(table, peers)
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


def python_targets(table, peers):
    for what, figure, limit in (("ping-pong of 8 B", "ping_pong 8 B", 0.7), ("ping-pong of 1 MiB", "ping_pong 1048576 B", 0.7),
                                ("bcast of 100 MB", "bcast 100000000 B", 0.7)):
        ratio = table.ratio("numpy_buffers " + figure, "ranklet", peers)
        yield (f"{what} of numpy: at most {limit} of the faster peer's time",
               "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= limit)
    for what, figure, ranks, limit in (("a loop in pure Python", "python_loop", 2, 1.1),
                                       ("import of numpy", "numpy_import", 8, 2)):
        ratio = table.of_figure(f"{figure} {ranks}", f"{figure} 1", "ranklet")
        yield (f"{what} on {ranks} ranks: at most {limit} of one's time",
               "not measured" if ratio is None else f"{ratio:.2f}", None if ratio is None else ratio <= limit)
