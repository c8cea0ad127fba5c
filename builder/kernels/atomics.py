"""Atomics as expressions, which give what the element held before."""

from __future__ import annotations

from .author import Arr
from .ops.special import special_op
from .program import Apply
from .terms import Like, Term, lift
from .types import INT, Array


def exchanged(kind: str, array: Arr, index: Like, *values: Like) -> Term:
    """Return ``wp.atomic_<kind>(array, index..., values...)``, the old element.

    Args:
        kind: add, sub, min, max, cas (compare, then value), exch, and, or, xor.
        array: the array.
        index: one index for each dimension.
        values: the operands; numbers take the array's element type.

    Raises:
        ValueError: Warp has no such atomic on the array's elements.
    """
    type_ = array.type
    assert isinstance(type_, Array)
    places = index if isinstance(index, tuple) else (index,)
    args = (array.e, *(lift(k, INT) for k in places), *(lift(value, type_.dtype) for value in values))
    return Term(Apply(special_op(f"atomic_{kind}", args, {}), args))
