"""MPI programs under mpiexec: how they end, what they print, read and inherit."""
import array
import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
SANITIZED = any(name in os.environ for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS', 'UBSAN_OPTIONS'))
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/app'
subprocess.run([MPICC, '-g', '-D_GNU_SOURCE', SOURCE, '-o', PROGRAM], check=True)


def mpiexec(*args, input=None, timeout=60, env=None, cwd=None):
    source = {'input': input} if input is not None else {'stdin': subprocess.DEVNULL}
    return subprocess.run([MPIEXEC, *args], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(env or {})}, cwd=cwd, **source)


def run(ranks, task, *options, arguments=(), **keywords):
    return mpiexec('-n', str(ranks), *options, PROGRAM, task, *arguments, **keywords)


class Memory(unittest.TestCase):
    def test_huge_pages(self):
        if 'TSAN_OPTIONS' in os.environ:
            self.skipTest("memory is the sanitizer's")
        try:
            with open('/sys/kernel/mm/transparent_hugepage/enabled') as file:
                if '[madvise]' not in file.read():
                    self.skipTest('huge pages are not left to programs here')
        except OSError:
            self.skipTest('this system has no transparent huge pages')
        self.assertEqual(run(1, 'huge-pages').stdout, 'huge\n')
        self.assertEqual(run(1, 'huge-pages', '--huge-pages', 'no').stdout, 'small\n')
        mine = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=0'}  # the user's own word comes first
        self.assertEqual(run(1, 'huge-pages', env=mine).stdout, 'small\n')


