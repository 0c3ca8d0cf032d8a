"""What many ranks cost under mpiexec, in processor time, as the machine may be busy with other things."""
import resource
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/many_ranks'
subprocess.run([MPICC, '-g', SOURCE, '-o', PROGRAM], check=True)


def seconds_of(ranks, *arguments):
    """The processor time of a job, which has to succeed, and its output."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    result = subprocess.run([MPIEXEC, '-n', str(ranks), PROGRAM, *arguments], capture_output=True, text=True,
                            timeout=110, stdin=subprocess.DEVNULL)
    if (result.returncode, result.stderr) != (0, ''):
        raise AssertionError(f'{ranks} ranks: code {result.returncode}\n{result.stderr}')
    return used() - before, result.stdout


class ManyRanks(unittest.TestCase):
    def test_a_thousand_start_meet_and_end(self):
        seconds, _ = seconds_of(1000, 'meet')
        self.assertLess(seconds, 6)

    def test_those_who_wait_for_one_cost_nothing(self):
        _, output = seconds_of(512, 'wait')
        # What the job has used in two seconds of waiting, after all had come to rest.
        self.assertLess(float(output), 0.1)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], '-v'])
