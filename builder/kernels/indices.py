"""Array indices that are in bounds by construction."""

from __future__ import annotations

from .draft import Draft, Input
from .ops import op
from .pieces import apply, whole
from .program import Apply, Expr, Extent, Literal
from .types import INT


def neighbour(draft: Draft, array: Input, axis: int, index: Expr) -> Expr:
    """Return an index beside ``index`` that stays inside the array: clamped or wrapped around."""
    c = draft.choices
    extent = Extent(array.name, axis)
    offset = whole(c, 1, 3)
    way = c.below(3)
    if way == 0:
        return apply("wp.min", apply("+", index, offset), apply("-", extent, Literal(1, INT)))
    if way == 1:
        return apply("wp.max", apply("-", index, offset), Literal(0, INT))
    return Apply(op("%", INT, INT), (apply("+", index, offset), extent))


def place(draft: Draft, array: Input) -> tuple[Expr, ...]:
    """Return an in-bounds index of an input: the thread's own, rarely a neighbour's."""
    c = draft.choices
    threads = list(draft.threads())
    ndim = array.type.ndim
    index: list[Expr] = threads[:ndim] if ndim >= len(threads) else c.sample(threads, ndim)
    index += [Literal(0, INT)] * (ndim - len(index))
    if c.chance(1, 6):
        axis = c.below(min(ndim, len(threads)))
        index[axis] = neighbour(draft, array, axis, index[axis])
    return tuple(index)


def wrapped(array: Input, axis: int, *terms: Expr) -> Expr:
    """Return ``(a + b + ...) % extent``: in bounds for non-negative terms."""
    total = terms[0]
    for term in terms[1:]:
        total = apply("+", total, term)
    return Apply(op("%", INT, INT), (total, Extent(array.name, axis)))
