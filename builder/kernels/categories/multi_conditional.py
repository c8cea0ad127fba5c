"""multi_conditional: long if/elif chains and compound conditions that classify or dispatch."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import condition
from ..program import Program
from ..statements import branch, combine, finish, let, state, steps, store
from ..types import DOUBLE, FLOAT, HALF, INT, INT64, UINT
from ..vocabulary import NUMERIC

_FAMILIES = (*NUMERIC, "math")


def build(c: Choices) -> Program:
    draft = Draft(c, "multi_conditional", c.pick((1, 1, 2)))
    real, whole = c.weighted({FLOAT: 7, DOUBLE: 2, HALF: 1}), c.weighted({INT: 5, UINT: 1, INT64: 1})
    draft.input(real)
    for _ in range(c.between(0, 2)):
        draft.input(draft.kind(real, whole))
    for _ in range(c.below(3)):
        draft.scalar(real)
    if c.chance(1, 3):
        draft.let(condition(draft, 1))
    if c.chance(1, 3):
        let(draft, real, 1, _FAMILIES)
    coded = c.chance(1, 3)
    states = [state(draft, whole if coded else real)]
    if c.chance(1, 4):
        states.append(state(draft, real))
    branch(
        draft,
        c.between(2, 5),
        c.chance(3, 4),
        lambda: steps(draft, states, _FAMILIES, c.between(1, 2)),
        depth=c.between(0, 2),
    )
    finish(draft, states)
    for local in reversed(states):
        store(draft, combine(draft, local.type, draft.read(local)), local.type)
    return draft.program()
