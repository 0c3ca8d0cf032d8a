"""What bench/compare.py makes of its figures: ratios, the gate, the picture; and which MPIs it finds."""
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

BENCH = sys.argv[1]
del sys.argv[1:2]
sys.dont_write_bytecode = True
sys.path.insert(0, BENCH)
import compare  # noqa: E402
import gate  # noqa: E402
import mpis  # noqa: E402
from picture import picture  # noqa: E402
from table import Table  # noqa: E402

SIZES = [8 << i for i in range(20)]


def records(factors, rounds=2):
    return [dict(round=turn, mpi=mpi, figure=f"{benchmark} {size} B", ns=factor * (80 + size / 12), hop_ns=33)
            for turn in range(rounds) for mpi, factor in factors.items() for benchmark in ("latency", "bandwidth")
            for size in SIZES]


class Gate(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.file = Path(self.directory.name) / "ratios.json"

    def saved(self, table):
        gate.save(self.file, table, ["mpich", "openmpi"], {})
        return gate.read(self.file)

    def test_what_is_as_it_was_passes(self):
        table = Table(records({"ranklet": 1, "mpich": 2, "openmpi": 3}))
        saved = self.saved(table)
        self.assertEqual(saved["latency 8 B"], 0.5)
        self.assertEqual(list(gate.regressions(saved, table, ["mpich", "openmpi"])), [])

    def test_what_is_worse_in_every_round_does_not(self):
        saved = self.saved(Table(records({"ranklet": 1, "mpich": 2, "openmpi": 3})))
        slow = records({"ranklet": 1.4, "mpich": 2, "openmpi": 3})
        found = list(gate.regressions(saved, Table(slow), ["mpich", "openmpi"]))
        self.assertEqual(len(found), 2 * len(SIZES))
        self.assertAlmostEqual(found[0][2], 0.7)
        noisy = slow[:len(slow) // 2] + records({"ranklet": 1, "mpich": 2, "openmpi": 3})[len(slow) // 2:]
        self.assertEqual(list(gate.regressions(saved, Table(noisy), ["mpich", "openmpi"])), [])

    def test_the_size_that_compares_worst(self):
        slow = records({"ranklet": 1, "mpich": 2, "openmpi": 3})
        for one in slow:
            if one["mpi"] == "ranklet" and one["figure"] == "latency 1024 B":
                one["ns"] *= 3
        worst = Table(slow).worst(["mpich", "openmpi"])
        self.assertEqual(list(worst), ["latency", "bandwidth"])
        self.assertEqual(worst["latency"], ("latency 1024 B", 1.5))
        self.assertEqual(worst["bandwidth"][1], 0.5)

    def test_a_round_in_which_the_cores_were_moved_has_no_ratio(self):
        there = [dict(round=turn, mpi=mpi, figure="bandwidth 64 B", ns=ns, hop_ns=hop)
                 for turn, mpi, ns, hop in [(0, "ranklet", 110, 190), (0, "mpich", 60, 30), (0, "openmpi", 160, 185),
                                            (1, "ranklet", 40, 30), (1, "mpich", 60, 25), (1, "openmpi", 80, 31)]]
        table = Table(there)
        self.assertAlmostEqual(table.ratio("bandwidth 64 B", "ranklet", ["mpich", "openmpi"]), 40 / 60)
        self.assertEqual(table.text("bandwidth 64 B", "ranklet"), "40.0 ns")
        self.assertIsNone(Table(there[:3]).ratio("bandwidth 64 B", "ranklet", ["mpich", "openmpi"]))

    def test_medians_of_one_distance_are_compared_where_no_round_had_one(self):
        there = [dict(round=turn, mpi=mpi, figure="latency 8 B", ns=ns, hop_ns=hop)
                 for turn, mpi, ns, hop in [(0, "ranklet", 60, 30), (0, "mpich", 900, 190), (0, "openmpi", 800, 185),
                                            (1, "ranklet", 260, 190), (1, "mpich", 240, 25), (1, "openmpi", 120, 31)]]
        table = Table(there)
        self.assertAlmostEqual(table.ratio("latency 8 B", "ranklet", ["mpich", "openmpi"]), 60 / 120)
        self.assertEqual(table.text("latency 8 B", "mpich"), "240.0 ns")

    def test_shares_have_no_ratio_and_may_be_nothing(self):
        shares = [dict(round=0, mpi=mpi, figure="overlap 8 B hidden", ns=share, hop_ns=33)
                  for mpi, share in {"ranklet": 0.9, "mpich": 0.0, "openmpi": 0.0}.items()]
        table = Table(records({"ranklet": 1, "mpich": 2}) + shares)
        self.assertNotIn("overlap 8 B hidden", self.saved(table))
        self.assertEqual(table.text("overlap 8 B hidden", "ranklet"), "0.90")

    def test_memory_is_compared_and_has_no_hops(self):
        figure = "memory 32 ranks bytes a rank"
        table = Table([dict(round=0, mpi=mpi, figure=figure, ns=kib * 1024, hop_ns=33)
                       for mpi, kib in {"ranklet": 300, "mpich": 6000, "openmpi": 3000}.items()])
        self.assertEqual(self.saved(table), {figure: 0.1})
        self.assertEqual(table.text(figure, "mpich"), "6000 KiB")
        self.assertIsNone(table.hops(figure, "ranklet"))

    def test_a_file_of_something_else_is_refused(self):
        self.file.write_text(json.dumps({"figures": []}))
        with self.assertRaises(SystemExit):
            gate.read(self.file)


class Repeated(unittest.TestCase):
    """Runs for figures that met another distance than the peer's."""

    def run_with(self, outputs, hops, like):
        outputs, hops = iter(outputs), iter(hops)
        mpi = mock.Mock(environment={})
        benchmark = compare.Benchmark("latency", 2, ("bytes",))
        with mock.patch.object(compare, "run", lambda *_: (next(outputs), 1.0)), \
                mock.patch.object(compare, "measure_hop", lambda _: next(hops)):
            return compare.steady_run(["latency"], mpi, benchmark, 1, "hop", like), list(outputs)

    @staticmethod
    def lines(*figures):
        return "".join(f"latency bytes={size} median_ns={ns}{'' if hop is None else f' hop_ns={hop}'}\n"
                       for size, ns, hop in figures)

    def test_each_figure_is_of_the_first_run_that_met_the_distance(self):
        outputs = [self.lines((8, 100, 30), (16, 500, 200)), self.lines((8, 480, 190), (16, 110, 33)), "never run\n"]
        found, left = self.run_with(outputs, [30, 200] * 5, {"latency 8 B": 40, "latency 16 B": 40})
        self.assertEqual(found, {"latency 8 B": (100, 30), "latency 16 B": (110, 33)})
        self.assertEqual(left, ["never run\n"])

    def test_a_figure_of_several_distances_does_not_count(self):
        outputs = [self.lines((8, 480, 0)), self.lines((8, 100, 30))]
        found, left = self.run_with(outputs, [30] * 4, {"latency 8 B": 31})
        self.assertEqual(found, {"latency 8 B": (100, 30)})
        self.assertEqual(left, [])

    def test_the_last_run_stands_for_what_never_did(self):
        outputs = [self.lines((8, 400 + i, 200)) for i in range(compare.ATTEMPTS)]
        found, _ = self.run_with(outputs, [30] * 20, {"latency 8 B": 30})
        self.assertEqual(found, {"latency 8 B": (400 + compare.ATTEMPTS - 1, 200)})

    def test_who_does_not_look_counts_between_two_hops_that_are_alike(self):
        outputs = [self.lines((8, 300, None)), self.lines((8, 100, None))]
        found, left = self.run_with(outputs, [30, 200, 31, 30], {})
        self.assertEqual(found, {"latency 8 B": (100, 31)})
        self.assertEqual(left, [])


class Picture(unittest.TestCase):
    def test_each_mpi_has_a_curve_in_each_plot(self):
        drawn = picture(Table(records({"ranklet": 1, "mpich": 2, "openmpi": 3, "mine": 4})),
                        ["ranklet", "mpich", "openmpi", "mine"])
        root = xml.fromstring(drawn)
        lines = root.findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(lines), 2 * 4)
        self.assertEqual(len({line.get("stroke") for line in lines}), 4)
        _, _, width, height = map(float, root.get("viewBox").split())
        for line in lines:
            points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
            self.assertEqual(len(points), len(SIZES))
            self.assertTrue(all(0 <= x <= width and 0 <= y <= height for x, y in points))

    def test_without_figures_there_is_none(self):
        self.assertIsNone(picture(Table([]), ["ranklet"]))


class Found(unittest.TestCase):
    def test_any_mpi_by_its_prefix(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertIsNone(mpis.mpi_at("mine", directory))
            binaries = Path(directory) / "bin"
            binaries.mkdir()
            for name in ("mpicc", "mpiexec"):
                (binaries / name).write_text("#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
                os.chmod(binaries / name, 0o755)
            found = mpis.mpi_at("mine", directory)
            self.assertEqual((found.name, found.mpicc), ("mine", str(binaries / "mpicc")))
            self.assertIn("--oversubscribe", found.options)


if __name__ == "__main__":
    unittest.main()
