"""MPI programs that scripts and other programs start under mpiexec: they are ranks of one job."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC, MPICC, SOURCE, LIBRARY = (sys.argv.pop(1) for _ in range(4))
SANITIZED = any(name in os.environ for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS', 'UBSAN_OPTIONS'))


def setUpModule():
    global directory, APP
    directory = tempfile.TemporaryDirectory()
    APP = directory.name + '/app'
    subprocess.run([MPICC, SOURCE, '-o', APP], check=True)


def tearDownModule():
    directory.cleanup()


def mpiexec(*args, timeout=60, input=None, cwd=None):
    source = {'input': input} if input is not None else {'stdin': subprocess.DEVNULL}
    return subprocess.run([MPIEXEC, *args], capture_output=True, text=True, timeout=timeout, cwd=cwd, **source)


def hello(size, arguments='', count=1):
    return sorted([f'{rank} of {size} sum {size * (size - 1) // 2}:{arguments}' for rank in range(size)] * count)


class Case(unittest.TestCase):
    maxDiff = None

    def check(self, result, lines, code=0):
        self.assertEqual((sorted(result.stdout.splitlines()), result.stderr, result.returncode), (lines, '', code))

    def script(self, text, *options, **keywords):
        path = directory.name + '/' + self.id().split('.')[-1] + '.sh'
        with open(path, 'w') as file:
            file.write('#!/bin/sh\n' + text.replace('APP', APP))
        os.chmod(path, 0o755)
        return mpiexec('-n', '3', *options, path, **keywords)


class OneWorld(Case):
    def test_shells(self):
        self.check(mpiexec('-n', '3', 'bash', '-c', f'{APP} hello "a b" \'\''), hello(3, ' <a b> <>'))
        self.check(mpiexec('-n', '3', 'sh', '-c', f'exec {APP}'), hello(3))
        self.check(self.script('APP hello "$@"\n'), hello(3))
        self.check(self.script('sh -c "sh -c \\"APP; true\\"; true"\n'), hello(3))

    def test_one_rank(self):
        self.check(mpiexec('-n', '1', 'sh', '-c', f'{APP}; true'), hello(1))

    def test_programs_in_front(self):
        for front in (['env', 'A=1'], ['nice', '-n', '1'], ['taskset', '-c', '0'], ['timeout', '50'], ['setsid', '-w'],
                      ['numactl', '--interleave=all'], ['time', '-o', '/dev/null']):
            if shutil.which(front[0]):
                with self.subTest(front[0]):
                    self.check(mpiexec('-n', '3', *front, APP), hello(3))

    def test_many_ranks(self):
        size = 12 if SANITIZED else 64
        self.check(mpiexec('-n', str(size), 'sh', '-c', f'{APP}; true'), hello(size))

    def test_what_a_process_has(self):
        result = self.script('mkdir -p $PMI_RANK; cd $PMI_RANK; umask 0$PMI_RANK$PMI_RANK$PMI_RANK; OWN=$PMI_RANK\n'
                             'export OWN; taskset -c 0 nice -n $PMI_RANK APP state\n', cwd=directory.name)
        here = os.path.realpath(directory.name)
        niceness = [min(os.nice(0) + r, 19) for r in range(3)]
        self.check(result, [f'{r}: {here}/{r} umask {r}{r}{r} nice {niceness[r]} cpus 1 OWN={r}' for r in range(3)])

    def test_streams(self):
        result = self.script('APP hello x > out.$PMI_RANK; APP hello y 2>&1 | sed s/of/OF/\n'
                             'APP read < out.$PMI_RANK; APP write 2 2> err.$PMI_RANK\n'
                             'exec 7> seven.$PMI_RANK; APP write 7\n', cwd=directory.name)
        self.check(result, sorted([f'{rank}: {line}' for rank, line in enumerate(hello(3, ' <x>'))] +
                                  [line.replace('of', 'OF') for line in hello(3, ' <y>')]))
        for name in ('err', 'seven'):
            for rank in range(3):
                with open(f'{directory.name}/{name}.{rank}') as file:
                    self.assertEqual(file.read(), 'zero\n' if rank == 0 else 'more\n')
        result = self.script('APP read\n', input='for all\n')
        self.check(result, ['0: for all', '1: end', '2: end'])
        result = self.script('APP\n', '-l')
        self.check(result, sorted(f'[{rank}] {line}' for rank, line in enumerate(hello(3))))

    def test_programs_by_rank(self):
        # Analysed while another program's private copies of the same libraries are in use.
        source = directory.name + '/other.cpp'
        with open(source, 'w') as file:
            file.write('#include <mpi.h>\n#include <iostream>\n'
                       'int main(int n, char** v)\n{\n  int rank, sum;\n'
                       '  std::cout << std::hex;\n  MPI_Init(&n, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n'
                       '  if (rank == 1) std::cout << std::dec;\n'
                       '  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n'
                       '  std::cout << 255 + 0 * sum << std::endl;\n  return MPI_Finalize();\n}\n')
        mpicxx = os.path.dirname(MPICC) + '/mpicxx'
        for name in ('one', 'two'):
            subprocess.run([mpicxx, source, '-o', f'{directory.name}/{name}'], check=True)
        self.check(self.script(f'[ $PMI_RANK = 1 ] && exec {directory.name}/two; exec {directory.name}/one\n'),
                   ['255', 'ff', 'ff'])
        other = directory.name + '/other'
        shutil.copy(APP, other)
        self.check(self.script(f'if [ $PMI_RANK = 1 ]; then {other}; else APP; fi\n'), hello(3))

    def test_programs_and_scripts(self):
        self.check(mpiexec('-n', '1', APP, ':', '-n', '2', 'sh', '-c', f'{APP}; true'), hello(3))
        result = mpiexec('-n', '1', APP, ':', '-n', '1', 'true')
        self.assertEqual(result.returncode, 1)
        self.assertIn('rank 1 ', result.stderr)
        self.assertIn('ended without a program that calls MPI_Init', result.stderr)

    @unittest.skipIf(SANITIZED, 'one sanitizer is enough')
    def test_sanitizers(self):
        for kind in ('address', 'thread'):
            program = f'{directory.name}/{kind}'
            subprocess.run([MPICC, SOURCE, '-o', program, f'-fsanitize={kind}'], check=True)
            self.check(mpiexec('-n', '2', 'sh', '-c', f'{program}; true'), hello(2))

    def test_programs_that_cannot_be_ranks(self):
        program = directory.name + '/fixed'
        subprocess.run([MPICC, SOURCE, '-o', program, '-no-pie', '-fno-pie'], check=True)
        result = mpiexec('-n', '2', 'sh', '-c', f'{program}; true')
        self.assertEqual((result.stdout, result.returncode), ('', 1))
        self.assertRegex(result.stderr, r'^mpiexec: rank \d cannot run: .* is not position-independent')

    def test_jobs_in_turn(self):
        self.check(self.script('APP hello a; APP hello b\n'), sorted(hello(3, ' <a>') + hello(3, ' <b>')))

    def test_programs_that_do_not_start_mpi(self):
        result = self.script('[ $PMI_RANK != 1 ] || APP --version; APP hello\n')
        self.check(result, sorted(hello(3) + ['handed_over 1.0']))

    def test_mpiexec_in_the_script(self):
        result = self.script(f'{MPIEXEC} -n 2 APP\n')
        self.check(result, hello(2, count=3))


class Ends(Case):
    def test_codes_are_the_processes(self):
        result = self.script('APP code 3; echo code $?\n')
        self.check(result, ['code 3', 'code 4', 'code 5'])
        result = self.script('APP code 0 || { sleep 30; exit 1; }\n', '--timeout', '1')
        self.assertEqual(result.returncode, 124)
        result = self.script('APP code 0\n')
        self.assertIn(result.returncode, (1, 2))
        self.assertRegex(result.stderr, r'^mpiexec: rank (\d) exited with code \1\n$')

    def test_abort(self):
        result = self.script('APP abort\n')
        self.assertEqual(result.returncode, 7)
        self.assertIn('rank 1', result.stderr)
        self.assertEqual(result.stderr.count('mpiexec:'), 1)

    def test_crash(self):
        result = self.script('APP crash\n')
        self.assertEqual(result.returncode, 139)
        self.assertIn('rank 1 got signal 11', result.stderr)

    def test_missing_ranks(self):
        result = self.script('[ $PMI_RANK = 1 ] || APP\n')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, 'rank 1 ended without a program that calls MPI_Init')
        result = self.script('[ $PMI_RANK != 1 ] || APP --version; [ $PMI_RANK = 1 ] || APP\n')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, 'rank 1 ended without a program that calls MPI_Init')

    def test_a_killed_process(self):
        result = self.script('APP wait & child=$!\n[ $PMI_RANK != 1 ] || kill -KILL $child; wait $child\n')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, 'rank 1 (was killed|exited with code 137)')

    def test_signals_to_processes(self):
        # The rank has its handler when it writes its line.
        result = self.script('APP wait > ready.$PMI_RANK & child=$!\n'
                             'if [ $PMI_RANK = 1 ]; then\n'
                             '  until grep -sq ready ready.1; do :; done; kill -STOP $child; kill -CONT $child\n'
                             '  kill -USR2 $child\nfi\nwait $child; cat ready.$PMI_RANK\n', cwd=directory.name)
        self.check(result, sorted(['ready'] * 3 + ['1 got User defined signal 2']))
        # Another file: the first one is there, and says that it is ready, before the rank begins.
        result = self.script('APP wait > up.$PMI_RANK & child=$!\n'
                             'if [ $PMI_RANK = 1 ]; then\n'
                             '  until grep -sq ready up.1; do :; done; kill -TERM $child\nfi\nwait $child\n',
                             cwd=directory.name)
        self.assertEqual(result.returncode, 143)
        self.assertIn('rank 1 was killed by signal 15', result.stderr)

    def signalled(self, number, group):
        with subprocess.Popen([MPIEXEC, '-n', '2', 'sh', '-c', f'{APP} wait; true'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as job:
            self.assertEqual([job.stdout.readline(), job.stdout.readline()], ['ready\n', 'ready\n'])
            (os.killpg if group else os.kill)(job.pid, number)
            self.assertEqual(job.stdout.read(), '')  # nobody holds the pipe any more
            return job.wait(timeout=10), job.stderr.read()

    def test_signals_to_the_job(self):
        self.assertEqual(self.signalled(signal.SIGTERM, False), (143, ''))
        self.assertEqual(self.signalled(signal.SIGINT, True)[0], 130)

    def test_state(self):
        with subprocess.Popen([MPIEXEC, '-n', '2', 'sh', '-c', f'{APP} wait'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as job:
            self.assertEqual([job.stdout.readline(), job.stdout.readline()], ['ready\n', 'ready\n'])
            job.send_signal(signal.SIGUSR1)
            self.assertEqual(job.stderr.readline(), 'mpiexec: the ranks at this moment:\n')
            self.assertIn('rank 0', job.stderr.readline())
            job.terminate()
            job.communicate()

    @unittest.skipIf(SANITIZED, 'a runtime that comes late does not work')
    def test_a_library_that_comes_late(self):
        program = directory.name + '/late'
        with open(program + '.c', 'w') as file:
            file.write('#include <dlfcn.h>\n#include <stdio.h>\nint main(int n, char** v)\n{\n'
                       '  int (*init)(void*, void*) = (int (*)(void*, void*))dlsym(dlopen(v[n - 1], RTLD_NOW), "MPI_Init");\n'
                       '  init(0, 0);\n  puts("alone");\n  return 0;\n}\n')
        subprocess.run(['cc', program + '.c', '-o', program, '-ldl'], check=True)
        self.check(mpiexec('-n', '1', program, LIBRARY), ['alone'])
        result = mpiexec('-n', '2', program, LIBRARY)
        self.assertEqual((result.stdout, result.returncode), ('', 1))
        self.assertRegex(result.stderr, r'^mpiexec: rank \d runs late, which loads the MPI library only after its start.*: '
                         'link it to the library')
        # An interpreter without a shared library of its own.
        os.rename(program, directory.name + '/python3.99')
        result = mpiexec('-n', '2', 'sh', '-c', f'{directory.name}/python3.99 {LIBRARY}; true')
        self.assertEqual((result.stdout, result.returncode), ('', 1))
        self.assertRegex(result.stderr, r'^mpiexec: rank \d runs python3.99, which loads .* as there is no libpython3.99.so.1.0')

    def test_without_the_variable(self):
        result = mpiexec('-n', '2', 'env', '-u', 'RANKLET_HANDOVER', APP)
        self.assertEqual(result.stderr.count('2 separate jobs of one rank each'), 2)
        result = mpiexec('-n', '2', 'env', 'RANKLET_HANDOVER=nobody', APP)
        self.assertEqual((result.stdout, result.returncode), ('', 1))
        self.assertIn('mpiexec has gone', result.stderr)

    @unittest.skipIf(SANITIZED or not shutil.which('gdb'), 'there is no gdb')
    def test_debuggers(self):
        result = mpiexec('-n', '2', 'gdb', '-batch', '-ex', 'run', APP)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r'mpiexec: rank \d runs under gdb, which cannot follow .*gdb --args mpiexec')
        self.assertNotIn('of 1', result.stdout)

    @unittest.skipIf(SANITIZED or not shutil.which('valgrind'), 'there is no valgrind')
    def test_valgrind(self):
        result = mpiexec('-n', '2', 'valgrind', '-q', APP)
        if 'Possibly corrupted debuginfo file' in result.stderr:
            self.skipTest('this valgrind cannot read what this compiler wrote')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r'mpiexec: rank \d runs under valgrind, which cannot follow')
        self.assertNotIn('of 1', result.stdout)


if __name__ == '__main__':
    unittest.main()
