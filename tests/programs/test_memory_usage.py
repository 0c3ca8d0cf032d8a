"""mpiexec --check: buffers and arrays that do not fit the variables and the blocks of the heap that they lie in."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
LINES = pathlib.Path(SOURCE).read_text().split('\n')


def marked(task):
    """The numbers of the lines with the task's mark; one that says "next line" stands for the one after it."""
    return {number + ('next line' in line) for number, line in enumerate(LINES, 1) if f'/* {task} here' in line}


class MemoryUsage(unittest.TestCase):
    def run_task(self, task, *flags):
        program = DIRECTORY.name + '/memory_usage' + ''.join(flags)
        if not pathlib.Path(program).exists():
            subprocess.run([MPICC, '-g', '-w', '-D_GNU_SOURCE', *flags, SOURCE, '-o', program], check=True)
        return subprocess.run([MPIEXEC, '-n', '2', '--check', program, task], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)

    def found(self, task, what, *flags):
        result = self.run_task(task, *flags)
        self.assertNotEqual(result.returncode, 0, task)
        told = re.findall(r'(?m)^usage error: (.*)\n(?:  .*\n)*?  place +.* at memory_usage\.c:(\d+)$', result.stderr)
        self.assertTrue(any(re.search(what, text) and int(line) in marked(task) for text, line in told),
                        (task, flags, result.stderr))

    def test_variables(self):
        for flags in (['-O0'], ['-O2']):
            self.found('static-variable', 'reaches 20 bytes past the end of the variable few, which has 20 bytes', *flags)
            self.found('local-variable', 'reaches 4 bytes past the end of the variable values, which has 32 bytes', *flags)
            self.found('wider-type', 'data to send reaches 4 bytes past the end of the variable mine', *flags)
            self.found('strided', 'reaches 24 bytes past the end of the variable column', *flags)
            self.found('statuses', 'array array_of_statuses reaches 32 bytes past .* variable status', *flags)
            self.found('counts', 'array recvcounts reaches 4 bytes past .* variable one', *flags)
            self.found('window', 'window reaches 4 bytes past .* variable memory', *flags)

    def test_blocks_of_the_heap(self):
        for flags in (['-O0'], ['-O2']):
            self.found('block', 'reaches 1 byte past the end of a block of 6 bytes on the heap', *flags)
            self.found('freed-block', 'lies in a block of 2000 bytes on the heap that was freed', *flags)
            self.found('freed-window', "the window's memory was freed before the window", *flags)

    def test_what_fits_is_not_told(self):
        for flags in (['-O0'], ['-O2'], ['-O3', '-flto']):
            result = self.run_task('right', *flags)
            self.assertEqual((result.returncode, result.stderr), (0, ''), flags)

    def test_address_sanitizer_knows_more(self):
        result = self.run_task('block', '-fsanitize=address')
        self.assertIn("not the program's, as AddressSanitizer knows, from its byte 6 on", result.stderr)
        result = self.run_task('right', '-fsanitize=address')
        self.assertEqual((result.returncode, result.stderr), (0, ''))


if __name__ == '__main__':
    unittest.main()
