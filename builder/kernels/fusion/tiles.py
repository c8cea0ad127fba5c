"""Steps that a whole tile is put through, as programmers fuse them around an algorithm on tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..author import Author
from ..terms import Term, builtin, number, wp
from ..types import Scalar, Tile
from .coefficients import coefficient
from .tile_access import (
    Join,
    combiner,
    derived,
    extent,
    function,
    give_single,
    loaded,
    named_tile,
    others,
    real,
    reduced,
    single,
    size_of,
    stored,
)

_UNARY = ("sin", "cos", "tanh", "abs", "sign", "floor", "round", "atan", "rint", "trunc")

Step = Callable[[Author, Term, Scalar], Term]


def _scale(k: Author, t: Term, T: Scalar) -> Term:
    factor = coefficient(k, T)
    return t * factor if k.c.chance(1, 2) else factor * t


def _mapped(k: Author, t: Term, T: Scalar) -> Term:
    return wp.tile_map(builtin(k.c.pick(_UNARY), T), t)


def _own(k: Author, t: Term, T: Scalar) -> Term:
    return wp.tile_map(function(k, T), t)


def _own_two(k: Author, t: Term, T: Scalar) -> Term:
    near = others(k, t)
    other = k.c.pick(near) if near and k.c.chance(2, 3) else coefficient(k, T)
    return wp.tile_map(function(k, T, 2), t, other)


def runtime(k: Author, T: Scalar) -> Term:
    """Return a factor that is no constant: Warp has no adjoint of a map of three arguments where one is."""
    if k.scalar_count < 4 and k.c.chance(1, 2):
        return k.scalar("alpha|gain|weight|rate|tau", T)
    return Term(k.var("level|rate0|g0|mixing|bound", number(k.c.between(5, 300) / 100, T)).e)


def _own_three(k: Author, t: Term, T: Scalar) -> Term:
    near = others(k, t)
    second = k.c.pick(near) if near else runtime(k, T)
    return wp.tile_map(function(k, T, 3), t, second, runtime(k, T))


def _limited(k: Author, t: Term, T: Scalar) -> Term:
    return wp.tile_map(builtin(k.c.pick(("max", "min")), T, T), t, coefficient(k, T))


def _joined(k: Author, t: Term, T: Scalar) -> Term:
    near = others(k, t)
    if not near:
        return _own(k, t, T)
    other, way = k.c.pick(near), k.c.below(4)
    if way == 0:
        return t + other
    if way == 1:
        return t - other
    return t * other if way == 2 else wp.tile_map(builtin(k.c.pick(("max", "min")), T, T), t, other)


def _in_place(k: Author, t: Term, T: Scalar) -> Term:
    named = named_tile(k, t * coefficient(k, T) if k.c.chance(1, 2) else wp.tile_map(function(k, T), t))
    near = others(k, named)
    other = k.c.pick(near) if near else wp.tile_ones(shape=named.type.shape, dtype=T)  # type: ignore[union-attr]
    way = k.c.below(3)
    if way == 0:
        named += other
    elif way == 1:
        named -= other
    else:
        k.do(wp.tile_axpy(coefficient(k, T), other, named))
    return named


def _squared(k: Author, t: Term, T: Scalar) -> Term:
    named = named_tile(k, t)
    return named * named if k.c.chance(1, 2) else named * wp.tile_map(builtin("abs", T), named)


def _negated(k: Author, t: Term, T: Scalar) -> Term:
    return -named_tile(k, t)


def _filled(k: Author, t: Term, T: Scalar) -> Term:
    assert isinstance(t.type, Tile)
    shape = t.type.shape
    if k.c.chance(1, 2):
        return t + wp.tile_full(shape=shape, value=coefficient(k, T), dtype=T)
    return t - wp.tile_ones(shape=shape, dtype=T)


_STEPS: tuple[Step, ...] = (
    _scale, _own, _mapped, _own_two, _joined, _limited, _own, _in_place, _own_three, _squared, _joined, _filled,
    _own_two, _negated, _own,
)  # fmt: skip


def shaped(k: Author, tile: Term, low: int = 1, high: int = 3) -> Any:
    """Return a tile of floats after ``low`` to ``high`` drawn steps, some of which give locals names."""
    assert isinstance(tile.type, Tile)
    T = tile.type.dtype
    assert isinstance(T, Scalar)
    for _ in range(k.c.between(low, high)):
        tile = k.c.pick(_STEPS)(k, tile, T)
        if k.c.chance(1, 3):
            tile = named_tile(k, tile)
    return tile


__all__ = [
    "Join", "combiner", "derived", "extent", "function", "give_single", "loaded", "named_tile", "real", "reduced",
    "runtime", "shaped", "single", "size_of", "stored",
]  # fmt: skip
