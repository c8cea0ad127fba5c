"""What a program says of itself: its name, its features and one truthful sentence.

All three are read off the program's own statements, so they cannot claim what the kernel does not do.
"""

from __future__ import annotations

from collections.abc import Iterable

from .program import Apply, Atomic, Body, Do, Each, For, If, Leave, Program, Put, Store, While
from .reading import Reading, bodies, dtype_name, stored_array
from .types import Array

_OPERATOR_WORDS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "neg": "neg",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "~": "inv", "pos": "pos",
    "==": "eq", "!=": "ne",
}  # fmt: skip
_SHOWN_OPS = 4


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _loop_depth(body: Body) -> int:
    depth = 0
    for stmt in body:
        if isinstance(stmt, (For, Each, While)):
            depth = max(depth, 1 + _loop_depth(stmt.body))
        elif isinstance(stmt, If):
            depth = max([depth, _loop_depth(stmt.otherwise), *(_loop_depth(inner) for _, inner in stmt.arms)])
    return depth


def _telling(reading: Reading) -> list[Apply]:
    """Return the operations on values, those first that tell a kernel from others."""
    telling = [e for e in reading.values if e.op.family not in ("arith", "int", "compare", "logic", "cast")]
    return telling + [e for e in reading.values if e.op.family in ("arith", "int")]


def kernel_name(reading: Reading) -> str:
    """Return a name made of the category and the first operations that tell the kernel from others."""
    words = []
    for e in _telling(reading):
        symbol = e.op.builtin or _OPERATOR_WORDS.get(e.op.symbol, e.op.symbol)
        words.append(symbol.replace("matrix_from_", "from_"))
    program = reading.program
    parts = [program.category, *_unique(words)[:2]]
    if len(program.tid) > 1:
        parts.append(f"{len(program.tid)}d")
    return "_".join(parts)


_CONTROL = {For: "control:for", Each: "control:for", While: "control:while"}


def features(reading: Reading) -> tuple[str, ...]:
    """Return the sorted tags of a program: builtins, dtypes, control flow, launch and what stands above the kernel."""
    program = reading.program
    tags = {f"launch:{program.ndim or len(program.tid)}d"}
    if program.tid:
        tags.add("builtin:tid")
    if program.tiled:
        tags.add("launch:tiled")
    for arg in program.args:
        tags.add(f"dtype:{dtype_name(arg.type)}")
        if isinstance(arg.type, Array):
            tags.add(f"array:{arg.type.ndim}d" if arg.type.kind == "array" else f"array:{arg.type.kind}")
    tags.update(f"builtin:{name}" for name in reading.builtins)
    tags.update(f"dtype:{name}" for name in reading.dtypes)
    for stmt in reading.statements:
        if isinstance(stmt, (For, Each, While)):
            tags.add(_CONTROL[type(stmt)])
        elif isinstance(stmt, If):
            tags.add("control:elif" if len(stmt.arms) > 1 else "control:if")
        elif isinstance(stmt, Leave):
            tags.add(f"control:{stmt.word}")
        elif isinstance(stmt, Atomic):
            tags.add(f"builtin:atomic_{stmt.kind}")
    depth = max(map(_loop_depth, bodies(program)))
    if depth > 1:
        tags.add(f"loop_depth:{depth}")
    return tuple(sorted(tags | _module_tags(program)))


def _module_tags(program: Program) -> set[str]:
    """Return the tags of what stands above the kernel, and of its decorator."""
    tags = {f"family:{program.family}"} if program.family else set()
    tags |= {"uses:constant"} if program.constants else set()
    tags |= {"uses:struct"} if program.structs else set()
    for function in program.functions:
        tags.add("uses:native" if function.snippet is not None else "uses:function")
        if function.gradient or (function.snippet is not None and function.snippet.adjoint):
            tags.add("uses:custom_gradient")
        if function.replay:
            tags.add("uses:replay")
    options = dict(program.options)
    if "grid_stride" in options:
        tags.add("launch:grid_stride" if options["grid_stride"] else "launch:lean")
    tags |= {f"launch:{name}" for name in options if name != "grid_stride"}
    params = [*program.args, *(arg for function in program.functions for arg in function.params)]
    if any(arg.generic for arg in params):
        tags.add("uses:generic")
    return tags


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _operations(reading: Reading) -> str:
    phrases = _unique(e.op.phrase for e in _telling(reading))
    if not phrases:
        return ""
    more = len(phrases) - _SHOWN_OPS
    shown = phrases[:_SHOWN_OPS]
    if more > 0:
        shown.append(f"{more} more operation{'s' if more > 1 else ''}")
    return f" using {_listed(shown)}"


def _control(reading: Reading) -> str:
    depth = _loop_depth(reading.program.body)
    parts = []
    if depth:
        parts.append("in a loop" if depth == 1 else f"in {depth} nested loops")
    branches = [s for s in reading.statements if isinstance(s, If)]
    if branches:
        widest = max(len(s.arms) + bool(s.otherwise) for s in branches)
        parts.append("under a condition" if widest == 1 else f"with a choice among {widest} branches")
    if any(isinstance(s, Leave) for s in reading.statements):
        parts.append("after an early exit test")
    return f", {_listed(parts)}," if parts else ""


_ATOMICS = {
    "add": "atomically adds {value} into {arrays}",
    "sub": "atomically subtracts {value} from {arrays}",
    "min": "lowers {arrays} to an atomic minimum with {value}",
    "max": "raises {arrays} to an atomic maximum with {value}",
}


def _effects(reading: Reading) -> str:
    written: dict[tuple[str, str], list[str]] = {}
    for stmt in reading.statements:
        if isinstance(stmt, Put) and (array := stored_array(stmt)):
            written.setdefault(("stores {value} in {arrays}", dtype_name(stmt.target.type)), []).append(array)
        elif isinstance(stmt, (Store, Atomic)):
            form = _ATOMICS[stmt.kind] if isinstance(stmt, Atomic) else "stores {value} in {arrays}"
            written.setdefault((form, dtype_name(stmt.value.type)), []).append(stmt.array)
        elif isinstance(stmt, Do) and stmt.writes:
            written.setdefault(("writes {arrays}", ""), []).extend(stmt.writes)
    effects = []
    own = {arg.name for arg in reading.program.args}
    for (form, dtype), stored in written.items():
        arrays = [array for array in stored if array in own]  # a function's parameters are no arrays of the kernel
        if not arrays:
            continue
        article = "an" if dtype.startswith("i") else "a"
        effects.append(form.format(value=f"{article} {dtype}", arrays=_listed(_unique(arrays))))
    return _listed(effects)


def _reads(reading: Reading) -> str:
    written = {s.array for s in reading.statements if isinstance(s, (Store, Atomic))}
    written |= {stored_array(s) for s in reading.statements if isinstance(s, Put)} - {""}
    names = [arg.name for arg in reading.program.args if arg.name not in written]
    return _listed(names)


def describe(reading: Reading) -> str:
    """Return what a kernel computes: what its family says, or launch and inputs; how; and what is written."""
    summary = reading.program.summary
    how = f"{_operations(reading)}{_control(reading)}"
    if summary:
        return f"{summary} It {_effects(reading)}{how.rstrip(',')}."
    return (
        f"For each thread of a {len(reading.program.tid)}-D launch, computes from {_reads(reading)}"
        f"{how} and {_effects(reading)}."
    )
