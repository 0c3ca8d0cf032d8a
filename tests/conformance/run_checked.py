"""Runs a right program under the usage checks, which have nothing to say: no error, no leak, and no advice unless the
first argument is --advice. Arguments: mpiexec, the program."""
import re
import subprocess
import sys

arguments = sys.argv[1:]
advice = arguments[0] == '--advice'
mpiexec, program = arguments[advice:]
result = subprocess.run([mpiexec, '-n', '3', '--check', program], stderr=subprocess.PIPE, text=True,
                        stdin=subprocess.DEVNULL)
sys.stderr.write(result.stderr)
found = re.findall(r'^(?:usage error|leak|advice): .*', result.stderr, re.MULTILINE)
if advice and not any(line.startswith('advice') for line in found):
    sys.exit('there is no advice')
if not advice and found:
    sys.exit('the usage checks have found something')
sys.exit(result.returncode)
