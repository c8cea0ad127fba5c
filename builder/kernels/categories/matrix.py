"""matrix: mat22, mat33 and mat44 algebra, matrix-vector products, inverses and reductions."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr
from ..program import Program
from ..statements import combine, let, store
from ..types import DOUBLE, HALF, MAT22, MAT33, MAT44, mat
from ..types import vec as vector
from ..vocabulary import MATRIX, MATRIX_MORE

_KINDS = (
    MAT33, MAT22, MAT44, MAT33, MAT33, MAT22, mat(3, 3, DOUBLE), mat(2, 2, DOUBLE), mat(3, 3, HALF), mat(2, 3),
    mat(3, 4), mat(4, 3), mat(2, 3, DOUBLE),
)  # fmt: skip


def build(c: Choices) -> Program:
    draft = Draft(c, "matrix", c.pick((1, 1, 1, 2)))
    kind = c.pick(_KINDS)
    real, vec = kind.dtype, vector(kind.cols, kind.dtype)
    families = MATRIX if kind.rows == kind.cols and c.chance(2, 3) else MATRIX_MORE
    for _ in range(c.between(1, 2)):
        draft.input(kind)
    if c.chance(1, 2):
        draft.input(vec)
    if c.chance(1, 3):
        draft.input(real)
    if c.chance(1, 5):
        draft.scalar(draft.kind(real, kind, vec))
    for _ in range(c.between(1, 3)):
        let(draft, draft.kind(kind, vec, kind), c.between(1, 2), families)
    result = draft.kind(kind, vec, real)
    store(draft, combine(draft, result, expr(draft, result, 2, families)), result)
    return draft.program()
