"""Tiles from arrays and back: each element has its place in bounds, or is zero and is not stored."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ...codegen.typed import Called
from ..arrays import Array
from ..atomics import atomic
from ..code import Code, binary
from ..types import BOOL, INT, zero
from .accesses import ALL, FIRST, Access
from .loops import Loop
from .places import ZERO, Place, plus
from .printing import Tiles
from .statements import TilePrinter
from .table import does, makes
from .values import Formula, Tile


def offsets(p: Tiles, node: ast.expr | None, ndim: int) -> list[Code]:
    """Return where in an array a tile starts."""
    if node is None:
        return [ZERO] * ndim
    given = node.elts if isinstance(node, ast.Tuple) else [node]
    return [p.expr(one) for one in given]


class Spot:
    """Where in an array the elements of a tile lie.

    Args:
        starts: where the tile starts.
        checked: whether an element may lie beyond the array.
    """

    def __init__(self, p: Tiles, array: Array, starts: Sequence[Code], checked: bool) -> None:
        self.p, self.array, self.starts, self.checked = p, array, starts, checked
        p.use_dims(array)
        if checked:
            for axis in range(array.kind.ndim):
                p.signature.use_dim(array.root, array.skipped + axis)

    def indices(self, loop: Loop | None, axes: Sequence[Code]) -> list[Code]:
        """Return the indices of an element, which get names if they are sums."""
        codes = [plus(start, axis) for start, axis in zip(self.starts, axes, strict=True)]
        if loop is None or not self.checked:
            return codes
        names = ["at"] if len(codes) == 1 else [f"at{axis}" for axis in range(len(codes))]
        if len(codes) == 2:
            names = ["at_row", "at_col"]
        return [named(self.p, loop, code, name) for code, name in zip(codes, names, strict=True)]

    def test(self, indices: Sequence[Code], *others: Code) -> Code | None:
        """Return the condition that an element lies in the array, and others before it; None if there is none."""
        tests = list(others)
        if self.checked:
            tests += [
                binary("<", index, Code(dim, INT), BOOL) for index, dim in zip(indices, self.array.dims, strict=True)
            ]
        found: Code | None = None
        for one in tests:
            found = one if found is None else binary("&&", found, one, BOOL)
        return found

    def element(self, loop: Loop | None, indices: Sequence[Code], *, writes: bool = False, adds: bool = False) -> Code:
        """Return the element, and note that it is read or changed."""
        code = self.array.element(list(indices))
        if self.array.root in self.p.signature.written or writes:
            by = f"{loop.shape} {code.text}" if loop is not None else FIRST if writes else ALL
            access = Access(f"{self.array.root}[]", by, writes, adds)
            if loop is None:
                self.p.touch(access)
            else:
                loop.accesses.append(access)
        return code


def named(p: Tiles, loop: Loop, code: Code, name: str) -> Code:
    """Return an index by a name, if it is more than a name already."""
    if code.text.isidentifier() or code.text.isdigit():
        return code
    known = loop.known[-1]
    if code.text not in known:
        used = {*known.values(), *loop.indices, loop.counter}
        names = [one for one in (name, *(f"{name}{n}" for n in range(2, 99))) if one not in used]
        known[code.text] = p.pick(*names, taken=sorted(used))
        loop.add(f"const int {known[code.text]} = {code.text};", defines=known[code.text])
    loop.read(known[code.text])
    return Code(known[code.text], INT)


@makes("tile_load")
def _load(p: Tiles, node: ast.expr, called: Called) -> Tile:
    element, shape, _ = p.like(node)
    array = p.array(called.nodes["a"])
    p.helpers.type(element)
    starts = offsets(p, called.nodes.get("offset"), len(shape))
    spot = Spot(p, array, starts, _checked(called))

    def at(loop: Loop | None, place: Place) -> Code:
        indices = spot.indices(loop, [axis() for axis in place.axes])
        test, code = spot.test(indices), spot.element(loop, indices)
        return code if test is None else p.choice(test, code, Code(zero(element), element), element)

    steady = all(p.is_steady(called.nodes.get(name)) for name in ("a", "offset"))
    again = steady and array.root not in p.signature.written
    like = element, shape, p.dims_of(called.nodes["shape"], shape)
    return Formula(like, at, cheap=again)


@does("tile_store")
def _store(p: Tiles, node: ast.Call, called: Called) -> None:
    tile, spot = _changing(p, called)
    if tile.count == 1:
        _one(p, spot, p.number(tile), lambda place, value: f"{place.text} = {value.text};")
        return

    def build(loop: Loop) -> None:
        place = loop.place(tile.shape)
        indices = spot.indices(loop, [axis() for axis in place.axes])
        value = tile.at(p, loop, place)
        _guarded(loop, spot.test(indices), f"{spot.element(loop, indices, writes=True).text} = {value.text};")

    p.element(tile, build)


def _changing(p: Tiles, called: Called) -> tuple[Tile, Spot]:
    """Return a tile, and where its elements lie in the array that they change."""
    tile = p.tile(called.nodes["t"])
    array = p.array(called.nodes["a"])
    p.signature.write(array.root)
    return tile, Spot(p, array, offsets(p, called.nodes.get("offset"), len(tile.shape)), _checked(called))


def _checked(called: Called) -> bool:
    return called.values.get("bounds_check") is not False


def _guarded(loop: Loop, test: Code | None, line: str) -> None:
    loop.add(*([line] if test is None else [f"if ({test.text}) {{", f"  {line}", "}"]))


def _one(p: Tiles, spot: Spot, value: Code, statement: Callable[[Code, Code], str], adds: bool = False) -> None:
    """Have one thread change an element by a number."""
    assert isinstance(p, TilePrinter)
    indices = spot.indices(None, [ZERO] * len(spot.starts))
    place, test = spot.element(None, indices, writes=True, adds=adds), spot.test(indices)
    p.only_first(statement(place, value), "" if test is None else test.inside(5))


@does("tile_atomic_add")
def _add(p: Tiles, node: ast.Call, called: Called) -> None:
    tile, spot = _changing(p, called)
    if tile.count == 1:
        _one(p, spot, p.number(tile), lambda place, value: f"{atomic(p.helpers, 'add', place, value).text};", adds=True)
        return

    def build(loop: Loop) -> None:
        place = loop.place(tile.shape)
        indices = spot.indices(loop, [axis() for axis in place.axes])
        value = tile.at(p, loop, place)
        target = spot.element(loop, indices, writes=True, adds=True)
        _guarded(loop, spot.test(indices), f"{atomic(p.helpers, 'add', target, value).text};")

    p.element(tile, build)
