"""The mosaic of a sensor."""

from __future__ import annotations

from ...author import Author
from ...fusion import varied
from ...layouts import Grid, chain_of, factor, let
from ...terms import Term, make, where, wp
from ...types import FLOAT, VEC3
from .pixels import luminance


def demosaic(k: Author) -> None:
    """Colours from a Bayer mosaic: bilinear or edge-aware green, or colour differences, one plane or all."""
    c = k.c
    grid = Grid(k, 2, rules=("mirror", "clamp", "wrap", "skip"))
    raw = grid.input("raw|bayer|mosaic", FLOAT)
    planes = c.chance(1, 2)
    k.name("demosaic|debayer|bayer_to_rgb|interpolate_cfa")
    cell = grid.enter()
    centre = let(k, "centre|own", varied(k, grid.at(raw, 0, 0) * factor(k, "gain|white_bal", FLOAT), 0, 1))
    up, down, left, right = (let(k, w, grid.at(raw, *o)) for w, o in (
        ("n|above", (-1, 0)), ("s|under", (1, 0)), ("w|lefts", (0, -1)), ("e|rights", (0, 1))))  # fmt: skip
    corners = let(
        k, "diag|corner", 0.25 * chain_of(k, "acc|dsum", [grid.at(raw, a, b) for a in (-1, 1) for b in (-1, 1)])
    )
    cross = let(k, "cross|plus", _green(k, up, down, left, right))
    rows, cols = let(k, "horiz|h2", 0.5 * (left + right)), let(k, "vert|v2", 0.5 * (up + down))
    phase = c.below(4)
    y, x = cell[0] % 2 if phase < 2 else (cell[0] + 1) % 2, cell[1] % 2 if phase % 2 == 0 else (cell[1] & 1) ^ 1
    y, x = let(k, "py|row_par", y), let(k, "px|col_par", x)
    r, g, b = k.var("r|red", centre), k.var("g|green", cross), k.var("b|blue", corners)
    with k.if_(y == 0), k.if_(x == 1):
        _set(r, g, b, rows, centre, cols)
    with k.else_():
        with k.if_(x == 0):
            _set(r, g, b, cols, centre, rows)
        with k.else_():
            _set(r, g, b, corners, cross, centre)
    values = [let(k, f"o{n}|f{n}", varied(k, Term(v.e), 0, 1)) for n, v in enumerate((r, g, b))]
    if planes:
        for value, name in zip(values, ("red_out|r_plane", "green_out|g_plane", "blue_out|b_plane"), strict=True):
            grid.put(grid.output(name, FLOAT), value)
    else:
        colour = let(k, "rgb|px", make(VEC3, *values))
        grid.put(grid.output("rgb_out|out|image_out", VEC3), varied(k, colour, 0, 1))
        if c.chance(1, 3):
            grid.put(grid.output("luma|grey", FLOAT), luminance(k, colour))
    k.summary(f"Interpolates the colours of a Bayer mosaic, {grid.edge}.")


def _set(r, g, b, *values: Term) -> None:  # type: ignore[no-untyped-def]
    for target, value in zip((r, g, b), values, strict=True):
        target.set(value)


def _green(k: Author, n: Term, s: Term, w: Term, e: Term) -> Term:
    way = k.c.below(3)
    if way == 0:
        return 0.25 * (n + s + w + e)
    dv, dh = let(k, "dv|grad_v", wp.abs(n - s)), let(k, "dh|grad_h", wp.abs(w - e))
    if way == 1:
        return where(dv < dh, 0.5 * (n + s), 0.5 * (w + e))
    share = let(k, "share|wv", (dh + 0.01) / (dv + dh + 0.02))
    return wp.lerp(0.5 * (w + e), 0.5 * (n + s), share)
