"""math: elementary functions composed with arithmetic, each argument held to its domain."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import MATH, expr
from ..program import Program
from ..statements import combine, let, store
from ..types import FLOAT, INT


def build(c: Choices) -> Program:
    draft = Draft(c, "math", c.pick((1, 1, 2)))
    for _ in range(c.between(1, 3)):
        draft.input(FLOAT)
    if c.chance(1, 6):
        draft.input(INT)
    if c.chance(1, 4):
        draft.scalar(FLOAT)
    for _ in range(c.between(1, 3)):
        let(draft, FLOAT, c.between(2, 3), ("math",) if c.chance(1, 2) else MATH)
    store(draft, combine(draft, FLOAT, expr(draft, FLOAT, 2, MATH)), FLOAT)
    return draft.program()
