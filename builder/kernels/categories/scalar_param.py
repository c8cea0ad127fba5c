"""scalar_param: element-wise kernels steered by several arguments passed by value."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import MATH, NUMERIC, VECTOR, expr
from ..program import Program
from ..statements import branch, combine, let, state, steps, store
from ..types import BOOL, FLOAT, INT, VEC3, Value


def build(c: Choices) -> Program:
    draft = Draft(c, "scalar_param", c.pick((1, 1, 2)))
    kind: Value = VEC3 if c.chance(1, 4) else FLOAT
    draft.input(kind)
    if c.chance(1, 2):
        draft.input(FLOAT)
    for _ in range(c.between(2, 4)):
        draft.scalar(draft.kind(FLOAT, FLOAT, INT, kind, BOOL))
    families = VECTOR if kind == VEC3 else c.pick((NUMERIC, MATH))
    for _ in range(c.between(1, 3)):
        let(draft, kind if c.chance(2, 3) else FLOAT, c.between(1, 2), families)
    if c.chance(1, 3):
        kept = state(draft, kind, start=expr(draft, kind, 1, families))
        branch(draft, 1, c.chance(1, 2), lambda: steps(draft, [kept], families), depth=c.below(2))
        store(draft, combine(draft, kind, draft.read(kept)), kind)
    else:
        store(draft, combine(draft, kind, expr(draft, kind, 2, families)), kind)
    return draft.program()
