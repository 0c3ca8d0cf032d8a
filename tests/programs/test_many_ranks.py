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
    def test_thousands_start_meet_and_end(self):
        seconds, _ = seconds_of(1000, 'meet')
        self.assertLess(seconds, 6)
        # The dynamic loader's lists made it eleven times as much.
        four_times, _ = seconds_of(4000, 'meet')
        self.assertLess(four_times, 8 * max(seconds, 0.5))

    def test_a_window_of_thousands_costs_little_more_than_their_meeting(self):
        meeting, _ = seconds_of(2000, 'meet')
        window, _ = seconds_of(2000, 'window')
        # Where all sleep in one place, and each that comes wakes them, it is seven to twenty times as much.
        self.assertLess(window, 4 * max(meeting, 0.5))

    def test_few_sleep_again_when_another_one_comes_to_a_nonblocking_collective(self):
        _, output = seconds_of(256, 'nonblocking')
        # How often a rank sleeps for an allreduce: 0.9 times, as only the last one wakes others; for two with
        # MPI_Waitall, or one and an allgather, 1.8 times. Where cores are busy it is twice as much; where each that
        # comes wakes all, 15 times for one.
        for measured, most in zip(output.split(), (5, 10, 10), strict=True):
            self.assertLess(float(measured), most)

    def test_those_who_wait_for_one_cost_nothing(self):
        _, output = seconds_of(512, 'wait')
        # What the job has used in two seconds of waiting, after all had come to rest.
        self.assertLess(float(output), 0.02)

    def test_a_rank_whose_copy_is_in_another_list_of_the_dynamic_loader_knows_its_lines(self):
        result = subprocess.run([MPIEXEC, '-n', '1050', PROGRAM, 'wrong'], capture_output=True, text=True, timeout=110,
                                stdin=subprocess.DEVNULL)
        self.assertIn('on rank 1049 of MPI_COMM_WORLD', result.stderr)
        with open(SOURCE, encoding='utf-8') as source:
            line = next(number for number, text in enumerate(source, 1) if 'MPI_Send' in text)
        self.assertIn(f'main() at many_ranks.c:{line}', result.stderr)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], '-v'])
