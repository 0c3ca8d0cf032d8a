"""The C side of a parameter: its declaration in mpi.h."""


def function_type(parameter, large, constants):
    name = "MPI_" + parameter.function_type
    return name + "_c" if large and name + "_c" in constants.callback_names() else name


def declaration(p, large, constants):
    """One parameter as C declares it."""
    base = p.kind.large if large else p.kind.small
    sort = p.kind.sort
    const = "const " if p.direction == "in" else ""
    if sort == "variadic":
        return "..."
    if sort == "function":
        return f"{function_type(p, large, constants)} *{p.name}"
    if sort in {"buf", "bytes", "toolbuf", "string"}:
        return f"{const}{base} *{p.name}"
    if sort in {"pointer", "ptr", "attr", "plain"}:
        star = base.endswith("*")
        return f"{base}{'' if star else ' '}{p.name}"
    if sort == "status" or p.kind.name in {"fstatus", "f08status"}:
        return f"{const}{base} *{p.name}"
    if sort == "ranges":
        return f"{base} {p.name}[][3]"
    if p.array:
        # Where constants such as MPI_UNWEIGHTED may stand for the array, a pointer: in calls with an array parameter
        # compilers warn of an access to such an address.
        special = p.kind.name == "weight" or p.nullable
        return f"{const}{base} *{p.name}" if special else f"{const}{base} {p.name}[]"
    return f"{base} {p.name}" if p.direction == "in" else f"{base} *{p.name}"


def prototype(function, name, large, constants):
    parameters = [declaration(p, large, constants) for p in function.visible(large)]
    space = "" if function.returns.endswith("*") else " "
    return f"{function.returns}{space}{name}({', '.join(parameters) or 'void'})"
