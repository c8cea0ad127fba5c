"""Domain guards: ways to hold an argument to the domain its operation needs.

A guard takes any expression of the right type and returns one whose value lies in the domain, written
as a programmer might write it. Several ways per guard, so that guards do not make kernels alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .choices import Choices
from .ops import Op, op
from .program import Apply, Expr, Literal, Name, Part
from .types import FLOAT, INT, VEC3, Mat, Quat, Scalar, Transform, Value, Vec, scalar_of, vec

Guard = Callable[[Choices, Expr], Expr]


def number(choices: Choices, low: int = 1, high: int = 400, type_: Scalar = FLOAT) -> Literal:
    """Return a float literal of ``low`` to ``high`` hundredths, round ones first."""
    if choices.chance(1, 2):
        return Literal(choices.between(low, high) / 100, type_)
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


def _positive(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return x
    if isinstance(x, Apply) and x.op.symbol == "wp.abs":
        return apply("+", x, _number(choices, x, 10, 200))
    way = choices.below(3 if isinstance(x, Name) else 2)
    if way == 0:
        return apply("+", apply("wp.abs", x), _number(choices, x, 10, 200))
    if way == 1:
        return apply("wp.max", x, _number(choices, x, 1, 100))
    return apply("+", apply("*", x, x), _number(choices, x, 10, 200))


def _number(choices: Choices, x: Expr, low: int, high: int) -> Literal:
    return number(choices, low, high, scalar_of(x.type))


def _unit(choices: Choices, x: Expr) -> Expr:
    if choices.chance(1, 3):
        return apply("*", apply("wp.sin", x), _like(x, 0.9))
    return apply("wp.clamp", x, apply("neg", _like(x, 0.95)), _like(x, 0.95))


def _above_unit(choices: Choices, x: Expr) -> Expr:
    return apply("+", _unit(choices, x), _like(x, 1.0))


def _fraction(choices: Choices, x: Expr) -> Expr:
    if choices.chance(1, 2):
        return apply("wp.abs", apply("wp.sin", x))
    return apply("wp.clamp", x, _like(x, 0.0), _like(x, 1.0))


def _unit_vector(choices: Choices, x: Expr) -> Expr:
    axis = _VECTORS[choices.below(3)]
    fixed = Apply(op(x.type.text, *(scalar_of(x.type),) * 3), tuple(_like(x, value) for value in axis))
    return apply("wp.normalize", apply("+", x, fixed)) if x.type is VEC3 else apply("wp.normalize", x)


_VECTORS = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


def _like(x: Expr, value: float) -> Literal:
    return Literal(value, scalar_of(x.type))


def _bounded(choices: Choices, x: Expr) -> Expr:
    way = choices.below(3)
    limit = _number(choices, x, 200, 500)
    if way == 0:
        return apply("wp.clamp", x, apply("neg", limit), limit)
    if way == 1:
        return apply("*", apply("wp.tanh", x), limit)
    return apply("neg", apply("wp.min", apply("wp.abs", x), limit))


def _small(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return _like(x, choices.pick((2.0, 0.5, 1.5, 3.0)))
    if choices.chance(1, 3):
        return apply("wp.tanh", x)
    return apply("wp.clamp", x, apply("neg", _like(x, 1.2)), _like(x, 1.2))


def _low(choices: Choices, type_: Scalar) -> Expr:
    return apply("neg", number(choices, 50, 400, type_))


def _high(choices: Choices, type_: Scalar) -> Expr:
    return number(choices, 50, 400, type_)


def _int_low(choices: Choices, type_: Scalar) -> Expr:
    return whole(choices, 0, 3, type_)


def _int_high(choices: Choices, type_: Scalar) -> Expr:
    return whole(choices, 5, 100, type_)


def _int_nonzero(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return x
    if choices.chance(1, 2):
        return apply("wp.max", x, whole(choices, type_=scalar_of(x.type)))
    return apply("+", apply("wp.abs", x), whole(choices, type_=scalar_of(x.type)))


def _int_small(choices: Choices, x: Expr) -> Expr:
    return x if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((15, 7, 31)), scalar_of(x.type)))


def _byte(choices: Choices, x: Expr) -> Expr:
    return x if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((63, 127, 31)), scalar_of(x.type)))


def _shift(choices: Choices, x: Expr) -> Expr:
    type_ = scalar_of(x.type)
    return (
        whole(choices, 1, 5, type_) if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((7, 3)), type_))
    )


def _each(choices: Choices, x: Expr, masks: tuple[int, ...]) -> Expr:
    mask = _splat(x.type, Literal(choices.pick(masks), scalar_of(x.type)))
    return apply("&", x, mask)


def _each_byte(choices: Choices, x: Expr) -> Expr:
    return _each(choices, x, (63, 127, 31))


def _each_shift(choices: Choices, x: Expr) -> Expr:
    return _each(choices, x, (7, 3))


def _splat(type_: Value, value: Expr) -> Expr:
    if isinstance(type_, Vec):
        return built(type_, (value,))
    assert isinstance(type_, Mat)
    left, right = (built(vec(n, type_.dtype), (value,)) for n in (type_.rows, type_.cols))
    return apply("wp.outer", left, right)


def _all_nonzero(choices: Choices, x: Expr) -> Expr:
    if isinstance(x.type, Vec):
        return apply("+", apply("wp.abs", x), _splat(x.type, _number(choices, x, 25, 200)))
    return apply("+", apply("wp.cw_mul", x, x), _splat(x.type, _number(choices, x, 50, 200)))


def _regular(choices: Choices, x: Expr) -> Expr:
    # A Gram matrix plus a multiple of the identity is positive definite.
    if isinstance(x, Apply) and x.op.symbol == "wp.transpose":
        x = x.args[0]
    gram = apply("*", apply("wp.transpose", x), x)
    return apply("+", gram, apply("*", identity(x.type), _number(choices, x, 50, 300)))


def identity(type_: Value) -> Expr:
    """Return the identity matrix of a matrix type."""
    return Apply(op("wp.identity", result=type_), ())


GUARDS: dict[str, Guard] = {
    "positive": _positive,
    "nonzero": _positive,
    "unit": _unit,
    "above_unit": _above_unit,
    "fraction": _fraction,
    "unit_vector": _unit_vector,
    "bounded": _bounded,
    "small": _small,
    "int_nonzero": _int_nonzero,
    "int_small": _int_small,
    "byte": _byte,
    "shift": _shift,
    "each_byte": _each_byte,
    "each_shift": _each_shift,
    "vec_nonzero": _all_nonzero,
    "mat_nonzero": _all_nonzero,
    "mat_regular": _regular,
}

# Parameters that bound the others: they are constants, low below zero and high above it.
LIMITS: dict[str, Callable[[Choices, Scalar], Expr]] = {
    "low": _low,
    "high": _high,
    "int_low": _int_low,
    "int_high": _int_high,
}
