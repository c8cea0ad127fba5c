"""arithmetic: chains of float and integer arithmetic on the elements of a few arrays."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import BITS, INTEGER, NUMERIC, expr
from ..program import FLOAT, INT, Program
from ..statements import combine, let, store


def build(c: Choices) -> Program:
    draft = Draft(c, "arithmetic", c.pick((1, 1, 2, 3)))
    integer = c.chance(1, 3)
    main, families = (INT, BITS if c.chance(1, 2) else INTEGER) if integer else (FLOAT, NUMERIC)
    for _ in range(c.between(1, 3)):
        draft.input(main)
    if c.chance(1, 4):
        draft.input(FLOAT if integer else INT)
    for _ in range(c.between(1, 4)):
        let(draft, main, c.between(1, 3), families)
    if c.chance(1, 4):
        first = combine(draft, main)
        kept = draft.let(first)
        store(draft, expr(draft, main, 2, families), main)
        kept.uses += 1
        store(draft, draft.read(kept), main)
    else:
        store(draft, combine(draft, main, expr(draft, main, c.between(1, 2), families)), main)
    return draft.program()
