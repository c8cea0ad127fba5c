"""math: elementary functions composed with arithmetic, each argument held to its domain."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr
from ..program import Program
from ..statements import combine, let, store
from ..types import DOUBLE, FLOAT, HALF, INT
from ..vocabulary import MATH, MATH_MORE


def build(c: Choices) -> Program:
    draft = Draft(c, "math", c.pick((1, 1, 2)))
    real = c.weighted({FLOAT: 6, DOUBLE: 3, HALF: 2})
    for _ in range(c.between(1, 3)):
        draft.input(real)
    if c.chance(1, 6):
        draft.input(INT)
    if c.chance(1, 4):
        draft.scalar(real)
    for _ in range(c.between(1, 3)):
        let(draft, real, c.between(2, 3), c.pick((MATH, ("math",), MATH_MORE)))
    store(draft, combine(draft, real, expr(draft, real, 2, MATH)), real)
    return draft.program()
