"""ranklet-litmus and ranklet-fences on two ranks: what they find, flag and write."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

BUILD, BENCH = sys.argv[1:3]
del sys.argv[1:3]
sys.path.insert(0, BENCH)
import fences  # noqa: E402
import litmus  # noqa: E402
import report  # noqa: E402

DIRECTORY = tempfile.TemporaryDirectory()


def file(name):
    return str(Path(DIRECTORY.name) / name)


def tool(name, *arguments):
    return subprocess.run([sys.executable, f"{BENCH}/{name}.py", "--build", BUILD, *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)


def two_cpus():
    return len(os.sched_getaffinity(0)) >= 2


class Litmus(unittest.TestCase):
    @unittest.skipUnless(two_cpus(), "needs two CPUs")
    def test_nothing_forbidden_is_seen(self):
        done = tool("litmus", "--mpi", "ranklet", "--rounds", "2000", "--seconds", "0.1", "--four", "--json", file("l.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        records = json.loads(Path(file("l.json")).read_text())["records"]
        ran = {(r["shape"], r["sync"]) for r in records}
        # Every test that the model knows was run.
        model = {line.split()[1][6:] + " " + line.split()[2][5:]
                 for line in tool("litmus", "--model").stdout.splitlines()}
        missing = {test for test in model if tuple(test.split()) not in ran}
        self.assertEqual(missing, set())
        self.assertEqual({r["ranks"] for r in records if r["sync"] == "fence"}, {2, 4})
        for r in records:
            # Each other rank's load is an outcome of its own.
            outcomes = r["rounds"] * (r["ranks"] - 1 if r["shape"] == "write-read" else 1)
            self.assertEqual(sum(r["outcomes"].values()), outcomes)
            self.assertGreater(r["rounds"], 0)

    def test_what_is_forbidden_is_flagged(self):
        model = {("sb", "win_sync"): ("forbidden", "0,0", {"0,1", "1,0", "1,1"}),
                 ("sb", "none"): ("allowed", "0,0", {"0,0", "0,1", "1,0", "1,1"})}
        seen = [dict(mpi="other", shape="sb", sync=sync, ranks=2, rounds=10, outcomes={"0,0": 3, "0,1": 7})
                for _, sync in model]
        judged = litmus.judge(seen, model)
        self.assertEqual([r["forbidden"] for r in judged], [3, 0])
        self.assertEqual([r["weak"] for r in judged], [3, 3])
        self.assertEqual([litmus.figure(r) for r in judged], ["! 3 of 10", "3 of 10"])

    def test_model(self):
        self.assertIn("model shape=sb sync=win_sync_rules verdict=allowed weak=0,0", tool("litmus", "--model").stdout)
        self.assertIn("| MPI_Win_sync | ", tool("litmus", "--model", "table").stdout)
        self.assertIn("without P0's fence: write-read racy", tool("litmus", "--model", "edges").stdout)


class Fences(unittest.TestCase):
    @unittest.skipUnless(two_cpus(), "needs two CPUs")
    def test_all_subjects(self):
        done = tool("fences", "--mpi", "ranklet", "--quick", "--rounds", "1", "--csv", file("f.csv"), "--json",
                    file("f.json"), "--html", file("f.html"), "--plots", file("plots"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(file("f.csv")) as table:
            rows = list(csv.DictReader(table))
        groups = {r["group"] for r in rows}
        self.assertEqual(groups, {"alone", "shared", "call", "write-read", "read-write", "write-write"})
        for r in rows:
            self.assertLessEqual(float(r["ci_low"]), float(r["median"]), r)
            self.assertLessEqual(float(r["median"]), float(r["ci_high"]), r)
            self.assertGreater(float(r["median"]), 0, r)
        samples = json.loads(Path(file("f.json")).read_text())["samples"]
        self.assertEqual(len(samples), len(rows))
        page = Path(file("f.html")).read_text()
        self.assertIn("<svg ", page)
        self.assertIn("win_sync_message", page)
        self.assertNotIn("src=", page)  # nothing from elsewhere
        self.assertTrue(list(Path(file("plots")).glob("*-call.svg")))

    def test_summary(self):
        s = fences.Samples()
        s.add([float(x) for x in range(100, 50, -1)])
        s.add([float(x) for x in range(1, 51)])
        summary = s.summary()
        self.assertEqual((summary["median"], summary["min"], summary["samples"]), (50.5, 1.0, 100))
        self.assertAlmostEqual(summary["p5"], 5.95)
        self.assertLess(summary["ci_low"], 45)
        self.assertGreater(summary["ci_high"], 55)

    def test_show_leaves_gaps(self):
        s = fences.Samples()
        s.add([1.0])
        rows = [dict(nearness="same L3", group="call", name="flush", mpis={"openmpi": s.summary()})]
        out = io.StringIO()
        with redirect_stdout(out):
            fences.show(rows, [("same L3", 0, 1)], ["ranklet", "openmpi"])
        self.assertRegex(out.getvalue(), r"call +flush {40,}1\.0 \(1\.0-1\.0\)\n")
        self.assertIn("1 ns", report.page(rows, [("same L3", 0, 1)], ["ranklet", "openmpi"],
                                          dict(cpu="c", cores=2, load=0.0, load_before=0.0, time="t")))

    @staticmethod
    def page(load_before=0.0, samples=(10.0,) * 20):
        s = fences.Samples()
        s.add(list(samples))
        rows = [dict(nearness="same L3", group="call", name="flush", mpis={"ranklet": s.summary()})]
        return report.page(rows, [("same L3", 0, 1)], ["ranklet"],
                           dict(cpu="c", cores=2, load=1.0, load_before=load_before, time="t"))

    def test_page_warns_of_a_busy_machine(self):
        self.assertNotIn("machine was busy", self.page())
        self.assertIn("its load was 3.5 on 2 CPUs", self.page(load_before=3.5))
        self.assertIn("in 1 of 1 measurements", self.page(samples=(10.0, 10.0, 10.0, 30.0, 30.0)))

    def test_page_shows_where_lines_are_cut(self):
        arrow = 'l7 4l-7 4z'
        legend = report.legend().count(arrow)
        self.assertEqual(self.page().count(arrow), legend)
        # Once for wide screens and once for narrow ones.
        self.assertEqual(self.page(samples=(10.0,) * 18 + (1e6,) * 3).count(arrow), legend + 2)

    def test_page_on_small_and_dark_screens(self):
        page = self.page()
        for part in ("prefers-color-scheme: dark", "max-width: 640px", 'class="narrow"', 'class="plain"', "width=device-width"):
            self.assertIn(part, page)


if __name__ == "__main__":
    unittest.main()
