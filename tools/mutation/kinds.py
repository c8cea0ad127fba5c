"""The kinds of errors that are planted, and what each does to a line of generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .lines import Call, call_of, replaced, spans

Types = Mapping[str, str]
# All that a kind makes of a line: none, one or several lines.
Edit = Callable[[str, Types], Iterator[str]]

_OTHER = {
    "add": ("sub",),
    "sub": ("add",),
    "mul": ("add", "div"),
    "div": ("mul",),
    "min": ("max",),
    "max": ("min",),
    "sin": ("cos",),
    "cos": ("sin",),
    "floor": ("ceil",),
    "ceil": ("floor",),
    "exp": ("sin",),
    "sqrt": ("abs",),
    "bit_and": ("bit_or",),
    "bit_or": ("bit_and",),
    "bit_xor": ("bit_or",),
    "lshift": ("rshift",),
    "atomic_add": ("atomic_sub",),
    "atomic_max": ("atomic_min",),
    "atomic_min": ("atomic_max",),
    "tile_add_inplace": ("tile_sub_inplace",),
    "tile_sub_inplace": ("tile_add_inplace",),
    "tile_sum": ("tile_max",),
}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "+=": "-=", "-=": "+="}
_NEXT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_WHOLE = {f"wp::{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_STORES = ("array_store", "tile_store", "atomic_", "tile_atomic_add", "tile_scatter")


def _same(line: str, call: Call, types: Types, place: int) -> bool:
    start, end = call.arguments[place]
    kind = types.get(line[start:end])
    return kind is not None and kind == types.get(call.target)


def operator(line: str, types: Types) -> Iterator[str]:
    """Call the opposite function, or compare the other way."""
    call = call_of(line)
    if call and call.name in _OTHER:
        for name in _OTHER[call.name]:
            if name not in ("add", "div") or (
                len(call.arguments) == 2 and all(_same(line, call, types, n) for n in (0, 1))
            ):
                yield replaced(line, *call.at, name)
    elif not call and "template" not in line and "for (" not in line:
        for kind, start, end in spans(line):
            if kind == "sign" and line[start:end] in _OPPOSITE and line[start - 1 : start] == " ":
                yield replaced(line, start, end, _OPPOSITE[line[start:end]])


def index(line: str, types: Types) -> Iterator[str]:
    """Take the element beside, the thread before, or a bound one further."""
    call = call_of(line)
    if call and (call.name in ("address", "array_store") or call.name.startswith("atomic_")):
        for start, end in call.arguments[1 : None if call.name == "address" else -1]:
            if types.get(line[start:end]) == "wp::int32":
                yield replaced(line, start, end, f"{line[start:end]} + 1")
                yield replaced(line, start, end, f"{line[start:end]} - 1")
    elif call and call.name == "builtin_tid1d":
        yield replaced(line, *call.whole, "wp::max(builtin_tid1d() - 1, 0)")
    elif call and call.name == "range":
        start, end = call.arguments[min(1, len(call.arguments) - 1)]
        yield replaced(line, start, end, f"{line[start:end]} - 1")
    elif not call:
        yield from _bound(line, types)


def _bound(line: str, types: Types) -> Iterator[str]:
    """Yield a comparison of whole numbers with its bound one further."""
    words = [(kind, start, end, line[start:end]) for kind, start, end in spans(line)]
    for before, sign, after in zip(words, words[1:], words[2:], strict=False):
        if sign[3] in _NEXT and types.get(before[3]) in _WHOLE and types.get(after[3]) in _WHOLE:
            yield replaced(line, sign[1], sign[2], _NEXT[sign[3]])


def guard(line: str, types: Types) -> Iterator[str]:
    """Do what a condition guards whether it holds or not."""
    start = line.find("if (")
    if line.strip().startswith("if (") and line.rstrip().endswith(") {"):
        yield f"{line[:start]}if (true) {{"


def constant(line: str, types: Types) -> Iterator[str]:
    """Change the value of a constant by a half, or by one."""
    name, equals, value = line.partition(" = ")
    if equals and name.strip().startswith(("const wp::", "var_")) and value.endswith(";") and _literal(value[:-1]):
        kind = types.get(name.strip().rpartition(" ")[2], "")
        yield f"{name} = {value[:-1]} + {'1' if kind in _WHOLE else '0.5'};"
    elif "var_" not in line and "wp::" not in line and "adj_" not in line and "_idx" not in line and "[" not in line:
        for kind, start, end in spans(line):
            if kind == "number":
                step = "0.5f" if line[end - 1] == "f" else "0.5" if "." in line[start:end] else "1"
                yield replaced(line, start, end, f"({line[start:end]} + {step})")


def _literal(text: str) -> bool:
    tokens = spans(text.removeprefix("-"))
    return len(tokens) == 1 and tokens[0][0] == "number"


def term(line: str, types: Types) -> Iterator[str]:
    """Let a sum or product be one of its two terms."""
    call = call_of(line)
    if call and call.name in ("add", "sub", "mul", "div", "cw_mul") and len(call.arguments) == 2:
        for place, (start, end) in enumerate(call.arguments):
            if _same(line, call, types, place):
                yield replaced(line, *call.whole, line[start:end])


def store(line: str, types: Types) -> Iterator[str]:
    """Drop what writes to an array."""
    call = call_of(line)
    if call and call.name.startswith(_STORES):
        yield ""


def adjoint_term(line: str, types: Types) -> Iterator[str]:
    """Drop one step of the adjoint."""
    call = call_of(line)
    if (call and call.name.startswith("adj_") and not call.target) or (not call and " += " in line and "adj_" in line):
        yield ""


def sign(line: str, types: Types) -> Iterator[str]:
    """Take what comes down to one step of the adjoint with the other sign."""
    call = call_of(line)
    other = {"adj_add": "adj_sub", "adj_sub": "adj_add"}.get(call.name if call else "")
    if call and other:
        yield replaced(line, *call.at, other)
    elif call and call.name.startswith("adj_") and not call.name.startswith("adj_tile") and not call.target:
        start, end = call.arguments[-1]
        if line[start:end].startswith("adj_") and call.name not in ("adj_array_store", "adj_where"):
            yield replaced(line, start, end, f"-{line[start:end]}")
    elif not call and line.strip().startswith("adj_") and " += " in line:
        yield line.replace(" += ", " -= ", 1)


FORWARD: Mapping[str, Edit] = {
    "operator swapped": operator,
    "index off by one": index,
    "guard dropped": guard,
    "constant changed": constant,
    "term dropped": term,
    "store skipped": store,
}
ADJOINT: Mapping[str, Edit] = {"adjoint term missing": adjoint_term, "sign flipped": sign}
