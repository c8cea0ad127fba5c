"""Linear algebra and Fourier transforms on tiles (see ``special.py`` and ``tiles.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..types import DOUBLE, FLOAT, FLOATS, Tile, Vec
from .special import special
from .tiles import BLOCK_DIM, tile_of

if TYPE_CHECKING:
    from ..program import Expr

_SOLVED = (FLOAT, DOUBLE)


def _plane(e: Expr) -> tuple[int, int]:
    tile = tile_of(e)
    if len(tile.shape) != 2 or tile.dtype not in FLOATS:
        raise ValueError(f"{tile.text} is no matrix of floats")
    return tile.shape[0], tile.shape[1]


@special("tile_matmul", "tile matrix products", "tile")
def _matmul(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    (rows, inner), (other, cols) = _plane(args[0]), _plane(args[1])
    out = tile_of(args[2]) if len(args) > 2 else Tile(tile_of(args[0]).dtype, (rows, cols))
    if inner != other or out.shape != (rows, cols) or out.dtype not in FLOATS:
        raise ValueError(f"no product of {args[0].type.text} and {args[1].type.text} into {out.text}")
    return out


def _square(e: Expr) -> int:
    rows, cols = _plane(e)
    if rows != cols or tile_of(e).dtype not in _SOLVED:
        raise ValueError(f"{e.type.text} is no square matrix of float32 or float64")
    return rows


@special("tile_diag_add", "adding to a tile's diagonal", "tile")
def _diag_add(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    if tile_of(args[1]).shape != (_square(args[0]),) or tile_of(args[0]).dtype != tile_of(args[1]).dtype:
        raise ValueError(f"{args[1].type.text} is no diagonal of {args[0].type.text}")
    return tile_of(args[0])


def _factored(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    _square(args[0])
    return tile_of(args[0])


special("tile_cholesky", "tile Cholesky factorisations", "tile")(_factored)
special("tile_cholesky_inplace", "tile Cholesky factorisations in place", "tile", smooth=False)(_factored)


def _solved(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    size, right = _square(args[0]), tile_of(args[1])
    if right.shape[0] != size or len(right.shape) > 2 or right.dtype != tile_of(args[0]).dtype:
        raise ValueError(f"{right.text} is no right-hand side for {args[0].type.text}")
    return right


special("tile_cholesky_solve", "tile Cholesky solves", "tile")(_solved)
special("tile_cholesky_solve_inplace", "tile Cholesky solves in place", "tile", smooth=False)(_solved)
special("tile_lower_solve", "tile forward substitutions", "tile")(_solved)
special("tile_lower_solve_inplace", "tile forward substitutions in place", "tile", smooth=False)(_solved)
special("tile_upper_solve", "tile back substitutions", "tile")(_solved)
special("tile_upper_solve_inplace", "tile back substitutions in place", "tile", smooth=False)(_solved)


def _transformed(args: tuple[Expr, ...], keywords: Mapping[str, Expr]) -> Tile:
    tile = tile_of(args[0])
    size = tile.shape[-1]
    if not (isinstance(tile.dtype, Vec) and tile.dtype.n == 2 and tile.dtype.dtype in _SOLVED):
        raise ValueError(f"complex numbers are vec2f or vec2d, not {tile.dtype.name}")
    if size & (size - 1) or size % BLOCK_DIM:
        raise ValueError(f"a transform's length is a power of two from {BLOCK_DIM} on, not {size}")
    return tile


special("tile_fft", "tile Fourier transforms", "tile")(_transformed)
special("tile_ifft", "inverse tile Fourier transforms", "tile")(_transformed)
