"""Nearest seeds on grids: jump flooding, chamfer distances, Voronoi cells."""

from __future__ import annotations

from ...author import Author
from ...fusion import statistic, varied
from ...layouts import Grid, Layout, factor, let
from ...terms import Term, both, cast, make, number, wp
from ...types import FLOAT, INT, Scalar, vec


def jump_flood(k: Author) -> None:
    """Nearest seeds on a grid: a jump-flooding step, brute-force Voronoi cells, a chamfer distance sweep, a fill."""
    c, T = k.c, FLOAT
    kind = c.pick(("jump-flooding step", "chamfer relaxation", "Voronoi assignment"))
    k.name(f"{kind.split()[0].replace('-', '_').lower()}|distance_transform|nearest_seed")
    if kind == "Voronoi assignment":
        _voronoi(k)
        return
    grid = Grid(k, 2, radius=1, rules=("clamp", "wrap", "skip", "mirror"))
    if kind == "chamfer relaxation":
        _chamfer(k, grid)
    else:
        sy, sx = grid.input("seed_y|near_row", INT), grid.input("seed_x|near_col", INT)
        y, x = grid.enter()
        step = k.scalar("step|jump|stride", INT)
        by, bx = k.var("by|best_y", grid.at(sy, 0, 0)), k.var("bx|best_x", grid.at(sx, 0, 0))
        best = k.var("best|nearest", _gap(k, (y, x), (Term(by.e), Term(bx.e)), T))
        h, w = grid.extents
        with k.for_("di|a", -1, 2) as di, k.for_("dj|b", -1, 2) as dj:
            r, s = (
                let(k, "r|ny_", wp.clamp(y + di * step, 0, h - 1)),
                let(k, "s|nx_", wp.clamp(x + dj * step, 0, w - 1)),
            )
            cy, cx = let(k, "cy|cand_y", grid.get(sy, r, s)), let(k, "cx|cand_x", grid.get(sx, r, s))
            g = let(k, "g|gap", varied(k, _gap(k, (y, x), (cy, cx), T), 0, 1))
            with k.if_(both(cy >= 0, g < best) if c.chance(1, 2) else g < best):
                best.set(g)
                by.set(cy)
                bx.set(cx)
        grid.put(grid.output("seed_y_out|row_out", INT), Term(by.e))
        grid.put(grid.output("seed_x_out|col_out", INT), Term(bx.e))
        if c.chance(1, 2):
            grid.put(grid.output("dist_out|field", T), varied(k, Term(best.e), 0, 2))
    k.summary(f"One {kind} of the nearest seeds on a grid, {grid.edge}.")


def _chamfer(k: Author, grid: Grid) -> None:
    T = FLOAT
    d, out = grid.input("dist|distance_in", T), grid.output("dist_out|distance", T)
    grid.enter()
    own = let(k, "own|d0", grid.at(d, 0, 0))
    best = k.var("best|least", own)
    near, far = factor(k, "step|a_w", T, 90, 110), factor(k, "diag|b_w", T, 135, 145)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            if a or b:
                w = near if a * b == 0 else far
                best.set(wp.min(Term(best.e), grid.at(d, a, b) + w))
    value = let(k, "value|res", varied(k, Term(best.e), 0, 2))
    grid.put(out, value)
    statistic(k, own - value)


def _gap(k: Author, a: tuple[Term, Term], b: tuple[Term, Term], T: Scalar) -> Term:
    dy, dx = cast(a[0] - b[0], T), cast(a[1] - b[1], T)
    way = k.c.below(2)
    if way:
        return wp.abs(dy) + wp.abs(dx)
    dy, dx = let(k, "ey|off_y", dy), let(k, "ex|off_x", dx)
    return dy * dy + dx * dx


def _voronoi(k: Author) -> None:
    c, T = k.c, FLOAT
    layout = Layout(k, 2, T)
    seeds = layout.input("seeds|sites|centres")
    out = k.output("labels_out|cells_out", INT, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    p = let(k, "p|pixel", make(vec(2, T), cast(j, T), cast(i, T)) * factor(k, "spacing|pixel_size", T))
    metric = c.pick(("Euclidean", "Manhattan", "Chebyshev"))
    best, second = k.var("best|nearest", number(1.0e6)), k.var("second|runner_up", number(1.0e6))
    who = k.var("who|label", number(0, INT))
    power = k.input("power|weights", T) if c.chance(1, 2) else None
    with k.for_("s|site", seeds.count) as s:
        d = let(k, "d|off", p - seeds.at(s))
        if metric == "Euclidean":
            g = wp.dot(d, d) if c.chance(1, 2) else wp.length(d)
        elif metric == "Manhattan":
            g = wp.abs(d[0]) + wp.abs(d[1])
        else:
            g = wp.max(wp.abs(d))
        g = let(k, "g|gap", g if power is None else g - power[wp.min(s, power.shape(0) - 1)])
        with k.if_(g < best):
            second.set(Term(best.e))
            best.set(g)
            who.set(s)
        if c.chance(1, 2):
            with k.elif_(g < second):
                second.set(g)
    out[i, j] = varied(k, Term(who.e), 0, 1)
    edge = let(k, "edge|ridge", varied(k, second - best, 0, 2))
    k.output("edge_out|ridge_out", T, 2)[i, j] = edge
    statistic(k, edge)
    k.summary(f"Assigns each pixel to its nearest site by {metric} distance.")
