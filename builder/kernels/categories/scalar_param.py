"""scalar_param: element-wise kernels steered by several arguments passed by value."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr
from ..program import Program
from ..statements import branch, combine, let, state, steps, store
from ..types import BOOL, DOUBLE, FLOAT, HALF, INT, Value, Vec, vec
from ..vocabulary import MATH, NUMERIC, VECTOR


def build(c: Choices) -> Program:
    draft = Draft(c, "scalar_param", c.pick((1, 1, 2)))
    real = c.weighted({FLOAT: 7, DOUBLE: 2, HALF: 1})
    kind: Value = vec(c.pick((3, 2)), real) if c.chance(1, 4) else real
    draft.input(kind)
    if c.chance(1, 2):
        draft.input(real)
    for _ in range(c.between(2, 4)):
        draft.scalar(draft.kind(real, real, INT, kind, BOOL))
    families = VECTOR if isinstance(kind, Vec) else c.pick((NUMERIC, MATH))
    for _ in range(c.between(1, 3)):
        let(draft, kind if c.chance(2, 3) else real, c.between(1, 2), families)
    if c.chance(1, 3):
        kept = state(draft, kind, start=expr(draft, kind, 1, families))
        branch(draft, 1, c.chance(1, 2), lambda: steps(draft, [kept], families), depth=c.below(2))
        store(draft, combine(draft, kind, draft.read(kept)), kind)
    else:
        store(draft, combine(draft, kind, expr(draft, kind, 2, families)), kind)
    return draft.program()
