"""Steps that depend on slopes: diffusion held back at edges, level sets, distances."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, statistic, varied
from ...terms import Term, number, wp, zero
from ...types import DOUBLE, FLOAT
from .grid import Grid, steps_along


def _anisotropic(k: Author) -> None:
    """Diffusion held back at edges: Perona-Malik, total variation, curvature flow."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    ndim = c.weighted({2: 4, 1: 1, 3: 2})
    k.name("perona_malik|edge_preserving|tv_step|anisotropic|guided_flow")
    g = Grid(k, "img|u|field", T, ndim)
    out = g.output("out|u_next|smooth", T)
    mid, edge, way = k.let("mid|c0|u0", g.first[g.here]), coefficient(k, T, 5, 200), c.below(3)

    def stopped(s: Scope, d: Term) -> Term:
        d = s.let("g|slope|d0", varied(s, d, 0, 1))
        if way == 0:
            return d * wp.exp(-wp.min(d * d / number(0.09, T), 20.0))
        if way == 1:
            return d / (1.0 + d * d * 10.0)
        return d / wp.sqrt(d * d + number(0.01, T))

    through = k.helper("conduct|stop|flow", {"d|delta|jump": T}, stopped)
    total = k.var("total|flux|acc", zero(T))
    for axis in range(ndim):
        for step in (-1, 1):
            total += varied(k, through(g.near(g.first, *steps_along(axis, step)) - mid), 0, 1)
    value = varied(k, mid + total * edge * number(0.1, T), 0, 3)
    out[g.here] = value
    statistic(k, value)
    names = ("an exponential", "a rational", "a total-variation")
    k.summary(f"Does one step of diffusion held back at edges by {names[way]} weight, of {T.name} on {g.what}.")


def _level_set(k: Author) -> None:
    """Level sets and distances: Godunov's eikonal update, reinitialisation, motion along the normal, curvature."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    ndim = c.pick((2, 3, 1))
    k.name("eikonal|reinitialise|level_set_step|front_motion|fast_sweep")
    g = Grid(k, "phi|dist|level", T, ndim)
    out = g.output("out|phi_next|dist_out", T)
    mid = k.let("mid|c0|phi0", g.first[g.here])
    speed = coefficient(k, T, 5, 120)
    if c.chance(1, 3):
        speeds = g.input("speeds|slowness|front", T)
        speed = k.let("speed|s0|f", varied(k, speeds[g.here], 0, 1) * speed)
    norm = k.var("norm|grad2|acc", zero(T))
    way = c.below(3)
    least = k.var("least|near_min|best", mid) if way == 2 else None
    for axis in range(ndim):
        a = k.let(f"a{axis}|dm{axis}", mid - g.near(g.first, *steps_along(axis, -1)))
        b = k.let(f"b{axis}|dp{axis}", g.near(g.first, *steps_along(axis, 1)) - mid)
        if least is not None:
            least.set(wp.min(least, wp.min(mid - a, mid + b)))
            norm += varied(k, wp.abs(a) * wp.abs(b), 0, 1)
        elif way == 1:
            norm += wp.max(wp.max(a, 0.0) * wp.max(a, 0.0), wp.min(b, 0.0) * wp.min(b, 0.0))
        else:
            norm += (a + b) * (a + b) * 0.25
    size = k.let("size|slope|len_g", wp.sqrt(norm))
    if least is not None:
        value = wp.min(mid, least + wp.abs(speed) + size * 0.01)
    elif way == 1:
        sign = mid / wp.sqrt(mid * mid + number(0.01, T))
        value = mid - speed * 0.1 * sign * (size - 1.0)
    else:
        value = mid - speed * 0.1 * size
    out[g.here] = varied(k, value, 0, 3)
    names = ("Moves a front along its normal", "Reinitialises a distance", "Lowers arrival times by their neighbours")
    k.summary(f"{names[way]}: one step of {T.name} on {g.what}.")


FAMILIES = (_anisotropic, _level_set)
