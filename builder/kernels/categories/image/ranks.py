"""Filters by order: medians and morphology."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import statistic, varied
from ...layouts import chain_of, factor, let
from ...terms import Term, where, wp
from ...types import FLOAT
from .pixels import Picture


def median(k: Author) -> None:
    """Rank filters: the median of a cross or of a square by exchanges, trimmed means, conservative smoothing."""
    c = k.c
    pic = Picture(k)
    k.name("median_filter|rank_filter|despeckle|median3x3")
    src, dst = pic.input("src|img|noisy"), pic.output("dst|out|clean")
    pic.grid.enter()
    kind = c.pick(("median of five", "trimmed mean", "conservative smoothing", "median of row medians"))
    cross = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
    v = [let(k, f"v{n}|p{n}|a{n}", pic.read(src, *o)) for n, o in enumerate(cross)]
    if kind == "median of five":
        order = ((0, 1), (3, 4), (0, 3), (1, 4), (1, 2), (2, 3), (1, 2))
        for m, n in order:
            v[m], v[n] = let(k, "lo|m", wp.min(v[m], v[n])), let(k, "hi|n", wp.max(v[m], v[n]))
        value = v[2]
    elif kind == "trimmed mean":
        lo, hi = v[0], v[0]
        for x in v[1:]:
            lo, hi = wp.min(lo, x), wp.max(hi, x)
        value = (chain_of(k, "acc|total", v) - let(k, "lo|least", lo) - let(k, "hi|most", hi)) / 3.0
    elif kind == "conservative smoothing":
        lo, hi = wp.min(wp.min(v[1], v[2]), wp.min(v[3], v[4])), wp.max(wp.max(v[1], v[2]), wp.max(v[3], v[4]))
        value = wp.clamp(v[0], let(k, "lo|least", lo), let(k, "hi|most", hi)) if c.chance(1, 2) else wp.min(
            wp.max(v[0], let(k, "lo|least", lo)), let(k, "hi|most", hi))  # fmt: skip
    else:
        three = k.helper("med3|mid3|median3", {"a|p": FLOAT, "b|q": FLOAT, "d|r": FLOAT}, _middle)
        rows = [three(*(pic.read(src, a, b) for b in (-1, 0, 1))) for a in (-1, 0, 1)]
        rows = [let(k, f"row{n}|m{n}", row) for n, row in enumerate(rows)]
        value = three(*rows)
    value = let(k, "value|res", varied(k, value, 0, 2))
    if c.chance(1, 3):
        limit = factor(k, "limit|threshold", FLOAT, 5, 100)
        value = let(k, "chosen|picked", where(wp.abs(value - v[0]) > limit, value, v[0]))
    pic.write(dst, value)
    statistic(k, value)
    k.summary(f"Filters an image by a {kind}, {pic.grid.edge}.")


def _middle(f: Scope, a: Term, b: Term, d: Term) -> Term:
    if f.c.chance(1, 2):
        return wp.max(wp.min(a, b), wp.min(wp.max(a, b), d))
    return a + b + d - wp.min(a, wp.min(b, d)) - wp.max(a, wp.max(b, d))


def morphology(k: Author) -> None:
    """Erosion, dilation and what is built on them, over squares, crosses, lines or a mask; flat or with heights."""
    c = k.c
    pic = Picture(k, radius=2, rules=("clamp", "wrap", "skip", "mirror"))
    kind = c.pick(("erosion", "dilation", "morphological gradient", "top hat"))
    k.name(f"{kind.split()[-1]}|morphology|{'erode' if kind[0] == 'e' else 'dilate'}|structuring")
    src, dst = pic.input("src|img|image"), pic.output("dst|out|shape_out")
    pic.grid.enter()
    centre = let(k, "centre|p0", pic.read(src, 0, 0))
    low, high = k.var("low|least", centre), k.var("high|most", centre)
    element = c.pick(("square", "cross", "line", "disc"))
    r = c.pick((1, 2))
    height = factor(k, "height|offset", FLOAT, 1, 40) if c.chance(1, 3) else None

    def visit(v: Term) -> None:
        v = let(k, "v|near", v if height is None else v + height)
        low.set(wp.min(low, v))
        high.set(wp.max(high, v))

    if element == "line":
        along = c.chance(1, 2)
        with k.for_("t|s", -r, r + 1) as t:
            visit(pic.read(src, *((0, t) if along else (t, 0))))
    else:
        with k.for_("di|dy", -r, r + 1) as di, k.for_("dj|dx", -r, r + 1) as dj:
            if element == "square":
                visit(pic.read(src, di, dj))
            else:
                inside = di * dj == 0 if element == "cross" else di * di + dj * dj <= r * r
                with k.if_(inside):
                    visit(pic.read(src, di, dj))
    least, most = Term(low.e), Term(high.e)
    value = {"erosion": least, "dilation": most, "morphological gradient": most - least, "top hat": centre - least}[
        kind
    ]
    value = let(k, "value|res", varied(k, value, 0, 3))
    pic.write(dst, value)
    statistic(k, value)
    k.summary(f"Computes the {kind} of an image over a {element}, {pic.grid.edge}.")
