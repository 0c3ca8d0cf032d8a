"""Whatever name and path of libmpi_abi programs need, and whatever lies in LD_LIBRARY_PATH, ranks use the library of
mpiexec's own installation."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop()
LIBRARY = sys.argv.pop()
MPICC = sys.argv.pop()
MPIEXEC = sys.argv.pop()

# What another MPI of the same ABI would be: a program that gets it ends with code 99.
OTHER = '''#include <stdlib.h>
#include <unistd.h>
#define FUNCTION(name) int name(void) { static const char text[] = "the other library\\n"; \\
  if (write(2, text, sizeof text - 1) < 0) abort(); _exit(99); }
FUNCTION(MPI_Init) FUNCTION(MPI_Comm_rank) FUNCTION(MPI_Allreduce) FUNCTION(MPI_Finalize)
'''
USER = 'int MPI_Init(int*, char***); void* address_in_library(void) { return (void*)&MPI_Init; }\n'


class LibraryNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.dir = cls.holder.name
        cls.write('other.c', OTHER)
        cls.write('user.c', USER)
        for version in '01':
            directory = os.path.join(cls.dir, 'other' + version)
            os.mkdir(directory)
            name = f'libmpi_abi.so.{version}'
            cls.run_command('cc', '-shared', '-fPIC', cls.dir + '/other.c', '-o', f'{directory}/{name}',
                            '-Wl,-soname,' + name)
            os.symlink(name, directory + '/libmpi_abi.so')
            # Needs MPI by this name, and brings no path of its own.
            cls.run_command('cc', '-shared', '-fPIC', cls.dir + '/user.c', '-o', f'{cls.dir}/libuser{version}.so',
                            '-Wl,--no-as-needed', '-L' + directory, '-lmpi_abi')
        include = ['-I' + word for word in cls.run_command(MPICC, '-showme:incdirs').split()]
        flags = [word for word in cls.run_command(MPICC, '-showme:link').split() if word.startswith('-fsanitize')]
        own = '-Wl,-rpath,' + os.path.dirname(LIBRARY)
        cls.programs = {}
        for name, version, more in (('new', '1', [own]), ('old', '0', [own]), ('foreign', '1', ['-Wl,-rpath,' + cls.dir + '/other1']),
                                    ('large', '1', [own, '-DTHREAD_LOCAL=300000']),
                                    ('mixed', '1', [own, '-DNEEDS_LIBRARY', f'{cls.dir}/libuser0.so', '-Wl,-rpath,' + cls.dir]),
                                    ('mixed-old', '0', [own, '-DNEEDS_LIBRARY', f'{cls.dir}/libuser1.so', '-Wl,-rpath,' + cls.dir])):
            cls.programs[name] = f'{cls.dir}/{name}'
            cls.run_command('cc', '-fPIE', '-pie', *flags, *include, SOURCE, '-o', cls.programs[name], *more,
                            f'-L{cls.dir}/other{version}', '-Wl,--allow-shlib-undefined', '-lmpi_abi', '-ldl')
            needed = cls.run_command('readelf', '-d', cls.programs[name])
            if f'[libmpi_abi.so.{version}]' not in needed:
                raise AssertionError(needed)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.dir, name), 'w') as file:
            file.write(text)

    @staticmethod
    def run_command(*words):
        result = subprocess.run(words, capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f'{words}: {result.stdout}{result.stderr}')
        return result.stdout

    def check(self, *words, ranks=2, path=None, warns=False):
        environment = dict(os.environ)
        environment.pop('LD_LIBRARY_PATH', None)
        if path:
            environment['LD_LIBRARY_PATH'] = path
        result = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60)
        text = result.stdout + result.stderr
        self.assertEqual(result.returncode, 0, text)
        self.assertEqual(result.stdout.count(f'of {ranks}: one library'), ranks, text)
        self.assertEqual(result.stderr.count('would use'), int(warns), text)

    def test_both_names(self):
        for name in ('new', 'old'):
            self.check(MPIEXEC, '-n', '2', self.programs[name])

    def test_both_names_in_one_job(self):
        self.check(MPIEXEC, '-n', '1', self.programs['new'], ':', '-n', '1', self.programs['old'])

    def test_both_names_in_one_process(self):
        for name in ('mixed', 'mixed-old'):
            self.check(MPIEXEC, '-n', '2', self.programs[name], self.dir + '/libuser0.so', self.dir + '/libuser1.so')

    def test_both_names_without_mpiexec(self):
        for name in ('new', 'old', 'mixed', 'mixed-old'):
            self.check(self.programs[name], ranks=1, path=os.path.dirname(LIBRARY))

    def test_another_library_comes_first(self):
        for version in '01':
            other = f'{self.dir}/other{version}'
            for name in ('new', 'old', 'mixed', 'mixed-old', 'large'):
                with self.subTest(name, version=version):
                    self.check(MPIEXEC, '-n', '2', self.programs[name], path=other)

    def test_another_library_opened_by_name_or_path(self):
        names = ['libmpi_abi.so', 'libmpi_abi.so.0', 'libmpi_abi.so.1', self.dir + '/other0/libmpi_abi.so.0',
                 self.dir + '/other1/libmpi_abi.so']
        self.check(MPIEXEC, '-n', '2', self.programs['new'], *names, path=self.dir + '/other1')

    def test_another_library_in_the_programs_path_is_told_once(self):
        self.check(MPIEXEC, '-n', '2', self.programs['foreign'], warns=True)
        self.check(MPIEXEC, '-n', '1', self.programs['foreign'], ':', '-n', '1', self.programs['foreign'], warns=True)
        self.check(MPIEXEC, '-q', '-n', '2', self.programs['foreign'])


if __name__ == '__main__':
    unittest.main(verbosity=2)
