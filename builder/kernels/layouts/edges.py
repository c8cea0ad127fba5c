"""What stands beyond the edges of a grid, and where a cell lies in a flat array."""

from __future__ import annotations

from collections.abc import Sequence

from ..author import Scope
from ..terms import Like, Term, wp

RULES = ("clamp", "wrap", "skip", "zero", "mirror")
RULE_WORDS = {
    "clamp": "repeating the edge", "wrap": "periodic", "skip": "leaving the border out", "zero": "zero beyond the edge",
    "mirror": "mirrored at the edge",
}  # fmt: skip


def shifted(at: Term, d: Like) -> Term:
    """Return ``at + d``, written as a subtraction where ``d`` is negative."""
    return at - (-d) if isinstance(d, int) and d < 0 else at + d


def row_major(places: Sequence[Term], extents: Sequence[Term]) -> Term:
    """Return the place of a cell in a flat array."""
    index = places[0]
    for at, extent in zip(places[1:], extents[1:], strict=True):
        index = index * extent + at
    return index


def place(k: Scope, rule: str, at: Term, d: Like, extent: Term, radius: int) -> Term:
    """Return the place at an offset ``d`` along one axis, held in ``[0, extent)`` by a rule (None: ``at`` itself).

    ``skip`` leaves it as it is; ``zero`` clamps it, for the value is masked.
    """
    moved = at if d is None else shifted(at, d)
    sign = d if isinstance(d, int) else 0
    if rule == "skip":
        return moved
    if rule == "wrap":
        if sign > 0 and k.c.chance(1, 3):
            return moved % extent
        return (moved + extent) % extent if radius < 3 else (moved % extent + extent) % extent
    if rule == "mirror":
        last = extent - 1
        if sign < 0:
            return wp.min(wp.abs(moved), last)
        back = wp.max(last - wp.abs(last - moved), 0)
        return back if sign > 0 else wp.min(wp.abs(back), last) if radius < 1 else wp.clamp(
            last - wp.abs(last - wp.abs(moved)), 0, last
        )  # fmt: skip
    if sign < 0:
        return wp.max(moved, 0)
    if sign > 0:
        return wp.min(moved, extent - 1)
    return wp.clamp(moved, 0, extent - 1)
