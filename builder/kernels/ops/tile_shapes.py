"""Views and other shapes of tiles, their elements, stacks of a block (see ``special.py`` and ``tiles.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING

from ..types import FLOATS, INT, UINT, Opaque, Scalar, Several, Tile, Value
from .special import special
from .tiles import known, shape_given, shape_of, tile_of

if TYPE_CHECKING:
    from ..program import Expr


@special("tile_view", "tile views", "tile")
def _view(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    if "shape" in keywords:
        return Tile(tile.dtype, shape_of(keywords["shape"]))
    rest = tile.shape[len(getattr(keywords["offset"], "items", (0,))) :]
    return Tile(tile.dtype, rest)


@special("tile_squeeze", "dropping axes of length one", "tile")
def _squeeze(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    axes = tuple(map(known, keywords["axis"].items)) if "axis" in keywords else None  # type: ignore[union-attr]
    kept = [n for k, n in enumerate(tile.shape) if not (n == 1 and (axes is None or k in axes))]
    return Tile(tile.dtype, tuple(kept) or (1,))


@special("tile_reshape", "tile reshapes", "tile")
def _reshape(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile, shape = tile_of(args[0]), shape_given(args, keywords, 1)
    if prod(tile.shape) != prod(shape):
        raise ValueError(f"{tile.shape} has not as many elements as {shape}")
    return Tile(tile.dtype, shape)


@special("tile_broadcast", "tile broadcasts", "tile")
def _broadcast(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile, shape = tile_of(args[0]), shape_given(args, keywords, 1)
    pairs = zip(tile.shape[::-1], shape[::-1], strict=False)
    if len(tile.shape) > len(shape) or any(have not in (1, want) for have, want in pairs):
        raise ValueError(f"{tile.shape} does not broadcast to {shape}")
    return Tile(tile.dtype, shape)


@special("tile_transpose", "tile transposes", "tile")
def _transpose(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    rows, cols = tile_of(args[0]).shape
    return Tile(tile_of(args[0]).dtype, (cols, rows))


@special("tile_astype", "tile conversions", "tile")
def _astype(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    return Tile(keywords["dtype"].type, tile_of(args[0]).shape)


@special("tile_assign", "assigning a tile into another", "tile")
def _assign(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    dst, src = tile_of(args[0]), tile_of(args[1])
    if dst.dtype != src.dtype or len(dst.shape) != len(src.shape):
        raise ValueError(f"{src.text} does not fit into {dst.text}")
    return dst


@special("tile_extract", "reading elements of tiles", "tile")
def _extract(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    tile = tile_of(args[0])
    if len(args) - 1 != len(tile.shape):
        raise ValueError(f"{len(tile.shape)} indices are needed, not {len(args) - 1}")
    return tile.dtype


def _scattered(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile, value = tile_of(args[0]), args[-2]
    if len(args) - 3 != len(tile.shape) or value.type != tile.dtype:
        raise ValueError(f"a scatter into {tile.text} takes {len(tile.shape)} indices and a {tile.dtype.name}")
    return tile


special("tile_scatter_add", "adding the threads' values into a tile", "tile")(_scattered)
special("tile_scatter_masked", "writing the threads' values into a tile", "tile")(_scattered)


# --- stacks ---


@special("tile_stack", "a stack of the block", "tile", smooth=False)
def _stack(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Opaque:
    known(keywords["capacity"])
    return _stack_of(keywords["dtype"].type)


def _stack_of(dtype: Value) -> Opaque:
    if dtype not in _STACKS:
        raise ValueError(f"no stack of {dtype.name}")
    return _STACKS[dtype]


_STACKS = {dtype: Opaque("tile_stack", "wp.tile_stack", (("dtype", dtype),)) for dtype in (*FLOATS, INT, UINT)}


@special("tile_stack_push", "pushing on the block's stack", "tile", smooth=False)
def _push(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Scalar:
    stack = args[0].type
    if not isinstance(stack, Opaque) or stack.field("dtype") != args[1].type:
        raise ValueError(f"a {args[1].type.name} does not go on {stack.name}")
    return INT


@special("tile_stack_pop", "popping from the block's stack", "tile", smooth=False)
def _pop(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Several:
    stack = args[0].type
    assert isinstance(stack, Opaque)
    return Several((stack.field("dtype"), INT))


def _counted(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Scalar:
    return INT


special("tile_stack_clear", "emptying the block's stack", "tile", smooth=False)(_counted)
special("tile_stack_count", "counting the block's stack", "tile", smooth=False)(_counted)
