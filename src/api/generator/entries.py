"""Writes the entry points (entries_<chapter>.cpp) and impl.hpp."""

from arguments import Unsupported, argument
from c_types import declaration, prototype

# The hand-written shortest ways of a chapter's functions, and cores that entry points inline.
INLINED = {"p2p": '#include "p2p/starting.hpp"\n', "rma": '#include "api/entry/fast_rma.hpp"\n'}


def words(function, large):
    names = [p.name for p in function.visible(large) if p.kind.sort != "variadic"]
    return ", ".join(f"word({n})" for n in names) or "Word{0}"


def arguments(function, large, constants):
    return [argument(p, function, large, constants) for p in function.parameters]


def impl_name(function):
    return function.same_as or function.name


def raw_type(p, constants):
    return declaration(p, False, constants)


def write_impl_header(chapters, constants, out):
    out.write(
        "// Made from src/api/table: what the hand-written part of the interface must define (src/api/impl).\n"
        "#pragma once\n\n#include \"api/entry/entry.hpp\"\n\nnamespace ranklet::api::impl {\n"
    )
    for chapter in chapters:
        wanted = [f for f in chapter.functions
                  if f.has("impl") and not f.has("cast") and not f.same_as and not f.core]
        if not wanted:
            continue
        out.write(f"\n// Chapter {chapter.number}: {chapter.title}\n")
        for f in wanted:
            if f.has("raw"):
                text = ", ".join(raw_type(p, constants) for p in f.parameters if p.kind.sort != "variadic")
                out.write(f"{f.returns} {f.name}({text});\n")
                continue
            parameters = ["Rank& self"]
            for p, a in zip(f.parameters, arguments(f, f.has("c"), constants)):
                # An array type needs its name inside.
                parameters.append(a.type.replace("(*)", f"(*{p.name})") if "(*)" in a.type else f"{a.type} {p.name}")
            if f.has("width"):
                parameters.append("bool large")
            if f.has("life"):
                parameters.append("bool persistent")
            out.write(f"void {f.name}({', '.join(parameters)});\n")
    out.write("\n}  // namespace ranklet::api::impl\n")


def core_call(function, passed):
    """Where the hand-written part would only pass on what it gets: the communicator first, the rest in the table's order. A
    request that comes out is what the function returns, or hands out itself."""
    core = function.core
    parts = list(zip(function.parameters, passed))
    comm = [a.value for p, a in parts if p.kind.table == "comms"]
    rest = [a.value for p, a in parts if p.kind.table not in {"comms", "requests"}]
    request = [a.value for p, a in parts if p.kind.table == "requests" and p.direction == "out"]
    constant = [f"{core.room}::{core.constant}"] if core.constant else []
    call = f"{core.room}::{core.name}({', '.join(comm + constant + rest)});"
    if function.has("hands"):
        return f"{core.room}::{core.name}({', '.join(comm + constant + rest + request)});"
    return f"{request[0]} = &{call}" if request else call


