"""Reads the declarations of a C++ source, as far as the checks beside this file need it: no expressions, no function bodies,
no lines of the preprocessor."""

import re

TOKEN = re.compile(
    r"(?P<nothing>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\.|[^\n\\])*)"
    r'|(?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<word>[A-Za-z_]\w*|\d(?:[\w.]|(?<=[eEpP])[+-]|'(?=\w))*)"
    r"|(?P<sign>::|->|[<>=!]=|.)",
    re.S | re.M,
)
OPENING = {"(", "[", "{"}
CLOSING = {")", "]", "}"}
TYPES = {"class", "struct", "union", "enum"}
# What may stand in a declaration with brackets behind it, and is not what it declares.
ANNOTATIONS = {"alignas", "asm", "explicit", "noexcept", "requires", "__attribute__", "RANKLET_GUARDED_BY"}


def is_name(word):
    return word[0].isalpha() or word[0] == "_"


class Declarations:
    """Calls declare() with each declaration outside of functions and classes; it may go into a class by read()."""

    def __init__(self, text):
        found = [match for match in TOKEN.finditer(text) if match.lastgroup != "nothing"]
        self.text = text
        self.tokens = [match.group() for match in found]
        self.offsets = [match.start() for match in found]
        self.scopes = []  # a name for each namespace around, "" for an unnamed one

    def declare(self, words, places):
        """`words` are those of a declaration, and `places` where they stand among the tokens; brackets are one word, "()" or
        "{}", and what is in angles is none."""

    def after_brackets(self, at):
        depth = 0
        while at < len(self.tokens):
            depth += (self.tokens[at] in OPENING) - (self.tokens[at] in CLOSING)
            at += 1
            if depth == 0:
                break
        return at

    def after_angles(self, at):
        depth = 0
        while at < len(self.tokens):
            if self.tokens[at] in OPENING:
                at = self.after_brackets(at)
                continue
            depth += (self.tokens[at] == "<") - (self.tokens[at] == ">")
            at += 1
            if depth == 0:
                break
        return at

    def read(self, at=0, end=None):
        """Walks the tokens from one place to another one: all of them, or what a class has in its brackets."""
        words, places = [], []
        end = len(self.tokens) if end is None else end
        while at < end:
            token = self.tokens[at]
            here, ends = at, False
            at += 1
            if token == "}":
                self.scopes.pop()
                ends = True
            elif token == "{" and ("namespace" in words or words == ["extern", '"C"']):
                self.scopes.append("".join(words[words.index("namespace") + 1 :]) if "namespace" in words else "extern")
                ends = True
            elif token in OPENING:
                at = self.after_brackets(here)
                if token == "(" and words and words[-1] in ANNOTATIONS:
                    words.pop()
                    places.pop()
                elif token != "[":
                    words.append("()" if token == "(" else "{}")
                    places.append(here)
                is_body = token == "{" and "()" in words and "=" not in words
                ends = is_body and self.tokens[at : at + 1] not in ([","], ["{"], [";"])
                if ends:
                    self.declare(words, places)
            elif token == "<" and words and words[-1] != "operator" and "=" not in words:
                at = self.after_angles(here)
            elif token == ";":
                if words:
                    self.declare(words, places)
                ends = True
            elif token == ":" and words in (["public"], ["protected"], ["private"]):
                ends = True
            else:
                words.append(token)
                places.append(here)
            if ends:
                words, places = [], []

    def line(self, at):
        return self.text.count("\n", 0, self.offsets[at]) + 1


def value_at(words):
    """Where the value or the body of what is declared begins."""
    return next((at for at, word in enumerate(words) if word in ("=", "{}")), len(words))


def is_function(words):
    return "()" in words[: value_at(words)]


def type_name(words):
    """Where the name stands of the class, enumeration or alias that is declared; a list, as there may be none."""
    head = value_at(words)
    front = words[:head]
    if "using" in front or "typedef" in front:
        return [head - 1] if "=" in words or "typedef" in front else []
    if is_function(words) or not TYPES & set(front):
        return []
    end = front.index(":") if ":" in front else head
    return [end - 2 if words[end - 1] == "final" else end - 1]
