"""Every function is declared in mpi.h as the standard says (prototypes.txt), under both names, and what the standard does not
have is marked as extra in the table. Arguments: generator, table, mpi.h, prototypes.txt."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
generator, table_dir, header, facts = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(generator).parent))

import table


def normal(text):
    """A type as prototypes.txt writes it: arrays are pointers, a function is its type."""
    text = re.sub(r"\s*\*\s*", "*", text.strip())
    return re.sub(r"^(MPI_\w+_function(_c)?)\*$", r"\1", text)


def parameter(text):
    """(type, name) of a declaration."""
    if text == "...":
        return "...", "..."
    m = re.match(r"(.*?)(\w+)((?:\[\]|\[3\])*)$", text.strip())
    stars = {"": "", "[]": "*", "[][3]": "(*)[3]"}[m[3]]
    return normal(m[1]) + stars, m[2]


declared = {}
for line in pathlib.Path(header).read_text().splitlines():
    m = re.match(r"([\w \*]+?)\b(P?MPI_\w+)\((.*?)\)(?: RANKLET_BUFFER\(\d, \d\))*;", line)
    if m and not line.startswith("typedef"):
        each = [] if m[3] == "void" else [parameter(p) for p in m[3].split(", ")]
        declared[m[2]] = (normal(m[1]), each)

wanted = {}
for line in pathlib.Path(facts).read_text().splitlines():
    if line.startswith("#"):
        continue
    head, parameters = line.split(": ")
    *result, name = head.removesuffix(" c").split(" ")
    forms = {"MPI_" + name: []}
    if head.endswith(" c"):
        forms["MPI_" + name + "_c"] = []
    for text in [] if parameters == "-" else parameters.split(", "):
        only_large = text.startswith("+ ")
        types, _, name = text.removeprefix("+ ").rpartition(" ")
        small, _, large = types.partition(" > ")
        if text == "... ...":
            small, name = "...", "..."
        for form, each in forms.items():
            is_large = form.endswith("_c") and len(forms) == 2 and form == list(forms)[1]
            if is_large or not only_large:
                each.append(((large or small) if is_large else small, name))
    for form, each in forms.items():
        wanted[form] = (result[0] if result else "int", each)

extra = {name for c in table.read_functions(table_dir) for f in c.functions if f.has("extra") for name, _ in f.widths()}
problems = [f"{name}: not in the standard, and not marked as extra" for name in declared
            if not name.startswith("P") and name not in wanted and name not in extra]
for name, prototype in wanted.items():
    for declared_name in (name, "P" + name):
        if declared.get(declared_name) != prototype:
            problems.append(f"{declared_name}: the standard has {prototype}, mpi.h {declared.get(declared_name)}")
if len(wanted) < 600:
    problems.append(f"only {len(wanted)} prototypes are known")
print("\n".join(problems) or f"{len(wanted)} prototypes")
sys.exit(bool(problems))
