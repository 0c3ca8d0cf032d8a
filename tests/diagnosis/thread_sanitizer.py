"""How the tests build programs with ThreadSanitizer: with gcc, whose runtime all ranks can share."""
import subprocess
import sys
import tempfile


def require():
    """Ends the test as skipped where gcc has no ThreadSanitizer."""
    with tempfile.TemporaryDirectory() as place:
        built = subprocess.run(['gcc', '-fsanitize=thread', '-x', 'c', '-', '-o', place + '/empty'], capture_output=True,
                               input=b'int main(void) { return 0; }')
    if built.returncode != 0:
        print('gcc has no ThreadSanitizer')
        sys.exit(77)


def build(mpicc, source, program):
    subprocess.run([mpicc, '-cc=gcc', '-g', '-O1', '-fsanitize=thread', source, '-o', program], check=True)
