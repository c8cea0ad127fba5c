"""vector: vec2, vec3 and vec4 algebra, with reductions to scalars and component access."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr
from ..program import Program
from ..statements import combine, let, store
from ..types import DOUBLE, HALF, INT, UINT8, VEC2, VEC3, VEC4, vec
from ..vocabulary import INTEGER_VECTOR, VECTOR, VECTOR_MORE

# Those that the tables know best come up most.
_KINDS = (
    VEC3, VEC2, VEC4, VEC3, VEC3, VEC2, vec(3, DOUBLE), vec(2, DOUBLE), vec(4, DOUBLE), vec(3, HALF), vec(4, HALF),
    vec(5), vec(8), vec(3, INT), vec(2, INT), vec(4, UINT8),
)  # fmt: skip


def build(c: Choices) -> Program:
    draft = Draft(c, "vector", c.pick((1, 1, 1, 2)))
    kind = c.pick(_KINDS)
    real = kind.dtype
    families = INTEGER_VECTOR if real.is_int else c.pick((VECTOR, VECTOR, VECTOR_MORE))
    for _ in range(c.between(1, 3)):
        draft.input(kind)
    if c.chance(1, 3):
        draft.input(real)
    if c.chance(1, 4):
        draft.scalar(draft.kind(real, kind))
    for _ in range(c.between(1, 3)):
        let(draft, kind if c.chance(2, 3) else real, c.between(1, 3), families)
    result = real if c.chance(1, 3) else kind
    store(draft, combine(draft, result, expr(draft, result, 2, families)), result)
    if c.chance(1, 4):
        other = kind if result == real else real
        store(draft, expr(draft, other, 2, families), other)
    return draft.program()
