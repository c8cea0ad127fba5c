"""Loops of a block's threads over the elements of a tile, as they are being written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..code import Code, binary
from ..types import INT
from .accesses import Access
from .places import ZERO, Index, Place

_STEP = "threadIdx.x"


@dataclass(slots=True)
class Item:
    """Some lines of a loop: ``defines`` is needed only if a later item reads it.

    Attributes:
        lines: C++, or the head of a loop in the loop.
        body: what stands in that.
        defines: a name that the lines define or change, and do nothing else.
        reads: the names of the loop that they read.
    """

    lines: list[str]
    body: list[Item] | None = None
    defines: str = ""
    reads: set[str] = field(default_factory=set)


class Loop:
    """A loop over all elements of tiles of one shape, each thread taking every 256th of them.

    Args:
        shape: the tile's lengths.
        dims: C++ for them.
        names: for the number of an element and for its indices.
    """

    def __init__(self, shape: tuple[int, ...], dims: tuple[str, ...], names: Sequence[str]) -> None:
        self.shape, self.dims = shape, dims
        self.counter, self.indices = names[0], list(names[1:])
        self.stack: list[list[Item]] = [[]]
        self.reads: list[set[str]] = [set()]
        self.known: list[dict[str, str]] = [{}]
        self.locals: set[str] = set()
        self.accesses: list[Access] = []
        self.number = 0

    @property
    def items(self) -> list[Item]:
        """The items of the innermost loop."""
        return self.stack[-1]

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether the elements of a tile are those of the loop."""
        return _long(shape) == _long(self.shape)

    def place(self, shape: tuple[int, ...]) -> Place:
        """Return the place in a tile that a thread is at."""
        names = iter([self.counter] if len(_long(self.shape)) < 2 else self.indices)
        axes = tuple(self.name(next(names)) if length > 1 else (lambda: ZERO) for length in shape)
        return Place(shape, axes, self.name(self.counter), own=True, span=(0, shape[0]))

    def name(self, name: str) -> Index:
        """Return what gives one of the loop's names, and notes that it is read."""

        def index() -> Code:
            self.read(name)
            return Code(name, INT)

        return index

    def read(self, name: str) -> None:
        """Note that a name is read."""
        self.reads[-1].add(name)

    def add(self, *lines: str, defines: str = "", again: bool = False) -> None:
        """Add lines, which read what has been read since the last were added.

        Args:
            lines: C++.
            defines: a name that they define, or change if ``again``, and do nothing else.
        """
        reads = self.reads[-1] | ({defines} if again else set())
        self.items.append(Item(list(lines), None, defines, reads))
        self.reads[-1] = set()

    def enter(self, head: str) -> None:
        """Begin a loop in the loop."""
        item = Item([head], [], "", self.reads[-1])
        self.items.append(item)
        assert item.body is not None
        self.stack.append(item.body)
        self.reads.append(set())
        self.known.append(dict(self.known[-1]))

    def leave(self, defines: str) -> None:
        """End it; all it does is to change a name."""
        self.stack.pop()
        self.known.pop()
        self.reads.pop()
        item = self.items[-1]
        item.defines = defines
        item.reads.add(defines)
        self.reads[-1] = set()

    def mark(self) -> tuple[int, set[str], dict[str, str], set[str], int]:
        """Return what :meth:`back` needs to undo what comes now."""
        return len(self.items), set(self.reads[-1]), dict(self.known[-1]), set(self.locals), len(self.accesses)

    def back(self, mark: tuple[int, set[str], dict[str, str], set[str], int]) -> None:
        """Undo what has been added since a mark."""
        items, self.reads[-1], self.known[-1], self.locals, accesses = mark
        del self.items[items:]
        del self.accesses[accesses:]

    def text(self) -> list[str]:
        """Return the loop, without what nothing needs; nothing if that is all."""
        kept = list(_needed(self.items, set()))[::-1]
        if not kept:
            return []
        read = set().union(*(_all_reads(item) for item in kept))
        lines = [f"for (int {self.counter} = {_STEP}; {self.counter} < {self.size()}; {self.counter} += blockDim.x) {{"]
        lines += [f"  {line}" for line in self._splitting(read)]
        return [*lines, *(f"  {line}" for line in _lines(kept)), "}"]

    def size(self) -> str:
        """Return how many elements there are."""
        return total(self.dims)

    def _splitting(self, read: set[str]) -> Iterator[str]:
        long = [axis for axis, length in enumerate(self.shape) if length > 1]
        if len(long) < 2:
            return
        for place, axis in enumerate(long):
            name, number = self.indices[place], Code(self.counter, INT)
            if name not in read:
                continue
            behind = total(self.dims[axis + 1 :])
            if behind != "1":
                number = binary(
                    "/", number, Code(behind, INT, 13 if behind.isidentifier() or behind.isdigit() else 11), INT
                )
            if place:
                number = binary("%", number, Code(self.dims[axis], INT), INT)
            yield f"const int {name} = {number.text};"


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(length for length in shape if length > 1)


def total(dims: Sequence[str]) -> str:
    """Return the product of some lengths."""
    if all(dim.isdigit() for dim in dims):
        return str(math.prod(map(int, dims)))
    return " * ".join(dim for dim in dims if dim != "1")


def _all_reads(item: Item) -> set[str]:
    found = set(item.reads)
    for inner in item.body or ():
        found |= _all_reads(inner)
    return found


def _needed(items: Sequence[Item], wanted: set[str]) -> Iterator[Item]:
    """Yield, the last first, the items that do something or define what is wanted behind them."""
    for item in reversed(items):
        if item.defines and item.defines not in wanted:
            continue
        wanted |= _all_reads(item)
        if item.body is not None:
            inner = list(_needed(item.body, set(wanted)))[::-1]
            yield Item(item.lines, inner, item.defines, item.reads)
        else:
            yield item


def _lines(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        yield from item.lines
        if item.body is not None:
            yield from (f"  {line}" for line in _lines(item.body))
            yield "}"
