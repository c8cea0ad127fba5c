"""Differences of grid values, in the forms programs give them."""

from __future__ import annotations

from ...author import Arr, Author
from ...layouts import Grid, chain_of, let
from ...terms import Term, number, where, wp, zero
from ...types import scalar_of


def _offset(ndim: int, axis: int, d: int) -> tuple[int, ...]:
    return tuple(d if a == axis else 0 for a in range(ndim))


def neighbours(g: Grid, u: Arr, d: int = 1) -> list[Term]:
    """Return the values at ``-d`` and ``+d`` along each axis in turn."""
    return [g.at(u, *_offset(g.ndim, axis, s)) for axis in range(g.ndim) for s in (-d, d)]


def difference(g: Grid, u: Arr, axis: int) -> Term:
    """Return the central difference along an axis times two."""
    return g.at(u, *_offset(g.ndim, axis, 1)) - g.at(u, *_offset(g.ndim, axis, -1))


def gradient(k: Author, g: Grid, u: Arr, words: str = "g|grad|d") -> list[Term]:
    """Emit a local for the central difference along each axis; return them, the first axis first."""
    half, names = k.c.chance(1, 2), "yx" if g.ndim == 2 else "zyx"
    parts = []
    for axis in range(g.ndim):
        value = difference(g, u, axis)
        value = value * 0.5 if half else value / 2.0
        parts.append(let(k, "|".join(f"{word}{names[axis]}" for word in words.split("|")), value))
    return parts


def laplacian(k: Author, g: Grid, u: Arr, centre: Term, words: str = "lap|laplace|diffusion") -> Term:
    """Return a local with the Laplacian of unit spacing, by one of several stencils and ways to write them."""
    T = scalar_of(centre.type)
    ways = {"sum": 3, "axes": 2, "loop": 2, "nine": 2} if g.ndim == 2 else {"sum": 3, "axes": 2}
    way = k.c.weighted(ways)
    if way == "sum":
        near = chain_of(k, "near|around|nb", neighbours(g, u))
        return let(k, words, near - centre * float(2 * g.ndim))
    if way == "axes":
        around = neighbours(g, u)
        names = "yx" if g.ndim == 2 else "zyx"
        second = [
            let(k, f"d2{names[a]}|u{names[a] * 2}", around[2 * a] - 2.0 * centre + around[2 * a + 1])
            for a in range(g.ndim)
        ]
        return let(k, words, chain_of(k, "both|total", second))
    if way == "nine":
        corners = [g.at(u, a, b) for a in (-1, 1) for b in (-1, 1)]
        side, corner, middle = k.c.pick(((0.2, 0.05, 1.0), (2.0 / 3.0, 1.0 / 6.0, 10.0 / 3.0), (0.5, 0.25, 3.0)))
        edges = let(k, "edges|cross|sides", chain_of(k, "near|nb", neighbours(g, u)))
        diagonal = let(k, "diag|corners", chain_of(k, "far|nb2", corners))
        return let(k, words, edges * round(side, 6) + diagonal * round(corner, 6) - centre * round(middle, 6))
    acc = k.var("acc|s|total", zero(centre.type))
    with k.for_("di|dy|a", -1, 2) as di, k.for_("dj|dx|b", -1, 2) as dj:
        if k.c.chance(1, 2):
            acc += where(di * dj == 0, number(1.0, T), number(0.5, T)) * (g.at(u, di, dj) - centre)
        else:
            with k.if_(wp.abs(di) + wp.abs(dj) == 1):
                acc += g.at(u, di, dj) - centre
    return Term(acc.e)
