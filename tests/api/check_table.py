"""The table is sound: purposes and sections are there, names of constants are unique, aliases agree in their kinds, and
the values of all constants are also in the second list, abi_constants.c."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
generator, table_dir, second_list = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(generator).parent))

import table

chapters = table.read_functions(table_dir)
constants = table.read_constants(pathlib.Path(table_dir) / "constants.txt")
problems = []
by_name = {f.name: f for c in chapters for f in c.functions}
for f in by_name.values():
    if not f.purpose or f.purpose.endswith("."):
        problems.append(f"MPI_{f.name}: the purpose is one clause without a full stop")
    if not f.section.split(" ")[0].split(".")[0] == str(f.chapter.number):
        problems.append(f"MPI_{f.name}: section {f.section} is not of chapter {f.chapter.number}")
    if f.has("c") and not any(p.kind.small != p.kind.large or p.large_only or p.kind.sort == "function" for p in f.parameters):
        problems.append(f"MPI_{f.name}: nothing differs in its large-count twin")
    if f.same_as:
        other = by_name[f.same_as]
        # The persistent form of a collective has an info besides.
        own = [p for p in f.parameters if not (f.has("life") and p.kind.name == "info")]
        if [p.kind.sort for p in own] != [p.kind.sort for p in other.parameters]:
            problems.append(f"MPI_{f.name}: its parameters are not those of MPI_{f.same_as}")
    if f.has("raw") and f.has("c"):
        problems.append(f"MPI_{f.name}: raw functions have one width")
names = [name for g in constants.groups for name, _ in g.values]
problems += [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
listed = set(re.findall(r"VALUE\((MPI_\w+),", pathlib.Path(second_list).read_text()))
problems += [f"{name}: no value in {second_list}" for name in names if name not in listed]
# Predefined handles of all kinds live in one number space (MPI 5.0 §20.3).
values = [(value, name) for g in constants.groups if g.form == "handles" for name, value in g.values]
numbers = [int(value, 0) for value, _ in values]
problems += [f"{name}: its value {value} is used twice" for value, name in values if numbers.count(int(value, 0)) > 1]
problems += [f"{name}: {value} is no predefined handle" for value, name in values if not 0 < int(value, 0) < 4096]
print("\n".join(problems) or f"{len(by_name)} functions, {len(names)} constants")
sys.exit(bool(problems))
