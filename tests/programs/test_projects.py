"""Projects of users: the examples, built from an installation by CMake and through pkg-config, unchanged."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, EXAMPLES, SANITIZER = sys.argv[1:4]
del sys.argv[1:4]


def command(*words, **keywords):
    result = subprocess.run(words, capture_output=True, text=True, timeout=300, **keywords)
    if result.returncode != 0:
        raise AssertionError(f'{" ".join(words)} failed:\n{result.stdout}\n{result.stderr}')
    return result.stdout


class Projects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        stage = cls.holder.name + '/stage'
        command('meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', stage)
        # Moved after its installation: nothing may know the prefix.
        found = glob.glob(stage + '/**/bin/mpicc', recursive=True)
        cls.prefix = cls.holder.name + '/moved'
        shutil.move(os.path.dirname(os.path.dirname(found[0])), cls.prefix)
        library = glob.glob(cls.prefix + '/**/libmpi_abi.so.1', recursive=True)[0]
        pkgconfig = os.path.join(os.path.dirname(library), 'pkgconfig')
        # Meson does not tell pkg-config that the installation has moved.
        with open(pkgconfig + '/ranklet.pc') as file:
            text = re.sub('^prefix=.*', 'prefix=' + cls.prefix, file.read(), flags=re.MULTILINE)
        with open(pkgconfig + '/ranklet.pc', 'w') as file:
            file.write(text)
        cls.environment = {**os.environ, 'PATH': cls.prefix + '/bin:' + os.environ['PATH'],
                           'PKG_CONFIG_PATH': pkgconfig}
        for name in ('CC', 'CXX', 'MPI_HOME', 'LD_LIBRARY_PATH'):
            cls.environment.pop(name, None)
        # Each example alone: nothing may lie beside its folder.
        cls.examples = {}
        for name in os.listdir(EXAMPLES):
            cls.examples[name] = shutil.copytree(f'{EXAMPLES}/{name}', f'{cls.holder.name}/alone-{name}/{name}')
        # A program that has the library in its own process needs the library's sanitizer; CMake and Meson take it from here.
        cls.unit_tests = dict(cls.environment)
        if SANITIZER != 'none':
            cls.unit_tests['CXXFLAGS'] = '-fsanitize=' + SANITIZER

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_layout(self):
        for path in ('bin/mpirun', 'bin/mpic++', 'libexec/ranklet/ranklet-host', 'include/mpi.h', 'include/ranklet/run.hpp',
                     'share/man/man1/mpiexec.1', 'share/man/man1/mpicc.1'):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, path)), path)

    def test_compiled_by_hand(self):
        with tempfile.TemporaryDirectory() as directory:
            program = directory + '/hello'
            command('mpicc', self.examples['pkgconfig'] + '/hello.c', '-o', program, env=self.environment)
            lines = command('mpiexec', '-n', '3', program, env=self.environment).splitlines()
            self.assertEqual([line[:22] for line in lines], [f'Hello from rank {i} of 3' [:22] for i in range(3)])
            self.assertIn('rank 0 of 1', command(program, env=self.environment))

    def test_cmake(self):
        with tempfile.TemporaryDirectory() as build:
            text = command('cmake', '-S', self.examples['cmake'], '-B', build, env=self.environment)
            self.assertIn('Found MPI', text)
            with open(build + '/CMakeCache.txt') as cache:
                self.assertIn(f'MPI_C_COMPILER:FILEPATH={self.prefix}/bin/mpicc', cache.read())
            command('cmake', '--build', build, env=self.environment)
            self.assertIn('100% tests passed', command('ctest', '--test-dir', build, env=self.environment))
            picture = command('mpiexec', '-n', '4', build + '/heat', '2', env=self.environment)
            self.assertEqual(picture.count('heat on the plate'), 2)

    def test_unit_tests_with_cmake(self):
        for framework in self.frameworks():
            with self.subTest(framework), tempfile.TemporaryDirectory() as build:
                command('cmake', '-S', self.examples[framework], '-B', build, f'-DCMAKE_PREFIX_PATH={self.prefix}',
                        env=self.unit_tests)
                command('cmake', '--build', build, env=self.unit_tests)
                self.assertIn('100% tests passed', command('ctest', '--test-dir', build, env=self.unit_tests))

    def test_unit_tests_with_meson(self):
        for framework in self.frameworks():
            with self.subTest(framework), tempfile.TemporaryDirectory() as build:
                command('meson', 'setup', build, self.examples[framework], env=self.unit_tests)
                command('meson', 'test', '-C', build, env=self.unit_tests)

    def test_cmake_versions(self):
        with tempfile.TemporaryDirectory() as project:
            for version, found in (('0.1', True), ('0.1.0', True), ('0.2', False), ('1.0', False), ('', True)):
                with open(project + '/CMakeLists.txt', 'w') as file:
                    file.write('cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\n'
                               f'find_package(Ranklet {version} QUIET)\nmessage(STATUS "found ${{Ranklet_FOUND}}")\n')
                text = command('cmake', '-S', project, '-B', project + '/build', f'-DCMAKE_PREFIX_PATH={self.prefix}',
                               env=self.environment)
                self.assertIn('found ' + ('1' if found else '0'), text, version)

    @classmethod
    def frameworks(cls):
        # CMake and Meson find both by their own files.
        found = [name for name in ('doctest', 'gtest') if os.path.isdir('/usr/include/' + name)]
        # Ranklet has Fortran if there was a compiler, and not with a sanitizer.
        return found + (['fortran'] if os.path.exists(cls.prefix + '/bin/mpifort') and SANITIZER == 'none' and
                        shutil.which('gfortran') else [])

    @unittest.skipIf(SANITIZER != 'none', 'Python has no sanitizer')
    def test_python_starts_python(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'interpreter.py')
        is_rank = 'import os; print("RANKLET_UNDER" in os.environ)'
        for interpreter in ('/usr/bin/python3', sys.executable):
            if os.path.exists(interpreter) and \
                    command('mpiexec', '-n', '1', interpreter, '-c', is_rank, env=self.environment) == 'False\n':
                break
        else:
            self.skipTest('no Python with a shared library')
        text = command('mpiexec', '-n', '2', interpreter, program, 'spawn', env=self.environment)
        self.assertIn(f'child 2 of 3 meets 2 {interpreter}', text)

    def test_pkg_config(self):
        with tempfile.TemporaryDirectory() as build:
            # pkg-config is told that the installation has moved.
            environment = {**self.environment, 'PKG_CONFIG': shutil.which('pkg-config')}
            flags = command('pkg-config', f'--define-variable=prefix={self.prefix}', '--cflags', '--libs', 'ranklet',
                            env=environment).split()
            self.assertIn('-lmpi_abi', flags)
            command('cc', self.examples['cmake'] + '/ring.c', '-o', build + '/ring', *flags, env=environment)
            self.assertIn('as it should be: 6', command('mpiexec', '-n', '4', build + '/ring', env=environment))

    def test_pkg_config_with_meson(self):
        with tempfile.TemporaryDirectory() as build:
            command('meson', 'setup', build, self.examples['pkgconfig'], env=self.environment)
            command('meson', 'test', '-C', build, env=self.environment)

    def test_no_example_is_forgotten(self):
        # Those in Python are run by test_python.py.
        self.assertEqual(set(self.examples), {'cmake', 'doctest', 'fortran', 'gtest', 'pkgconfig', 'python'})

    def test_autoconf(self):
        # What ax_mpi does: take mpicc as the compiler and link MPI_Init.
        with tempfile.TemporaryDirectory() as directory:
            with open(directory + '/configure.ac', 'w') as file:
                file.write('AC_INIT([example], [1])\nAC_CHECK_PROGS([MPICC], [mpicc])\nCC="$MPICC"\nAC_PROG_CC\n'
                           'AC_CHECK_FUNC([MPI_Init], [], [AC_MSG_ERROR([no MPI_Init])])\n'
                           'AC_CHECK_HEADER([mpi.h], [], [AC_MSG_ERROR([no mpi.h])])\nAC_OUTPUT\n')
            command('autoconf', cwd=directory)
            command('./configure', cwd=directory, env=self.environment)


unittest.main(verbosity=1)
