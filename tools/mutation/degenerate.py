"""Rows whose two forward texts alike make nothing of their inputs: zeros everywhere, or a copy of an input."""

from __future__ import annotations

from .lines import Call, call_of, declared, replaced
from .planting import Row, renamed

ZERO, COPY = "all zero", "input copied"


def degenerate(row: Row, kind: str) -> Row | None:
    """Return a row that stores zeros, or an input of the same type, at every place where it stores something.

    The adjoints stay. None if the row does not store, or stores tiles, or has no such input.
    """
    changed = dict(row)
    for column in ("cpp_forward", "cuda_forward"):
        if "wp::tile_store" in row[column]:
            return None  # tiles of zeros are not written here
        lines = row[column].split("\n")
        types = dict(found for line in lines if (found := declared(line)))
        places = {n: call for n, line in enumerate(lines) if (call := _store(line)) is not None}
        if not places:
            return None
        for number, call in places.items():
            start, end = call.arguments[-1]
            value = lines[number][start:end]
            new = f"decltype({value}) {{}}" if kind == ZERO else _input(lines, types, number, call)
            if not new:
                return None
            lines[number] = replaced(lines[number], start, end, new)
        changed[column] = "\n".join(lines)
    return renamed(changed, kind)


def _store(line: str) -> Call | None:
    call = call_of(line)
    return call if call and (call.name == "array_store" or call.name.startswith("atomic_")) else None


def _input(lines: list[str], types: dict[str, str], number: int, call: Call) -> str:
    """Return what reads an input where a line stores a value of its type."""
    target, *indices, value = (lines[number][start:end] for start, end in call.arguments)
    wanted = f"wp::array_t<{types.get(value)}>"
    stored = {line[slice(*one.arguments[0])] for line in lines if (one := _store(line)) is not None}
    for line in lines[:number]:
        read = call_of(line)
        if read and read.name == "address" and len(read.arguments) == len(indices) + 1 and target:
            array = line[slice(*read.arguments[0])]
            if types.get(array) == wanted and array not in stored:
                return f"{types[value]}(*wp::address({array}, {', '.join(indices)}))"
    return ""
