"""Places in tiles: the indices of an element, as C++."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..code import Code, binary
from ..types import INT, literal

Index = Callable[[], Code]
ZERO = literal(INT, 0)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an element in a tile.

    Attributes:
        shape: the tile's.
        axes: give an index for each dimension; asked for only where the index is used.
        linear: gives the number of the element, row after row; None if that is worked out of the others.
        own: whether the thread that has this place has it in any loop over the tile.
        span: between which indices of the first dimension all places of the loop lie, if that is known.
    """

    shape: tuple[int, ...]
    axes: tuple[Index, ...]
    linear: Index | None = None
    own: bool = False
    span: tuple[int, int] | None = None

    def number(self) -> Code:
        """Return the number of the element, row after row."""
        if self.linear is not None:
            return self.linear()
        total = ZERO
        for length, axis in zip(self.shape, self.axes, strict=True):
            if length > 1:
                total = plus(times(total, length), axis())
        return total

    def moved(self, shape: Sequence[int], axes: Sequence[Index], span: tuple[int, int] | None = None) -> Place:
        """Return a place in another tile."""
        return Place(tuple(shape), tuple(axes), span=span)

    def reshaped(self, shape: tuple[int, ...]) -> Place:
        """Return the place of the same number in a tile of another shape."""
        mine = [axis for length, axis in zip(self.shape, self.axes, strict=True) if length > 1]
        if [n for n in shape if n > 1] == [n for n in self.shape if n > 1]:
            left = iter(mine)
            span = self.span if shape[:1] == self.shape[:1] else None
            return Place(shape, tuple(next(left) if n > 1 else _zero for n in shape), self.linear, self.own, span)
        axes = tuple(_part(self.number, shape, axis) for axis in range(len(shape)))
        return Place(shape, axes, self.number, self.own)


def _zero() -> Code:
    return ZERO


def _part(number: Index, shape: tuple[int, ...], axis: int) -> Index:
    def index() -> Code:
        if shape[axis] == 1:
            return ZERO
        code, behind = number(), math.prod(shape[axis + 1 :])
        if behind > 1:
            code = binary("/", code, literal(INT, behind), INT)
        if math.prod(shape[:axis]) > 1:
            code = binary("%", code, literal(INT, shape[axis]), INT)
        return code

    return index


def fixed(shape: Sequence[int], codes: Sequence[Code]) -> Place:
    """Return a place whose indices are known."""
    return Place(tuple(shape), tuple((lambda code=code: code) for code in codes))  # type: ignore[misc]


def first(shape: Sequence[int]) -> Place:
    """Return the place of the first element."""
    return Place(tuple(shape), (_zero,) * len(shape), _zero)


def plus(a: Code, b: Code) -> Code:
    """Return the sum of two indices."""
    if a.text == "0":
        return b
    return a if b.text == "0" else binary("+", a, b, INT)


def times(a: Code, n: int) -> Code:
    """Return a multiple of an index."""
    return a if a.text == "0" or n == 1 else binary("*", a, literal(INT, n), INT)
