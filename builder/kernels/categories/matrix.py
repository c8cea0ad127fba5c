"""matrix: mat22, mat33 and mat44 algebra, matrix-vector products, inverses and reductions."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import MATRIX, expr
from ..program import Program
from ..statements import combine, let, store
from ..types import FLOAT, MAT22, MAT33, MAT44, VEC_OF


def build(c: Choices) -> Program:
    draft = Draft(c, "matrix", c.pick((1, 1, 1, 2)))
    kind = c.pick((MAT33, MAT22, MAT44, MAT33))
    vec = VEC_OF[kind.n]
    for _ in range(c.between(1, 2)):
        draft.input(kind)
    if c.chance(1, 2):
        draft.input(vec)
    if c.chance(1, 3):
        draft.input(FLOAT)
    if c.chance(1, 5):
        draft.scalar(draft.kind(FLOAT, kind, vec))
    for _ in range(c.between(1, 3)):
        let(draft, draft.kind(kind, vec, kind), c.between(1, 2), MATRIX)
    result = draft.kind(kind, vec, FLOAT)
    store(draft, combine(draft, result, expr(draft, result, 2, MATRIX)), result)
    return draft.program()
