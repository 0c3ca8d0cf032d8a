#!/usr/bin/env python3
"""Checks that a C++ file includes what it names, itself or through what it includes: builds compile several sources as one
(--unity), where what another one includes serves, too. It goes by words: who compiles without --unity hears all.

    check_includes.py TREE FOLDER... -- COMPILER...   print every name without its header; exit code 1 if there is one.
                                                      FOLDERs have generated headers; COMPILER and its options say what
                                                      headers of the system include
    check_includes.py --self-test -- COMPILER...      see that planted ones are found, and nothing else
"""

import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from declarations import TOKEN, Declarations, is_function, is_name, type_name, value_at

FOLDERS = ("src", "tests", "bench", "include")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
# Also what a file asks for, as it does without.
DEFINE = re.compile(r"^[ \t]*#[ \t]*(?:define|ifdef)[ \t]+(\w+)", re.M)
NAMED_TYPE = re.compile(
    r"\b(?:enum\s+class|class|struct|union|enum|using|typename|concept)(?:\s*\.\.\.)?(?:\s+alignas\(\w+\))?\s+(\w+)")
WORD = re.compile(r"[A-Za-z_]\w*")
CONSTANT = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|E[A-Z0-9]{3,}|SIG[A-Z0-9]{3,}")
# Options of the build.
DEFINED_BY_BUILD = re.compile(r"RANKLET_(CHECKS|VERSION|\w+_FROM_\w+|\w*COMPILER\w*|MEMORY_MODEL_PAGE)|PROGRAM_DIRECTORY|HAS_\w+")
# Programs of users, text that a test compares, and the second half of a header.
OTHERS = re.compile(r"tests/(programs|api/generator|loader/programs)/.*|.*_impl\.hpp")
# Behind these a name is used, not declared.
BEFORE_A_USE = {"return", "else", "case", "throw", "new", "do", "co_return", "and", "or", "not"}


class Declared(Declarations):
    """The names that a header declares for others in namespaces."""

    def __init__(self, text):
        super().__init__(text)
        self.names = set()
        self.read()

    def declare(self, words, places):
        head = value_at(words)
        if words[0] in ("friend", "namespace", "static_assert", "using") and "=" not in words or "operator" in words[:head]:
            return
        name = type_name(words)
        if name:
            # A class that has no body here comes from elsewhere.
            if head < len(words) or "typedef" in words:
                self.names.add(words[name[0]])
        elif is_function(words):
            self.names.add(words[words.index("()") - 1])


class File:
    def __init__(self, path):
        text = path.read_text(errors="replace")
        found = [match for match in TOKEN.finditer(text) if match.lastgroup in ("word", "sign")]
        self.path = path
        self.text = text
        self.includes = INCLUDE.findall(text)
        self.tokens = [match.group() for match in found]
        self.offsets = [match.start() for match in found]
        self.macros = set(DEFINE.findall(text))
        self.words = set(self.tokens) | self.macros
        self.types = set(NAMED_TYPE.findall(text))
        self.declared = Declared(text).names if path.suffix == ".hpp" else set()

    def line(self, at):
        return self.text.count("\n", 0, self.offsets[at]) + 1

    def declares(self, word):
        """It seems to declare this name: what is before it may end a type."""
        tokens = self.tokens
        return any(
            token == word and at > 0 and tokens[at - 1] not in BEFORE_A_USE
            and (is_name(tokens[at - 1]) or tokens[at - 1] in (">", "&", "*"))
            for at, token in enumerate(tokens))


