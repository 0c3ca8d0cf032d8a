"""Each command of docs/debugging.md, where its tool is installed."""
import glob
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, HOST, SOURCE, PAGE = sys.argv[1:6]
del sys.argv[1:6]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/debugging'
SOURCE_TEXT = pathlib.Path(SOURCE).read_text().split('\n')
PAGE_TEXT = pathlib.Path(PAGE).read_text()
subprocess.run([MPICC, '-g', '-O0', SOURCE, '-o', PROGRAM], check=True)


def line_of(mark):
    return next(number for number, line in enumerate(SOURCE_TEXT, 1) if f'/* {mark} */' in line)


HERE = f'debugging.c:{line_of("here")}'


def command_of_page(command, **replaced):
    """The command as the page has it, with the test's files in it. It runs in a shell."""
    if command not in PAGE_TEXT:
        raise AssertionError(f'the page does not have: {command}')
    for old, new in (('mpiexec', MPIEXEC), ('./app', PROGRAM), ('app.c:14', HERE), ('-x app', '-x debugging'),
                     ('ranklet-host', HOST)):
        command = command.replace(old, new)
    for old, new in replaced.items():
        command = command.replace(old + ' ', new + ' ', 1)
    return command


def needs(tool, *trial):
    """Skips with a word unless the tool is there and may work here."""
    if not shutil.which(tool):
        return unittest.skip(f'{tool} is not installed')
    if trial and subprocess.run([tool, *trial], capture_output=True, cwd=DIRECTORY.name).returncode != 0:
        return unittest.skip(f'{tool} may not work here')
    return lambda test: test


class Debugging(unittest.TestCase):
    def shell(self, command, **more):
        done = subprocess.run(['bash', '-c', command], capture_output=True, text=True, timeout=200, cwd=DIRECTORY.name,
                              stdin=subprocess.DEVNULL, errors='replace', **more)
        return done.stdout + done.stderr

    @needs('gdb', '-q', '-batch', '-ex', 'run', '/bin/true')
    def test_gdb_from_the_start(self):
        command = command_of_page(
            "gdb -ex 'set follow-fork-mode child' -ex 'set breakpoint pending on' -ex 'break app.c:14' -ex run --args "
            "mpiexec -n 2 ./app", gdb='gdb -batch')
        commands = ['print own - rank', 'info threads', 'thread find debugging.1', 'thread apply all bt']
        command = command.replace(' --args', ''.join(f" -ex '{c}'" for c in commands) + ' --args')
        text = self.shell(command)
        self.assertRegex(text, rf'hit Breakpoint 1.*compute \(rank=[01].*{HERE}')
        self.assertIn('$1 = 10', text)
        self.assertRegex(text, r'"debugging\.0"')
        self.assertRegex(text, r"Thread [\d.]+ has (target )?name 'debugging\.1'")
        self.assertRegex(text, r'#1 .*main \(argc=1')

    @needs('gdb', '-q', '-batch', '-ex', 'run', '/bin/true')
    def test_gdb_one_rank(self):
        self.assertIn('break app.c:14 if rank == 1', PAGE_TEXT)
        text = self.shell(f"gdb -batch -ex 'set follow-fork-mode child' -ex 'set breakpoint pending on' -ex 'break {HERE} "
                          f"if rank == 1' -ex 'set scheduler-locking step' -ex run -ex 'print rank' -ex next "
                          f"--args {MPIEXEC} -n 2 {PROGRAM}")
        self.assertIn('$1 = 1', text)
        self.assertIn('return rank + 1', text)

    @needs('pgrep', '-V')
    @needs('gdb', '-q', '-batch', '-ex', 'run', '/bin/true')
    def test_gdb_attached(self):
        job = subprocess.Popen([MPIEXEC, '-n', '2', PROGRAM, 'wait'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(job.stdout.readline(), 'waiting\n')
            command = command_of_page('gdb -p $(pgrep -n -x app)', gdb='gdb -batch -ex "thread apply all bt"')
            text = self.shell(command)
            if 'ptrace: Operation not permitted' in text:
                self.skipTest('processes may not be attached to here')
            self.assertRegex(text, r'"debugging\.0"(.*\n)*?.*main \(argc=2')
            self.assertRegex(text, r'"debugging\.1"')
        finally:
            job.communicate('\n', timeout=60)
        self.assertEqual(job.returncode, 0)

    @needs('gdb', '--version')
    def test_core_file(self):
        if pathlib.Path('/proc/sys/kernel/core_pattern').read_text().strip() not in ('core', 'core.%p'):
            self.skipTest('core files go elsewhere here')
        if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
            self.skipTest('the limit of core files may not be raised')
        self.assertIn('signal 11', self.shell(command_of_page('ulimit -c unlimited; mpiexec -n 2 ./app') + ' crash'))
        core = glob.glob(DIRECTORY.name + '/core*')
        self.assertEqual(len(core), 1)
        text = self.shell(command_of_page('gdb ranklet-host core', gdb='gdb -batch -ex bt').replace(' core', ' ' + core[0]))
        os.remove(core[0])
        self.assertRegex(text, rf'compute \(rank=1, place=0x0\) at .*{HERE}')

    @needs('valgrind', '--version')
    def test_valgrind(self):
        text = self.shell(command_of_page('valgrind --trace-children=yes mpiexec -n 1 ./app') + ' heap')
        if 'Possibly corrupted debuginfo file' in text:
            self.skipTest('this valgrind cannot read what this compiler wrote')
        self.assertRegex(text, r'Thread \d+ debugging\.0:(.*\n)*?.*Invalid write of size 4')
        self.assertRegex(text, rf'main \(debugging\.c:{line_of("beyond")}\)')

    @needs('perf', 'record', '-o', 'trial.data', 'true')
    def test_perf(self):
        self.shell(command_of_page('perf record -g -o perf.data mpiexec -n 2 ./app') + ' busy')
        text = self.shell(command_of_page('perf report -i perf.data --stdio --sort comm,symbol'))
        for rank in '01':
            self.assertRegex(text, rf'debugging\.{rank} +\[\.\] busy')

    @needs('strace', '-f', '-Y', '-o', 'trial.txt', 'true')
    def test_strace(self):
        text = self.shell(command_of_page('strace -f -Y -e trace=write mpiexec -n 2 ./app') + ' wait')
        self.assertRegex(text, r'<debugging\.0>\] write\(1.*"waiting\\n"')


if __name__ == '__main__':
    unittest.main(verbosity=2)
