"""Tiles of integers and of vectors."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import Join, extent, give_single, loaded, named_tile, single, size_of, stored
from ...terms import Term, builtin, number, wp
from ...types import FLOAT, INT, UINT, Scalar, Tile, Vec, vec

_LENGTHS = (64, 128, 256)
_BITS: tuple[Join, ...] = (lambda x, y: x & y, lambda x, y: x | y, lambda x, y: x ^ y)


def _added(x: Term, y: Term) -> Term:
    return x + y


def _int_function(k: Author, T: Scalar, params: int = 1) -> Term:
    words = ("x|v|a", "y|b|w")[:params]
    n = k.c.between(2, 13)

    def body(s: Author, *given: Term) -> Term:
        value = given[0] if len(given) == 1 else given[0] * n + given[1]
        made: Term = varied(s, value, 1, 3)
        return made

    return k.function("mix|hash_fn|step_fn|scramble|digit", dict.fromkeys(words, T), body).word


def _int_shaped(k: Author, tile: Term, other: Term | None, low: int, high: int) -> Term:
    T = tile.type.dtype  # type: ignore[union-attr]
    assert isinstance(T, Scalar)
    for _ in range(k.c.between(low, high)):
        way = k.c.below(6)
        if way == 0 and other is not None:
            tile = k.c.pick((*_BITS, _added))(tile, other)
        elif way == 1 and other is not None:
            tile = wp.tile_map(_int_function(k, T, 2), tile, other)
        elif way == 2:
            tile = tile * number(k.c.between(2, 15), T)
        elif way == 3:
            tile = wp.tile_map(builtin(k.c.pick(("min", "max")), T, T), tile, number(k.c.between(0, 99), T))
        elif way == 4:
            tile = _changed(k, tile, other)
        else:
            tile = wp.tile_map(_int_function(k, T), tile)
        tile = named_tile(k, tile) if k.c.chance(1, 3) else tile
    return tile


def _changed(k: Author, tile: Term, other: Term | None) -> Term:
    """Change a tile in place with another of its type."""
    assert isinstance(tile.type, Tile)
    if other is None:
        other = wp.tile_ones(shape=tile.type.shape, dtype=tile.type.dtype)
    named, way = named_tile(k, tile * 3), k.c.below(4)
    if way == 0:
        named &= other
    elif way == 1:
        named |= other
    elif way == 2:
        named ^= other
    else:
        named += other
    return named


def bits(k: Author) -> None:
    """Masks and flags: bitwise operations of two tiles, in place or not, and how many bits are set."""
    c = k.c
    T: Scalar = c.pick((INT, UINT))
    k.name("bit_mask|merge_flags|tile_bits|popcount|xor_tiles")
    a, b = k.input("a|flags|left", T), k.input("b|mask|right", T)
    length = extent(k, "TILE|BLOCK|WORDS", _LENGTHS)
    i = k.blocks("i|tile_id|bid")
    left = loaded(k, a, (length,), (i * length,), "ta|x_tile|fa")
    right = loaded(k, b, (length,), (i * length,), "tb|y_tile|fb")
    value = _int_shaped(k, left, right, 1, 3)
    value = c.pick(_BITS)(value, right)
    value = _int_shaped(k, value, right, 0, 2)
    out = k.output("out|dst|merged", T)
    if c.chance(1, 2):
        stored(k, out, value, (i * length,))
    else:
        out[i] = varied(k, single(k, wp.tile_reduce(builtin(c.pick(("max", "min")), T, T), value)), 0, 2)
    k.summary(f"Combines two arrays of {T.name} flags bit by bit, in tiles.")


def integers(k: Author) -> None:
    """Integer tiles of one or two dimensions: keys mixed, elements set, sums and extremes."""
    c = k.c
    T: Scalar = c.pick((INT, UINT))
    k.name("checksum|tile_keys|count_rows|mix_keys|int_reduce")
    x = k.input("x|keys|codes", T, 2)
    rows, cols = extent(k, "ROWS|TILE_M|H", (4, 8, 16)), extent(k, "COLS|TILE_N|W", (8, 16, 32))
    i, j = k.blocks("i|bi|row", "j|bj|col")
    tile = _int_shaped(k, loaded(k, x, (rows, cols), (i * rows, j * cols)), None, 1, 3)
    named = named_tile(k, tile)
    if c.chance(1, 2):
        at = (c.below(4), c.below(8))
        k.put(named[at], number(c.between(1, 9), T), c.pick(("", "+", "-", "^", "|", "&")))
    axis = c.below(2)
    total = wp.tile_sum(named, axis=axis) if c.chance(1, 2) else wp.tile_reduce(builtin("max", T, T), named, axis=axis)
    out = k.output("out|sums|tops", T, 2)
    width = (cols, rows)[axis]
    line = _int_shaped(k, total, None, 0, 2)
    where = (i, j * width) if axis == 0 else (j, i * width)
    stored(k, out, wp.tile_reshape(line, shape=(1, width)), where)
    k.summary(f"Reduces tiles of {T.name} keys along axis {axis}.")


def vectors(k: Author) -> None:
    """Tiles of vectors: moved, scaled, mapped by an own function, summed to a centre."""
    c = k.c
    V = vec(c.pick((3, 2, 4)))
    k.name("tile_points|advance|centroid|move_points|tile_vec")
    x = k.input("x|points|pos", V)
    length = extent(k, "TILE|BLOCK|N", (32, 64, 128))
    i = k.blocks("i|tile_id|bid")
    tile = _vec_shaped(k, loaded(k, x, (length,), (i * length,)), V)
    if c.chance(1, 2):
        v = loaded(k, k.input("v|vel|dirs", V), (length,), (i * length,), "v_tile|d_tile")
        moved = tile + v * coefficient(k, FLOAT) if c.chance(1, 2) else tile - v
        tile = named_tile(k, moved)
    way = c.below(3)
    if way == 0:
        stored(k, k.output("out|dst|moved", V), _vec_shaped(k, tile, V), (i * length,))
    elif way == 1:
        centre = single(k, wp.tile_sum(tile) * number(1.0 / size_of(length)), "centre|sum_v|mid")
        k.output("out|centres|totals", V)[i] = varied(k, centre, 0, 2)
    else:
        measure = k.function(
            "measure|size_fn|norm_fn", {"v|p": V}, lambda s, v: varied(s, s.c.pick((wp.length, wp.length_sq))(v), 0, 2)
        )
        lengths = named_tile(k, wp.tile_map(measure.word, tile), "lengths|norms")
        give_single(k, k.output("out|sizes|energy", FLOAT), wp.tile_sum(lengths), i)
    k.summary(f"Works on tiles of {size_of(length)} {V.name}.")


def _vec_shaped(k: Author, tile: Term, V: Vec) -> Term:
    way = k.c.below(3)
    if way == 0:
        return named_tile(k, tile * coefficient(k, FLOAT))
    move = k.function("move|warp_fn|bend|project", {"p|v|q": V}, lambda s, p: varied(s, p, 1, 2))
    mapped = named_tile(k, wp.tile_map(move.word, tile))
    return mapped if way == 1 else named_tile(k, -mapped)
