"""Blocked stencils: a tile with its halo is loaded once, and its shifted views are weighed and added."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.tiles import derived, extent, function, loaded, named_tile, real, reduced, shaped, size_of, stored
from ...terms import Term, wp
from ...types import Scalar, Tile


def _halo(k: Author, length: Term, radius: int) -> Term:
    """Return the length of a tile with its halo: a sum with the constant, or a number."""
    return derived(k, length + 2 * radius, "HALO|PADDED|WIDE")


def _window(k: Author, halo: Term, start: tuple[int, ...], shape: tuple[Term, ...]) -> Term:
    """Return a part of the tile: by ``tile_view``, or by a slice."""
    if k.c.chance(1, 2):
        return wp.tile_view(halo, offset=start, shape=shape)
    ends = tuple(slice(first, first + size_of(n)) for first, n in zip(start, shape, strict=True))
    part: Term = halo[ends if len(ends) > 1 else ends[0]]
    return part


def stencil(k: Author) -> None:
    """out = sum of weighted shifted views of a 1-D tile with a halo; its radius, weights and form drawn."""
    c, T = k.c, real(k)
    k.name("stencil_1d|tile_stencil|blur_1d|derivative|convolve")
    x, out = k.input("x|src|u|signal", T), k.output("out|dst|du", T)
    radius, length = c.between(1, 3), extent(k, "TILE|BLOCK|N", (32, 64, 128))
    i = k.blocks("i|tile_id|bid")
    halo = loaded(k, x, (_halo(k, length, radius),), (i * length,), "halo|wide|padded")
    halo = named_tile(k, shaped(k, halo, 0, 1))
    taps = c.sample(tuple(range(2 * radius + 1)), c.between(2, 2 * radius + 1))
    acc: Term | None = None
    for tap in sorted(taps):
        part = _weighed(k, _window(k, halo, (tap,), (length,)), T)
        acc = part if acc is None else _added(k, acc, part)
    assert acc is not None
    stored(k, out, shaped(k, acc, 1, 2), (i * length,))
    k.summary(f"Adds {len(taps)} weighted shifts of a {T.name} vector, from tiles with a halo of {radius}.")


def _weighed(k: Author, part: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    if way == 0:
        return part * coefficient(k, T)
    if way == 1:
        return wp.tile_map(function(k, T, 1, 1, 1), part)
    return k.let("left|mid|right|shifted|tap", part) * coefficient(k, T) if way == 2 else coefficient(k, T) * part


def _added(k: Author, acc: Term, part: Term) -> Term:
    if k.c.chance(1, 3):
        named = named_tile(k, acc, "acc|total|lap")
        named += part
        return named
    return acc + part if k.c.chance(2, 3) else acc - part


_PLANES = {
    "five-point": ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),
    "cross": ((0, 1), (1, 0), (1, 2), (2, 1)),
    "diagonal": ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    "horizontal": ((1, 0), (1, 1), (1, 2)),
    "vertical": ((0, 1), (1, 1), (2, 1)),
    "corner": ((0, 0), (0, 1), (1, 0), (1, 1)),
}


def stencil_plane(k: Author) -> None:
    """The same in two dimensions: Laplacian, blur, gradients."""
    c, T = k.c, real(k)
    k.name("stencil_2d|laplacian|blur_2d|diffuse_tile|jacobi")
    x, out = k.input("x|src|u|field", T, 2), k.output("out|dst|u_new", T, 2)
    rows, cols = extent(k, "TILE_M|ROWS|BY", (8, 16)), extent(k, "TILE_N|COLS|BX", (8, 16, 32))
    i, j = k.blocks("i|bi|by", "j|bj|bx")
    halo = loaded(k, x, (_halo(k, rows, 1), _halo(k, cols, 1)), (i * rows, j * cols), "halo|wide|padded")
    kind = c.pick(tuple(_PLANES))
    acc: Term | None = None
    for tap in _PLANES[kind]:
        part = _weighed(k, _window(k, halo, tap, (rows, cols)), T)
        acc = part if acc is None else _added(k, acc, part)
    assert acc is not None
    if c.chance(1, 3):
        acc = acc + loaded(k, k.input("f|rhs|source", T, 2), (rows, cols), (i * rows, j * cols), "rhs_tile|f_tile")
    stored(k, out, shaped(k, acc, 1, 2), (i * rows, j * cols))
    k.summary(f"Applies a {kind} stencil to a {T.name} field, from tiles with a halo of one cell.")


def moving_window(k: Author) -> None:
    """out[i * n + s] = reduce(window s): windows of a tile, one after the other."""
    c, T = k.c, real(k)
    k.name("moving_window|rolling_mean|sliding_sum|moving_average|rolling")
    x, out = k.input("x|src|series", T), k.output("out|dst|smooth", T)
    count, width = extent(k, "COUNT|STEPS|WINDOWS", (8, 16, 32)), extent(k, "WIDTH|WINDOW|SPAN", (4, 8, 16))
    i = k.blocks("i|tile_id|bid")
    total = derived(k, count + width)
    tile = named_tile(k, shaped(k, loaded(k, x, (total,), (i * count,)), 0, 2))
    with k.for_("s|w|step", count) as s:
        part = k.let("win|window|part", wp.tile_view(tile, offset=(s,), shape=(width,)))
        value = reduced(k, shaped(k, part, 0, 1))
        assert isinstance(value.type, Tile)
        if c.chance(1, 2):
            k.do(wp.tile_store(out, shaped(k, value, 0, 1), offset=(i * count + s,)), out)
        else:
            kept = named_tile(k, value, "res|mean|figure")
            with k.if_(i * count + s < out.shape(0)):
                out[i * count + s] = kept[0]
    k.summary(f"Reduces {size_of(count)} windows of {size_of(width)} {T.name} values that follow each other.")
