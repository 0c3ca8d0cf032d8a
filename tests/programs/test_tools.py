"""Tools that define functions of MPI and call the PMPI ones (MPI 5.0 section 15.2), named in LD_PRELOAD: test_tools.py MPIEXEC MPICC."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC = sys.argv[1], sys.argv[2]

PROGRAM = """
#include <mpi.h>
int main(int argc, char** argv)
{
  int sum = 1;
  MPI_Init(&argc, &argv);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""
# Counts in a variable of its own on each rank.
PROFILER = """
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  ++calls;
  return PMPI_Allreduce(from, to, n, type, op, comm);
}
int MPI_Finalize(void)
{
  printf("profiler: %d\\n", calls);
  return PMPI_Finalize();
}
"""
# Hands on to the next one that is named.
TRACER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int MPI_Finalize(void)
{
  printf("tracer\\n");
  return ((int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize"))();
}
"""


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.here = pathlib.Path(cls.folder.name)
        for name, text, *options in [("program", PROGRAM), ("libprofiler.so", PROFILER, "-shared", "-fPIC"),
                                     ("libtracer.so", TRACER, "-shared", "-fPIC")]:
            cls.compile(MPICC, name, text, *options)
        cls.profiler, cls.tracer = cls.here / "libprofiler.so", cls.here / "libtracer.so"

    @classmethod
    def compile(cls, compiler, name, text, *options):
        source = cls.here / (name + ".c")
        source.write_text(text)
        subprocess.run([compiler, source, "-o", cls.here / name, *options], check=True)

    def run_job(self, *words, **environment):
        done = subprocess.run([str(word) for word in words], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, sorted(done.stdout.splitlines())

    def test_every_way(self):
        program, tool = self.here / "program", str(self.profiler)
        both = ["profiler: 1", "profiler: 1"]
        for words in [["-x", f"LD_PRELOAD={tool}", program], ["-env", "LD_PRELOAD", tool, program],
                      ["env", f"LD_PRELOAD={tool}", program], ["--check", "-x", f"LD_PRELOAD={tool}", program]]:
            with self.subTest(words):
                self.assertEqual(self.run_job(MPIEXEC, "-n", 2, *words), (0, both))
        self.assertEqual(self.run_job(MPIEXEC, "-n", 2, program, LD_PRELOAD=tool), (0, both))
        self.assertEqual(self.run_job(program, LD_PRELOAD=tool), (0, both[:1]))

    def test_programs_have_their_own(self):
        program = self.here / "program"
        self.assertEqual(self.run_job(MPIEXEC, "-n", 2, program, ":", "-n", 1, "-env", "LD_PRELOAD", self.profiler, program),
                         (0, ["profiler: 1"]))

    def test_several(self):
        said = self.run_job(MPIEXEC, "-n", 1, self.here / "program", LD_PRELOAD=f"{self.tracer}:{self.profiler}")
        self.assertEqual(said, (0, ["profiler: 1", "tracer"]))

    def test_one_of_another_mpi(self):
        self.compile("cc", "libmpi.so.12", "void MPIR_Something(void) {}", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12")
        self.compile("cc", "libforeign.so", "extern void MPIR_Something(void);\nvoid f(void) { MPIR_Something(); }", "-shared",
                     "-fPIC", self.here / "libmpi.so.12", f"-Wl,-rpath,{self.here}")
        code, lines = self.run_job(MPIEXEC, "-n", 1, "-x", f"LD_PRELOAD={self.here}/libforeign.so", self.here / "program")
        self.assertNotEqual(code, 0)
        self.assertIn("libforeign.so is linked to MPICH or Intel MPI (libmpi.so.12): rebuild it", "\n".join(lines))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
