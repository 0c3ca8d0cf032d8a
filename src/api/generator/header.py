"""Writes mpi.h."""

from c_types import prototype
from type_tags import tags, write_tags

HANDLES = ["Comm", "Group", "Datatype", "Op", "Request", "Info", "Errhandler", "Message", "Session", "Win", "File"]
TOOL_HANDLES = ["enum", "cvar_handle", "pvar_handle", "pvar_session", "event_registration", "event_instance"]

TOP = """\
/* The MPI 5.0 standard ABI (MPI 5.0 chapter 20), made by Ranklet from its table of MPI functions.
   Clean in C99 and C++. Programs compiled with it run with every MPI library that implements the ABI. */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
typedef MPI_Status MPI_F08_status;

"""

BOTTOM = """
#if defined(__cplusplus)
}
#endif

#endif
"""


def constant_lines(group):
    width = max((len(name) for name, _ in group.values), default=0)
    for name, value in group.values:
        if group.form == "alias":
            text = "MPI_" + value
        elif group.form == "handles":
            text = f"(({group.type})0x{int(value, 0):08x})"
        elif group.form == "values":
            text = f"(({group.type}){value})"
        else:
            text = f"({value})" if value.startswith("-") else value
        yield f"#define {name:<{width}} {text}"


def write_header(chapters, constants, out):
    out.write(TOP)
    for name in HANDLES:
        out.write(f"typedef struct MPI_ABI_{name} *MPI_{name};\n")
    for name in TOOL_HANDLES:
        out.write(f"typedef struct MPI_ABI_T_{name} *MPI_T_{name};\n")
    for group in constants.groups:
        out.write(f"\n/* {group.text[0].upper()}{group.text[1:]} */\n")
        if group.form == "enum":
            items = ",\n".join(f"  {name} = {value}" for name, value in group.values)
            out.write(f"typedef enum {group.type} {{\n{items}\n}} {group.type};\n")
        else:
            out.write("\n".join(constant_lines(group)) + "\n")
    write_tags(constants, out)
    out.write("\n/* Functions that programs provide */\n")
    for callback in constants.callbacks:
        out.write(f"typedef {callback.result}({callback.name})({callback.parameters});\n")
    for name, other in constants.synonyms:
        out.write(f"typedef {other} {name};\n")
    for chapter in chapters:
        out.write(f"\n/* Chapter {chapter.number}: {chapter.title} */\n")
        for function in chapter.functions:
            for name, large in function.widths():
                note = f" /* deprecated since MPI-{function.deprecated} */" if function.deprecated else ""
                if function.removed:
                    note = f" /* removed in MPI-{function.removed} */"
                out.write(prototype(function, name, large, constants) + tags(function, large) + ";" + note + "\n")
                out.write(prototype(function, "P" + name, large, constants) + ";\n")
    out.write(BOTTOM)
