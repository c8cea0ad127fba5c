"""atomic: scatters and reductions by atomic addition, subtraction, minimum and maximum."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr, leaf
from ..ops import op
from ..pieces import apply
from ..program import Apply, Arg, Expr, Extent, Literal, Program
from ..statements import atomic, branch, combine, leave_early, let
from ..types import DOUBLE, FLOAT, INT, INT64, UINT, VEC3, Value
from ..vocabulary import INTEGER_MORE, MATH, NUMERIC, VECTOR

_KINDS = {"add": 5, "sub": 1, "min": 2, "max": 2}


def _bin(draft: Draft, array: Arg, axis: int) -> Expr:
    """Return a bin index in ``[0, extent)``: from a key, from a value, from the thread, or fixed."""
    c = draft.choices
    extent = Extent(array.name, axis)
    keys = [a for a in draft.inputs if a.type.dtype == INT]
    way = c.below(4)
    if way == 0 and keys:
        return Apply(op("%", INT, INT), (apply("wp.abs", leaf(draft, INT, literal=False)), extent))
    if way == 1:
        value = apply("wp.abs", expr(draft, FLOAT, c.between(0, 1), NUMERIC))
        scaled = apply(
            "int",
            apply("wp.min", apply("*", value, Literal(c.pick((10.0, 4.0, 100.0)), FLOAT)), Literal(1e6, FLOAT)),
        )
        if c.chance(1, 2):
            return apply("wp.min", scaled, apply("-", extent, Literal(1, INT)))
        return Apply(op("%", INT, INT), (scaled, extent))
    if way == 2:
        return Apply(op("%", INT, INT), (c.pick(draft.threads()), extent))
    return Literal(0, INT)


def _update(draft: Draft, families: tuple[str, ...], kind: str, dtype: Value) -> None:
    c = draft.choices
    bins = draft.output(dtype, c.pick((1, 1, 2)), name=draft.names.bins())
    index = tuple(_bin(draft, bins, axis) for axis in range(bins.type.ndim))  # type: ignore[union-attr]
    value = combine(draft, dtype, expr(draft, dtype, c.between(1, 2), families))
    if c.chance(1, 3):
        branch(draft, 1, False, lambda: atomic(draft, kind, bins.name, index, value))
    else:
        atomic(draft, kind, bins.name, index, value)


def build(c: Choices) -> Program:
    draft = Draft(c, "atomic", c.pick((1, 1, 2)))
    dtype = draft.kind(FLOAT, FLOAT, INT, VEC3, DOUBLE, INT64, UINT)
    draft.input(dtype)
    for _ in range(c.between(0, 2)):
        draft.input(draft.kind(FLOAT, INT))
    if c.chance(1, 4):
        draft.scalar(FLOAT)
    families = VECTOR if dtype == VEC3 else MATH if c.chance(1, 3) else NUMERIC
    families = INTEGER_MORE if dtype in (INT, INT64, UINT) else families
    if c.chance(1, 5):
        leave_early(draft)
    for _ in range(c.below(3)):
        let(draft, dtype if c.chance(2, 3) else FLOAT, c.between(1, 2), families)
    for _ in range(c.pick((1, 1, 2))):
        _update(draft, families, "add" if dtype == VEC3 else c.weighted(_KINDS), dtype)
    return draft.program()
