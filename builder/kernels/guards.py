"""Domain guards: ways to hold an argument to the domain its operation needs.

A guard takes any expression of the right type and returns one whose value lies in the domain, written
as a programmer might write it. Several ways per guard, so that guards do not make kernels alike.
"""

from __future__ import annotations

from collections.abc import Callable

from .choices import Choices
from .ops import op
from .program import FLOAT, INT, VEC_OF, Apply, Expr, Literal, Mat, Name, Part, Value, Vec

Guard = Callable[[Choices, Expr], Expr]


def number(choices: Choices, low: int = 1, high: int = 400) -> Literal:
    """Return a float literal of ``low`` to ``high`` hundredths, round ones first."""
    if choices.chance(1, 2):
        return Literal(choices.between(low, high) / 100, FLOAT)
    return Literal(
        choices.pick([k for k in (100, 50, 200, 25, 10, 150, 300) if low <= k <= high] or [low]) / 100, FLOAT
    )


def whole(choices: Choices, low: int = 1, high: int = 9) -> Literal:
    """Return an integer literal in ``[low, high]``."""
    return Literal(choices.between(low, high), INT)


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


def unsigned(x: Expr) -> Expr:
    """Return the expression without a leading minus."""
    return x.args[0] if isinstance(x, Apply) and x.op.symbol == "neg" else x


def unlike(choices: Choices, x: Expr) -> Expr:
    """Return an expression that differs from ``x`` by more than a factor, where ``x`` twice would be void."""
    if isinstance(x.type, Vec):
        parts = tuple(Part(x, ((k + 1) % x.type.n,)) for k in range(x.type.n))
        return Apply(op(x.type.text, *(FLOAT,) * x.type.n), parts)
    if isinstance(x.type, Mat):
        return apply("+", apply("wp.transpose", x), apply("*", identity(x.type), number(choices)))
    return whole(choices) if x.type == INT else number(choices)


def joined(choices: Choices, symbol: str, left: Expr, right: Expr) -> Apply:
    """Return ``left symbol right``; where both are the same but for a sign, another right side."""
    same = unsigned(left) == unsigned(right)
    return apply(symbol, left, unlike(choices, unsigned(right)) if same else right)


def _positive(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return x
    if isinstance(x, Apply) and x.op.symbol == "wp.abs":
        return apply("+", x, number(choices, 10, 200))
    way = choices.below(3 if isinstance(x, Name) else 2)
    if way == 0:
        return apply("+", apply("wp.abs", x), number(choices, 10, 200))
    if way == 1:
        return apply("wp.max", x, number(choices, 1, 100))
    return apply("+", apply("*", x, x), number(choices, 10, 200))


def _unit(choices: Choices, x: Expr) -> Expr:
    if choices.chance(1, 3):
        return apply("*", apply("wp.sin", x), Literal(0.9, FLOAT))
    return apply("wp.clamp", x, _negative(0.95), Literal(0.95, FLOAT))


def _negative(value: float) -> Expr:
    return apply("neg", Literal(value, FLOAT))


def _bounded(choices: Choices, x: Expr) -> Expr:
    way = choices.below(3)
    limit = number(choices, 200, 500)
    if way == 0:
        return apply("wp.clamp", x, apply("neg", limit), limit)
    if way == 1:
        return apply("*", apply("wp.tanh", x), limit)
    return apply("neg", apply("wp.min", apply("wp.abs", x), limit))


def _small(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return Literal(choices.pick((2.0, 0.5, 1.5, 3.0)), FLOAT)
    if choices.chance(1, 3):
        return apply("wp.tanh", x)
    return apply("wp.clamp", x, _negative(1.2), Literal(1.2, FLOAT))


def _low(choices: Choices) -> Expr:
    return apply("neg", number(choices, 50, 400))


def _high(choices: Choices) -> Expr:
    return number(choices, 50, 400)


def _int_nonzero(choices: Choices, x: Expr) -> Expr:
    if isinstance(x, Literal):
        return x
    if choices.chance(1, 2):
        return apply("wp.max", x, whole(choices))
    return apply("+", apply("wp.abs", x), whole(choices))


def _int_small(choices: Choices, x: Expr) -> Expr:
    return x if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((15, 7, 31)), INT))


def _byte(choices: Choices, x: Expr) -> Expr:
    return x if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((255, 127, 1023)), INT))


def _shift(choices: Choices, x: Expr) -> Expr:
    return whole(choices, 1, 5) if isinstance(x, Literal) else apply("&", x, Literal(choices.pick((7, 3)), INT))


def _splat(type_: Value, value: Expr) -> Expr:
    if isinstance(type_, Vec):
        return Apply(op(type_.text, FLOAT), (value,))
    assert isinstance(type_, Mat)
    ones = Apply(op(VEC_OF[type_.n].text, FLOAT), (value,))
    return apply("wp.outer", ones, ones)


def _all_nonzero(choices: Choices, x: Expr) -> Expr:
    if isinstance(x.type, Vec):
        return apply("+", apply("wp.abs", x), _splat(x.type, number(choices, 25, 200)))
    return apply("+", apply("wp.cw_mul", x, x), _splat(x.type, number(choices, 50, 200)))


def _regular(choices: Choices, x: Expr) -> Expr:
    # A Gram matrix plus a multiple of the identity is positive definite.
    if isinstance(x, Apply) and x.op.symbol == "wp.transpose":
        x = x.args[0]
    gram = apply("*", apply("wp.transpose", x), x)
    return apply("+", gram, apply("*", identity(x.type), number(choices, 50, 300)))


def identity(type_: Value) -> Expr:
    """Return the identity matrix of a matrix type."""
    return Apply(op("wp.identity", result=type_), ())


GUARDS: dict[str, Guard] = {
    "positive": _positive,
    "nonzero": _positive,
    "unit": _unit,
    "bounded": _bounded,
    "small": _small,
    "int_nonzero": _int_nonzero,
    "int_small": _int_small,
    "byte": _byte,
    "shift": _shift,
    "vec_nonzero": _all_nonzero,
    "mat_nonzero": _all_nonzero,
    "mat_regular": _regular,
}

# Parameters that bound the others: they are constants, low below zero and high above it.
LIMITS: dict[str, Callable[[Choices], Expr]] = {"low": _low, "high": _high}