class Tree:
    def __init__(self, root, compiler, generated):
        self.root = root
        self.compiler = compiler
        self.folders = [root / folder for folder in FOLDERS] + generated
        self.words_of = {}

    @cache
    def file(self, path):
        return File(path)

    @cache
    def find(self, header, beside):
        return next((folder / header for folder in [beside, *self.folders] if (folder / header).is_file()), None)

    def reach(self, path):
        """Our files that this one includes, however far, and the headers of the system that these name."""
        ours, others, rest = {path}, set(), [path]
        while rest:
            here = rest.pop()
            for header in self.file(here).includes:
                found = self.find(header, here.parent)
                if found is None:
                    others.add(header)
                elif found not in ours:
                    ours.add(found)
                    rest.append(found)
        return ours - {path}, others

    @cache
    def system_words(self, header):
        """All words in what this header of the system includes."""
        run = subprocess.run([*self.compiler, "-std=c++20", "-D_GNU_SOURCE", "-M", "-x", "c++", "-"],
                             input=f"#include <{header}>\n", capture_output=True, text=True)
        words = set()
        for file in run.stdout.replace("\\\n", " ").split()[1:]:
            if file not in self.words_of:
                self.words_of[file] = set(WORD.findall(Path(file).read_text(errors="replace")))
            words |= self.words_of[file]
        return words

    def missing(self, path, headers_of):
        """What this file names without its header: places among its tokens, and names. headers_of: who declares a name."""
        file = self.file(path)
        tokens = file.tokens
        ours, others = self.reach(path)
        near = [self.file(header) for header in ours]
        system = [self.system_words(header) for header in others]
        around = [each.words for each in near]
        types = file.types.union(*(each.types for each in near))
        declared = file.declared.union(*(each.declared for each in near))
        known = file.macros | declared | types
        seen = set()

        def occurs(word, *places):
            return any(word in words for place in places for words in place)

        for at, word in enumerate(tokens):
            before = tokens[at - 1] if at else ""
            if word in seen or not is_name(word) or before in (".", "->"):
                continue
            first = at
            while tokens[first - 1] == "::" and is_name(tokens[first - 2]) and tokens[first - 2] not in BEFORE_A_USE:
                first -= 2
            if first < at and tokens[first] == "std":
                wrong = not occurs(word, system)
            elif first == at and before == "::":
                wrong = (tokens[at - 2] != ">" and word not in file.types and not occurs(word, system, around)
                         and not file.declares(word))
            elif first < at and tokens[at - 2][0].isupper():
                continue  # of a class
            elif word in known or word in headers_of and file.declares(word):
                continue
            elif CONSTANT.fullmatch(word):
                wrong = (not occurs(word, system, around) and not DEFINED_BY_BUILD.fullmatch(word)
                         and not file.declares(word))
            elif word in headers_of:
                wrong = word[0].isupper() or tokens[at + 1 : at + 2] == ["("] and not occurs(word, system, around)
            else:
                continue
            if wrong:
                seen.add(word)
                yield at, word

    def violations(self):
        files = [
            file for folder in FOLDERS[:-1] for file in sorted((self.root / folder).rglob("*.[ch]pp"))
            if not OTHERS.fullmatch(file.relative_to(self.root).as_posix())]
        headers_of = {}
        for header in files:
            for name in self.file(header).declared:
                headers_of.setdefault(name, []).append(header.relative_to(self.root).as_posix())
        for path in files:
            for at, name in self.missing(path, headers_of):
                where = " or ".join(headers_of.get(name, [])[:2])
                yield (f"{path.relative_to(self.root)}:{self.file(path).line(at)}: does not include a header of {name}"
                       + (f" ({where})" if where else ""))


# Sources that include "near.hpp", which includes "far.hpp", and the names that are missing; "other.hpp" nobody includes.
HEADERS = {
    "src/a/far.hpp": "#pragma once\n#include <vector>\n#define FAR_LIMIT 3\nstruct Far { enum class Kind { one }; };\nvoid go_far();",
    "src/a/near.hpp": '#pragma once\n#include "a/far.hpp"\nnamespace n { class Unknown; using Near = Far; }',
    "src/b/other.hpp": "#pragma once\nnamespace n { struct Other { int find(); }; class Kind {}; int look_up(Other o); }",
}
PLANTED = [
    ("std::vector<Far> f(n::Near x) { go_far(); return {x}; }", []),
    ("std::deque<int> d; std::unordered_map<int, int> m;", ["deque", "unordered_map"]),
    ("std::chrono::nanoseconds n; // std::list<int> l;", ["nanoseconds"]),
    ("Other o; int x = o.find() + look_up(o);", ["Other", "look_up"]),
    ("int f(n::Other* o) { return n::look_up(*o); }", ["Other", "look_up"]),
    ("struct Other {}; Other o; int look_up(Other o) { return look_up(o); }", []),
    ("int f() { return ::getppid() + ::n::x; }", ["getppid"]),
    ("int i = EWOULDBLOCK + FAR_LIMIT + OTHER_LIMIT + SIGWINCH;", ["EWOULDBLOCK", "OTHER_LIMIT", "SIGWINCH"]),
    ("#define OTHER_LIMIT 2\nint i = OTHER_LIMIT;", []),
    ("Far::Kind k = Far::Kind::one; n::Unknown* u; template <class Other> void g(Other o);", []),
    ('const char* text = "Other std::list";', []),
]


def self_test(compiler):
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve()
        for number, (text, _) in enumerate(PLANTED):
            HEADERS[f"src/a/planted_{number:02}.cpp"] = '#include "a/near.hpp"\n' + text
        for path, text in HEADERS.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = list(Tree(root, compiler, []).violations())
    for number, (text, expected) in enumerate(PLANTED):
        names = [line.split(" header of ")[1].split()[0] for line in found if f"planted_{number:02}" in line]
        if names != expected:
            failures.append(f"finds {names}, not {expected}, in\n{text}")
    return failures


def main(arguments):
    end = arguments.index("--")
    (tree, *folders), compiler = arguments[:end], arguments[end + 1 :]
    if tree == "--self-test":
        problems = self_test(compiler)
    else:
        problems = list(Tree(Path(tree).resolve(), compiler, [Path(folder).resolve() for folder in folders]).violations())
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
