"""Which arguments of a call count at a rank, and what is checked of its buffers."""


def only_if(guard, statement):
    return f"if ({guard}) {statement}" if guard else statement


def peers(function, parameter):
    """The communicator or window that a rank parameter refers to: the one before or after it, or none."""
    before = [q for q in function.parameters if q.kind.table in {"comms", "wins"} and q.direction == "in"]
    return before[0].name + "_" if before else None


def has_significance(function):
    parameters = function.parameters
    return any(significance(p, function) or (p.kind.sort == "buf" and has_root(function)) for p in parameters)


def has_root(function):
    return any(q.kind.name == "root" for q in function.parameters)


def significance(p, function):
    """The condition under which a count, type or buffer of a collective call is looked at, or none: always."""
    if p.root_only:
        return "op != MPI_NO_OP" if function.chapter.key == "rma" else "role == Role::root"
    if not p.nullable or p.kind.name not in {"count", "datatype"}:
        return ""
    buffers = [q for q in function.parameters[: function.parameters.index(p)] if q.kind.sort == "buf"]
    guard = f"{buffers[-1].name} != MPI_IN_PLACE"
    if has_root(function):
        guard += " && gives_as_member(role, comm_)"
    return guard


def gives_counts(p, function):
    """Whether an array has a count for each member of a communicator; neighbourhoods may be empty."""
    return p.length == "?" and p.kind.name == "count" and function.chapter.key == "coll"


def array_significance(p, function):
    """The same of such an array."""
    at = function.parameters.index(p)
    if next(q for q in function.parameters[at:] if q.kind.name == "datatype").root_only:
        return "role == Role::root"
    buffer = [q for q in function.parameters[:at] if q.kind.sort == "buf"][-1]
    return f"{buffer.name} != MPI_IN_PLACE" if buffer.nullable and buffer.direction == "in" else ""


def counted_by(function, type_):
    """The parameter that says how many elements of a committed type there are, or none; it is checked with the type."""
    if type_.kind.name != "datatype" or type_.array:
        return None
    before = function.parameters[: function.parameters.index(type_)]
    counts = [q for q in before if q.kind.name in {"count", "widecount", "datatype"}]
    last = counts[-1] if counts else type_
    return last if last.kind.name != "datatype" and last.direction == "in" and not last.array else None


def buffer_significance(p, function):
    """The same for a buffer. Rooted operations whose type counts everywhere (MPI_Bcast, MPI_Reduce) still only read the
    buffers of those who send and write those of who receives."""
    following = function.parameters[function.parameters.index(p) + 1 :]
    type_ = next((q for q in following if q.kind.name == "datatype"), None)
    if function.chapter.key == "rma":
        counted = any(q.kind.name == "count" for q in function.parameters)
        changes = any(q.kind.name == "op" for q in function.parameters) and p.direction == "in"
        return "op != MPI_NO_OP" if changes and (type_.root_only or not counted) else ""
    if "exscan" in function.name.lower() and p.direction == "out":
        return "comm_.rank() != 0 || sendbuf == MPI_IN_PLACE"
    if not has_root(function):
        return ""
    if type_.root_only:
        return "role == Role::root"
    if p.direction == "inout":
        return "role != Role::outside"
    return "role == Role::root" if p.direction == "out" and not p.nullable else "gives_as_member(role, comm_)"


no_stand_in = "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)"


def buffer_check(p, function):
    """A buffer is not null unless its type holds addresses, and no constant that stands for a buffer elsewhere."""
    section = "MPI 5.0 §" + function.section.split(" ")[0]
    in_place = [q.name for q in function.parameters if q.kind.sort == "buf" and q.nullable]
    rule = f"which only {in_place[0]} may be ({section})" if in_place else no_stand_in
    described = buffer_description(p, function) if p.kind.sort == "buf" else None
    if described:
        count, type_ = described
        check = f'check_buffer({p.name}, {count.name}, {type_.name}, "{p.name}", "{rule}");'
    else:
        check = f'check_address({p.name}, "{p.name}", "{rule}");'
    if p.nullable:
        where = "role, comm_" if has_root(function) else "comm_"
        check = f'if ({p.name} == MPI_IN_PLACE) check_in_place({where}, "{p.name}", "{section}"); else {check}'
    guard = buffer_significance(p, function)
    return f"if ({guard}) {{ {check} }}" if guard else check


def buffer_description(p, function):
    """The count and datatype that describe a buffer: the next ones, unless another buffer comes between them. The two of a
    reduction share theirs."""
    rest = function.parameters[function.parameters.index(p) + 1 :]
    reduction = function.chapter.key == "coll" and any(q.kind.name == "op" for q in function.parameters)
    count = None
    for q in rest:
        if q.kind.sort in {"buf", "bytes"}:
            if not reduction:
                return None
        elif count is None:
            if q.kind.name in {"count", "widecount"} and q.direction == "in":
                if q.array:
                    return None
                count = q
        elif q.kind.name == "datatype":
            return None if q.array else (count, q)
    return None
