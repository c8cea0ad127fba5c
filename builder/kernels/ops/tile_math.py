"""Arithmetic on whole tiles: operators, maps, reductions, scans, sorting (see ``special.py`` and ``tiles.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..types import FLOAT, INT, INT64, UINT, UINT64, Mat, Scalar, Tile, Value, Vec, scalar_of
from .row import Op
from .special import special
from .tiles import known, tile_of

if TYPE_CHECKING:
    from ..program import Expr

_SCANNED = (FLOAT, INT, UINT)
_SORTED = (*_SCANNED, INT64, UINT64)
_PHRASES = {
    "+": "tile addition", "-": "tile subtraction", "*": "tile multiplication", "/": "tile division",
    "&": "tile bit and", "|": "tile bit or", "^": "tile bit xor",
}  # fmt: skip


@cache
def tile_operator(symbol: str, left: Value, right: Value) -> Op:
    """Return the operation ``left symbol right`` where one is a tile, or both are.

    Raises:
        KeyError: Warp has no such operator on these tiles.
    """
    tiles = [type_ for type_ in (left, right) if isinstance(type_, Tile)]
    elements = [type_.dtype if isinstance(type_, Tile) else type_ for type_ in (left, right)]
    fits = len({tile.shape for tile in tiles}) == 1 and scalar_of(left) is scalar_of(right)
    if symbol in ("*", "/"):  # one of the two may be of vectors or matrices, and one no tile
        fits = fits and any(isinstance(type_, Scalar) for type_ in elements)
    else:
        fits = fits and len(tiles) == 2 and elements[0] == elements[1] and symbol in _PHRASES
        fits = fits and (symbol in "+-" or scalar_of(left).is_int)
    if not fits:
        raise KeyError(f"no op {symbol} on {left.text}, {right.text}")
    composite = [type_ for type_ in elements if isinstance(type_, (Vec, Mat))]
    result = Tile(composite[0] if composite else elements[0], tiles[0].shape)
    return Op(symbol, (left, right), result, "tile", _PHRASES[symbol])


@cache
def tile_negation(type_: Tile) -> Op:
    """Return the operation ``-tile``."""
    return Op("neg", (type_,), type_, "tile", "tile negation")


# --- maps ---


@special("tile_map", "mapping a function over tiles", "tile")
def _map(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    shapes = {arg.type.shape for arg in args[1:] if isinstance(arg.type, Tile)}
    if len(shapes) != 1 or not isinstance(args[1].type, Tile):
        raise ValueError(f"the tiles mapped have one shape, and the first argument is one; not {sorted(shapes)}")
    return Tile(args[0].type, tile_of(args[1]).shape)


# --- reductions ---


def _without(tile: Tile, axis: Expr) -> Tile:
    place = known(axis)
    if not 0 <= place < len(tile.shape):
        raise ValueError(f"no axis {place} in {tile.shape}")
    return Tile(tile.dtype, (*tile.shape[:place], *tile.shape[place + 1 :]) or (1,))


@special("tile_sum", "tile sums", "tile")
def _sum(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    return _without(tile, keywords["axis"]) if "axis" in keywords else Tile(tile.dtype, (1,))


@special("tile_reduce", "tile reductions", "tile", smooth=False)
def _reduce(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[1])
    if args[0].type != tile.dtype:
        raise ValueError(f"the function gives {args[0].type.name}, the tile holds {tile.dtype.name}")
    return _without(tile, keywords["axis"]) if "axis" in keywords else Tile(tile.dtype, (1,))


def _single(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    if not isinstance(tile.dtype, Scalar):
        raise ValueError(f"{tile.dtype.name} have no order")  # noqa: TRY004 (every special's error)
    return Tile(tile.dtype, (1,))


special("tile_min", "tile minima", "tile")(_single)
special("tile_max", "tile maxima", "tile")(_single)


def _place(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    _single(args, keywords)
    return Tile(INT, (1,))


special("tile_argmin", "places of tile minima", "tile", smooth=False)(_place)
special("tile_argmax", "places of tile maxima", "tile", smooth=False)(_place)


@special("tile_dot", "tile dot products", "tile")
def _dot(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    left, right = tile_of(args[0]), tile_of(args[1])
    if left != right:
        raise ValueError(f"no dot product of {left.text} and {right.text}")
    return Tile(scalar_of(left), (1,))


@special("tile_axpy", "adding a scaled tile in place", "tile")
def _axpy(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    source, target = tile_of(args[1]), tile_of(args[2])
    if source != target or args[0].type is not scalar_of(target):
        raise ValueError(f"no axpy of {args[0].type.name}, {source.text} and {target.text}")
    return target


# --- scans and sorting ---


def _scanned(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    if tile.dtype not in _SCANNED:
        raise ValueError(f"float32, int32 and uint32 are scanned, not {tile.dtype.name}")
    return tile


special("tile_scan_inclusive", "inclusive tile scans", "tile", smooth=False)(_scanned)
special("tile_scan_exclusive", "exclusive tile scans", "tile", smooth=False)(_scanned)
special("tile_scan_max_inclusive", "running tile maxima", "tile", smooth=False)(_scanned)
special("tile_scan_min_inclusive", "running tile minima", "tile", smooth=False)(_scanned)


@special("tile_sort", "tile sorting", "tile", smooth=False)
def _sort(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    keys, values = tile_of(args[0]), tile_of(args[1])
    if keys.dtype not in _SORTED or keys.shape != values.shape:
        raise ValueError(f"{keys.text} does not sort {values.text}")
    return keys
