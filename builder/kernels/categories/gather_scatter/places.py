"""Indices read from arrays, held inside the array they index."""

from __future__ import annotations

from ...author import Author
from ...terms import Term, either, where, wp
from ...types import INT


def inside(k: Author, index: Term, count: Term, words: str = "e|slot|src|place") -> Term:
    """Write an index read from memory so that it lies in ``0 <= index < count``: clamped, wrapped, or skipped.

    Args:
        k: the kernel.
        index: the index as read.
        count: how many elements there are, at least 1.
        words: alternatives for the name of the result.
    """
    c, way = k.c, k.c.below(4)
    if way == 0:
        return k.let(words, wp.clamp(index, 0, count - 1))  # type: ignore[no-any-return]
    if way == 1:
        return k.let(words, wp.abs(index) % count)  # type: ignore[no-any-return]
    place = k.let(words, index)
    if way == 2:
        with k.if_(either(place < 0, place >= count)):
            k.leave()
        return place  # type: ignore[no-any-return]
    low = k.let("low_end|floor_at|kept", where(place < 0, place + count if c.chance(1, 2) else wp.abs(place), place))
    return k.let("held|safe|bounded", wp.max(wp.min(low, count - 1), 0))  # type: ignore[no-any-return]


def index_array(k: Author, ndim: int = 1) -> Term:
    """Declare an array of indices."""
    return k.input("indices|idx|ids|map_to|order|perm", INT, ndim)
