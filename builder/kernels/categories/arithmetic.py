"""arithmetic: chains of float and integer arithmetic on the elements of a few arrays."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import BITS, INTEGER, NUMERIC, expr
from ..program import Name, Program
from ..statements import combine, let, store
from ..types import FLOAT, INT


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
        kept = combine(draft, main)
        if not isinstance(kept, Name):
            kept = draft.read(draft.let(kept))
        store(draft, expr(draft, main, 2, families, top=True), main)
        store(draft, kept, main)
    else:
        store(draft, combine(draft, main, expr(draft, main, c.between(1, 2), families)), main)
    return draft.program()
