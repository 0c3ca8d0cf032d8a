"""The compiler wrappers: what they print and what they hand to the compiler."""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

MPICC = sys.argv.pop(1)
BIN = os.path.dirname(MPICC)


def run(name, *args, **env):
    result = subprocess.run([os.path.join(BIN, name), *args], capture_output=True, text=True,
                            env={**os.environ, **env}, timeout=60)
    if result.returncode != 0:
        raise AssertionError(f'{name} {args} failed: {result.stderr}')
    return result.stdout.strip()


class Wrappers(unittest.TestCase):
    def test_flags(self):
        include = run('mpicc', '-showme:incdirs').split()
        lib = run('mpicc', '-showme:libdirs')
        self.assertIn('-I' + include[0], run('mpicc', '-showme:compile').split())
        link = run('mpicc', '-showme:link').split()
        for flag in ('-L' + lib, '-Wl,-rpath,' + lib, '-lmpi_abi'):
            self.assertIn(flag, link)
        self.assertEqual(run('mpicc', '--showme:link').split(), link)
        self.assertEqual(run('mpicc', '-showme:libs'), 'mpi_abi')
        self.assertRegex(run('mpicxx', '-showme:version'), r'^mpicxx: Ranklet [\d.]+ \(Language: C\+\+\)$')

    def test_show_is_the_command(self):
        words = shlex.split(run('mpicc', '-show', '-c', 'a b.c', '-DX="q"'))
        self.assertEqual(words[-3:], ['-c', 'a b.c', '-DX="q"'])
        self.assertNotIn('-lmpi_abi', words)
        words = run('mpicc', '-show', 'a.o', '-o', 'a').split()
        self.assertLess(words.index('a.o'), words.index('-lmpi_abi'))
        self.assertIn('-lmpi_abi', run('mpicc', '-show').split())
        self.assertIn('-lmpi_abi', run('mpicc', '-link_info').split())
        self.assertIn('-I', run('mpicc', '-compile_info'))

    def test_compiler_is_free(self):
        self.assertEqual(run('mpicc', '-show', MPICC_CC='ccache clang').split()[:2], ['ccache', 'clang'])
        self.assertEqual(run('mpicc', '-showme:command', MPICH_CC='icx'), 'icx')
        self.assertEqual(run('mpicc', '-showme:command', OMPI_CC='tcc'), 'tcc')
        self.assertEqual(run('mpicc', '-cc=tcc', '-showme:command', MPICC_CC='icx'), 'tcc')
        self.assertEqual(run('mpic++', '-showme:command', MPICXX_CXX='icpx'), 'icpx')
        self.assertEqual(run('mpiCC', '-cxx=x++', '-showme:command'), 'x++')
        self.assertEqual(run('mpifort', '-showme:command', OMPI_FC='ifx'), 'ifx')

    def test_compiles_without_linking(self):
        with tempfile.TemporaryDirectory() as directory:
            source = os.path.join(directory, 'a.c')
            with open(source, 'w') as file:
                file.write('#include <mpi.h>\nint version = MPI_VERSION;\n')
            run('mpicc', '-c', source, '-o', source + '.o')
            self.assertIn('int version = 5', run('mpicc', '-E', source))
            run('mpicc', '-S', source, '-o', source + '.s')
            run('mpicc', '-shared', '-fPIC', source, '-o', source + '.so')
            depends = run('mpicc', '-M', source)
            self.assertIn('mpi.h', depends)

    def test_questions_to_the_compiler_pass(self):
        self.assertEqual(run('mpicc', '-dumpversion'),
                         subprocess.run([run('mpicc', '-showme:command'), '-dumpversion'], capture_output=True,
                                        text=True).stdout.strip())

    def test_missing_compiler_is_named(self):
        result = subprocess.run([MPICC, 'a.c'], capture_output=True, text=True,
                                env={**os.environ, 'MPICC_CC': 'no-such-compiler'})
        self.assertEqual(result.returncode, 127)
        self.assertIn('no-such-compiler', result.stderr)
        self.assertIn('MPICC_CC', result.stderr)

    def test_started_through_a_link(self):
        with tempfile.TemporaryDirectory() as directory:
            os.symlink(MPICC, os.path.join(directory, 'mpicxx'))
            result = subprocess.run([os.path.join(directory, 'mpicxx'), '-show'], capture_output=True, text=True)
            self.assertEqual(result.stdout.strip(), run('mpicxx', '-show'))


unittest.main(verbosity=1)
