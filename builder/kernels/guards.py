"""Domain guards: ways to hold an argument to the domain its operation needs.

A guard takes any expression of the right type and returns one whose value lies in the domain, written
as a programmer might write it. Several ways per guard, so that guards do not make kernels alike.
"""

from __future__ import annotations

from collections.abc import Callable

from .choices import Choices
from .ops import op
from .pieces import apply, identity, number, splat, whole
from .program import Apply, Expr, Literal, Name
from .types import VEC3, Scalar, Vec, scalar_of

Guard = Callable[[Choices, Expr], Expr]


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
    # The sum of an unsigned number and another may come to zero again.
    if choices.chance(1, 2) or not scalar_of(x.type).signed:
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
    mask = splat(x.type, Literal(choices.pick(masks), scalar_of(x.type)))
    return apply("&", x, mask)


def _each_byte(choices: Choices, x: Expr) -> Expr:
    return _each(choices, x, (63, 127, 31))


def _each_shift(choices: Choices, x: Expr) -> Expr:
    return _each(choices, x, (7, 3))


def _all_nonzero(choices: Choices, x: Expr) -> Expr:
    type_ = scalar_of(x.type)
    if not type_.is_float:
        if not type_.signed:
            return apply("wp.max", x, splat(x.type, whole(choices, type_=type_)))
        return apply("+", apply("wp.abs", x), splat(x.type, whole(choices, type_=type_)))
    if isinstance(x.type, Vec):
        return apply("+", apply("wp.abs", x), splat(x.type, _number(choices, x, 25, 200)))
    return apply("+", apply("wp.cw_mul", x, x), splat(x.type, _number(choices, x, 50, 200)))


def _regular(choices: Choices, x: Expr) -> Expr:
    # A Gram matrix plus a multiple of the identity is positive definite.
    if isinstance(x, Apply) and x.op.symbol == "wp.transpose":
        x = x.args[0]
    gram = apply("*", apply("wp.transpose", x), x)
    return apply("+", gram, apply("*", identity(x.type), _number(choices, x, 50, 300)))


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
