"""mpifort with compilers that do not read the installed modules: test_modules.py MPIEXEC BIN."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, BIN = sys.argv[1], pathlib.Path(sys.argv[2])
GFORTRAN = shutil.which("gfortran")

# What a gfortran of another module version does: it reads only modules that it has made, where `own` lies beside them.
OTHER = f"""#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
for word; do
  case $word in -I*)
    directory=${{word#-I}}
    if [ -e "$directory/mpi_f08.mod" ]; then
      [ -e "$directory/own" ] && break
      echo "Fatal Error: Cannot read module file 'mpi_f08.mod', because it was created by a different version" >&2
      exit 1
    fi
  esac
done
{GFORTRAN} "$@" && touch own
"""
PROGRAM = """program p
use mpi_f08
integer :: n = 1
call MPI_Init()
call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
call MPI_Finalize()
if (n /= 2) error stop
end program
"""


class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        self.cache = self.here / "cache"
        (self.here / "p.f90").write_text(PROGRAM)

    def compiler(self, text):
        path = self.here / "other-gfortran"
        path.write_text(text)
        path.chmod(0o755)
        return f"-fc={path}"

    def start(self, *words):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        return subprocess.Popen([BIN / "mpifort", *words], cwd=self.here, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def mpifort(self, *words):
        process = self.start(*words)
        text = process.communicate(timeout=60)[0]
        return process.returncode, text

    def made(self):
        return list(self.cache.glob("ranklet/fortran/*"))

    def calls(self):
        return (self.here / "calls").read_text().count("\n")

    def test_another_version_gets_modules_of_its_own(self):
        other = self.compiler(OTHER)
        code, text = self.mpifort(other, "p.f90", "-o", "p")
        places = self.made()
        self.assertEqual((code, text, len(places)),
                         (0, f"mpifort: made the modules mpi and mpi_f08 for other-gfortran, once, in {places[0]}\n", 1))
        self.assertEqual(subprocess.run([MPIEXEC, "-n", "2", self.here / "p"], timeout=60).returncode, 0)
        before = self.calls()
        self.assertEqual(self.mpifort(other, "p.f90", "-o", "p"), (0, ""))
        self.assertEqual(self.calls(), before + 1)
        self.assertEqual(self.mpifort(other, "-showme:compile")[1].split()[0], f"-I{places[0]}")
        self.assertEqual(self.mpifort(other, "-showme:incdirs")[1].split()[0], str(places[0]))

    def test_at_once(self):
        other = self.compiler(OTHER)
        processes = [self.start(other, "-c", "p.f90", "-o", f"p{i}.o") for i in range(4)]
        for process in processes:
            text = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 0, text)
        self.assertEqual(len(self.made()), 1)

    def test_one_that_reads_the_installed_modules_is_asked_once(self):
        same = self.compiler(f'#!/bin/sh\necho "$@" >> "$(dirname "$0")/calls"\nexec {GFORTRAN} "$@"\n')
        for calls in 2, 3:
            self.assertEqual(self.mpifort(same, "p.f90", "-o", "p"), (0, ""))
            self.assertEqual(self.calls(), calls)
        self.assertFalse(list(self.cache.rglob("*.mod")))

    def test_the_compiler_of_the_build_needs_no_cache(self):
        self.assertEqual(self.mpifort("p.f90", "-o", "p"), (0, ""))
        self.assertEqual(self.made(), [])

    def test_one_that_cannot_make_them_is_named(self):
        poor = self.compiler("#!/bin/sh\necho 'Error: no such luck' >&2\nexit 1\n")
        code, text = self.mpifort(poor, "p.f90", "-o", "p")
        self.assertNotEqual(code, 0)
        self.assertTrue(text.startswith(
            "mpifort: other-gfortran cannot read the modules mpi and mpi_f08, nor make its own: no such luck\n"), text)
        self.assertEqual(self.made(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
