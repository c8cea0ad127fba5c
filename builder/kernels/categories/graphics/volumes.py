"""Volumes: fusion of depth images into truncated distances or occupancy."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import varied
from ...layouts import Grid, factor, let, precise, switch
from ...terms import Term, both, cast, number, where, wp
from ...types import INT, Scalar, vec


def tsdf_update(k: Author) -> None:
    """Volumes: fusion of a depth image into a truncated distance field, or occupancy by log odds."""
    c, T = k.c, precise(k)
    log_odds = c.chance(1, 2)
    k.name("occupancy_update|log_odds|integrate_scan" if log_odds else "tsdf_update|fuse_depth|integrate_depth")
    grid = Grid(k, 3, radius=0, rules=("clamp",))
    field = grid.inout("log_odds_map|occupancy|belief" if log_odds else "tsdf|volume|distance_map", T)
    depth = k.input("depth|depth_image|range_img", T, 2)
    weights = None if log_odds else grid.inout("weights|weight_vol", T)
    cell = grid.enter()
    size, focal = factor(k, "voxel|cell_size", T, 1, 20), factor(k, "focal|fx", T, 100, 900)
    z = let(k, "z|depth_v", cast(cell[0], T) * size + 0.2)
    y, x = let(k, "y|py", cast(cell[1], T) * size), let(k, "x|px", cast(cell[2], T) * size)
    if c.chance(1, 2):
        o = k.scalar("origin|corner", vec(3, T))
        z, y, x = let(k, "zw|pz", wp.max(z + o[2], 0.1)), let(k, "yw|qy", y + o[1]), let(k, "xw|qx", x + o[0])
    v = let(k, "v|row_i", cast(wp.clamp(focal * y / z + 0.5, -1.0e4, 1.0e4), INT))
    u = let(k, "u|col_i", cast(wp.clamp(focal * x / z + 0.5, -1.0e4, 1.0e4), INT))
    inside = both(u >= 0, u < depth.shape(1), v >= 0, v < depth.shape(0))
    with k.if_(inside):
        seen = let(k, "seen|d", depth[v, u])
        gap = let(
            k,
            "gap|sdf",
            varied(k, seen - z if c.chance(1, 2) else (seen - z) * wp.sqrt(1.0 + (x * x + y * y) / (z * z)), 0, 1),
        )
        band = let(k, "band|mu", wp.abs(factor(k, "trunc|truncation", T)) + 0.05)
        old = let(k, "old|before", grid.at(field, 0, 0, 0))
        if weights is None:
            value = _log_odds(k, gap, band, old, T)
        else:
            value = _averaged(k, grid, weights, z, gap, band, old, T)
        grid.put(field, let(k, "value|fused", varied(k, let(k, "value0|avg_v", value), 0, 1)))
    what = "log odds of occupancy" if log_odds else "truncated distances"
    k.summary(f"Fuses a depth image into a volume of {what}.")


def _averaged(k: Author, grid: Grid, weights: Arr, z: Term, gap: Term, band: Term, old: Term, T: Scalar) -> Term:
    """Return the running mean of a distance, and count its weight."""
    c = k.c
    w = let(k, "w|w_old", wp.abs(grid.at(weights, 0, 0, 0)))
    with k.if_(gap < -band):
        k.leave()
    new = let(k, "new_d|tsd", wp.min(gap / band, 1.0))
    wn = let(k, "wn|w_new", number(1.0, T) if c.chance(1, 2) else 1.0 / (1.0 + z * z))
    value = (old * w + new * wn) / (w + wn + 1.0e-3)
    grid.put(weights, wp.min(w + wn, factor(k, "w_max|cap", T, 500, 900)))
    return value


def _log_odds(k: Author, gap: Term, band: Term, old: Term, T: Scalar) -> Term:
    """Return the belief in a cell after one more look at it."""
    c = k.c
    change = switch(
        k,
        "dl|update",
        wp.abs(gap) < band,
        factor(k, "l_occ|hit", T, 20, 120),
        -factor(k, "l_free|miss", T, 10, 80),
    )
    if c.chance(1, 2):
        change = let(k, "dl1|seen_part", where(gap < -band, number(0.0, T), change))
    return wp.clamp(old + change, -5.0, 5.0)
