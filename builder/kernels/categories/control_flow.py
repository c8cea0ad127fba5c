"""control_flow: branches that assign, nest and leave early, and conditional selection."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft, Local
from ..grammar import leaf
from ..program import Program
from ..statements import branch, combine, finish, leave_early, let, state, steps, store
from ..types import DOUBLE, FLOAT, HALF, INT, INT64, UINT
from ..vocabulary import NUMERIC

_FAMILIES = (*NUMERIC, "select")


def _body(draft: Draft, states: list[Local], nesting: int) -> None:
    c = draft.choices
    if nesting and c.chance(1, 3):
        branch(draft, c.pick((1, 1, 2)), c.chance(1, 2), lambda: _body(draft, states, nesting - 1))
    else:
        steps(draft, states, _FAMILIES)


def build(c: Choices) -> Program:
    draft = Draft(c, "control_flow", c.pick((1, 1, 2)))
    real, whole = c.weighted({FLOAT: 7, DOUBLE: 2, HALF: 1}), c.weighted({INT: 5, UINT: 1, INT64: 1})
    draft.input(real)
    for _ in range(c.below(3)):
        draft.input(draft.kind(real, whole))
    if c.chance(1, 4):
        draft.scalar(draft.kind(real, whole))
    if c.chance(1, 5):
        leave_early(draft)
    if c.chance(1, 3):
        let(draft, real, 2, _FAMILIES)
    states = [state(draft, real, start=leaf(draft, real) if c.chance(1, 2) else None)]
    if c.chance(1, 3):
        states.append(state(draft, draft.kind(real, whole)))
    for _ in range(c.pick((1, 1, 2))):
        branch(draft, c.pick((1, 1, 2)), c.chance(2, 3), lambda: _body(draft, states, 2), depth=c.below(2))
    finish(draft, states)
    kind = states[-1].type
    store(draft, combine(draft, kind, draft.read(states[-1])), kind)
    if len(states) > 1:
        store(draft, draft.read(states[0]), real)
    return draft.program()
