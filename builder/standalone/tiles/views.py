"""Tiles that are other tiles seen otherwise: reshaped, turned, broadcast, in part."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...codegen.typed import Called
from ..code import Code
from ..known import indices_of
from .loops import Loop
from .places import ZERO, Index, Place, plus
from .printing import Tiles
from .table import does, makes
from .values import Single, Tile, Variable, View


def _dims_like(source: Tile, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return C++ for lengths: a name where the source has one for the same length."""
    names = {n: dim for n, dim in zip(source.shape, source.dims, strict=True) if n > 1}
    return tuple(names.get(n, str(n)) for n in shape)


@makes("tile_reshape", "tile_squeeze")
def _reshaped(p: Tiles, node: ast.expr, called: Called) -> Tile:
    source = p.tile(called.nodes["t"])
    shape = p.like(node)[1]
    if source.count == 1:
        return Single(p.number(source), shape)
    dims = p.dims_of(called.nodes["shape"], shape) if "shape" in called.nodes else ()
    dims = dims if dims and not all(dim.isdigit() for dim in dims) else _dims_like(source, shape)
    return View(source, shape, dims, lambda place: place.reshaped(source.shape))


@makes("tile_transpose")
def _turned(p: Tiles, node: ast.expr, called: Called) -> Tile:
    source = p.tile(called.nodes["a"])
    if min(source.shape) > 1:
        source = near(p, source, "turned")
    rows, columns = source.shape

    def remap(place: Place) -> Place:
        moved = place.moved(source.shape, place.axes[::-1])
        return Place(moved.shape, moved.axes, place.linear, place.own) if min(rows, columns) == 1 else moved

    return View(source, (columns, rows), source.dims[::-1], remap)


def near(p: Tiles, tile: Tile, stem: str) -> Tile:
    """Return a tile that lies in the block's own memory."""
    inner = tile
    while isinstance(inner, View):
        inner = inner.source
    if isinstance(inner, (Variable, Single)) or getattr(inner, "constant", False):
        return tile
    variable = Variable(p.work(stem), (tile.element, tile.shape, tile.dims))
    p.fill(variable, tile)
    return variable


@makes("tile_broadcast")
def _broadcast(p: Tiles, node: ast.expr, called: Called) -> Tile:
    source = p.tile(called.nodes["a"])
    _, shape, _ = p.like(node)
    dims = p.dims_of(called.nodes.get("shape"), shape)
    if source.count == 1:
        code = p.number(source)
        return View(Single(code, source.shape), shape, dims, lambda place: place)
    if isinstance(source, Variable) and source.source is not None:
        source = source.source
    source = p.stored(source, "line")
    skipped = len(shape) - len(source.shape)

    def remap(place: Place) -> Place:
        axes = [axis if n > 1 else (lambda: ZERO) for n, axis in zip(source.shape, place.axes[skipped:], strict=True)]
        return place.moved(source.shape, axes)

    return View(source, shape, dims, remap)


# --- parts --------------------------------------------------------------------------------------------------


def _part(source: Tile, shape: tuple[int, ...], starts: Sequence[Code], dropped: int) -> Tile:
    """Return what of a tile lies behind some indices; the first ``dropped`` dimensions have but one."""

    def remap(place: Place) -> Place:
        axes: list[Index] = []
        for axis in range(len(source.shape)):
            start = starts[axis] if axis < len(starts) else ZERO
            if axis < dropped:
                axes.append(lambda start=start: start)  # type: ignore[misc]
            else:
                inner = place.axes[axis - dropped]
                axes.append(lambda start=start, inner=inner: plus(inner(), start))  # type: ignore[misc]
        known = starts[0].text if starts else "0"
        span = (int(known), int(known) + shape[0]) if known.isdigit() and place.span and not dropped else None
        return place.moved(source.shape, axes, span)

    return View(source, shape, _dims_like(source, shape), remap)


@makes("tile_view")
def _view(p: Tiles, node: ast.expr, called: Called) -> Tile:
    source = near(p, p.tile(called.nodes["t"]), "tile")
    offset = called.nodes["offset"]
    starts = [p.expr(one) for one in (offset.elts if isinstance(offset, ast.Tuple) else [offset])]
    shape = p.like(node)[1]
    part = _part(source, shape, starts, len(source.shape) - len(shape))
    if "shape" in called.nodes:
        part.dims = p.dims_of(called.nodes["shape"], shape)
    return part


@makes("Subscript")
def _subscript(p: Tiles, node: ast.expr, called: Called) -> Tile:
    assert isinstance(node, ast.Subscript)
    source = near(p, p.tile(node.value), "tile")
    shape = p.like(node)[1]
    starts, dropped = [], 0
    for place, one in enumerate(indices_of(node)):
        if isinstance(one, ast.Slice):
            if one.step is not None:
                raise p.rejection("a slice", node)
            starts.append(ZERO if one.lower is None else p.expr(one.lower))
        else:
            if place != dropped:
                raise p.rejection("a slice", node)
            dropped += 1
            starts.append(p.expr(one))
    return _part(source, shape, starts, dropped)


@does("tile_assign")
def _assign(p: Tiles, node: ast.Call, called: Called) -> None:
    target, value = p.tile(called.nodes["dst"]), p.tile(called.nodes["src"])
    offset = called.nodes.get("offset")
    given = offset.elts if isinstance(offset, ast.Tuple) else [offset] if offset is not None else []
    starts = [p.expr(one) for one in given]
    part = _part(target, value.shape, starts, 0)

    def build(loop: Loop) -> None:
        place = loop.place(value.shape)
        code = value.at(p, loop, place)
        loop.add(f"{part.ref(p, loop, place).text} = {code.text};")

    p.element(value, build)
