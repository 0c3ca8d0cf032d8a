"""ranklet-info counts and lists the functions that the table says."""

import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
program, generator, table_dir = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(generator).parent))

import table

functions = [f for c in table.read_functions(table_dir) for f in c.functions]
forms = {name: f.has("impl") for f in functions for name, _ in f.widths()}


def run(*options):
    return subprocess.run([program, *options], capture_output=True, text=True)


problems = []
overview = run()
wanted = f"{sum(forms.values())} of {len(forms)}"
if overview.returncode != 0 or not any(l.split()[:1] == ["total"] and l.strip().endswith(wanted) for l in overview.stdout.splitlines()):
    problems.append(f"the overview does not end with the total {wanted}")
if "Ranklet" not in overview.stdout or "RANKLET_WAIT" not in overview.stdout:
    problems.append("the overview lacks the version or the settings")
missing = set(run("--missing").stdout.split())
if missing != {name for name, implemented in forms.items() if not implemented}:
    problems.append("--missing lists other functions than those without impl")
if "RANKLET_" not in run("--help-options").stdout:
    problems.append("--help-options shows no settings")
if run("--nonsense").returncode != 2:
    problems.append("an unknown option is accepted")
print("\n".join(problems) or wanted)
sys.exit(bool(problems))
