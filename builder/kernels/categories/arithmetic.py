"""arithmetic: chains of float and integer arithmetic on the elements of a few arrays."""

from __future__ import annotations

from ..choices import Choices
from ..draft import Draft
from ..grammar import expr
from ..program import Name, Program
from ..statements import combine, let, store
from ..types import DOUBLE, FLOAT, HALF, INT, INT16, INT64, UINT, UINT8, UINT64
from ..vocabulary import ARITHMETIC_MORE, BITS, INTEGER, INTEGER_MORE, NUMERIC

_REALS = {FLOAT: 6, DOUBLE: 3, HALF: 2}
_INTEGERS = (INT, INT64, UINT, UINT64, INT16, UINT8)


def build(c: Choices) -> Program:
    draft = Draft(c, "arithmetic", c.pick((1, 1, 2, 3)))
    integer = c.chance(1, 3)
    if integer:
        main, families = c.pick(_INTEGERS), c.pick((INTEGER, BITS, INTEGER_MORE))
    else:
        main, families = c.weighted(_REALS), c.pick((NUMERIC, NUMERIC, ARITHMETIC_MORE))
    for _ in range(c.between(1, 3)):
        draft.input(main)
    if c.chance(1, 4):
        draft.input(c.pick((FLOAT, DOUBLE)) if integer else c.pick((INT, UINT)))
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
