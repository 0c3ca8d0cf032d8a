"""mpiexec with programs that do not use MPI: processes, their output, input, environment and ends."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC = sys.argv.pop(1)


def mpiexec(*args, input=None, timeout=30, env=None, cwd=None):
    source = {'input': input} if input is not None else {'stdin': subprocess.DEVNULL}
    return subprocess.run([MPIEXEC, *args], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(env or {})}, cwd=cwd, **source)


def shell(command, *options, **keywords):
    return mpiexec(*options, 'sh', '-c', command, **keywords)


class Ends(unittest.TestCase):
    def test_exit_codes(self):
        self.assertEqual(mpiexec('-n', '3', 'true').returncode, 0)
        result = shell('[ $PMI_RANK != 1 ] || exit 3; sleep 5', '-n', '3')
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr, 'mpiexec: rank 1 exited with code 3\n')

    def test_signals_of_ranks(self):
        result = shell('kill -SEGV $$', '-n', '1')
        self.assertEqual(result.returncode, 139)
        self.assertIn('rank 0 was killed by signal 11 (Segmentation fault)', result.stderr)

    def test_all_exit_codes(self):
        result = mpiexec('-n', '2', '--print-all-exitcodes', 'true')
        self.assertEqual(sorted(result.stderr.splitlines()),
                         ['mpiexec: rank 0 exited with code 0', 'mpiexec: rank 1 exited with code 0'])

    def test_timeout(self):
        begin = time.monotonic()
        result = mpiexec('-n', '2', '--timeout', '0.3', 'sleep', '20')
        self.assertEqual(result.returncode, 124)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn('timeout of 0.3 s', result.stderr)
        self.assertEqual(mpiexec('-n', '1', 'sleep', '20', env={'MPIEXEC_TIMEOUT': '0.3'}).returncode, 124)
        self.assertEqual(mpiexec('-n', '1', 'sleep', '20', env={'RANKLET_TIMEOUT': '0.3'}).returncode, 124)

    def signalled(self, number, command='echo ready; exec sleep 30'):
        with subprocess.Popen([MPIEXEC, '-n', '2', 'sh', '-c', command], stdout=subprocess.PIPE, text=True) as job:
            self.assertEqual([job.stdout.readline(), job.stdout.readline()], ['ready\n', 'ready\n'])
            job.send_signal(number)
            job.stdout.read()  # to the end: nobody holds the pipe any more
            return job.wait(timeout=10)

    def test_signals_to_mpiexec(self):
        self.assertEqual(self.signalled(signal.SIGINT), 130)
        self.assertEqual(self.signalled(signal.SIGTERM), 143)

    def test_deaf_ranks_are_killed(self):
        self.assertEqual(self.signalled(signal.SIGTERM, command="trap '' TERM; echo ready; while :; do sleep 0.1; done"),
                         143)

    def test_ranks_die_with_mpiexec(self):
        with subprocess.Popen([MPIEXEC, '-n', '1', 'sh', '-c', 'echo $$; exec sleep 30'], stdout=subprocess.PIPE,
                              text=True) as job:
            job.stdout.readline()
            job.kill()
            job.wait()
            self.assertEqual(job.stdout.read(), '')  # ends when the last holder of the pipe is gone

    def test_missing_programs(self):
        result = mpiexec('-n', '2', 'no-such-program')
        self.assertEqual(result.returncode, 127)
        self.assertIn('there is no program no-such-program', result.stderr)
        with tempfile.NamedTemporaryFile() as file:
            result = mpiexec('-n', '2', file.name)
            self.assertEqual(result.returncode, 126)
            self.assertIn('chmod +x', result.stderr)


class Output(unittest.TestCase):
    def test_lines_stay_whole(self):
        result = shell('i=0; while [ $i -lt 300 ]; do printf abc; printf "def$PMI_RANK\\n"; i=$((i+1)); done', '-n', '4')
        self.assertEqual(sorted(result.stdout.splitlines()), sorted([f'abcdef{rank}' for rank in range(4)] * 300))

    def test_tags(self):
        for option in ('-l', '--tag-output', '-prepend-rank'):
            result = shell('echo out; echo err >&2', '-n', '2', option)
            self.assertEqual(sorted(result.stdout.splitlines()), ['[0] out', '[1] out'])
            self.assertEqual(sorted(result.stderr.splitlines()), ['[0] err', '[1] err'])
        self.assertEqual(shell('echo x', '-n', '1', '-prepend-pattern', '%r> ').stdout, '0> x\n')

    def test_time_and_merging(self):
        result = shell('echo err >&2', '-n', '1', '--timestamp-output', '--merge-stderr-to-stdout')
        self.assertRegex(result.stdout, r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ err\n$')
        self.assertEqual(result.stderr, '')

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            shell('echo rank $PMI_RANK', '-n', '3', '--output-filename', directory + '/out')
            for rank in range(3):
                with open(f'{directory}/out.{rank}') as file:
                    self.assertEqual(file.read(), f'rank {rank}\n')
            shell('echo out; echo err >&2', '-n', '1', '-outfile-pattern', directory + '/o%r', '-errfile-pattern',
                  directory + '/e%r')
            with open(directory + '/o0') as out, open(directory + '/e0') as err:
                self.assertEqual((out.read(), err.read()), ('out\n', 'err\n'))

    def test_unterminated_line_comes_out(self):
        self.assertEqual(mpiexec('-n', '2', 'printf', 'x').stdout.replace('\n', ''), 'xx')

    def test_much_output(self):
        result = mpiexec('-n', '2', 'seq', '100000')
        self.assertEqual(len(result.stdout.splitlines()), 200000)


class Input(unittest.TestCase):
    def test_rank_0_reads(self):
        self.assertEqual(mpiexec('-n', '3', '-l', 'cat', input='a\nb\n').stdout, '[0] a\n[0] b\n')

    def test_others_read(self):
        self.assertEqual(mpiexec('-n', '3', '-l', '--stdin', '2', 'cat', input='a\n').stdout, '[2] a\n')
        self.assertEqual(mpiexec('-n', '3', '--stdin', 'none', 'cat', input='a\n').stdout, '')
        text = ''.join(f'{i}\n' for i in range(50000))  # more than pipes hold
        result = mpiexec('-n', '3', '--stdin', 'all', 'md5sum', input=text)
        self.assertEqual(len(result.stdout.splitlines()), 3)
        self.assertEqual(len(set(result.stdout.splitlines())), 1)

    def test_input_that_nobody_reads_holds_nobody_up(self):
        self.assertEqual(shell('true', '-n', '2', '--stdin', 'all', input='x' * 1000000).returncode, 0)


class Programs(unittest.TestCase):
    def test_environment_of_ranks(self):
        result = shell('echo $PMI_RANK $PMI_SIZE $OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_SIZE '
                       '$OMPI_COMM_WORLD_LOCAL_RANK $MPI_LOCALRANKID $RANKLET_RANK $A', '-n', '2', '-x', 'A=v')
        self.assertEqual(sorted(result.stdout.splitlines()), ['0 2 0 2 0 0 0 v', '1 2 1 2 1 1 1 v'])

    def test_genvnone(self):
        result = mpiexec('-genvnone', '-genv', 'A', '1', '-n', '1', '/usr/bin/env', env={'B': '2'})
        self.assertIn('A=1\n', result.stdout)
        self.assertNotIn('B=2', result.stdout)
        self.assertNotIn('PATH=', result.stdout)

    def test_number_of_ranks(self):
        self.assertEqual(mpiexec('echo', 'x', env={'RANKLET_RANKS': '3'}).stdout, 'x\n' * 3)
        self.assertEqual(mpiexec('-n', '2', 'echo', 'x', env={'RANKLET_RANKS': '3'}).stdout, 'x\n' * 2)
        self.assertEqual(mpiexec('--host', 'localhost:3', 'echo', 'x').stdout, 'x\n' * 3)
        self.assertEqual(mpiexec('echo', 'x', env={'RANKLET_CORES': '4'}).stdout, 'x\n' * 4)
        result = mpiexec('-n', '2147483647', 'true', ':', '-n', '1', 'true')
        self.assertEqual((result.returncode, result.stderr), (1, 'mpiexec: a job has at most 2147483647 ranks\n'))

    def test_several_programs(self):
        result = mpiexec('-n', '1', 'echo', 'one', ':', '-n', '2', '-env', 'A', '7', 'sh', '-c', 'echo two $PMI_RANK $A')
        self.assertEqual(sorted(result.stdout.splitlines()), ['one', 'two 1 7', 'two 2 7'])
        result = mpiexec('-n', '1', 'true', ':', '-n', '1', 'false')
        self.assertIn('rank 1 (false) exited with code 1', result.stderr)

    def test_directories(self):
        with tempfile.TemporaryDirectory() as directory:
            directory = os.path.realpath(directory)
            self.assertEqual(mpiexec('-n', '1', '-wdir', directory, 'pwd').stdout, directory + '\n')
            script = directory + '/script'
            with open(script, 'w') as file:
                file.write('echo no interpreter line\n')
            os.chmod(script, 0o755)
            self.assertEqual(mpiexec('-n', '1', './script', cwd=directory).stdout, 'no interpreter line\n')
            self.assertEqual(mpiexec('-n', '1', '-wdir', directory, './script').stdout, 'no interpreter line\n')
            self.assertEqual(mpiexec('-n', '1', '-path', directory, 'script').stdout, 'no interpreter line\n')
            config = directory + '/config'
            with open(config, 'w') as file:
                file.write(f'# a job\n-n 1 echo one \\\n  more\n-n 1 -wdir {directory} pwd\n')
            result = mpiexec('-configfile', config)
            self.assertEqual(sorted(result.stdout.splitlines()), sorted(['one more', directory]))
        self.assertEqual(mpiexec('-wdir', '/no/such', 'true').returncode, 127)

    def test_bindings(self):
        allowed = os.sched_getaffinity(0)
        result = mpiexec('-n', '2', '--bind-to', 'none', '--report-bindings', 'true')
        self.assertEqual(len(re.findall(r'^rank \d: not pinned', result.stderr, re.M)), 2)
        # Another job may hold the cores, so only what must hold in any case is asked.
        result = shell('grep Cpus_allowed_list /proc/self/status', '-n', '2', '--bind-to', 'core')
        for line in result.stdout.splitlines():
            first = int(re.search(r'(\d+)', line.split(':')[1]).group(1))
            self.assertIn(first, allowed)
        for option in ('bind-to', 'map-by', 'rank-by', 'stdin'):
            result = mpiexec('-n', '1', f'--{option}', 'toe', 'true')
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, f'^mpiexec: --{option} takes .*, not "toe"$')
        self.assertEqual(len(mpiexec('-N', '3', 'echo', 'x').stdout.splitlines()), 3)
        self.assertEqual(len(mpiexec('echo', 'x', env={'RANKLET_MAP_BY': 'ppr:3:node'}).stdout.splitlines()), 3)

    def test_foreign_options(self):
        result = mpiexec('--oversubscribe', '--allow-run-as-root', '--mca', 'btl', 'self', '-genvall', '-np', '2',
                         '--host', 'localhost:2', 'echo', 'x')
        self.assertEqual((result.stdout, result.stderr, result.returncode), ('x\nx\n', '', 0))

    def test_warnings(self):
        result = mpiexec('-n', '1', 'true', env={'RANKLET_EAGER_LIMT': '1'})
        self.assertEqual(result.stderr,
                         'mpiexec: warning: unknown variable RANKLET_EAGER_LIMT (did you mean RANKLET_EAGER_LIMIT?)\n')
        self.assertEqual(mpiexec('-q', '-n', '1', 'true', env={'RANKLET_EAGER_LIMT': '1'}).stderr, '')

    def test_texts(self):
        self.assertIn('usage: mpiexec', mpiexec('--help').stdout)
        self.assertIn('RANKLET_BIND_TO', mpiexec('--help-options').stdout)
        self.assertRegex(mpiexec('--version').stdout, r'Ranklet\) \d+\.\d+')
        self.assertEqual(mpiexec('--no-such-option').returncode, 1)


unittest.main(verbosity=1)
