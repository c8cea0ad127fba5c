"""The values that a program is run with: the same formulas in C++ and in NumPy, so that both see the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..codegen.arguments import ArrayOf, Block, Kind, Number, Record

ROTATIONS, FLOATS, FLAGS, PLACES, RISING, WHOLE = "rotations", "floats", "flags", "places", "rising", "whole"
_RISING = ("offset", "start", "ptr", "begin")
_MOST = {"int8": 100, "uint8": 200, "int16": 200, "uint16": 200}


@dataclass(frozen=True, slots=True)
class Leaf:
    """Numbers of one type among a program's arguments.

    Attributes:
        path: the argument's name, with the names of fields behind it.
        kind: the number or block.
        array: the array that it lies in, by its path; "" for none.
        stream: which of the random streams fills it, from 0.
        fill: how, one of the words above.
    """

    path: str
    kind: Number | Block
    array: str
    stream: int
    fill: str

    @property
    def number(self) -> Number:
        """The type of its numbers."""
        return self.kind if isinstance(self.kind, Number) else self.kind.number

    @property
    def parts(self) -> int:
        """How many numbers an element has."""
        return 1 if isinstance(self.kind, Number) else int(np.prod(self.kind.shape))

    @property
    def limits(self) -> tuple[float, float]:
        """Between which floats lie: what is no array is a strength, a step or a threshold, and positive."""
        return (-2.0, 2.0) if self.array else (0.1, 1.5)


def leaves(args: Sequence[tuple[str, Kind]]) -> list[Leaf]:
    """Return all numbers of some arguments, in the order in which they lie there."""
    found: list[Leaf] = []
    for name, kind in args:
        found += _leaves(name, kind, "", len(found))
    return found


def _leaves(path: str, kind: Kind, array: str, stream: int) -> Iterator[Leaf]:
    if isinstance(kind, (Number, Block)):
        yield Leaf(path, kind, array, stream, _fill(path, kind, array))
    elif isinstance(kind, Record):
        for name, inner in kind.fields:
            for leaf in _leaves(f"{path}.{name}", inner, array, stream):
                stream = leaf.stream + 1
                yield leaf
    elif isinstance(kind, ArrayOf):
        yield from _leaves(path, kind.element, path, stream)


def _fill(path: str, kind: Number | Block, array: str) -> str:
    number = kind if isinstance(kind, Number) else kind.number
    if number.name == "bool":
        return FLAGS
    if "float" in number.name:
        turns = isinstance(kind, Block) and kind.family in ("quaternion", "transformation")
        return ROTATIONS if turns else FLOATS
    if array and isinstance(kind, Number) and not number.name.startswith("u"):
        return RISING if any(word in path for word in _RISING) else PLACES
    return WHOLE


def _bits(numbers: Sequence[int]) -> NDArray[np.uint32]:
    return np.asarray(np.array(numbers, np.uint32))


def _pcg(x: Any) -> NDArray[np.uint32]:
    b = x * np.uint32(747796405) + np.uint32(2891336453)
    c = ((b >> ((b >> np.uint32(28)) + np.uint32(4))) ^ b) * np.uint32(277803737)
    return np.asarray((c >> np.uint32(22)) ^ c)


def uniform(seed: int, stream: int, count: int) -> NDArray[np.float64]:
    """Return the first ``count`` numbers in [0, 1) of a stream: ``pcg(pcg(pcg(seed) + stream) + index) / 2**32``."""
    with np.errstate(over="ignore"):
        start = _pcg(_pcg(_bits([seed & 0xFFFFFFFF])) + np.uint32(stream))
        drawn = _pcg(start + np.arange(count, dtype=np.uint32))
        return np.asarray(drawn.astype(np.float64) / 4294967296.0)


def values(leaf: Leaf, seed: int, n: int, length: int, elements: int) -> NDArray[np.float64]:
    """Return the numbers of a leaf, one row for each element.

    Args:
        seed: the program's.
        n: the length of the launch grid's dimensions.
        length: of the array's last dimension; 1 for what is no array.
        elements: how many there are.
    """
    draws = uniform(seed, leaf.stream, elements * leaf.parts)
    index = np.arange(elements * leaf.parts)
    if leaf.fill == FLAGS:
        drawn = (draws < 0.5).astype(np.float64)
    elif leaf.fill == FLOATS:
        low, high = leaf.limits
        drawn = low + (high - low) * draws
    elif leaf.fill == ROTATIONS:
        return _rotations(draws.reshape(elements, leaf.parts))
    elif leaf.fill == PLACES:
        most = most_of(leaf, n)
        drawn = (most - 1 - index % most).astype(np.float64)
    elif leaf.fill == RISING:
        drawn = np.minimum(index % max(length, 1), n).astype(np.float64)
    else:
        drawn = whole(leaf, draws, n)
    if not leaf.array and leaf.fill == FLOATS:
        drawn = np.round(drawn, 3)
    return drawn.reshape(elements, leaf.parts)


def whole(leaf: Leaf, draws: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return whole numbers: small ones from 1 where they are no array, up to ``n`` or 200 in one."""
    if not leaf.array:
        return np.asarray(1.0 + np.floor(draws * 7.0))
    return np.asarray(np.floor(draws * most_of(leaf, n)))


def most_of(leaf: Leaf, n: int) -> int:
    """Return how many whole numbers a leaf may have, from 0."""
    if leaf.number.name.startswith("u"):
        return _MOST.get(leaf.number.name, max(n, 200))
    return min(n, _MOST.get(leaf.number.name, n))


def _rotations(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    drawn = -2.0 + 4.0 * draws
    turn = -1.0 + 2.0 * draws[:, -4:]
    x, y, z, w = turn.T
    length = np.sqrt(x * x + y * y + z * z + w * w)
    drawn[:, -4:] = turn / np.where(length > 0.0, length, 1.0)[:, None]
    return np.asarray(drawn)
