"""Reads the table of MPI functions and the table of constants (their format: table/README.md)."""

import pathlib
import re
from dataclasses import dataclass, field

from kinds import KINDS, Kind

PARAMETER = re.compile(r"(?P<name>\w+)(?::(?P<marks>[+>*~?^]*)(?P<kind>\w+)(?:\((?P<type>\w+)\))?(?:\[(?P<length>[\w?]+)\])?)?$")
SHORT = re.compile(r"(?P<name>\w+)\[(?P<length>\w+)\]$")
CORE = re.compile(r"(?P<room>\w+)::(?P<name>\w+)(?:\((?P<constant>[\w:]+)\))?$")


class TableError(Exception):
    pass


@dataclass
class Parameter:
    name: str
    kind: Kind
    direction: str = "in"  # in, out, inout, free
    nullable: bool = False
    large_only: bool = False
    root_only: bool = False
    length: str = ""  # of an array: a parameter's name or "?"
    function_type: str = ""

    @property
    def array(self):
        return self.length != ""


@dataclass
class Core:
    """The function of a room of src that an entry point calls itself: core=ROOM::NAME or core=ROOM::NAME(CONSTANT)."""

    room: str
    name: str
    constant: str = ""  # of the room, an argument


@dataclass
class Function:
    name: str  # without MPI_
    purpose: str
    chapter: "Chapter"
    section: str
    parameters: list = field(default_factory=list)
    flags: set = field(default_factory=set)
    same_as: str = ""
    core: "Core | None" = None
    returns: str = "int"
    code: bool = True  # the result is an error code
    deprecated: str = ""
    removed: str = ""
    number: int = 0
    source: str = ""  # file and line of the table

    @property
    def variadic(self):
        return any(p.kind.name == "..." for p in self.parameters)

    def has(self, flag):
        return flag in self.flags

    def widths(self):
        """The forms of the function: (C name, whether it is the large-count twin)."""
        yield "MPI_" + self.name, False
        if self.has("c"):
            yield "MPI_" + self.name + "_c", True

    def visible(self, large):
        return [p for p in self.parameters if large or not p.large_only]


@dataclass
class Chapter:
    number: int
    key: str
    title: str
    functions: list = field(default_factory=list)


@dataclass
class ConstantGroup:
    form: str  # handles, numbers, flags, enum, values, alias
    type: str
    kind: str
    text: str
    values: list = field(default_factory=list)  # (name with MPI_, value as text)


@dataclass
class Callback:
    result: str
    name: str
    parameters: str


@dataclass
class Constants:
    groups: list
    callbacks: list
    synonyms: list

    def callback_names(self):
        return {c.name for c in self.callbacks}


FLAGS = {"impl", "c", "pre", "raw", "cast", "width", "extra", "straight", "life", "fast", "hands"}


def parse_parameter(text):
    m = SHORT.match(text) or PARAMETER.match(text)
    if text == "...":
        return Parameter("...", KINDS["..."])
    if not m:
        raise TableError(f"parameter '{text}' is not understood")
    groups = m.groupdict()
    kind = groups.get("kind") or groups["name"]
    if kind not in KINDS:
        raise TableError(f"parameter '{text}' has no known kind")
    marks = groups.get("marks") or ""
    direction = {">": "out", "*": "inout", "~": "free"}
    chosen = [direction[m] for m in marks if m in direction]
    return Parameter(groups["name"], KINDS[kind], chosen[0] if chosen else "in", "?" in marks, "+" in marks, "^" in marks,
                     groups.get("length") or "", groups.get("type") or "")


def parse_core(text):
    m = CORE.match(text)
    if not m:
        raise TableError(f"core function '{text}' is not understood")
    return Core(m["room"], m["name"], m["constant"] or "")


def parse_chapter(path):
    chapter = None
    section = ""
    function = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("chapter "):
                _, n, key, title = line.split(" ", 3)
                chapter = Chapter(int(n), key, title)
            elif line.startswith("section "):
                section = line.removeprefix("section ")
            elif line.startswith(" "):
                words = line.strip()
                if words != "-":
                    function.parameters += [parse_parameter(w) for w in re.split(r",\s*", words)]
            else:
                if line.count("|") != 1:
                    raise TableError("a function is NAME FLAGS | PURPOSE")
                head, purpose = (part.strip() for part in line.split("|"))
                name, *flags = head.split()
                function = Function(name, purpose, chapter, section, source=f"{path.name}:{number}")
                for flag in flags:
                    key, _, value = flag.partition("=")
                    if flag in FLAGS:
                        function.flags.add(flag)
                    elif key == "as":
                        function.same_as = value
                    elif key == "core":
                        function.core = parse_core(value)
                        function.flags.add("impl")
                    elif key == "returns":
                        function.returns, function.code = value, False
                    elif key == "deprecated":
                        function.deprecated = value
                    elif key == "removed":
                        function.removed = value
                    else:
                        raise TableError(f"unknown flag '{flag}'")
                chapter.functions.append(function)
        except (TableError, ValueError) as error:
            raise SystemExit(f"{path}:{number}: {error}")
    return chapter


def read_functions(folder):
    """The chapters in the order of the standard; functions are numbered through."""
    chapters = sorted((parse_chapter(p) for p in pathlib.Path(folder).glob("[0-9]*.txt")), key=lambda c: c.number)
    everything = [f for c in chapters for f in c.functions]
    names = [f.name for f in everything]
    for name in names:
        if names.count(name) > 1:
            raise SystemExit(f"MPI_{name} is in the table twice")
    by_name = {f.name: f for f in everything}
    for number, function in enumerate(everything):
        function.number = number
        known = {p.name for p in function.parameters}
        for p in function.parameters:
            if p.array and p.length != "?" and p.length not in known:
                raise SystemExit(f"MPI_{function.name}: no parameter '{p.length}' gives the length of '{p.name}'")
        if function.same_as and function.same_as not in by_name:
            raise SystemExit(f"MPI_{function.name}: no function '{function.same_as}'")
        if function.same_as and by_name[function.same_as].has("impl"):
            function.flags.add("impl")
            function.core = by_name[function.same_as].core
    return chapters


def read_constants(path):
    groups, callbacks, synonyms = [], [], []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            for item in line.split(","):
                if item.strip():
                    name, value = item.strip().split("=")
                    groups[-1].values.append(("MPI_" + name, value))
        elif line.startswith("callback "):
            m = re.match(r"callback (\w+) (\w+)\((.*)\)$", line)
            callbacks.append(Callback(m[1], m[2], m[3]))
        elif line.startswith("synonym "):
            synonyms.append(tuple(line.split()[1:3]))
        else:
            head, text = (part.strip() for part in line.split("|"))
            form, *words = head.split()
            if form not in {"handles", "numbers", "flags", "enum", "values", "alias"}:
                raise SystemExit(f"{path}:{number}: unknown form '{form}'")
            kind = words[-1] if form in {"handles", "numbers", "flags", "enum"} else ""
            groups.append(ConstantGroup(form, " ".join(words if form == "values" else words[:-1]), kind, text))
    return Constants(groups, callbacks, synonyms)
