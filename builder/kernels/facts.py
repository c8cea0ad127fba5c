"""What a program says of itself: its name, its features and one truthful sentence.

All three are read off the program's own statements, so they cannot claim what the kernel does not do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .program import (
    Apply,
    Array,
    Assign,
    Atomic,
    Body,
    Expr,
    Extent,
    For,
    If,
    Leave,
    Let,
    Literal,
    Load,
    Part,
    Program,
    Stmt,
    Store,
)

_OPERATOR_WORDS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "neg": "neg",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr",
}  # fmt: skip
_SHOWN_OPS = 4


def statements(body: Body) -> Iterator[Stmt]:
    """Yield every statement of a body in order, nested ones included."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, If):
            for _, inner in stmt.arms:
                yield from statements(inner)
            yield from statements(stmt.otherwise)
        elif isinstance(stmt, For):
            yield from statements(stmt.body)


def _roots(stmt: Stmt, indices: bool) -> Iterator[Expr]:
    if isinstance(stmt, (Let, Assign)):
        yield stmt.value
    elif isinstance(stmt, (Store, Atomic)):
        if indices:
            yield from stmt.index
        yield stmt.value
    elif isinstance(stmt, If):
        for test, _ in stmt.arms:
            yield test
    elif isinstance(stmt, For):
        if stmt.start is not None:
            yield stmt.start
        yield stmt.stop


def _nodes(expr: Expr, indices: bool) -> Iterator[Expr]:
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Apply):
            stack.extend(reversed(node.args))
        elif isinstance(node, Load) and indices:
            stack.extend(reversed(node.index))
        elif isinstance(node, Part):
            stack.append(node.base)


def expressions(program: Program, *, indices: bool = True) -> Iterator[Expr]:
    """Yield every expression node of a program in source order, array indices included or not."""
    for stmt in statements(program.body):
        for root in _roots(stmt, indices):
            yield from _nodes(root, indices)


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _loop_depth(body: Body) -> int:
    depth = 0
    for stmt in body:
        if isinstance(stmt, For):
            depth = max(depth, 1 + _loop_depth(stmt.body))
        elif isinstance(stmt, If):
            depth = max([depth, _loop_depth(stmt.otherwise), *(_loop_depth(inner) for _, inner in stmt.arms)])
    return depth


def _values(program: Program) -> list[Apply]:
    """Return the operations on values (not on indices), the telling ones first."""
    applied = [e for e in expressions(program, indices=False) if isinstance(e, Apply)]
    telling = [e for e in applied if e.op.family not in ("arith", "int", "compare", "logic", "cast")]
    return telling + [e for e in applied if e.op.family in ("arith", "int")]


def kernel_name(program: Program) -> str:
    """Return a name made of the category and the first operations that tell the kernel from others."""
    words = []
    for e in _values(program):
        symbol = e.op.builtin or _OPERATOR_WORDS.get(e.op.symbol, e.op.symbol)
        words.append(symbol.replace("matrix_from_", "from_"))
    parts = [program.category, *_unique(words)[:2]]
    if len(program.tid) > 1:
        parts.append(f"{len(program.tid)}d")
    return "_".join(parts)


def features(program: Program) -> tuple[str, ...]:
    """Return the sorted tags of a program: builtins, dtypes, control flow and launch."""
    tags = {f"launch:{len(program.tid)}d", "builtin:tid"}
    for arg in program.args:
        dtype = arg.type.dtype if isinstance(arg.type, Array) else arg.type
        tags.add(f"dtype:{dtype.name}")
        if isinstance(arg.type, Array):
            tags.add(f"array:{arg.type.ndim}d")
    for e in expressions(program):
        if isinstance(e, Apply) and e.op.builtin:
            tags.add(f"builtin:{e.op.builtin}")
        if not isinstance(e, (Literal, Extent)):
            tags.add(f"dtype:{e.type.name}")
    for stmt in statements(program.body):
        if isinstance(stmt, For):
            tags.add("control:for")
        elif isinstance(stmt, If):
            tags.add("control:elif" if len(stmt.arms) > 1 else "control:if")
        elif isinstance(stmt, Leave):
            tags.add(f"control:{stmt.word}")
        elif isinstance(stmt, Atomic):
            tags.add(f"builtin:atomic_{stmt.kind}")
    depth = _loop_depth(program.body)
    if depth > 1:
        tags.add(f"loop_depth:{depth}")
    if ("grid_stride", False) in program.options:
        tags.add("launch:lean")
    return tuple(sorted(tags))


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _operations(program: Program) -> str:
    phrases = _unique(e.op.phrase for e in _values(program))
    if not phrases:
        return ""
    more = len(phrases) - _SHOWN_OPS
    shown = phrases[:_SHOWN_OPS]
    if more > 0:
        shown.append(f"{more} more operation{'s' if more > 1 else ''}")
    return f" using {_listed(shown)}"


def _control(program: Program) -> str:
    all_statements = list(statements(program.body))
    depth = _loop_depth(program.body)
    parts = []
    if depth:
        parts.append("in a loop" if depth == 1 else f"in {depth} nested loops")
    branches = [s for s in all_statements if isinstance(s, If)]
    if branches:
        widest = max(len(s.arms) + bool(s.otherwise) for s in branches)
        parts.append("under a condition" if widest == 1 else f"with a choice among {widest} branches")
    if any(isinstance(s, Leave) for s in all_statements):
        parts.append("after an early exit test")
    return f", {_listed(parts)}," if parts else ""


_ATOMICS = {
    "add": "atomically adds {value} into {arrays}",
    "sub": "atomically subtracts {value} from {arrays}",
    "min": "lowers {arrays} to an atomic minimum with {value}",
    "max": "raises {arrays} to an atomic maximum with {value}",
}


def _effects(program: Program) -> str:
    dtypes = {arg.name: arg.type.dtype.name for arg in program.args if isinstance(arg.type, Array)}
    written: dict[tuple[str, str], list[str]] = {}
    for stmt in statements(program.body):
        if isinstance(stmt, (Store, Atomic)):
            form = _ATOMICS[stmt.kind] if isinstance(stmt, Atomic) else "stores {value} in {arrays}"
            written.setdefault((form, dtypes[stmt.array]), []).append(stmt.array)
    effects = []
    for (form, dtype), arrays in written.items():
        article = "an" if dtype.startswith("int") else "a"
        effects.append(form.format(value=f"{article} {dtype}", arrays=_listed(_unique(arrays))))
    return _listed(effects)


def _reads(program: Program) -> str:
    written = {s.array for s in statements(program.body) if isinstance(s, (Store, Atomic))}
    names = [arg.name for arg in program.args if arg.name not in written]
    return _listed(names)


def describe(program: Program) -> str:
    """Return one sentence: the launch, what is read, the operations, the control flow and what is written."""
    dims = len(program.tid)
    return (
        f"For each thread of a {dims}-D launch, computes from {_reads(program)}{_operations(program)}"
        f"{_control(program)} and {_effects(program)}."
    )
