"""Pieces of expressions: literals, operations applied, values made of parts."""

from __future__ import annotations

from functools import cache

from .choices import Choices
from .ops import Op, op
from .program import Apply, Expr, Literal, Part
from .types import FLOAT, INT, Mat, Quat, Scalar, Transform, Value, Vec, scalar_of, vec


def number(choices: Choices, low: int = 1, high: int = 400, type_: Scalar = FLOAT) -> Literal:
    """Return a float literal of ``low`` to ``high`` hundredths: round, of two decimals, or of up to five."""
    way = choices.below(4)
    if way == 1:
        return Literal(choices.between(low, high) / 100, type_)
    if way > 1:
        return Literal(choices.between(1000 * low, 1000 * high) / 100_000, type_)
    return Literal(
        choices.pick([k for k in (100, 50, 200, 25, 10, 150, 300) if low <= k <= high] or [low]) / 100, type_
    )


def whole(choices: Choices, low: int = 1, high: int = 9, type_: Scalar = INT) -> Literal:
    """Return an integer literal in ``[low, high]``."""
    return Literal(choices.between(low, high), type_)


def apply(symbol: str, *args: Expr) -> Apply:
    """Return the application of the table's row for these arguments' types.

    ``a + -b`` becomes ``a - b``; what undoes or repeats itself (``--a``, ``abs(abs(a))``) is left out.
    """
    if len(args) == 1 and isinstance(args[0], Apply) and args[0].op.symbol == symbol:
        if symbol in _IDEMPOTENT:
            return args[0]
        if symbol in _INVOLUTIONS and isinstance(inner := args[0].args[0], Apply):
            return inner
    if symbol in _OPPOSITE and len(args) == 2 and isinstance(args[1], Apply) and args[1].op.symbol == "neg":
        symbol, args = _OPPOSITE[symbol], (args[0], args[1].args[0])
    return Apply(op(symbol, *(arg.type for arg in args)), args)


_OPPOSITE = {"+": "-", "-": "+"}
_IDEMPOTENT = ("wp.abs", "wp.sign")
_INVOLUTIONS = ("neg", "not", "wp.transpose")


def built(type_: Value, parts: tuple[Expr, ...]) -> Apply:
    """Return ``type_(parts...)`` of all components, or of one for all."""
    if isinstance(type_, Vec) and not type_.alias and type_.n == 6 and len(parts) == 1:
        parts *= 6  # a spatial vector is not made of one number
    params = tuple(part.type for part in parts)
    try:
        return Apply(op(type_.text, *params, result=type_), parts)
    except KeyError:
        return Apply(_constructor(type_, params), parts)


@cache
def _constructor(type_: Value, params: tuple[Value, ...]) -> Op:
    return Op(type_.text, params, type_, "vec_make", f"{type_.name} construction")


def unsigned(x: Expr) -> Expr:
    """Return the expression without a leading minus."""
    return x.args[0] if isinstance(x, Apply) and x.op.symbol == "neg" else x


def unlike(choices: Choices, x: Expr) -> Expr:
    """Return an expression that differs from ``x`` by more than a factor, where ``x`` twice would be void."""
    if isinstance(x.type, Vec):
        parts = tuple(Part(x, ((k + 1) % x.type.n,), x.type.dtype) for k in range(x.type.n))
        return built(x.type, parts)
    if isinstance(x.type, (Quat, Transform)):
        return apply("wp.quat_inverse" if isinstance(x.type, Quat) else "wp.transform_inverse", x)
    type_ = scalar_of(x.type)
    if isinstance(x.type, Mat) and x.type.rows != x.type.cols:
        return apply("*", x, number(choices, type_=type_))
    if isinstance(x.type, Mat):
        return apply("+", apply("wp.transpose", x), apply("*", identity(x.type), number(choices, type_=type_)))
    return whole(choices, type_=type_) if type_.is_int else number(choices, type_=type_)


def joined(choices: Choices, symbol: str, left: Expr, right: Expr) -> Apply:
    """Return ``left symbol right``; where both are the same but for a sign, another right side."""
    same = unsigned(left) == unsigned(right)
    return apply(symbol, left, unlike(choices, unsigned(right)) if same else right)


def splat(type_: Value, value: Expr) -> Expr:
    """Return a vector or matrix of which every component is ``value``."""
    if isinstance(type_, Vec):
        return built(type_, (value,))
    assert isinstance(type_, Mat)
    left, right = (built(vec(n, type_.dtype), (value,)) for n in (type_.rows, type_.cols))
    return apply("wp.outer", left, right)


def identity(type_: Value) -> Expr:
    """Return the identity matrix of a matrix type."""
    return Apply(op("wp.identity", result=type_), ())
