"""Conversions between scalar types, and which types convert into which."""

from __future__ import annotations

from .draft import Draft
from .guards import GUARDS
from .ops import op
from .pieces import apply
from .program import Apply, Expr, Literal
from .types import BOOL, Array, Mat, Opaque, Scalar, Several, Struct, Tile, Value, Vec


def convertible(source: Value, target: Value) -> bool:
    """Say whether :func:`convert` turns ``source`` into another type ``target``."""
    if source in (target, BOOL) or isinstance(source, (Array, Struct, Tile, Opaque, Several)):
        return False
    return not (isinstance(source, (Vec, Mat)) and not source.dtype.is_float)


def flag_as(value: Expr, type_: Scalar) -> Expr:
    """Return 1 or 0 of a scalar type for a truth value."""
    one, zero = (1, 0) if type_.is_int else (1.0, 0.0)
    return apply("wp.where", value, Literal(one, type_), Literal(zero, type_))


def cast_scalar(draft: Draft, value: Expr, source: Scalar, type_: Scalar) -> Expr:
    """Return a scalar as another scalar type; floats are bounded before they become integers."""
    if source is BOOL:
        return flag_as(value, type_)
    if source.is_float and type_.is_int:
        value = GUARDS["bounded"](draft.choices, value)
    return Apply(op(type_.text, source, result=type_), (value,))
