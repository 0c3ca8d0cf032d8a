"""Programs of several languages and libraries: test_mixed.py MPIEXEC BIN SOURCE_DIR."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, BIN, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def compile_(compiler, *words, quiet=True):
    """quiet: no tool may warn of ours."""
    done = subprocess.run([BIN / compiler, "-g", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or quiet and done.stdout:
        raise AssertionError(done.stdout)


def run(ranks, program, option=None, *arguments):
    options = [option] if option else []
    return subprocess.run([MPIEXEC, "-n", str(ranks), *options, program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60)


class Mixed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.here = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def assertRuns(self, ranks, program):
        done = run(ranks, program)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_sentinels_everywhere(self):
        interfaces = ["-DF77", "-DF90", "-DF08"]
        for shift in range(3):
            def interface(i):
                return interfaces[(i + shift) % 3]

            h = self.here
            for i, name in enumerate(["first", "second", "opened"]):
                compile_("mpifort", "-O3", "-mavx512f", "-shared", "-fPIC", interface(i), f"-DNAME=in_{name}",
                         SOURCES / "sentinels.F90", "-o", h / f"lib{name}.so")
            compile_("mpicc", f'-DOPENED="{h}/libopened.so"', "-c", SOURCES / "opened.c", "-o", h / "opened.o")
            compile_("mpifort", "-O3", "-mavx512f", interface(3), "-DNAME=in_program", SOURCES / "sentinels.F90",
                     SOURCES / "sentinels_main.f90", h / "opened.o", f"-L{h}", f"-Wl,-rpath,{h}", "-lfirst", "-lsecond",
                     "-o", h / "program")
            self.assertRuns(8, h / "program")

    def test_compilers_that_keep_to_the_standard(self):
        program = self.here / "program.f90"
        for standard in ["f2003", "f2008", "f2018"]:
            for interface in ["use mpi", "use mpi_f08", "include 'mpif.h'"]:
                with self.subTest(f"{standard}, {interface}"):
                    program.write_text(f"program p\n{interface}\ninteger :: e\ncall MPI_Init(e)\ncall MPI_Finalize(e)\nend\n")
                    compile_("mpifort", f"-std={standard}", "-w", program, "-o", self.here / "program")
                    self.assertRuns(1, self.here / "program")

    def test_languages(self):
        compile_("mpicc", "-c", SOURCES / "mixed.c", "-o", self.here / "mixed_c.o")
        compile_("mpifort", "-J", self.here, SOURCES / "mixed.f90", self.here / "mixed_c.o", "-o", self.here / "mixed")
        self.assertRuns(1, self.here / "mixed")
        self.assertRuns(3, self.here / "mixed")

    def test_programs_that_start_programs(self):
        for interface in ["-DF77", "-DF90", "-DF08"]:
            with self.subTest(interface):
                compile_("mpifort", interface, SOURCES / "spawn.F90", "-o", self.here / "spawn")
                self.assertRuns(1, self.here / "spawn")
                self.assertRuns(3, self.here / "spawn")

    def test_integers_of_8_bytes_are_refused(self):
        program = self.here / "program.f90"
        program.write_text("program p\ninclude 'mpif.h'\ninteger :: e\ncall MPI_INIT(e)\ncall MPI_FINALIZE(e)\nend\n")
        compile_("mpifort", "-w", "-fdefault-integer-8", program, "-o", self.here / "program",
                 quiet=False)
        done = run(2, self.here / "program")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MPI_INIT: this program was compiled with a default INTEGER of 8 bytes", done.stdout)

    def test_a_call_without_arguments_links(self):
        """So PETSc's configure asks for the libraries; with an interface no other call of that kind compiles."""
        program = self.here / "program.f90"
        program.write_text("program p\ninclude 'mpif.h'\ncall MPI_Allreduce()\nend\n")
        compile_("mpifort", program, "-o", self.here / "program")
        done = run(1, self.here / "program")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MPI_ALLREDUCE: called without arguments", done.stdout)

    def test_errors_name_the_line(self):
        program = self.here / "program.f90"
        for interface in ["use mpi", "use mpi_f08"]:
            program.write_text(f"program p\n{interface}\ninteger :: n, e\ncall MPI_Init(e)\n"
                               "call MPI_Send(n, 1, MPI_INTEGER, 7, 0, MPI_COMM_WORLD, e)\ncall MPI_Finalize(e)\nend\n")
            compile_("mpifort", program, "-o", self.here / "program")
            done = run(1, self.here / "program")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("MPI error in MPI_SEND on rank 0", done.stdout)
            self.assertIn("call          MPI_SEND(buf=", done.stdout)
            self.assertRegex(done.stdout, r"place +\S+ at program\.f90:5\n")

    def test_deadlocks_and_findings_name_the_line(self):
        program = self.here / "program.f90"
        for interface, comm in [("use mpi", "integer"), ("use mpi_f08", "type(MPI_Comm)"), ("include 'mpif.h'", "integer")]:
            program.write_text(f"program p\n{interface}\ninteger :: n, e\n{comm} :: c\ncall MPI_Init(e)\n"
                               "call MPI_Comm_dup(MPI_COMM_WORLD, c, e)\n"
                               "if (command_argument_count() == 0) &\n"
                               "  call MPI_Recv(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)\n"
                               "call MPI_Finalize(e)\nend\n")
            compile_("mpifort", program, "-o", self.here / "program")
            done = run(1, self.here / "program")
            self.assertRegex(done.stdout, r"rank 0  MPI_RECV\(buf=.*\n +at \S+ at program\.f90:8\n")
            done = run(1, self.here / "program", "--check", "leave")
            self.assertRegex(done.stdout, r"leak: a communicator was not freed\n.*\n.*\n +call +MPI_COMM_DUP\(.*\n"
                                          r" +place +\S+ at program\.f90:6\n")

    def test_manglings(self):
        program = self.here / "program.f90"
        program.write_text("program p\nuse mpi_f08\ninteger :: n = 1\ncall MPI_Init()\n"
                           "call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)\n"
                           "call MPI_Finalize()\nif (n /= 2) error stop\nend\n")
        for option in ["-fno-underscoring", "-fsecond-underscore"]:
            compile_("mpifort", option, program, "-o", self.here / "program")
            self.assertRuns(2, self.here / "program")

    @unittest.skipUnless(shutil.which("cmake"), "needs cmake")
    def test_cmake(self):
        """FindMPI finds all three interfaces; a target of two languages, with buffers of differing types, needs no flag."""
        (self.here / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(p C Fortran)\nfind_package(MPI REQUIRED COMPONENTS C Fortran)\n"
            "foreach(mode F77_HEADER F90_MODULE F08_MODULE)\n  if(NOT MPI_Fortran_HAVE_${mode})\n"
            "    message(FATAL_ERROR \"no ${mode}\")\n  endif()\nendforeach()\n"
            "if(MPI_Fortran_COMPILE_OPTIONS)\n  message(FATAL_ERROR \"${MPI_Fortran_COMPILE_OPTIONS}\")\nendif()\n"
            "add_executable(both main.f half.c)\ntarget_link_libraries(both MPI::MPI_Fortran MPI::MPI_C)\n")
        (self.here / "main.f").write_text(
            "      PROGRAM MAIN\n      INCLUDE 'mpif.h'\n      INTEGER IERR, N\n      REAL X\n      CALL MPI_INIT(IERR)\n"
            "      CALL HALF(N)\n      CALL MPI_BCAST(N, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, IERR)\n"
            "      CALL MPI_BCAST(X, 1, MPI_REAL, 0, MPI_COMM_WORLD, IERR)\n      CALL MPI_FINALIZE(IERR)\n      END\n")
        (self.here / "half.c").write_text(
            "#include <mpi.h>\nvoid half_(int* n)\n{\n  MPI_Comm_rank(MPI_COMM_WORLD, n);\n}\n")
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
        for variable in ["CC", "CXX", "FC"]:
            environment.pop(variable, None)
        for words in [["-S", ".", "-B", "build"], ["--build", "build"]]:
            done = subprocess.run(["cmake", *words], cwd=self.here, env=environment, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertNotIn("Warning", done.stdout)
        self.assertRuns(2, self.here / "build" / "both")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
