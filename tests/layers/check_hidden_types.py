#!/usr/bin/env python3
"""Checks that a type inside of a class has a name of its own: no type of a namespace that its file may see has the same one.
Whoever reads a name then knows what it is, without a look at where it stands.

What a file may see are the headers of its room, those that other rooms export to it (src/layers.txt), and what these include.
An alias that gives a type its own name again hides nothing.

    check_hidden_types.py TREE        print every type that hides another one; exit code 1 if there is one
    check_hidden_types.py --self-test see that planted ones are found, and nothing else
"""

import sys
import tempfile
from pathlib import Path

from check_layers import INCLUDE, read_layers
from declarations import TYPES, Declarations, is_name, type_name, value_at


class Types(Declarations):
    """Finds the types of a source: of namespaces, and nested ones."""

    def __init__(self, text):
        super().__init__(text)
        self.classes = 0  # around
        self.of_namespaces = set()
        self.nested = []  # the line and the name of each
        self.read()

    def declare(self, words, places):
        if "friend" in words or words[0] == "namespace":
            return
        head = value_at(words)
        is_alias = "using" in words[:head] or "typedef" in words[:head]
        for at in type_name(words):
            before = words[at - 1]
            # Not a variable, as in `struct stat buffer`; a macro of ours may stand before the name.
            is_type = is_alias or before in TYPES or before.isupper()
            if not is_type or not is_name(words[at]) or words[at] in TYPES:
                continue
            if self.classes == 0:
                self.of_namespaces.add(words[at])
            elif not is_alias or words[at] not in words[head:]:
                self.nested.append((self.line(places[at]), words[at]))
        if TYPES & set(words[:head]) and words[head : head + 1] == ["{}"] and "enum" not in words[:head]:
            self.classes += 1
            self.read(places[head] + 1, self.after_brackets(places[head]) - 1)
            self.classes -= 1


def visible(room, rooms, includes):
    """The headers that a file of the room may see."""
    seen = set()
    next_ones = [header for header in includes if header.rpartition("/")[0] == room]
    next_ones += [f"{below}/{header}" for below in rooms[room].sees for header in rooms[below].exports]
    while next_ones:
        header = next_ones.pop()
        if header in includes and header not in seen:
            seen.add(header)
            next_ones += includes[header]
    return seen


def violations(tree):
    src = tree / "src"
    rooms = read_layers(tree)
    types, includes = {}, {}
    for file in sorted(file for file in src.rglob("*") if file.suffix in {".cpp", ".hpp"}):
        path = file.relative_to(src).as_posix()
        text = file.read_text()
        types[path] = Types(text)
        if file.suffix == ".hpp":
            includes[path] = {include[2] for line in text.split("\n") if (include := INCLUDE.match(line))}
    found = []
    headers = {room: sorted(visible(room, rooms, includes)) for room in rooms}
    for path, own in types.items():
        for line, name in own.nested:
            for header in [*headers[path.rpartition("/")[0]], path]:
                if name in types[header].of_namespaces:
                    found.append(f"src/{path}:{line}: {name} is a type of src/{header}, too")
                    break
    return found


# Rooms, and what stands in high/planted.hpp with the names that are found there.
LAYERS = "low\n  exports seen.hpp\nhigh\n  sees low\n"
HEADERS = {
    "low/seen.hpp": '#include "low/below.hpp"\nnamespace r::low { class Seen {}; template <class> struct Of; using Id = int; }',
    "low/below.hpp": "namespace r { enum class Kind { a, b }; class MACRO Lock final : public B {}; }",
    "low/unseen.hpp": "namespace r::low { class Unseen {}; }",
    "high/own.hpp": "namespace r::high { union Own { int i; }; struct Outer { struct Inner {}; }; }",
}
PLANTED = [
    ("class A { struct Seen {}; };", ["Seen"]),
    ("template <class T> class A : public B<T> { public: A() : x_{1}, y_(2) {} private: struct Of final {}; };", ["Of"]),
    ("namespace r { namespace { struct A { int f() {} struct { enum class Kind { c } kind = Kind::c; } s; }; } }", ["Kind"]),
    ("struct A { template <class T> using Id = std::vector<T>; typedef int Own; class Lock; };", ["Id", "Own", "Lock"]),
    ("class alignas(64) A { template <class T> requires (sizeof(T) > 1) struct Own {}; };", ["Own"]),
    ("struct Planted {}; struct A { struct Planted {}; };", ["Planted"]),
    # What nobody here sees, what is no type of a namespace, and names for something else.
    ("struct A { struct Unseen {}; enum class Inner { Seen, Own }; enum { a, Of }; };", []),
    ("class A { friend class Own; template <class T> friend struct Of; using Seen = low::Seen; int Kind; };", []),
    ("struct A { Own Seen() { struct Kind {}; return {}; } struct Lock lock{}; Seen Own; using B::Id; };", []),
    ("struct Seen {}; // struct A { struct Own {}; };\nclass Own; void f(struct Kind* Kind);", []),
    ("class A { class I; };\nclass A::I {};\nstruct B { struct I {}; };", []),
]


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        for path, text in {"layers.txt": LAYERS, **HEADERS}.items():
            file = tree / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        failures += [f"complains for no reason: {violation}" for violation in violations(tree)]
        for text, expected in PLANTED:
            (tree / "src/high/planted.hpp").write_text(text)
            found = [violation.split()[1] for violation in violations(tree)]
            if found != expected:
                failures.append(f"finds {found}, not {expected}, in\n{text}")
    return failures


def main(arguments):
    problems = self_test() if arguments[0] == "--self-test" else violations(Path(arguments[0]))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
