"""vector: vec2, vec3 and vec4 algebra, with reductions to scalars and component access."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import VECTOR, expr
from ..program import Program
from ..statements import combine, let, store
from ..types import FLOAT, VEC2, VEC3, VEC4


def build(c: Choices) -> Program:
    draft = Draft(c, "vector", c.pick((1, 1, 1, 2)))
    kind = c.pick((VEC3, VEC2, VEC4, VEC3))
    for _ in range(c.between(1, 3)):
        draft.input(kind)
    if c.chance(1, 3):
        draft.input(FLOAT)
    if c.chance(1, 4):
        draft.scalar(draft.kind(FLOAT, kind))
    for _ in range(c.between(1, 3)):
        let(draft, kind if c.chance(2, 3) else FLOAT, c.between(1, 3), VECTOR)
    result = FLOAT if c.chance(1, 3) else kind
    store(draft, combine(draft, result, expr(draft, result, 2, VECTOR)), result)
    if c.chance(1, 4):
        other = kind if result == FLOAT else FLOAT
        store(draft, expr(draft, other, 2, VECTOR), other)
    return draft.program()
