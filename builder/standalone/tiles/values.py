"""What a tile is while a kernel is printed: something that gives an element for a place."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...codegen.arguments import Block, Kind, Number, Record
from ...errors import StandaloneRejection
from ..code import Code
from ..types import count
from .accesses import ALL, FIRST, OWN, Access
from .loops import Loop
from .places import Place

if TYPE_CHECKING:
    from .waiting import Blocks


Remap = Callable[[Place], Place]


class Tile(ABC):
    """A tile.

    Args:
        element: the type of its elements.
        shape: its lengths.
        dims: C++ for them.
        cheap: whether an element may be asked for again and again.
    """

    def __init__(self, element: Kind, shape: tuple[int, ...], dims: tuple[str, ...], *, cheap: bool) -> None:
        self.element, self.shape, self.dims, self.cheap = element, shape, dims, cheap

    @property
    def count(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)

    @abstractmethod
    def at(self, p: Blocks, loop: Loop | None, place: Place) -> Code:
        """Return an element; what it needs before it is added to the loop.

        Args:
            loop: in which the element is used; None for one that all threads use.
        """

    def ref(self, p: Blocks, loop: Loop | None, place: Place, atomic: bool = False) -> Code:
        """Return an element as a place to store to.

        Raises:
            StandaloneRejection: the tile does not lie anywhere.
        """
        raise p.refused("a tile without a name that is changed")


class Formula(Tile):
    """A tile whose elements are worked out where they are used."""

    def __init__(
        self,
        like: tuple[Kind, tuple[int, ...], tuple[str, ...]],
        of: Callable[[Loop | None, Place], Code],
        *,
        cheap: bool = False,
        constant: bool = False,
    ) -> None:
        super().__init__(*like, cheap=cheap)
        self._of, self.constant = of, constant

    def at(self, p: Blocks, loop: Loop | None, place: Place) -> Code:
        return self._of(loop, place)


class Variable(Tile):
    """A tile with a name: a variable of each thread where one loop is enough, else an array in shared memory.

    Args:
        name: its name.
        source: what it is loaded from, if that can be asked again; else None.
    """

    def __init__(
        self, name: str, like: tuple[Kind, tuple[int, ...], tuple[str, ...]], source: Tile | None = None
    ) -> None:
        super().__init__(*like, cheap=True)
        self.name, self.source = name, source

    def at(self, p: Blocks, loop: Loop | None, place: Place) -> Code:
        p.signature.reads.add(self.name)
        plain = loop is not None and place.own and p.places_made.get(self.name, ()) == p.path
        p.uses.append((self.name, loop.number if loop is not None and plain else 0))
        if loop is not None and plain and self.name in p.signature.late and self.source is not None:
            self._load(p, loop, place)
        if loop is not None and self.name in loop.locals:
            loop.read(self.name)
            if place.own:
                return Code(self.name, self.element)
        return self._shared(p, loop, place, writes=False, atomic=False)

    def _load(self, p: Blocks, loop: Loop, place: Place) -> None:
        """Load the element where it is used, since it is used in no other loop."""
        if self.name in loop.locals:
            return
        assert self.source is not None
        code = self.source.at(p, loop, place)
        loop.add(f"const {p.helpers.type(self.element)} {self.name} = {code.text};", defines=self.name)
        loop.locals.add(self.name)

    def ref(self, p: Blocks, loop: Loop | None, place: Place, atomic: bool = False) -> Code:
        if loop is not None and self.name in loop.locals and place.own:
            return Code(self.name, self.element)
        return self._shared(p, loop, place, writes=True, atomic=atomic)

    def _shared(self, p: Blocks, loop: Loop | None, place: Place, *, writes: bool, atomic: bool) -> Code:
        p.share(self)
        codes = [axis() for length, axis in zip(self.shape, place.axes, strict=True) if length > 1]
        text = self.name + "".join(f"[{code.text}]" for code in codes)
        alone = FIRST if p.first_only else ALL
        by = alone if loop is None else OWN if place.own else f"{loop.shape} {text}"
        access = Access(self.name, by, writes, atomic, place.span)
        if loop is None:
            p.touch(access)
        else:
            loop.accesses.append(access)
        return Code(text, self.element)


class View(Tile):
    """Elements of another tile, at other places."""

    def __init__(self, source: Tile, shape: tuple[int, ...], dims: tuple[str, ...], remap: Remap) -> None:
        super().__init__(source.element, shape, dims, cheap=source.cheap)
        self.source, self.remap = source, remap

    def at(self, p: Blocks, loop: Loop | None, place: Place) -> Code:
        return self.source.at(p, loop, self.remap(place))

    def ref(self, p: Blocks, loop: Loop | None, place: Place, atomic: bool = False) -> Code:
        return self.source.ref(p, loop, self.remap(place), atomic)


class Single(Tile):
    """A tile of one element, which each thread has in a variable of its own."""

    def __init__(self, code: Code, shape: tuple[int, ...]) -> None:
        super().__init__(code.kind, shape, ("1",) * len(shape), cheap=True)
        self.code = code

    def at(self, p: Blocks, loop: Loop | None, place: Place) -> Code:
        return self.code

    def ref(self, p: Blocks, loop: Loop | None, place: Place, atomic: bool = False) -> Code:
        return self.code


def size_of(kind: Kind) -> int:
    """Return how many bytes a number, block or struct of those has."""
    if isinstance(kind, Number):
        return 1 if kind.name == "bool" else int(kind.name.lstrip("abefilnotu")) // 8
    if isinstance(kind, Block):
        return count(kind) * size_of(kind.number)
    if isinstance(kind, Record):
        return sum(size_of(inner) for _, inner in kind.fields)
    raise StandaloneRejection(f"the size of {type(kind).__name__}")
