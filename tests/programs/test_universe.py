"""Jobs of several mpiexec in one universe: what each user sees."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC, MPICC, SOURCE = (sys.argv.pop(1) for _ in range(3))
GRACE = 2  # seconds after a signal, until mpiexec kills


def setUpModule():
    global directory, APP
    directory = tempfile.TemporaryDirectory()
    APP = directory.name + '/app'
    subprocess.run([MPICC, '-g', SOURCE, '-o', APP], check=True)
    os.environ['XDG_RUNTIME_DIR'] = directory.name  # no other job's universes
    os.environ.pop('RANKLET_UNIVERSE', None)


def tearDownModule():
    directory.cleanup()


class Case(unittest.TestCase):
    maxDiff = None
    count = 0

    def setUp(self):
        Case.count += 1
        self.name = f'test-{Case.count}'
        self.jobs = []

    def tearDown(self):
        for job in self.jobs:
            job.kill()
            job.communicate()

    def start(self, *args, ranks=1, options=(), until='ready', **keywords):
        keywords = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **keywords}
        job = subprocess.Popen([MPIEXEC, '-n', str(ranks), '--universe', self.name, *options, APP, *args], text=True,
                               **keywords)
        self.jobs.append(job)
        if until:
            self.assertEqual(job.stdout.readline(), until + '\n')
        return job

    def end(self, job, input=None):
        out, err = job.communicate(timeout=60, **({'input': input} if input else {}))
        self.jobs.remove(job)
        return sorted(out.splitlines()), sorted(err.splitlines()), job.returncode

    def run_job(self, *args, **keywords):
        input = keywords.pop('input', None)
        if input:
            keywords['stdin'] = subprocess.PIPE
        return self.end(self.start(*args, until=None, **keywords), input)


class Meeting(Case):
    def test_server_and_clients(self):
        server = self.start('serve', '3', ranks=2)
        for ranks in (1, 3, 2):
            self.assertEqual(self.run_job('use', ranks=ranks), ([f'together {ranks + 2}'], [], 0))
        self.assertEqual(self.end(server), (['served 3', 'served 4', 'served 5'], [], 0))

    def test_what_a_job_had_is_used_again(self):
        server = self.start('serve', '20', ranks=2)
        for _ in range(20):
            self.assertEqual(self.run_job('use', ranks=2), (['together 4'], [], 0))
        self.assertEqual(self.end(server), (['served 4'] * 20, [], 0))

    def test_all_start_at_once(self):
        for _ in range(3):
            jobs = [self.start('find', '4', ranks=2, until=None) for _ in range(4)]
            ends = [self.end(job) for job in jobs]
            self.assertEqual(sorted(out for out, _, _ in ends), [['first 12'], ['other 4'], ['other 4'], ['other 4']])
            self.assertEqual([(err, code) for _, err, code in ends], [([], 0)] * 4)

    def test_jobs_that_come_while_the_first_ends(self):
        for _ in range(12):
            jobs = [self.start('code', str(i), ranks=2, until=None) for i in range(5)]
            ends = [self.end(job) for job in jobs]
            self.assertEqual(ends, [([], [], 0)] + [([], [f'mpiexec: rank 0 exited with code {i}'], i)
                                                    for i in range(1, 5)])

    def test_servers_that_come_while_the_first_ends(self):
        for _ in range(12):
            first = self.start('code', '0', until=None)
            server = self.start('serve', '1')
            self.assertEqual(self.run_job('use'), (['together 2'], [], 0))
            self.assertEqual(self.end(server), (['served 2'], [], 0))
            self.assertEqual(self.end(first), ([], [], 0))

    def test_names_and_ports_go_with_their_job(self):
        holder = self.start('serve', '1')
        for _ in range(2):
            self.assertEqual(self.run_job('leave', ranks=2), ([], [], 0))
        self.run_job('use')
        self.assertEqual(self.end(holder), (['served 2'], [], 0))

    def test_without_a_universe(self):
        holder = subprocess.Popen([MPIEXEC, '-n', '1', APP, 'port'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True)
        port = holder.stdout.readline().strip()
        other = subprocess.run([MPIEXEC, '-n', '1', APP, 'connect', port], capture_output=True, text=True, timeout=60)
        holder.communicate('\n', timeout=60)
        process = port.split(':')[1]
        self.assertIn(f'the port "{port}" belongs to another job, in process {process}: start both by mpiexec '
                      '--universe NAME, with one name, so that they can connect', other.stderr)


class Streams(Case):
    def test_input_output_directory_and_mask(self):
        server = self.start('serve', '1')
        below = os.path.realpath(directory.name) + '/below'
        os.makedirs(below, exist_ok=True)
        result = self.run_job('echo', ranks=2, options=['--tag-output', '-wdir', below], input='text\n', umask=0o027)
        self.assertEqual(result, ([f'[0] 0 {below} 27 text', f'[1] 1 {below} 27 end'],
                                  ['[0] complaint 0', '[1] complaint 1'], 0))
        result = self.run_job('echo', ranks=2, options=['--stdin', 'all'], cwd=below, input='text\n', umask=0o022)
        self.assertEqual(result[0], [f'0 {below} 22 text', f'1 {below} 22 text'])
        self.run_job('use')
        self.assertEqual(self.end(server), (['served 2'], [], 0))

    def test_files(self):
        server = self.start('serve', '1')
        below = directory.name + '/files'
        os.makedirs(below)
        for _ in range(2):  # created anew by the second
            self.assertEqual(self.run_job('echo', ranks=2, options=['--outfile-pattern', 'lines'], cwd=below)[0], [])
            self.assertEqual(sorted(os.listdir(below)), ['lines.0', 'lines.1'])
            with open(below + '/lines.1') as file:
                self.assertEqual(len(file.readlines()), 1)
        self.run_job('use')
        self.end(server)

    def test_children_have_the_streams_of_their_job(self):
        server = self.start('serve', '1')
        self.assertEqual(self.run_job('spawn'),
                         (['child 0', 'child 1'], ['mpiexec: rank 1 of world 3 exited with code 4'], 4))
        self.run_job('use')
        self.assertEqual(self.end(server), (['served 2'], [], 0))


class Ends(Case):
    def test_each_has_its_own_code(self):
        server = self.start('serve', '1')
        self.assertEqual(self.run_job('code', '3', ranks=2), ([], ['mpiexec: rank 0 exited with code 3'], 3))
        self.run_job('use')
        self.assertEqual(self.end(server), (['served 2'], [], 0))

    def test_the_first_waits_for_the_others(self):
        first = self.start('port', until=None, stdin=subprocess.PIPE)
        first.stdout.readline()
        other = self.start('serve', '1')
        first.stdin.write('\n')
        first.stdin.flush()
        self.assertEqual(self.run_job('use'), (['together 2'], [], 0))
        self.assertEqual(self.end(other), (['served 2'], [], 0))
        self.assertEqual(self.end(first), ([], [], 0))

    def test_abort_ends_all(self):
        server = self.start('serve', '1')
        line = 'mpiexec: rank 0 of world 2 called MPI_Abort with error code 9'
        self.assertEqual(self.run_job('abort'), ([], [line], 9))
        self.assertEqual(self.end(server), ([], [line], 9))

    def test_signal_to_ranks_that_handle_it(self):
        for _ in range(5):
            server = self.start('serve', '1')
            other = self.start('handle', ranks=2)
            begin = time.monotonic()
            other.send_signal(signal.SIGTERM)
            self.assertEqual(self.end(other)[2], 128 + signal.SIGTERM)
            if time.monotonic() - begin < GRACE:
                break
            # It may have been killed, which ends all.
            server.kill()
            self.end(server)
        else:
            self.fail('the machine is too slow')
        self.run_job('use')
        self.assertEqual(self.end(server), (['served 2'], [], 0))

    def test_a_signal_to_the_first_is_its_ranks_own(self):
        first = self.start('handle', ranks=2)
        other = self.start('handle', ranks=2)
        server = self.start('serve', '1')
        first.send_signal(signal.SIGUSR2)
        self.assertEqual(self.run_job('use'), (['together 2'], [], 0))
        self.assertEqual(self.end(server), (['served 2'], [], 0))
        other.send_signal(signal.SIGUSR2)
        for job in (other, first):
            self.assertEqual(self.end(job), ([], [], 0))

    def test_other_signals_end_all(self):
        server = self.start('serve', '1')
        other = self.start('wait', ranks=2)
        other.send_signal(signal.SIGTERM)
        self.assertEqual(self.end(other)[2], 128 + signal.SIGTERM)
        self.assertEqual(self.end(server), ([], ['mpiexec: the job ended, as another mpiexec of its universe got '
                                                 'signal 15 (Terminated)'], 128 + signal.SIGTERM))

    def test_one_that_is_killed_ends_all(self):
        server = self.start('serve', '1')
        other = self.start('wait', ranks=2)
        other.kill()
        self.assertEqual(self.end(server), ([], ['mpiexec: the job ended, as another mpiexec of its universe was '
                                                 'killed'], 128 + signal.SIGKILL))

    def test_timeout_and_state(self):
        server = self.start('serve', '1')
        other = self.start('wait', ranks=2, options=['--timeout', '4'])
        out, err, code = self.end(other)
        self.assertEqual(code, 124)
        self.assertIn('mpiexec: the job was ended after its timeout of 4 s', err)
        self.assertIn('mpiexec: the ranks at this moment:', err)
        self.assertEqual(self.end(server)[2], 128 + signal.SIGTERM)

    def test_a_killed_host_leaves_its_name(self):
        first = self.start('serve', '1')
        first.kill()
        first.wait()
        server = self.start('serve', '1')
        self.assertEqual(self.run_job('use'), (['together 2'], [], 0))
        self.assertEqual(self.end(server), (['served 2'], [], 0))


class Refusals(Case):
    def refused(self, *args, **environment):
        result = subprocess.run([MPIEXEC, '-n', '1', *args], capture_output=True, text=True, timeout=60,
                                env={**os.environ, **environment})
        self.assertEqual((result.stdout, result.returncode), ('', 1))
        return result.stderr

    def test_what_cannot_run_in_a_universe(self):
        self.assertIn('take a job alone, without --universe',
                      self.refused('--universe', self.name, '--record', 'file', APP, 'code', '0'))
        self.assertIn('sh does not use MPI: --universe takes ranks alone',
                      self.refused('--universe', self.name, 'sh', '-c', APP))

    def test_a_job_that_cannot_start_harms_nobody(self):
        first = subprocess.Popen([MPIEXEC, '-n', '1', '--universe', self.name, APP, 'serve', '1'],
                                 stdout=subprocess.PIPE, text=True)
        self.assertEqual(first.stdout.readline(), 'ready\n')
        for _ in range(3):
            self.assertIn('--stdin takes a rank of the job',
                          self.refused('--universe', self.name, '--stdin', '7', APP, 'code', '0'))
        bad = directory.name + '/bad'
        with open(APP, 'rb') as good, open(bad, 'wb') as file:
            file.write(good.read()[:5000])
        os.chmod(bad, 0o755)
        self.assertNotEqual(self.refused('--universe', self.name, bad), '')
        subprocess.run([MPIEXEC, '-n', '1', '--universe', self.name, APP, 'use'], check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        self.assertEqual(first.communicate(timeout=60)[0], 'served 2\n')
        self.assertEqual(first.returncode, 0)

    def test_names(self):
        for name in ('a/b', '.hidden', 'x' * 41):
            self.assertIn('--universe takes NAME, not', self.refused('--universe', name, APP, 'code', '0'))

    def test_a_directory_for_all(self):
        runtime = directory.name + '/open'
        os.mkdir(runtime, 0o700)
        os.mkdir(runtime + '/ranklet')
        os.chmod(runtime + '/ranklet', 0o755)
        self.assertIn('must be a directory that only its user may enter',
                      self.refused('--universe', self.name, APP, 'code', '0', XDG_RUNTIME_DIR=runtime))


if __name__ == '__main__':
    unittest.main(verbosity=2)
