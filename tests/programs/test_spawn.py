"""Programs that start programs: what the user sees of several worlds in one job."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = (sys.argv.pop(1) for _ in range(3))
SANITIZED = any(name in os.environ for name in ('ASAN_OPTIONS', 'TSAN_OPTIONS', 'UBSAN_OPTIONS'))


def setUpModule():
    global directory, APP
    directory = tempfile.TemporaryDirectory()
    APP = directory.name + '/app'
    subprocess.run([MPICC, '-g', SOURCE, '-o', APP, '-pthread'], check=True)


def tearDownModule():
    directory.cleanup()


class Case(unittest.TestCase):
    maxDiff = None
    spawned = None  # what APP starts, if not itself

    def setUp(self):
        if self.spawned:
            os.environ['SPAWNED'] = self.script('spawned.sh', self.spawned)
            self.addCleanup(os.environ.pop, 'SPAWNED')

    def script(self, name, text):
        return self.file(name, '#!/bin/sh\n' + text.replace('APP', APP) + '\n')

    def file(self, name, text, mode=0o755):
        path = f'{directory.name}/{name}'
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def run_job(self, *args, ranks=1, options=(), **keywords):
        keywords = {'stdin': subprocess.DEVNULL, **({} if 'input' not in keywords else {'stdin': None}), **keywords}
        if keywords['stdin'] is None:
            del keywords['stdin']
        return subprocess.run([MPIEXEC, '-n', str(ranks), *options, APP, *args], capture_output=True, text=True,
                              timeout=60, **keywords)

    def check(self, result, lines, code=0):
        self.assertEqual((sorted(result.stdout.splitlines()), result.stderr, result.returncode), (lines, '', code))


class Output(Case):
    def test_lines_have_the_world_and_the_rank(self):
        result = self.run_job('hello', ranks=2, options=['--tag-output'])
        self.assertEqual((sorted(result.stdout.splitlines()), sorted(result.stderr.splitlines()), result.returncode),
                         (['[2.0] child 0 prints', '[2.1] child 1 prints'],
                          ['[2.0] child 0 complains', '[2.1] child 1 complains'], 0))

    def test_patterns(self):
        result = self.run_job('hello', options=['--prepend-pattern', '%r> '])
        self.assertEqual(sorted(result.stdout.splitlines()), ['2.0> child 0 prints', '2.1> child 1 prints'])

    def test_files(self):
        result = self.run_job('hello', options=['--output-filename', directory.name + '/lines'])
        self.assertEqual((result.stdout, result.stderr, result.returncode), ('', '', 0))
        for rank in range(2):
            with open(f'{directory.name}/lines.2.{rank}') as file:
                self.assertEqual(sorted(file.read().splitlines()), [f'child {rank} complains', f'child {rank} prints'])

    def test_input_is_the_first_world_s(self):
        result = self.run_job('hello', input='text\n', options=['--stdin', 'all'])
        self.assertEqual(result.returncode, 0)


class Inheritance(Case):
    def test_directory_mask_and_environment(self):
        here = os.path.realpath(directory.name) + '/below'
        os.makedirs(here, exist_ok=True)
        self.check(self.run_job('state', here, ranks=2), [f'{here} umask 135 inherited stdin -1'] * 2)

    def test_commands_are_found_in_the_path_of_the_rank(self):
        os.environ.update(FOUND_IN=os.path.dirname(APP), SPAWNED=os.path.basename(APP))
        self.addCleanup(os.environ.pop, 'FOUND_IN')
        self.addCleanup(os.environ.pop, 'SPAWNED')
        here = os.path.realpath(directory.name) + '/elsewhere'
        os.makedirs(here, exist_ok=True)
        self.check(self.run_job('state', here), [f'{here} umask 135 inherited stdin -1'] * 2)


class Ends(Case):
    def test_exit_code_of_a_child(self):
        result = self.run_job('code')
        self.assertEqual((result.stderr, result.returncode), ('mpiexec: rank 1 of world 2 exited with code 3\n', 3))

    def test_children_may_outlive_their_parents(self):
        self.check(self.run_job('outlive'), ['child 0 goes on', 'child 1 goes on'])

    def test_abort(self):
        result = self.run_job('abort')
        self.assertEqual((result.stderr, result.returncode),
                         ('mpiexec: rank 1 of world 2 called MPI_Abort with error code 9\n', 9))

    def test_crash(self):
        result = self.run_job('crash')
        self.assertIn('rank 1 of world 2 got signal 6', result.stderr)
        self.assertIn('as_child() at spawner.c', result.stderr)
        self.assertNotEqual(result.returncode, 0)

    def test_error_of_a_child(self):
        result = self.run_job('fail')
        self.assertRegex(result.stderr, r'MPI error in MPI_Recv on rank [01] of world 2\n')
        self.assertRegex(result.stderr, r'\nmpiexec: rank [01] of world 2 ended the job with code ')

    def test_deadlock(self):
        result = self.run_job('deadlock')
        self.assertEqual(result.returncode, 16)
        text = re.sub(r'MPI_Recv\(.*\)\n', 'MPI_Recv(…)\n', result.stderr)
        for line in ('deadlock: every rank waits for another one\n', '  rank 0  MPI_Recv(…)\n',
                     '  rank 0 of world 2  MPI_Recv(…)\n', '  rank 1 of world 2  MPI_Recv(…)\n'):
            self.assertIn(line, text)
        self.assertIn('as_child() at spawner.c', text)
        self.assertIn('as_parent() at spawner.c', text)

    def test_waiting_for_those_who_have_ended(self):
        result = self.run_job('gone')
        self.assertEqual(result.returncode, 16)
        self.assertIn('rank 0 of world 2  has ended', result.stderr)

    def test_leaks_are_found_in_children(self):
        result = self.run_job('leak', options=['--check'])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('  rank          1 of world 2\n', result.stderr)

    def test_state_on_request(self):
        mark = f'{directory.name}/mark.{self.id()}'
        job = subprocess.Popen([MPIEXEC, '-n', '1', APP, 'wait', mark], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        try:
            self.assertEqual(job.stdout.readline(), 'waiting\n')
            job.send_signal(signal.SIGUSR1)
            lines = [job.stderr.readline() for _ in range(4)]
            self.assertEqual(lines[0], 'mpiexec: the ranks at this moment:\n')
            self.assertEqual(lines[1], '  rank 0  computes, or is in a call that has not lasted\n')
            self.assertTrue(lines[2].startswith('  rank 0 of world 2  '), lines[2])
        finally:
            open(mark, 'w').close()
        job.communicate(timeout=60)
        self.assertEqual(job.returncode, 0)


# The same where the children are started by scripts.
class OutputOfScripts(Output):
    spawned = 'exec APP "$@"'


class InheritanceByScripts(Inheritance):
    spawned = 'APP "$@"'
    test_commands_are_found_in_the_path_of_the_rank = None


class EndsOfScripts(Ends):
    spawned = 'APP "$@"'


class Scripts(Case):
    def run_script(self, task, text, *args, ranks=1, **keywords):
        os.environ['SPAWNED'] = self.script('script.sh', text)
        self.addCleanup(os.environ.pop, 'SPAWNED', None)
        return self.run_job(task, *args, ranks=ranks, **keywords)

    def test_what_a_script_does_around(self):
        result = self.run_script('hello', 'echo "before $PMI_RANK"; APP "$@" 2>&1 | sed s/child/wrapped/; echo after',
                                 ranks=2)
        self.check(result, sorted(['after'] * 2 + [line for rank in range(2) for line in
                                                   (f'before {rank}', f'wrapped {rank} complains',
                                                    f'wrapped {rank} prints')]))

    def test_one_file_for_each_rank(self):
        self.check(self.run_script('hello', f'exec APP "$@" >{directory.name}/out.$PMI_RANK 2>&1'), [])
        for rank in range(2):
            with open(f'{directory.name}/out.{rank}') as file:
                self.assertEqual(sorted(file.read().splitlines()), [f'child {rank} complains', f'child {rank} prints'])

    def test_a_program_that_does_not_call_init_comes_first(self):
        self.check(self.run_script('hello', 'APP child early; APP child early; exec APP "$@" 2>&1'),
                   ['child 0 complains', 'child 0 prints', 'child 1 complains', 'child 1 prints'])

    def test_a_second_program_is_refused(self):
        result = self.run_script('outlive', 'APP "$@"; APP "$@"')
        self.assertRegex(result.stderr, r'mpiexec: rank [01] of world 2 runs app, a second MPI program: MPI_Comm_spawn '
                                        r'starts one in each process\n'
                                        r'mpiexec: rank [01] of world 2 exited with code 1\n')
        self.assertEqual(result.returncode, 1)

    def test_the_code_of_a_script(self):
        result = self.run_script('hello', 'APP "$@" >/dev/null 2>&1; exit 6')
        self.assertEqual((result.stderr, result.returncode), ('mpiexec: ranks 0-1 of world 2 exited with code 6\n', 6))

    def test_an_abort_ends_the_scripts(self):
        result = self.run_script('abort', 'APP "$@"; sleep 600')
        self.assertEqual((result.stderr, result.returncode),
                         ('mpiexec: rank 1 of world 2 called MPI_Abort with error code 9\n', 9))

    def test_a_signal_ends_the_scripts(self):
        script = self.script('script.sh', f'echo $$; trap "" PIPE; exec sleep 600')
        job = subprocess.Popen([MPIEXEC, '-n', '1', APP, 'outlive'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, env={**os.environ, 'SPAWNED': script})
        processes = [int(job.stdout.readline()) for _ in range(2)]
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=60)  # until nobody has the pipe any more
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)
        for process in processes:
            self.assertRaises(ProcessLookupError, os.kill, process, 0)

    def test_many_worlds_of_scripts(self):
        result = self.run_script('cycles', 'exec APP "$@"', '5' if SANITIZED else '100')
        self.assertEqual((result.stderr, result.returncode), ('', 0))
        before, after = ([int(n) for n in re.findall(r'\d+', line)] for line in result.stdout.splitlines())
        if not SANITIZED:  # the sanitizers' own come with the first dozens of cycles
            self.assertLessEqual(after[0], before[0] + 20, 'mappings')
        self.assertLessEqual(after[1], before[1] + 8, 'threads')


class Refusals(Case):
    def refusal(self, command, ranks=2):
        result = self.run_job('try', command, ranks=ranks)
        self.assertEqual((result.stderr, result.returncode), ('', 0))
        self.assertTrue(result.stdout.startswith('MPI_ERR_SPAWN: '), result.stdout)
        self.assertTrue(result.stdout.endswith('; 1 1\n'), result.stdout)
        return result.stdout

    def test_programs_that_cannot_be_started(self):
        self.assertIn('there is no program /no/such/program', self.refusal('/no/such/program'))
        self.assertIn('chmod +x', self.refusal(self.file('plain', 'text', 0o644)))
        for program in ('/bin/true', self.script('nothing.sh', 'exit 0')):
            self.assertIn('a process that was started has ended without MPI_Init', self.refusal(program))

    def test_a_child_that_never_comes_to_mpi(self):
        result = self.run_job('early', ranks=1)
        self.assertIn('a process that was started has ended without MPI_Init (MPI_ERR_SPAWN)', result.stderr)


class Many(Case):
    def test_threads_that_spawn_at_once(self):
        self.check(self.run_job('threads'), ['threads done'])

    def test_explored_jobs(self):
        result = self.run_job('hello', options=['--explore'])
        self.assertIn('a job whose matches are explored cannot start others (MPI_ERR_SPAWN)', result.stdout)

    def test_a_program_that_was_replaced(self):
        path = directory.name + '/replaced'
        for name, version in ((path, 'old'), (path + '.other', 'new')):
            subprocess.run([MPICC, f'-DVERSION="{version}"', SOURCE, '-o', name, '-pthread'], check=True)
        self.check(self.run_job('version', path), ['version new', 'version old'])

    def test_what_ended_worlds_had_is_used_again(self):
        # More than there are keys of thread-specific data in a process.
        result = self.run_job('cycles', '80' if SANITIZED else '600')
        self.assertEqual((result.stderr, result.returncode), ('', 0))
        before, after = ([int(n) for n in re.findall(r'\d+', line)] for line in result.stdout.splitlines())
        # Some come and go with the machine's load; one that each cycle loses would make 80 or 600.
        self.assertLessEqual(after[0], before[0] + 60, 'mappings')
        self.assertLessEqual(after[1], before[1] + 8, 'threads')
        if not SANITIZED:
            self.assertLess(after[2], before[2] + 1000, 'kB')

    def test_parents_that_scripts_have_started(self):
        result = subprocess.run([MPIEXEC, '-n', '2', 'sh', '-c', f'{APP} outlive; true'], capture_output=True, text=True,
                                timeout=60, stdin=subprocess.DEVNULL)
        self.check(result, ['child 0 goes on', 'child 1 goes on'])


if __name__ == '__main__':
    unittest.main()
