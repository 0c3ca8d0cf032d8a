#!/usr/bin/env python3
"""Checks that what a source has for itself has a name of its own in its folder: builds compile several sources as one
(--unity), where unnamed namespaces of one folder are the same one, and functions of one name collide or, unseen, overload.

    check_unnamed.py TREE        print every name that two sources have; exit code 1 if there is one
    check_unnamed.py --self-test see that planted ones are found, and nothing else
"""

import sys
import tempfile
from pathlib import Path

from declarations import TYPES, Declarations, is_function, is_name, type_name, value_at


class Source(Declarations):
    """Finds the names that a source has for itself: those of unnamed namespaces, and outside of these static ones and
    constants. Each is found with the namespaces around it."""

    def __init__(self, text):
        super().__init__(text)
        self.names = {}  # and their lines, and what an alias stands for

    def declare(self, words, places):
        if words[0] in ("friend", "namespace", "static_assert"):
            return
        head = value_at(words)
        front = words[:head]
        own = "" in self.scopes or "static" in front
        alias = ""
        if words[0] in ("using", "typedef"):
            named = type_name(words)
            alias = self.text[self.offsets[places[0]] : self.offsets[places[-1]]] + words[-1]
        elif "operator" in front:
            return
        elif is_function(words):
            # Without a type before its name it is a test's macro.
            named = [at - 1 for at in range(2, head) if words[at] == "()" and words[at - 1] != "decltype"][:1]
        elif TYPES & set(front):
            if head == len(words):
                return
            named = type_name(words)
            if "enum" in front and not TYPES & {"class", "struct"} & set(front):
                words, places = self.with_enumerators(words, places, head)
                named += range(len(front) + 1, len(words))
        else:
            named = [head - 1]
            for at in range(head, len(words) - 1):
                if words[at] == "," and (at + 2 == len(words) or words[at + 2] in ("=", "{}", ",")):
                    named.append(at + 1)
            behind_pointer = front[len(front) - front[::-1].index("*") :] if "*" in front else front
            is_constant = "constexpr" in front or "const" in behind_pointer
            own = own or is_constant and not {"inline", "extern"} & set(front)
        if own:
            for at in named:
                if is_name(words[at]) and words[at] not in TYPES and words[at - 1 : at] != ["::"]:
                    self.names.setdefault(("::".join(self.scopes), words[at]), (self.line(places[at]), alias))

    def with_enumerators(self, words, places, brace):
        inside = range(places[brace], self.after_brackets(places[brace]) - 1)
        found = [at + 1 for at in inside if self.tokens[at] in ("{", ",") and is_name(self.tokens[at + 1])]
        return words[: brace + 1] + [self.tokens[at] for at in found], places[: brace + 1] + found


def shared_names(sources):
    """Of sources of one folder, each a path and its text. An alias may be said twice, as C++ permits."""
    first = {}
    found = []
    for path, text in sources:
        source = Source(text)
        source.read()
        for name, (line, alias) in source.names.items():
            known, known_alias = first.setdefault(name, (path, alias))
            if known != path and (alias == "" or alias != known_alias):
                found.append(f"{path}:{line}: {name[1]} is in {known}, too")
    return found


def folders(tree):
    """What may be compiled as one: all of a folder of src, and the parts of a folder's test program. What else lies in tests
    and bench are programs of one source."""
    for folder in sorted((tree / "src").iterdir()):
        yield folder.rglob("*.cpp")
    for folder in sorted((tree / "tests").iterdir()):
        yield folder.glob("test_*.cpp")


def violations(tree):
    found = []
    for files in folders(tree):
        found += shared_names([(file.relative_to(tree).as_posix(), file.read_text()) for file in sorted(files)])
    return found


# What two sources of a folder may have, and the names that they share.
PLANTED = [
    ("namespace a { namespace { int f(int x) { return x; } } }", "namespace a { namespace { void f() {} } }", ["f"]),
    ("namespace { struct S {}; S s; }", "namespace { class S final : B {}; enum class T : int { s }; }", ["S"]),
    ("namespace { enum { one, two = 2 }; }", "namespace { constexpr int other = 1, two{2}; }", ["two"]),
    ("static int a = 1;\nstatic void g();", "const int a = 2; static void g() {}", ["a", "g"]),
    ("namespace { template <class T, int n = (1 > 0)> T g(T t) { return t; } }", "namespace { int g; }", ["g"]),
    ("namespace { std::map<int, void (*)(int)> m RANKLET_GUARDED_BY(l); }", "namespace { int *m[3] = {}; }", ["m"]),
    ("namespace { using V = int; }", "namespace { typedef long V; }", ["V"]),
    ("namespace { using W = int; }", "namespace { struct W {}; }", ["W"]),
    ("namespace { const char* n = R\"(}})\"; char c = '}'; int k; }", "namespace { int k; }", ["k"]),
    ("namespace { [[gnu::cold]] void h() noexcept(true) { a(); } }", "namespace { auto h = [] { return 1; }; }", ["h"]),
    # Not the same namespace, one name for all sources, what a class or a function has, overloads in one source.
    ("namespace a { namespace { int f; } }", "namespace b { namespace { int f; } }", []),
    ("namespace a { int f() { int x; return x; } }", "namespace a { namespace { int x; int f(); } }", []),
    ("namespace { using V = std::array<int, 2>; }", "namespace { using V = std::array<int, 2>; }", []),
    ("namespace { struct S { int x; void f() {} }; }", "namespace { int x; void f() {} }", []),
    ("namespace { void f(int) {} void f(long) {} bool operator==(S, S) {} }", "bool operator==(T, T) {}", []),
    ('TEST_CASE("one") { int x; }', 'namespace { int x; }\nTEST_CASE("one") {}', []),
    ("// namespace { int f; }\n#define x namespace { int f; }", "namespace { int f; }", []),
    ("namespace { struct S; enum class E { x }; }", "namespace { struct S {}; int x; }", []),
    ("A::A() : x_{1}, y_(2) {}\nstatic A a;", "A::~A() {}\nextern const int a; const char* b;", []),
]


def self_test():
    failures = []
    for first, second, expected in PLANTED:
        found = [line.split()[1] for line in shared_names([("a.cpp", first), ("b.cpp", second)])]
        if found != expected:
            failures.append(f"finds {found}, not {expected}, in\n{first}\n{second}")
    with tempfile.TemporaryDirectory() as scratch:
        for path in ("src/a/one.cpp", "src/a/b/two.cpp", "src/c/one.cpp", "tests/a/test_one.cpp", "tests/a/test_two.cpp"):
            file = Path(scratch) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("namespace { int f; }")
        found = [line.split(":")[0] for line in violations(Path(scratch))]
        if found != ["src/a/one.cpp", "tests/a/test_two.cpp"]:
            failures.append(f"finds in a tree {found}")
    return failures


def main(arguments):
    problems = self_test() if arguments[0] == "--self-test" else violations(Path(arguments[0]))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
