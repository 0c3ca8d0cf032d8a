"""Programs that are started without mpiexec: those that may start others get a host, and remain what they were."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE, SERVER = (sys.argv.pop(1) for _ in range(4))
SANITIZED = any(name in os.environ for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS', 'UBSAN_OPTIONS'))


def setUpModule():
    global directory, APP, OTHER
    directory = tempfile.TemporaryDirectory()
    APP = directory.name + '/app'
    OTHER = directory.name + '/other'
    subprocess.run([MPICC, '-g', SOURCE, '-o', APP], check=True)
    subprocess.run([MPICC, '-g', SOURCE, '-DNO_SPAWN', '-o', OTHER], check=True)
    for name in ('RANKLET_SINGLETON', 'RANKLET_UNIVERSE'):
        os.environ.pop(name, None)


def tearDownModule():
    directory.cleanup()


class Case(unittest.TestCase):
    maxDiff = None

    def run_app(self, *args, app=None, **keywords):
        return subprocess.run([app or APP, *args], capture_output=True, text=True, timeout=60,
                              **{'stdin': subprocess.DEVNULL, **keywords} if 'input' not in keywords else keywords)

    def start(self, *args, app=None, **keywords):
        process = subprocess.Popen([app or APP, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **keywords)
        self.assertEqual(process.stdout.readline(), 'ready\n')
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def program_of(self, process):
        return os.path.basename(os.readlink(f'/proc/{process.pid}/exe'))

    def is_hosted(self, process):
        # A host with much thread-local storage runs from a copy of its file, which has no name any more.
        return self.program_of(process) not in ('app', 'other')


class Abort(Case):
    def test_the_rank_is_named_and_the_code_stays(self):
        for app in APP, OTHER:
            for code, left in ('5', 5), ('0', 0), ('256', 1):
                with self.subTest(app=app, code=code):
                    result = self.run_app('abort', code, app=app)
                    self.assertEqual(result.returncode, left)
                    self.assertRegex(result.stderr, f'^(mpiexec: )?rank 0 called MPI_Abort with error code {code}\n$')


class Spawn(Case):
    def test_a_program_starts_others(self):
        result = self.run_app('spawn', APP)
        self.assertEqual((result.stdout, result.stderr, result.returncode),
                         ('rank 0 of 1 has children with the sum 3\n', '', 0))

    def test_it_may_be_forbidden(self):
        result = self.run_app('spawn', APP, env={**os.environ, 'RANKLET_SINGLETON': 'plain'})
        self.assertIn('start this one by mpiexec -n 1', result.stderr)
        self.assertNotEqual(result.returncode, 0)

    def test_a_universe(self):
        server = directory.name + '/server'
        subprocess.run([MPICC, SERVER, '-o', server], check=True)
        environment = {**os.environ, 'XDG_RUNTIME_DIR': directory.name, 'RANKLET_UNIVERSE': 'of-singletons'}
        serving = self.start('serve', '1', app=server, env=environment)
        self.assertEqual(self.run_app('use', app=server, env=environment).stdout, 'together 2\n')
        self.assertEqual(serving.communicate(timeout=60), ('served 2\n', ''))


class Host(Case):
    def test_only_who_refers_to_spawn_has_one(self):
        self.assertTrue(self.is_hosted(self.start('wait')))
        self.assertFalse(self.is_hosted(self.start('wait', app=OTHER)))

    def test_the_user_may_choose(self):
        self.assertFalse(self.is_hosted(self.start('wait', env={**os.environ, 'RANKLET_SINGLETON': 'plain'})))
        self.assertTrue(self.is_hosted(self.start('wait', app=OTHER,
                                                  env={**os.environ, 'RANKLET_SINGLETON': 'host'})))

    @unittest.skipIf(shutil.which('strace') is None or SANITIZED, 'no strace')
    def test_who_is_traced_stays_what_it_is(self):
        result = self.run_app('-f', '-e', 'trace=execve', APP, 'code', '0', app='strace')
        self.assertEqual(result.stderr.count('execve('), 1)

    def test_processes_of_ranks_have_none(self):
        result = subprocess.run([MPIEXEC, '-n', '1', 'sh', '-c', f'RANKLET_HANDOVER= exec {APP} spawn {APP}'],
                                capture_output=True, text=True, timeout=60)
        self.assertIn('start this one by mpiexec -n 1', result.stderr)


class LikeAProcess(Case):
    def test_environment(self):
        environment = {'HOME': '/', 'SOME': 'thing'}
        if SANITIZED:
            environment.update({name: value for name, value in os.environ.items() if name.endswith('SAN_OPTIONS')})
        lines = self.run_app('environment', env=environment).stdout.splitlines()
        self.assertEqual(sorted(lines), sorted(f'{name}={value}' for name, value in environment.items()))

    def test_files_and_arguments(self):
        path = directory.name + '/nine'
        with open(path, 'w') as file:
            os.dup2(file.fileno(), 9)
        try:
            result = subprocess.run(['its name', 'files', 'a b'], executable=APP, input='text\n', capture_output=True,
                                    text=True, timeout=60, pass_fds=[9])
        finally:
            os.close(9)
        self.assertEqual((result.stdout, result.stderr, result.returncode), ('its name a b text\n', 'complaint\n', 0))
        with open(path) as file:
            self.assertEqual(file.read(), 'to nine\n')

    def test_exit_code(self):
        result = self.run_app('code', '3')
        self.assertEqual((result.stdout, result.stderr, result.returncode), ('', '', 3))

    def test_signals(self):
        endings = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        for number in endings:  # who runs the tests may ignore them, as nohup does
            before = signal.signal(number, signal.SIG_DFL)
            self.addCleanup(signal.signal, number, before)
        for number in (*endings, signal.SIGKILL):
            process = self.start('wait')
            process.send_signal(number)
            process.wait(timeout=60)
            self.assertEqual((process.communicate(timeout=60), process.returncode), (('', ''), -number))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start('wait')
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.communicate('', timeout=60), ('', ''))
        self.assertEqual(process.returncode, 0)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        if 'TSAN_OPTIONS' in os.environ:
            return  # its runtime calls handlers later
        process = self.start('handle')
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        self.assertEqual((process.communicate(timeout=60), process.returncode), (('', ''), 8))


if __name__ == '__main__':
    unittest.main(verbosity=2)
