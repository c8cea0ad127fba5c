"""Which of Warp's builtins programs reach, by the names of Warp's own table (``codegen.builtins()``).

A tag is a feature of a row (``builtin:sqrt``, ``builtin:vec3d``, ``control:for``), or what a program has beyond those:
``operator:+``, ``make:vector``, ``syntax:view``. Operators and constructors count as the builtins that Warp makes of
them; what Warp calls only by itself (to store an element, to add in place) is reached by no tag.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from .facts import features
from .program import Apply, Assign, Each, Expr, Load, Program, Put, Span
from .reading import Reading, expressions
from .types import FLOATS, NUMBERS, Array, Mat, Quat, Scalar, Tile, Transform, Value, Vec, mat, quat, transform, vec

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "neg": "neg", "not": "unot",
    "&": "bit_and", "|": "bit_or", "^": "bit_xor", "<<": "lshift", ">>": "rshift", "~": "invert",
}  # fmt: skip
_SYNTAX = {"syntax:view": "view", "syntax:slice": "slice", "control:for": "range"}


def _constructed(type_: Value) -> str:
    """Return the builtin that makes values of a type, or nothing."""
    if isinstance(type_, Vec):
        return "spatial_vector" if type_.name.startswith("spatial") else "vector"
    if isinstance(type_, Mat):
        return "matrix"
    if isinstance(type_, Quat):
        return "quaternion"
    if isinstance(type_, Transform):
        return "transformation"
    if isinstance(type_, Scalar):
        return type_.text.removeprefix("wp.")
    return ""


@cache
def _constructors() -> dict[str, str]:
    """Return the builtin for each name by which a type is called."""
    types: list[Value] = [vec(n, scalar) for scalar in NUMBERS for n in (2, 3, 4)]
    for scalar in FLOATS:
        types += [vec(6, scalar), quat(scalar), transform(scalar), *(mat(n, n, scalar) for n in (2, 3, 4, 6))]
    return {type_.name: _constructed(type_) for type_ in types}


def tags(program: Program) -> frozenset[str]:
    """Return the feature tags of a program and those of its operators, constructors and slices."""
    reading = Reading(program)
    found = set(features(reading))
    found |= {f"operator:{stmt.op}" for stmt in reading.statements if isinstance(stmt, (Assign, Put)) and stmt.op}
    if any(isinstance(stmt, Each) for stmt in reading.statements):
        found.add("control:each")
    for node in expressions(program):
        found.update(_tags_of(node))
    return frozenset(found)


def _tags_of(node: Expr) -> list[str]:
    if isinstance(node, Span):
        return ["syntax:slice"]
    if isinstance(node, Load):
        return ["syntax:view"] if isinstance(node.type, (Array, Tile)) else []
    if not isinstance(node, Apply):
        return []
    if node.op.symbol in _OPERATORS:
        return [f"operator:{node.op.symbol}"]
    made = _constructed(node.type) if node.op.symbol == getattr(node.type, "text", "") else ""
    return [f"make:{made}"] if made else []


def name_of(tag: str) -> str:
    """Return the name in Warp's table that a tag stands for, or nothing."""
    kind, _, name = tag.partition(":")
    if kind == "builtin":
        return _constructors().get(name, name)
    if kind == "operator":
        return _OPERATORS.get(name, "")
    return name if kind == "make" else _SYNTAX.get(tag, "")


def coverage(found: Iterable[str], known: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which builtins some tags reach and which they do not, each sorted.

    Args:
        found: tags of any number of programs or rows.
        known: the names of Warp's table.
    """
    reached = {name_of(tag) for tag in found}
    names = sorted(set(known))
    return tuple(name for name in names if name in reached), tuple(name for name in names if name not in reached)
