"""Factors of steps, and names for terms that are repeated."""

from __future__ import annotations

from ..author import Author, Scope
from ..program import Name
from ..terms import Term, number
from ..types import FLOAT, Scalar

_MAX_SCALARS = 6


def coefficient(k: Scope, type_: Scalar, low: int = 5, high: int = 300) -> Term:
    """Return a positive factor: a literal of hundredths, an argument of the kernel, or a constant of the module."""
    c = k.c
    value = c.between(low, high) / 100
    way = c.weighted({"literal": 3, "argument": 2, "constant": 1, "static": 1})
    if way == "argument" and isinstance(k, Author) and k.scalar_count < _MAX_SCALARS:
        return k.scalar("alpha|beta|gain|scale|weight|rate|sigma|tau|lam|strength|factor|limit", type_)
    if way == "constant":
        return k.constant("SCALE|GAIN|LIMIT|EPS|RATE|ALPHA|BETA|TAU", value, type_)
    if way == "static" and type_ is FLOAT:
        return k.static(number(value) * number(c.pick((2.0, 0.5, 3.0))))
    return number(value, type_)


def named(k: Scope, value: Term) -> Term:
    """Return a term that may be repeated."""
    return value if isinstance(value.e, Name) else k.let("v|val|t|r|s|u|w|h|q|z|m", value)
