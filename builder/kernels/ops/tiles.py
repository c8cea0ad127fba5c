"""Operations that make tiles and move them between memory and registers (see ``special.py``).

Shapes are known when a program is drawn, as Warp asks: tuples of literals and of the module's constants.
Views and other shapes are in ``tile_shapes.py``, reductions, maps and operators in ``tile_math.py``, products and
factorisations in ``tile_linear.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from math import ceil
from typing import TYPE_CHECKING

from ..program import Static
from ..types import FLOAT, INT, UINT, Array, Mat, Scalar, Tile, Value, Vec, mat, vec
from .special import special

if TYPE_CHECKING:
    from ..program import Expr

BLOCK_DIM = 256  # threads of a block; one element each where `wp.tile` gathers what every thread has

_MAX_NDIM = 4


def figure(e: Expr) -> float:
    """Return the number an expression is, where it is known when the program is drawn.

    Raises:
        ValueError: it is not: only literals, constants of the module and their sums, differences, products
            and quotients are.
    """
    value = getattr(e, "value", None)
    if isinstance(value, (int, float)):
        return value
    if isinstance(e, Static):
        return figure(e.value)
    symbol = getattr(getattr(e, "op", None), "symbol", "")
    if symbol in _ARITHMETIC:
        left, right = (figure(arg) for arg in e.args)  # type: ignore[union-attr]
        return _ARITHMETIC[symbol](left, right)
    raise ValueError(f"{e!r} must be a literal or a constant of the module")


# Quotients are of whole numbers, which Warp truncates.
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "//": operator.floordiv,
}  # fmt: skip


def known(e: Expr) -> int:
    """Return a whole number that is known when the program is drawn; ValueError as :func:`figure`."""
    return int(figure(e))


def shape_of(e: Expr) -> tuple[int, ...]:
    """Return a shape as given: a number or a tuple of numbers.

    Raises:
        ValueError: a length is not known or not positive, or there are more than four.
    """
    shape = tuple(map(known, getattr(e, "items", (e,))))
    if not 1 <= len(shape) <= _MAX_NDIM or min(shape) < 1:
        raise ValueError(f"a tile has one to four positive lengths, not {shape}")
    return shape


def tile_of(e: Expr) -> Tile:
    """Return the type of an argument that must be a tile; ValueError if it is none."""
    if not isinstance(e.type, Tile):
        raise ValueError(f"a {e.type.name} where a tile is needed")  # noqa: TRY004 (every special's error)
    return e.type


def array_of(e: Expr, ndim: int) -> Array:
    """Return the type of an argument that must be an array of ``ndim`` dimensions; ValueError if it is not."""
    if not isinstance(e.type, Array) or e.type.ndim != ndim:
        raise ValueError(f"a {e.type.name} where an array of {ndim} dimensions is needed")
    return e.type


def shape_given(args: tuple[Expr, ...], keywords: Mapping[str, Expr], place: int = 0) -> tuple[int, ...]:
    """Return the shape among the arguments: the keyword, or the one at ``place``."""
    return shape_of(keywords["shape"] if "shape" in keywords else args[place])


def _dtype(keywords: Mapping[str, Expr], default: Value) -> Value:
    return keywords["dtype"].type if "dtype" in keywords else default


# --- making tiles ---


def _filled(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    return Tile(_dtype(keywords, FLOAT), shape_given(args, keywords))


special("tile_zeros", "a tile of zeros", "tile", smooth=False)(_filled)
special("tile_ones", "a tile of ones", "tile", smooth=False)(_filled)
special("tile_empty", "an uninitialised tile", "tile", smooth=False)(_filled)


@special("tile_full", "a tile of one value", "tile", smooth=False)
def _full(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    value = keywords["value"] if "value" in keywords else args[-1]
    return Tile(_dtype(keywords, value.type), shape_given(args, keywords))


@special("tile_from_thread", "a tile of one thread's value", "tile", smooth=False)
def _from_thread(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    if not 0 <= known(keywords["thread_idx"]) < BLOCK_DIM:
        raise ValueError(f"a block has threads 0 to {BLOCK_DIM - 1}")
    return Tile(keywords["value"].type, shape_given(args, keywords))


@special("tile_arange", "a tile of a range", "tile", smooth=False)
def _arange(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    ends = [figure(arg) for arg in args]
    start, stop, step = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    count = ceil((stop - start) / step)
    if count < 1:
        raise ValueError(f"no elements in the range {start}, {stop}, {step}")
    return Tile(_dtype(keywords, FLOAT), (count,))


@special("tile_randi", "a tile of random integers", "tile", smooth=False)
def _randi(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    return _random(args, keywords, INT)


@special("tile_randf", "a tile of random numbers", "tile", smooth=False)
def _randf(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    return _random(args, keywords, FLOAT)


def _random(args: tuple[Expr, ...], keywords: Mapping[str, Expr], dtype: Scalar) -> Tile:
    state = keywords["rng"] if "rng" in keywords else args[1]
    if state.type is not UINT:
        raise ValueError(f"a random state is a uint32, not a {state.type.name}")
    return Tile(dtype, shape_given(args, keywords))


@special("tile", "gathering the threads' values in a tile", "tile")
def _tile(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    type_ = args[0].type
    if "preserve_type" in keywords and figure(keywords["preserve_type"]):
        return Tile(type_, (BLOCK_DIM,))
    if isinstance(type_, Vec):
        return Tile(type_.dtype, (type_.n, BLOCK_DIM))
    if isinstance(type_, Mat):
        return Tile(type_.dtype, (type_.rows, type_.cols, BLOCK_DIM))
    return Tile(type_, (BLOCK_DIM,))


@special("untile", "giving each thread its element of a tile", "tile")
def _untile(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Value:
    tile = tile_of(args[0])
    if tile.shape[-1] != BLOCK_DIM:
        raise ValueError(f"the last length of an untiled tile is the block's, {BLOCK_DIM}, not {tile.shape[-1]}")
    if len(tile.shape) == 1:
        return tile.dtype
    if not isinstance(tile.dtype, Scalar) or len(tile.shape) > 3:
        raise ValueError(f"no value of a thread from a tile of shape {tile.shape}")
    return vec(tile.shape[0], tile.dtype) if len(tile.shape) == 2 else mat(tile.shape[0], tile.shape[1], tile.dtype)


@special("block_dim", "the size of the block", "tile", smooth=False)
def _block_dim(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Scalar:
    return INT


# --- memory ---


@special("tile_load", "tile loads", "tile")
def _load(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    shape = shape_given(args, keywords, 1)
    return Tile(array_of(args[0], len(shape)).dtype, shape)


def _stored(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(keywords["t"] if "t" in keywords else args[-1])
    array = array_of(args[0], len(tile.shape))
    if array.dtype != tile.dtype:
        raise ValueError(f"the array holds {array.dtype.name}, the tile {tile.dtype.name}")
    return tile


special("tile_store", "tile stores", "tile")(_stored)
special("tile_atomic_add", "atomic adds of tiles", "tile")(_stored)


def _indexed(keywords: Mapping[str, Expr], shape: tuple[int, ...]) -> None:
    axis = known(keywords["axis"]) if "axis" in keywords else 0
    indices = tile_of(keywords["indices"])
    if indices.dtype is not INT or indices.shape != (shape[axis],):
        raise ValueError(f"indices along axis {axis} of {shape} are {shape[axis]} int32, not {indices.text}")


@special("tile_load_indexed", "gathering tile loads", "tile")
def _load_indexed(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    shape = shape_given(args, keywords, 2)
    _indexed(keywords, shape)
    return Tile(array_of(args[0], len(shape)).dtype, shape)


def _stored_indexed(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = _stored(args, keywords)
    _indexed(keywords, tile.shape)
    return tile


special("tile_store_indexed", "scattering tile stores", "tile")(_stored_indexed)
special("tile_atomic_add_indexed", "scattering atomic adds of tiles", "tile")(_stored_indexed)
