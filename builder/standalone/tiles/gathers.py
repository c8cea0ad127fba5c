"""Rows or columns of arrays that a tile of indices names."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...codegen.typed import Called
from ..atomics import atomic
from ..code import LESS, Code
from ..types import BOOL, zero
from .loops import Loop
from .memory import Spot, named, offsets
from .places import Place, plus
from .printing import Tiles
from .table import does, makes
from .values import Formula, Tile


class _Rows:
    """Where the elements of a tile lie in an array, one index of each looked up in a tile."""

    def __init__(self, p: Tiles, called: Called, ndim: int) -> None:
        self.p = p
        self.axis = int(called.values.get("axis", 0))
        self.indices = p.tile(called.nodes["indices"])
        self.spot = Spot(p, p.array(called.nodes["a"]), offsets(p, called.nodes.get("offset"), ndim), True)

    def at(self, loop: Loop, place: Place) -> tuple[list[Code], Code]:
        """Return the indices of an element, and the condition that it lies in the array."""
        axes = [axis() for axis in place.axes]
        index = self.indices.at(self.p, loop, place.moved(self.indices.shape, [place.axes[self.axis]]))
        axes[self.axis] = index if index.text.isidentifier() else named(self.p, loop, index, "index")
        axes = [
            named(self.p, loop, plus(start, axis), "index" if place_ == self.axis else "at")
            for place_, (start, axis) in enumerate(zip(self.spot.starts, axes, strict=True))
        ]
        looked_up = axes[self.axis]
        counted = looked_up.text in (loop.counter, *loop.indices)
        test = self.spot.test(axes, *([] if counted else [Code(f"{looked_up.text} >= 0", BOOL, LESS)]))
        assert test is not None
        return axes, test


@makes("tile_load_indexed")
def _gather(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, _ = p.like(node)
    rows = _Rows(p, called, len(shape))
    p.helpers.type(element)

    def at(loop: Loop | None, place: Place) -> Code:
        if loop is None:
            raise p.refused("an element of a gathered tile without a name")
        indices, test = rows.at(loop, place)
        return p.choice(test, rows.spot.element(loop, indices), Code(zero(element), element), element)

    return Formula((element, shape, p.dims_of(called.nodes["shape"], shape)), at)


@does("tile_store_indexed")
def _scatter(p: Tiles, node: ast.Call, called: Called) -> None:
    _change(p, called, lambda target, value: f"{target.text} = {value.text};")


@does("tile_atomic_add_indexed")
def _scatter_add(p: Tiles, node: ast.Call, called: Called) -> None:
    _change(p, called, lambda target, value: f"{atomic(p.helpers, 'add', target, value).text};", adds=True)


def _change(p: Tiles, called: Called, statement: Callable[[Code, Code], str], adds: bool = False) -> None:
    """Change each element of an array that a tile has a value for."""
    tile, rows = _changing(p, called)

    def build(loop: Loop) -> None:
        place = loop.place(tile.shape)
        indices, test = rows.at(loop, place)
        value = tile.at(p, loop, place)
        target = rows.spot.element(loop, indices, writes=True, adds=adds)
        loop.add(f"if ({test.text}) {{", f"  {statement(target, value)}", "}")

    p.element(tile, build)


def _changing(p: Tiles, called: Called) -> tuple[Tile, _Rows]:
    """Return a tile, and where its elements lie in the array that they change."""
    tile = p.tile(called.nodes["t"])
    rows = _Rows(p, called, len(tile.shape))
    p.signature.write(rows.spot.array.root)
    return tile, rows


@makes("tile_atomic_add_indexed")
def _scatter_add_old(p: Tiles, node: ast.expr, called: Called) -> Tile:
    """Add, and keep what was there before; an element beyond the array was zero."""
    tile, rows = _changing(p, called)
    element = tile.element

    def at(loop: Loop | None, place: Place) -> Code:
        assert loop is not None
        indices, test = rows.at(loop, place)
        value = tile.at(p, loop, place)
        target = rows.spot.element(loop, indices, writes=True, adds=True)
        return p.choice(test, atomic(p.helpers, "add", target, value), Code(zero(element), element), element)

    return Formula((element, tile.shape, tile.dims), at)
