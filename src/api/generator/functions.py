"""Writes functions.cpp: the table of functions in the program."""


def write_functions(chapters, constants, out):
    """The table in the program: names and kinds of parameters, for error messages and ranklet-info."""
    kinds = sorted({p.kind.name for c in chapters for f in c.functions for p in f.parameters})
    number = {name: i for i, name in enumerate(kinds)}
    out.write("// Made from src/api/table.\n#include \"api/handles/functions.hpp\"\n\nnamespace ranklet::api {\nnamespace {\n\n")
    forms = {"handles": "handle", "numbers": "number", "flags": "flag"}
    by_kind = {}
    for group in constants.groups:
        if group.form in forms:
            by_kind.setdefault(group.kind, []).extend((n, v, forms[group.form]) for n, v in group.values)
    # Ranks and tags share their special values; a datatype's names serve both of its kinds.
    by_kind["dest"] = by_kind["target"] = by_kind["root"] = by_kind["rank"] = by_kind["source"]
    by_kind["datatype"] = by_kind["type"]
    by_kind["color"] = by_kind["undefined"]
    for kind in kinds:
        if kind in by_kind:
            out.write(f"constexpr NamedValue values_{kind}[] = {{\n")
            for name, value, _ in by_kind[kind]:
                out.write(f'    {{"{name}", {value}}},\n')
            out.write("};\n")
    out.write("\nconstexpr KindInfo kinds[] = {\n")
    for kind in kinds:
        handle = next((p.kind for c in chapters for f in c.functions for p in f.parameters if p.kind.name == kind))
        values = f"values_{kind}" if kind in by_kind else "{}"
        flags = "true" if by_kind.get(kind, [("", "", "")])[0][2] == "flag" else "false"
        out.write(f'    {{"{kind}", ArgumentSort::{argument_sort(handle)}, {values}, {flags}}},\n')
    out.write("};\n")
    for chapter in chapters:
        for f in chapter.functions:
            if not f.parameters:
                continue
            items = []
            for p in f.parameters:
                pointer = "true" if p.direction != "in" or p.array or p.kind.sort in POINTERS else "false"
                items.append(f'{{"{p.name}", &kinds[{number[p.kind.name]}], {pointer}, {"true" if p.direction == "inout" or p.direction == "free" else "false"}, '
                             f'{"true" if p.large_only else "false"}, {"true" if p.direction != "in" else "false"}}}')
            out.write(f"constexpr ParameterInfo parameters_{f.number}[] = {{\n    " + ",\n    ".join(items) + "};\n")
    out.write("\nconstexpr ChapterInfo chapter_list[] = {\n")
    for c in chapters:
        out.write(f'    {{{c.number}, "{c.key}", "{c.title}"}},\n')
    out.write("};\n\n}  // namespace\n\nconstexpr FunctionInfo functions[] = {\n")
    for index, chapter in enumerate(chapters):
        for f in chapter.functions:
            handle = next((i for i, p in enumerate(f.parameters)
                           if p.kind.table in {"comms", "wins", "files", "sessions"} and p.direction in {"in", "free"} and (i == 0 or not p.nullable)), -1)
            if chapter.key == "io" and all(p.kind.table != "files" or p.direction == "out" for p in f.parameters):
                handle = "file_defaults"
            frees = f.name == "Finalize" or any(p.direction == "free" for p in f.parameters)
            flags = [f.has("impl"), f.has("pre"), f.has("c"), f.has("extra"), f.code, frees]
            out.write(f'    {{"MPI_{f.name}", &chapter_list[{index}], "{f.section.split(" ")[0]}", "{f.purpose}", '
                      f'{"parameters_%d" % f.number if f.parameters else "{}"}, {handle}, '
                      + ", ".join("true" if x else "false" for x in flags) + "},\n")
    total = sum(len(c.functions) for c in chapters)
    out.write("};\n\nstd::span<const FunctionInfo> all_functions()\n{\n  return functions;\n}\n"
              "\nstd::span<const KindInfo> all_kinds()\n{\n  return kinds;\n}\n"
              "\nstd::span<const ChapterInfo> all_chapters()\n{\n  return chapter_list;\n}\n"
              f"\nstatic_assert(std::size(functions) == {total});\n\n}}  // namespace ranklet::api\n")


POINTERS = {"buf", "bytes", "pointer", "ptr", "attr", "toolbuf", "plain", "status", "function", "ranges", "raw"}


def argument_sort(kind):
    if kind.sort == "handle":
        return kind.table
    if kind.sort == "string":
        return "string"
    if kind.sort == "bool":
        return "boolean"
    if kind.sort in {"int", "wide"}:
        return "number"
    if kind.sort == "function":
        return "function"
    if kind.name == "buf":
        return "buffer"
    return "pointer"
