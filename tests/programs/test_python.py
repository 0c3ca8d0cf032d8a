"""Python on ranks: mpiexec -n N python3 ..., as it is installed and in a virtual environment. Needs a Python that has a
shared library, as Debian's has with the package libpython3.11; what needs numpy is skipped without it."""
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM, LIBRARY, EXAMPLES = sys.argv[1:5]
del sys.argv[1:5]


def run(*words, ranks=2, options=(), **keywords):
    return subprocess.run([MPIEXEC, '-n', str(ranks), *options, *words], capture_output=True, text=True, timeout=100,
                          **{'stdin': subprocess.DEVNULL, **keywords})


def becomes_ranks(interpreter):
    result = run(interpreter, '-c', 'import os; print(os.environ.get("RANKLET_UNDER"))', ranks=1)
    return result.stdout == 'None\n'


def with_library(environment):
    """Where a process finds the library; ranks have it."""
    return {**environment, 'LD_LIBRARY_PATH': os.path.dirname(LIBRARY)}


def find_python():
    for interpreter in ('/usr/bin/python3', sys.executable):
        if os.path.exists(interpreter) and becomes_ranks(interpreter):
            return interpreter
    return None


PYTHON = find_python()


class Python(unittest.TestCase):
    def check(self, *words, code=0, **keywords):
        result = run(PYTHON, PROGRAM, *words, **keywords)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def check_world(self, result, *arguments, executable=None):
        """Two ranks of one world, each with these arguments; returns sys.prefix."""
        self.assertEqual((result.returncode, result.stderr), (0, ''), result.stdout)
        found = [re.match(r"(\d) 2 (\[.*\]) (\S+) (\S+)$", line) for line in sorted(result.stdout.splitlines())]
        self.assertTrue(all(found) and len(found) == 2, result.stdout)
        self.assertEqual([line[1] for line in found], ['0', '1'])
        self.assertEqual({line[2] for line in found}, {repr(list(arguments))})
        self.assertEqual({line[3] for line in found}, {executable or PYTHON})
        return found[0][4]

    def test_is_started_as_users_write_it(self):
        self.check_world(self.check('world', 'a', 'b c'), 'a', 'b c')
        environment = {**os.environ, 'PATH': os.path.dirname(PYTHON) + ':' + os.environ['PATH']}
        name = os.path.basename(PYTHON)
        self.check_world(run(name, PROGRAM, 'world', env=environment))
        self.check_world(run('env', 'X=1', name, PROGRAM, 'world', env=environment))
        module = {**environment, 'PYTHONPATH': os.path.dirname(PROGRAM)}
        self.check_world(run(name, '-m', 'interpreter', 'world', 'x', env=module), 'x')

    def test_scripts(self):
        with tempfile.TemporaryDirectory() as directory:
            environment = {**os.environ, 'PATH': os.path.dirname(PYTHON) + ':' + os.environ['PATH']}
            for first in (f'#!{PYTHON}', f'#! {PYTHON} -u', '#!/usr/bin/env python3', '#!/usr/bin/env -S python3 -u'):
                script = pathlib.Path(directory, 'script')
                script.write_text(first + '\n' + pathlib.Path(PROGRAM).read_text())
                script.chmod(script.stat().st_mode | stat.S_IXUSR)
                self.check_world(run(str(script), 'world', 'y', env=environment), 'y')

    def test_virtual_environment(self):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([PYTHON, '-m', 'venv', '--without-pip', directory + '/v'], check=True)
            prefix = self.check_world(run('v/bin/python', PROGRAM, 'world', cwd=directory),
                                      executable=directory + '/v/bin/python')
            self.assertEqual(prefix, directory + '/v')

    def test_scripts_that_start_python_themselves(self):
        """No rank can be made of an interpreter that is running, and four worlds of one are no world of four."""
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([PYTHON, '-m', 'venv', '--without-pip', directory + '/v'], check=True)
            environment = {**os.environ, 'PYTHONPATH': os.path.dirname(PROGRAM)}
            for command in (f'exec {PYTHON} {PROGRAM} world', f'env A=1 {PYTHON} {PROGRAM} world; true',
                            f'exec {directory}/v/bin/python {PROGRAM} world', f'{PYTHON} -m interpreter world; true'):
                script = pathlib.Path(directory, 'run.sh')
                script.write_text(f'#!/bin/sh\n{command}\n')
                script.chmod(script.stat().st_mode | stat.S_IXUSR)
                result = run(str(script), ranks=4, env=with_library(environment))
                self.assertEqual((result.returncode, result.stdout), (1, ''), result.stderr)
                self.assertRegex(result.stderr, r'^mpiexec: rank \d runs python\S*, which loads the MPI library only after '
                                 r'its start.*: put it directly behind mpiexec.*; it is /\S+/python\S+\n$')
            self.assertEqual(run(str(script), ranks=1, env=with_library(environment)).stdout.split()[:2], ['0', '1'])

    def test_interpreters_that_are_turned_off(self):
        result = run(PYTHON, PROGRAM, 'world', options=['--interpreters', 'none'], env=with_library(os.environ))
        self.assertEqual((result.returncode, result.stdout), (1, ''), result.stderr)
        self.assertIn('after its start, when it can become no rank any more: leave out --interpreters none', result.stderr)

    def test_without_mpiexec(self):
        result = subprocess.run([PYTHON, PROGRAM, 'alone'], env=with_library(os.environ), capture_output=True, text=True,
                                timeout=100)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, 'rank 0 of 1, sum 7\n', ''))

    def test_processes_where_asked_for(self):
        result = run(PYTHON, '-c', 'import os; print(os.environ["RANKLET_UNDER"])', options=['--interpreters', 'none'])
        self.assertEqual(result.stdout, '2\n2\n')

    def test_users_rows(self):
        result = run(PYTHON, '-c', '', options=['--interpreters', 'python3*'])
        self.assertIn('no row NAME=LIBRARY:FUNCTION', result.stderr)
        result = run(PYTHON, '-c', '', options=['--interpreters', 'python3*=libnowhere*.so:main'])
        self.assertRegex(result.stderr, r'runs as ordinary processes, no ranks, as there is no libnowhere\S*\.so')
        self.assertEqual(result.returncode, 0)

    def test_children(self):
        self.check('subprocesses')
        for kind in ('spawn', 'forkserver', 'fork'):
            self.check('processes', kind)

    def test_python_starts_python(self):
        result = self.check('spawn')
        self.assertEqual((sorted(result.stdout.splitlines()), result.stderr),
                         ([f'child {rank} of 3 meets 2 {PYTHON}' for rank in range(3)] +
                          [f'parent {rank} of 2 meets 3 {PYTHON}' for rank in range(2)], ''))

    def test_endings(self):
        self.assertIn('rank 1 exited with code 7', self.check('ending', 'exit', code=7).stderr)
        self.assertIn('rank 1 exited with code 3', self.check('ending', '_exit', code=3).stderr)
        text = self.check('ending', 'exception', code=1).stderr
        self.assertIn('ValueError: no such value', text)
        self.assertIn('rank 1 exited with code 1', text)
        self.assertEqual(self.check('ending', 'atexit', ranks=1).stdout, 'first\nsecond\n')
        self.check('ending', 'daemon')

    def test_a_ranks_own(self):
        self.check('signals')
        self.check('own')
        self.assertEqual(sorted(self.check('reads', stdin=None, input='word\n').stdout.splitlines()), ['0 word', '1 -'])

    def test_interrupt_reaches_every_rank(self):
        job = subprocess.Popen([MPIEXEC, '-n', '3', PYTHON, PROGRAM, 'interrupted'], stdout=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL)
        try:
            self.assertEqual(job.stdout.readline(), 'ready\n')
            job.send_signal(signal.SIGINT)
            self.assertEqual(sorted(job.stdout.read().splitlines()), [f'interrupted {rank}' for rank in range(3)])
            job.wait(60)
        finally:
            job.kill()
            job.communicate()

    def test_another_mpis_extension_is_refused(self):
        code = 'import ctypes; ctypes.CDLL("%s")' % self.foreign_library()
        result = run(PYTHON, '-c', code, ranks=1)
        self.assertRegex(result.stderr, r"was built for Open MPI \(it needs libmpi.so.40\), which cannot run in ranks")

    def foreign_library(self):
        """A library that needs another MPI's."""
        compiler = shutil.which('cc') or self.skipTest('no C compiler')
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        source, library, extension = (holder.name + name for name in ('/empty.c', '/libmpi.so', '/extension.so'))
        pathlib.Path(source).touch()
        command = [compiler, '-shared', '-fPIC', source, '-Wl,--no-as-needed']
        subprocess.run([*command, '-Wl,-soname,libmpi.so.40', '-o', library], check=True)
        subprocess.run([*command, '-o', extension, library], check=True)
        return extension

    def line_of(self, text):
        lines = pathlib.Path(PROGRAM).read_text().splitlines()
        return 1 + next(i for i, line in enumerate(lines) if text in line)

    def test_reports_name_the_line_of_the_script(self):
        text = self.check('deadlock', code=16).stderr
        place = f'at exchange() at interpreter.py:{self.line_of("library.MPI_Recv(")}\n'
        self.assertEqual(text.count(place), 2, text)
        line = self.line_of('mpi().MPI_Recv(')
        text = run(PYTHON, PROGRAM, 'wrong', ranks=1).stderr
        self.assertIn(f'  script        wrong() at interpreter.py:{line}\n', text)
        text = run(PYTHON, PROGRAM, 'deadlock', options=['--check']).stderr
        self.assertIn('deadlock: every rank', text)

    def test_each_rank_has_its_own_lock(self):
        self.assertEqual(self.check('locks').stdout, 'of its own\n' * 2)

    def test_thread_counts(self):
        many = 2 * os.cpu_count()  # more ranks than cores
        result = self.check('threads', ranks=many, options=['--report-bindings'])
        self.assertEqual(result.stdout, '1 1\n' * many)
        self.assertIn('OPENBLAS_NUM_THREADS, OMP_NUM_THREADS: the cores of the rank', result.stderr)
        self.assertRegex(self.check('threads', ranks=1, options=['-x', 'OPENBLAS_NUM_THREADS=3']).stdout, r'^3 \d+$')

    def test_a_crash_names_the_rank(self):
        result = run(PYTHON, PROGRAM, 'crashes')
        self.assertIn('rank 1 got signal 11', result.stderr)
        line = self.line_of('ctypes.string_at(0)')
        self.assertRegex(result.stderr, f'File ".*/interpreter.py", line {line} in crashes')

    def test_numpy(self):
        if run('-q', PYTHON, '-c', 'import numpy', ranks=1).returncode != 0:
            self.skipTest('no numpy for ' + PYTHON)
        self.check('numbers', ranks=4, options=['-x', 'OPENBLAS_NUM_THREADS=2'])

    def test_libraries(self):
        for name in ('sqlite3', 'ssl', 'scipy', 'matplotlib', 'h5py'):
            with self.subTest(name):
                result = run(PYTHON, os.path.join(os.path.dirname(PROGRAM), 'python_libraries.py'), name, ranks=8)
                if result.returncode == 77:
                    self.skipTest(f'no {name} for {PYTHON}')
                self.assertEqual((result.returncode, result.stdout), (0, ''), result.stderr)

    def test_examples(self):
        if run('-q', PYTHON, '-c', 'import numpy; from mpi4py import MPI', ranks=1).returncode != 0:
            self.skipTest('no numpy, or no mpi4py that was built for Ranklet, for ' + PYTHON)
        for name, last in (('halo.py', 'as on one rank: True'),
                           ('shared.py', '{} ranks, one array of 1000 squares: right')):
            for ranks in (1, 2, 5):
                result = run(PYTHON, os.path.join(EXAMPLES, name), ranks=ranks)
                self.assertEqual((result.returncode, result.stderr), (0, ''), name)
                self.assertEqual(result.stdout.splitlines()[-1], last.format(ranks))


if __name__ == '__main__':
    if PYTHON is None:
        print('no Python with a shared library')
        sys.exit(77)
    unittest.main()