class Ends(unittest.TestCase):
    def test_success(self):
        result = run(4, 'who')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertEqual(sorted(result.stdout.splitlines()),
                         [f'rank {i} of 4, expected {i} of 4, started 1, app 0' for i in range(4)])

    def test_exit_code(self):
        result = run(3, 'exit', arguments=['3'])
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r'(?m)^mpiexec: rank 1 exited with code 3')

    @unittest.skipIf('TSAN_OPTIONS' in os.environ, 'its runtime calls handlers later')
    def test_exit_in_a_handler_that_interrupts_output(self):
        reader, writer = os.pipe()
        size = fcntl.fcntl(writer, 1032)  # F_GETPIPE_SZ
        job = subprocess.Popen([MPIEXEC, '-n', '1', PROGRAM, 'exit-in-handler'], stdout=writer,
                               stderr=subprocess.PIPE, text=True)
        try:
            waiting = array.array('i', [0])
            while waiting[0] < size:  # then the rank waits in write(2)
                fcntl.ioctl(reader, termios.FIONREAD, waiting)
            job.send_signal(signal.SIGTERM)
            job.wait(timeout=60)
        finally:
            job.kill()
            os.close(reader)
            os.close(writer)
        self.assertEqual(job.communicate()[1], 'mpiexec: rank 0 exited with code 8\n')

    def test_exit_before_init(self):
        result = run(2, 'exit-before-init')
        self.assertEqual(result.returncode, 4)
        self.assertIn('rank 1', result.stderr)

    def test_code_after_finalize(self):
        result = run(3, 'return-after-finalize')
        self.assertEqual(result.returncode, 6)
        self.assertEqual(result.stderr, 'mpiexec: rank 1 exited with code 6\n')

    def test_abort(self):
        result = run(3, 'abort', arguments=['5'])
        self.assertEqual(result.returncode, 5)
        self.assertRegex(result.stderr, r'(?m)^mpiexec: rank 1 .*MPI_Abort')
        # What is left of a code that is an error is one, too.
        for code, left in ('0', 0), ('256', 1), ('-1', 255):
            self.assertEqual(run(3, 'abort', arguments=[code]).returncode, left)

    def test_leaving_without_finalize(self):
        for how in 'leave', 'leave-at-once':
            result = run(3, how)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r'rank 1 left without MPI_Finalize')

    def test_immediate_exit_after_finalize(self):
        result = run(3, 'leave-after-finalize')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertEqual(sorted(result.stdout.split()), ['0', '2'])

    def test_crash(self):
        result = run(3, 'crash')
        self.assertEqual(result.returncode, 139)
        self.assertIn('rank 1 got signal 11', result.stderr)
        self.assertRegex(result.stderr, r'main\(\) at .*rank_program\.c:\d+')
        for rank in range(3):  # what was printed before the crash is not lost
            self.assertIn(f'unfinished line of {rank}', result.stdout)

    def test_a_program_that_was_overwritten(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = shutil.copy(PROGRAM, directory)
            result = mpiexec('-n', '2', copy, 'overwritten', copy)
            self.assertEqual(result.returncode, 139)
            self.assertIn(f'{copy} was overwritten while the job ran', result.stderr)
            self.assertNotIn('overwritten', run(2, 'crash').stderr)

    def test_raised_signal(self):
        result = run(2, 'raise', arguments=[str(int(signal.SIGABRT))])
        self.assertEqual(result.returncode, 134)

    def test_nothing_printed_is_lost_by_abort(self):
        for _ in range(20):
            result = run(4, 'print-and-abort')
            self.assertEqual(result.returncode, 3)
            self.assertEqual(sorted(result.stdout.splitlines()), [f'line of {rank}' for rank in range(4)])

    def test_a_rank_that_waits_for_its_thread_prints_though_another_aborts(self):
        result = run(2, 'print-behind-thread')
        self.assertEqual((result.returncode, result.stdout), (3, 'line of 0\n'))

    def test_other_signals(self):
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)  # who runs the tests may ignore it, as nohup does
            result = run(2, 'kill-itself', arguments=[str(int(number))])
            self.assertEqual(result.returncode, 128 + number)
            self.assertEqual(result.stderr,
                             f'mpiexec: rank 1 was killed by signal {int(number)} ({signal.strsignal(number)})\n')
        result = run(2, 'broken-pipe')
        self.assertEqual((result.returncode, result.stdout), (128 + signal.SIGPIPE, ''))
        self.assertIn('rank 1 was killed by signal 13', result.stderr)

    def test_ignored_signals_stay_ignored(self):
        result = subprocess.run(['sh', '-c', 'trap "" HUP; "$@"', 'sh', MPIEXEC, '-n', '2', PROGRAM, 'kill-itself', '1'],
                                capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, b''))

    def test_killed_from_outside(self):
        with subprocess.Popen([MPIEXEC, '-n', '2', PROGRAM, 'hang'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            self.assertEqual(job.stdout.readline(), 'ready\n')
            with open(f'/proc/{job.pid}/task/{job.pid}/children') as children:
                os.kill(int(children.read().split()[0]), signal.SIGUSR2)
            self.assertIn(f'the job was killed by signal 12 (User defined signal 2), sent by process {os.getpid()}',
                          job.stderr.read())
            self.assertEqual(job.wait(timeout=30), 140)

    @unittest.skipIf(SANITIZED, 'a sanitizer has its own heap')
    def test_damage_that_only_the_host_finds(self):
        result = run(2, 'damage-heap')
        if 'got signal' in result.stderr:
            self.assertIn(result.returncode, (134, 139))
        else:  # as for a process that is gone before anybody looks
            self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_core_file(self):
        with open('/proc/sys/kernel/core_pattern') as file:
            pattern = file.read().strip()
        if '/' in pattern or '%' in pattern or pattern.startswith('|') or SANITIZED:
            self.skipTest('core files do not go to a file named core here')
        def allow_core():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
            self.skipTest('the limit of core files is 0')
        with tempfile.TemporaryDirectory() as directory:
            result = subprocess.run([MPIEXEC, '-n', '2', PROGRAM, 'raise', '11'], cwd=directory, capture_output=True,
                                    preexec_fn=allow_core, timeout=60)
            self.assertEqual(result.returncode, 139)
            self.assertEqual(len([name for name in os.listdir(directory) if name.startswith('core')]), 1)

    @unittest.skipIf(SANITIZED, 'a sanitizer needs much address space')
    def test_too_little_memory(self):
        codes = set()
        for megabytes in range(60, 130, 2):  # what cannot be had is another thing each time
            limit = megabytes << 20
            result = subprocess.run([MPIEXEC, '-n', '3', PROGRAM, 'who'], capture_output=True, text=True, timeout=60,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            # A program that starts may end by it like a process, with its rank's name; the host must say what is.
            self.assertNotRegex(result.stderr, r'(?m)^ranklet: got signal', f'with {megabytes} MiB')
            self.assertIn(result.returncode, (0, 1, 134))
            if result.returncode == 1:
                # The dynamic linker speaks for a host that could not even be loaded.
                self.assertRegex(result.stderr, 'mpiexec: |ranklet-host: ')
            codes.add(result.returncode)
        self.assertIn(1, codes)

    def test_timeout(self):
        begin = time.monotonic()
        result = run(2, 'hang', '--timeout', '1')
        self.assertEqual(result.returncode, 124)
        self.assertEqual(result.stdout, 'ready\n')
        self.assertLess(time.monotonic() - begin, 30)

    def test_signals_to_mpiexec(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([MPIEXEC, '-n', '2', PROGRAM, 'hang'], stdout=subprocess.PIPE, text=True) as job:
                self.assertEqual(job.stdout.readline(), 'ready\n')
                job.send_signal(number)
                self.assertEqual(job.stdout.read(), '')
                self.assertEqual(job.wait(timeout=30), 128 + number)


class Surroundings(unittest.TestCase):
    def test_a_full_disk_is_an_error(self):
        with open('/dev/full', 'w') as full:
            result = subprocess.run([MPIEXEC, '-n', '2', PROGRAM, 'who'], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, 'mpiexec: output to standard output was lost: No space left on device\n')
            result = subprocess.run([MPIEXEC, '-n', '2', 'echo', 'x'], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=60)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn('mpiexec: output to standard output was lost: No space left on device\n', result.stderr)
        with tempfile.TemporaryDirectory() as directory:
            os.symlink('/dev/full', directory + '/out.1')
            result = run(2, 'who', '--output-filename', directory + '/out')
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, f'mpiexec: output to {directory}/out.1 was lost: No space left on device\n')

    def test_closed_descriptors(self):
        for redirection in ('<&- >&- 2>&-', '<&-', '>&-', '2>&-'):
            with tempfile.TemporaryDirectory() as directory:
                command = f'"$@" --output-filename {directory}/out {PROGRAM} who {redirection}'
                result = subprocess.run(['sh', '-c', command, 'sh', MPIEXEC, '-n', '2'], capture_output=True, timeout=60)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b'', b''))
                with open(directory + '/out.1') as file:
                    self.assertRegex(file.read(), r'^rank 1 of 2, .*\n$')
        result = subprocess.run(['sh', '-c', '"$@" <&- >&-', 'sh', MPIEXEC, '-n', '2', PROGRAM, 'who'],
                                capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b'', b''))

    def test_prompts_are_seen_through_a_pipe(self):
        with subprocess.Popen([MPIEXEC, '-n', '2', PROGRAM, 'prompt'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as job:
            self.assertEqual(job.stdout.read(6), b'Name? ')
            job.stdin.write(b'Ada\n')
            job.stdin.close()
            self.assertEqual(job.stdout.read(), b'Ada\n')
            self.assertEqual(job.wait(timeout=60), 0)

    def test_input_for_all_does_not_wait_for_all(self):
        with subprocess.Popen([MPIEXEC, '-n', '2', '-l', '--stdin', 'all', PROGRAM, 'input'], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as job:
            for text in ('a\n', 'b\n'):
                job.stdin.write(text)
                job.stdin.flush()
                self.assertEqual(sorted([job.stdout.readline(), job.stdout.readline()]),
                                 [f'[0] 0 got {text}', f'[1] 1 got {text}'])
            job.stdin.close()
            self.assertEqual(job.wait(timeout=60), 0)

    def test_lines_stay_whole(self):
        result = run(4, 'lines')
        self.assertEqual(sorted(result.stdout.splitlines()), sorted([f'abcdef{rank}' for rank in range(4)] * 200))

    def test_tags_and_files(self):
        for line in run(2, 'lines', '-l').stdout.splitlines():
            self.assertRegex(line, r'^\[([01])\] abcdef\1$')
        with tempfile.TemporaryDirectory() as directory:
            run(2, 'lines', '--output-filename', directory + '/%r.txt')
            for rank in range(2):
                with open(f'{directory}/{rank}.txt') as file:
                    self.assertEqual(file.read(), f'abcdef{rank}\n' * 200)

    def test_input(self):
        self.assertEqual(run(3, 'input', input='a\nb\n').stdout, '0 got a\n0 got b\n')
        self.assertEqual(run(3, 'input', '--stdin', '2', input='a\n').stdout, '2 got a\n')
        self.assertEqual(sorted(run(2, 'input', '--stdin', 'all', input='a\n').stdout.splitlines()),
                         ['0 got a', '1 got a'])

    def test_several_programs(self):
        result = mpiexec('-n', '1', PROGRAM, 'who', ':', '-n', '2', PROGRAM, 'who')
        self.assertEqual(sorted(result.stdout.splitlines()),
                         [f'rank {i} of 3, expected {i} of 3, started 1, app {min(i, 1)}' for i in range(3)])

    def test_directory_and_variables(self):
        with tempfile.TemporaryDirectory() as directory:
            directory = os.path.realpath(directory)
            result = mpiexec('-n', '1', '-env', 'A', 'x', '-wdir', directory, PROGRAM, 'where', ':', '-n', '1', '-wdir',
                             '/', PROGRAM, 'where')
            self.assertEqual(sorted(result.stdout.splitlines()), [f'0 {directory} x', '1 / -'])

    def test_names_of_threads(self):
        self.assertEqual(sorted(run(2, 'name').stdout.splitlines()), ['app.0', 'app.1'])

    def test_bindings(self):
        result = run(2, 'who', '--bind-to', 'none', '--report-bindings')
        self.assertEqual(len(re.findall(r'^rank \d: not pinned', result.stderr, re.M)), 2)
        self.assertEqual(run(5, 'who', '--bind-to', 'core').returncode, 0)

    def test_many_ranks(self):
        self.assertEqual(len(run(64, 'who').stdout.splitlines()), 64)

    def test_alone(self):
        result = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_under_other_launchers(self):
        """Each of their processes would run alone."""
        found = 0
        for launcher in (['mpirun.mpich', '-n', '2'], ['mpirun.openmpi', '--oversubscribe', '-n', '2']):
            if not shutil.which(launcher[0]):
                continue
            found += 1
            environment = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
            result = subprocess.run([*launcher, PROGRAM, 'who'], capture_output=True, text=True, timeout=60,
                                    stdin=subprocess.DEVNULL, env=environment)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn('was started 2 times by', result.stderr)
            self.assertNotIn('rank 0 of 1', result.stdout)
            environment['RANKLET_FOREIGN_LAUNCHER'] = 'allow'
            result = subprocess.run([*launcher, PROGRAM, 'alone'], capture_output=True, text=True, timeout=60,
                                    stdin=subprocess.DEVNULL, env=environment)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stdout.splitlines(), ['rank 0 of 1'] * 2)
            # Our mpiexec under theirs makes jobs of its own, which is rarely meant, too.
            del environment['RANKLET_FOREIGN_LAUNCHER']
            result = subprocess.run([*launcher, MPIEXEC, '-n', '3', PROGRAM, 'alone'], capture_output=True, text=True,
                                    timeout=60, stdin=subprocess.DEVNULL, env=environment)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(sorted(result.stdout.splitlines()), sorted([f'rank {i} of 3' for i in range(3)] * 2))
            self.assertIn('warning: mpiexec itself was started 2 times', result.stderr)
        if not found:
            self.skipTest('no other MPI here')

    def test_slurm(self):
        batch = {'SLURM_JOB_ID': '7', 'SLURM_NTASKS': '4', 'SLURM_NPROCS': '4', 'SLURM_PROCID': '0', 'SLURM_LOCALID': '0'}
        step = {**batch, 'SLURM_STEP_ID': '0', 'SLURM_STEPID': '0', 'SLURM_STEP_NUM_TASKS': '4'}
        def alone(variables):
            return subprocess.run([PROGRAM, 'alone'], capture_output=True, text=True, timeout=30,
                                  env={**os.environ, **variables})
        self.assertEqual((alone(batch).returncode, alone(batch).stdout), (0, 'rank 0 of 1\n'))  # sbatch, salloc
        self.assertEqual(alone({**step, 'SLURM_STEP_NUM_TASKS': '1'}).stdout, 'rank 0 of 1\n')
        result = alone(step)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, '')
        self.assertIn('was started 4 times by srun', result.stderr)
        result = alone({**step, 'RANKLET_FOREIGN_LAUNCHER': 'warn'})
        self.assertEqual((result.returncode, result.stdout), (0, 'rank 0 of 1\n'))
        self.assertIn('was started 4 times by srun', result.stderr)
        result = run(2, 'alone', env=batch)
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertEqual(sorted(result.stdout.splitlines()), ['rank 0 of 2', 'rank 1 of 2'])


unittest.main(verbosity=1)