def body(function, name, large, constants):
    number = function.number
    flag = "true" if large else "false"
    if not function.has("impl"):
        if function.has("raw"):
            unused = " ".join(f"static_cast<void>({p.name});" for p in function.parameters if p.kind.sort != "variadic")
            # Whoever only counts the variables, and does not look at the code, finds that there are none.
            unused += "".join(f" if ({p.name}) *{p.name} = 0;" for p in function.parameters
                              if p.name.startswith("num") and p.direction == "out" and p.kind.name == "int")
            result = "MPI_T_ERR_NOT_SUPPORTED" if function.chapter.key == "tool" else f"{function.returns}()"
            return f"  {unused}\n  return {result};\n"
        raise Unsupported(f"{name} has neither impl nor raw")
    if function.has("cast"):
        return f"  return cast<{function.returns}>({function.parameters[0].name});\n"
    if function.has("raw"):
        given = ", ".join(p.name for p in function.parameters if p.kind.sort != "variadic")
        return f"  return impl::{impl_name(function)}({given});\n"
    passed = arguments(function, large, constants)
    # The communicator or window first, then the root: later checks refer to them.
    def priority(p):
        if p.kind.table in {"comms", "wins"} and p.direction == "in":
            return 0
        return 1 if p.kind.name == "root" else 2

    order = sorted(range(len(passed)), key=lambda i: priority(function.parameters[i]))
    unused_info = {p.name for p in function.parameters if function.has("life") and p.kind.table == "infos"}
    lines = [
        line.split(" = ", 1)[1] if function.parameters[i].name in unused_info else line
        for i in order
        for line in passed[i].before
    ]
    values = ["state.rank"] + [
        a.value
        for p, a in zip(function.parameters, passed)
        if a.value and p.name not in unused_info
    ]
    if function.has("width"):
        values.append(flag)
    if function.has("life"):
        values.append("true" if function.same_as else "false")
    lines.append(core_call(function, passed) if function.core else f"impl::{impl_name(function)}({', '.join(values)});")
    lines += [line for a in passed for line in a.after]
    enter = "call.enter_early()" if function.has("pre") else "call.enter()"
    site = "fast::call_site" if function.has("fast") else "__builtin_return_address(0)"
    text = [
        f"const Word words[] = {{{words(function, large)}}};",
        f"Call call(functions[{number}], {flag}, words, {site});",
        "try {",
        f"  RankState& state = {enter};",
        *("  " + line for line in lines),
        *(["  fast::remember(state, win);"] if function.has("fast") else []),
        "  return MPI_SUCCESS;",
        "} catch (...) {",
        "  return call.failed();",
        "}",
    ]
    return "".join(f"  {line}\n" for line in text)


def write_long_way(function, name, large, constants, text, out):
    """The usual body as a function of its own. It takes what the entry point takes, so that the compiler makes the call a
    jump, for which the entry point need not keep anything. Returns the entry point's body."""
    long_way = prototype(function, "long_" + name, large, constants)
    out.write(f"\n[[gnu::noinline]] static {long_way}\n{{\n{text}}}\n")
    names = [p.name for p in function.visible(large)]

    def go(arguments):
        return ("fast::call_site = __builtin_return_address(0);\n", f"return long_{name}({', '.join(arguments)});\n")

    def attempt(arguments):
        return f"if (fast::{function.name}({', '.join(arguments)})) [[likely]] return MPI_SUCCESS;\n"

    if "origin_count" not in names or "target_count" not in names:
        lines = [attempt(names), *go(names)]
    else:
        # One element, described alike on both sides. The long way gets what is known by then as constants: so few
        # registers must be kept that none is saved.
        known = {"origin_count": "1", "origin_datatype": "target_datatype", "target_count": "1"}
        fewer = [n for n in names if n not in known]
        lines = ["if (origin_count == 1 && target_count == 1 && origin_datatype == target_datatype) {\n",
                 "  " + attempt(fewer), *("  " + line for line in go([known.get(n, n) for n in names])), "}\n",
                 *go(names)]
    return "".join("  " + line for line in lines)


def write_entries(chapter, constants, out):
    out.write(
        f"// Made from src/api/table: the entry points of chapter {chapter.number}, {chapter.title}.\n"
        '#include "api/entry/entry.hpp"\n#include "api/impl/impl.hpp"\n'
        + INLINED.get(chapter.key, "")
        + "".join(f'#include "{room}/{room}.hpp"\n' for room in sorted({f.core.room for f in chapter.functions if f.core}))
        + "\n"
        "using namespace ranklet;\nusing namespace ranklet::api;\n\nextern \"C\" {\n"
    )
    for function in chapter.functions:
        for name, large in function.widths():
            try:
                text = body(function, name, large, constants)
            except (Unsupported, KeyError) as error:
                raise SystemExit(f"{name}: {error}")
            if function.has("fast"):
                text = write_long_way(function, name, large, constants, text, out)
            inlined = "[[gnu::flatten]] " if function.has("fast") else ""
            # Where the table says it.
            out.write(f"\n// {function.source}\n")
            out.write(f"{inlined}{prototype(function, 'P' + name, large, constants)}\n{{\n{text}}}\n")
            weak = f'[[gnu::weak, gnu::alias("P{name}")]]'
            out.write(f"{weak} {prototype(function, name, large, constants)};\n")
    out.write("\n}  // extern \"C\"\n")
