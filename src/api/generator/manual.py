"""Writes the manual pages of section 3, one per function; the large-count twin shares its page."""

from dataclasses import dataclass

from c_types import declaration

WAYS = {"in": "", "out": "Output. ", "inout": "Input and output. ", "free": "Input and output: becomes the null handle. "}


@dataclass
class Page:
    name: str
    function: object


def pages(chapters):
    for chapter in chapters:
        for function in chapter.functions:
            yield Page(f"MPI_{function.name}.3", function)


def escape(text):
    return text.replace("\\", "\\\\").replace("-", "\\-")


def describe(p):
    text = p.kind.text + ("s" if p.array and not p.kind.text.endswith("s") and "," not in p.kind.text else "")
    extra = []
    if p.array and p.length != "?":
        extra.append(f"array of length {p.length}")
    elif p.array:
        extra.append("array")
    if p.nullable:
        stand_ins = {"buf": "MPI_IN_PLACE", "mem": "MPI_BUFFER_AUTOMATIC"}
        null = "the null handle" if p.kind.is_handle else "null"
        extra.append("may be " + stand_ins.get(p.kind.name, null))
    if p.large_only:
        extra.append("only in the large-count form")
    text = WAYS[p.direction] + text[0].upper() + text[1:]
    return text + (f" ({'; '.join(extra)})" if extra else "") + "."


def write_page(page, constants, out):
    f = page.function
    names = ", ".join(name for name, _ in f.widths())
    out.write(f'.TH {names.split(",")[0]} 3 "" Ranklet "MPI 5.0"\n')
    out.write(f".SH NAME\n{names} \\- {escape(f.purpose)}\n.SH SYNOPSIS\n.nf\n.B #include <mpi.h>\n.PP\n")
    for name, large in f.widths():
        parameters = [declaration(p, large, constants) for p in f.visible(large)]
        head = f"{f.returns} {name}("
        joined = (",\n" + " " * len(head)).join(parameters) or "void"
        out.write("\n".join(f".B \"{line}\"" for line in (head + joined + ");").splitlines()) + "\n.PP\n")
    out.write(".fi\n")
    if f.parameters:
        out.write(".SH PARAMETERS\n")
        for p in f.parameters:
            out.write(f".TP\n.I {p.name}\n{escape(describe(p))}\n")
    out.write(".SH DESCRIPTION\n")
    out.write(f"MPI 5.0, chapter {f.chapter.number} ({f.chapter.title}), section {escape(f.section)}.\n")
    if f.deprecated:
        out.write(f".PP\nDeprecated since MPI\\-{f.deprecated}.\n")
    if f.removed:
        out.write(f".PP\nRemoved from the standard in MPI\-{f.removed}; here for old programs.\n")
    if f.has("pre"):
        out.write(".PP\nMay be called before MPI_Init and after MPI_Finalize.\n")
    if not f.has("impl"):
        out.write(".PP\nNot implemented in this version of Ranklet, and says so.\n")
    if f.code:
        out.write(".SH RETURN VALUE\nMPI_SUCCESS, or an error code if the error handler returns.\n")
    out.write(".SH SEE ALSO\n.BR ranklet\\-info (1)\n")
