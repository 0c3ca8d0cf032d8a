"""What a person reads when a test case on ranks fails, under doctest and GoogleTest."""
import re
import subprocess
import sys

PROGRAMS = sys.argv[1:]
PARTS = [
    r'on rank 1 of 3',
    r'check output of 0',
    r'check output of 2',
    r'on rank 2 of 3',
    r'further information',
    r'rank 2 threw std::runtime_error: thrown on purpose\nstopped for that: 0, 1',
    r'deadlock: .*\n(.*\n)*.*rank 0 .*MPI_Recv',
    r'rank 1: leak: a communicator was not freed',
]


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)


problems = []
for program in PROGRAMS:
    result = run(program)
    text = result.stdout + result.stderr
    found = [part for part in PARTS if not re.search(part, text)]
    if result.returncode == 0 or 'nobody wants' in text or found:
        problems.append(f'{program}: code {result.returncode}, not found: {found}\n{text}')
    number = re.search(r'6 \| +1 passed +\| +5 failed|6 FAILED TESTS', text)
    if not number:
        problems.append(f'{program}: other cases fail than should\n{text}')
    if 'doctest' in program:
        # Ranks that unwind at once do not disturb each other.
        for _ in range(20):
            many = run(program, '-tc=many', '--no-skip')
            if many.returncode != 1 or 'threw int' not in many.stdout:
                problems.append(f'code {many.returncode}:\n{many.stdout}')
print('\n'.join(problems) or 'as it should be')
sys.exit(bool(problems))
