"""Thresholds: fixed, adaptive, by histograms."""

from __future__ import annotations

from ...author import Author
from ...fusion import statistic, varied
from ...layouts import factor, let, switch
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT
from .pixels import Picture


def threshold(k: Author) -> None:
    """Thresholds: fixed, of two levels, adaptive by the local mean or contrast, from Otsu's histogram."""
    c = k.c
    kind = c.pick(("fixed", "hysteresis", "adaptive-mean", "adaptive-contrast", "between-class variance"))
    k.name("binarize|threshold|segment|adaptive_threshold" if kind[0] != "b" else "otsu_scores|otsu_variance")
    if kind == "between-class variance":
        _otsu(k)
        return
    pic = Picture(k, radius=2)
    src = pic.input("src|img|grey")
    out = pic.grid.output("mask_out|labels|binary", INT)
    pic.grid.enter()
    v = let(k, "v|centre|p0", varied(k, pic.read(src, 0, 0), 0, 2))
    low = factor(k, "low|t0|cut", FLOAT, 5, 60)
    if kind == "fixed":
        result = switch(k, "bit|cls", v > low, number(1, INT), number(0, INT))
    elif kind == "hysteresis":
        high = factor(k, "high|t1", FLOAT, 60, 150)
        near = [pic.read(src, *o) for o in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        best = near[0]
        for x in near[1:]:
            best = wp.max(best, x)
        best = let(k, "best|strong", best)
        cls = k.var("cls|bit", number(0, INT))
        with k.if_(v > high):
            cls.set(2 if c.chance(1, 2) else 1)
        with k.elif_(v > low):
            cls.set(where(best > high, number(1, INT), number(0, INT)))
        result = Term(cls.e)
    else:
        result = _adaptive(k, pic, src, v, kind)
    result = let(k, "result|label", result)
    pic.grid.put(out, varied(k, result, 0, 1))
    if c.chance(1, 3):
        with k.if_(result > 0):
            k.atomic("add", k.output("area|count_out", INT), 0, 1)
    k.summary(f"Segments an image by a {kind} threshold, {pic.grid.edge}.")


def _adaptive(k: Author, pic: Picture, src, v: Term, kind: str) -> Term:  # type: ignore[no-untyped-def]
    c = k.c
    total, square = k.var("total|s1", number(0.0)), k.var("square|s2", number(0.0))
    r = c.pick((1, 2))
    with k.for_("di|dy", -r, r + 1) as di, k.for_("dj|dx", -r, r + 1) as dj:
        q = let(k, "q|near", pic.read(src, di, dj))
        total += q
        if kind == "adaptive-contrast":
            square += q * q
    area = float((2 * r + 1) ** 2)
    mean = let(k, "mean|avg", total / area)
    if kind == "adaptive-mean":
        level = (
            mean - factor(k, "offset|bias", FLOAT, 1, 30)
            if c.chance(1, 2)
            else mean * factor(k, "ratio|share", FLOAT, 70, 99)
        )
    else:
        sd = let(k, "sd|dev", wp.sqrt(wp.max(square / area - mean * mean, 0.0) + 1.0e-6))
        kk = factor(k, "k_s|sens", FLOAT, 5, 50)
        level = mean * (1.0 + kk * (sd / 0.5 - 1.0)) if c.chance(1, 2) else mean - kk * sd
    level = let(k, "level|th", level)
    return where(v > level, number(1, INT), number(0, INT)) if c.chance(1, 2) else cast(wp.step(level - v), INT)


def _otsu(k: Author) -> None:
    c = k.c
    hist, out = (
        k.input("hist|histogram|counts", INT if c.chance(1, 2) else FLOAT),
        k.output("scores|variance_out", FLOAT),
    )
    t = k.tid("t|level|tid")
    w0, w1 = k.var("w0|below", number(0.0)), k.var("w1|above", number(0.0))
    s0, s1 = k.var("s0|sum_below", number(0.0)), k.var("s1|sum_above", number(0.0))
    with k.for_("b|bin", hist.shape(0)) as b:
        n = let(k, "n|cnt", cast(hist[b], FLOAT))
        x = let(k, "x|tone", cast(b, FLOAT) * n)
        with k.if_(b <= t if c.chance(1, 2) else b < t):
            w0 += n
            s0 += x
        with k.else_():
            w1 += n
            s1 += x
    m0, m1 = let(k, "m0|mean0", s0 / wp.max(w0, 1.0)), let(k, "m1|mean1", s1 / wp.max(w1, 1.0))
    gap = let(k, "gap|d", varied(k, m0 - m1, 0, 1))
    value = w0 * w1 * gap * gap
    if c.chance(1, 2):
        value = value / ((w0 + w1) * (w0 + w1) + 1.0)
    value = let(k, "value|score", varied(k, value, 0, 2))
    out[t] = value
    statistic(k, value)
    k.summary("Computes Otsu's between-class variance of each level of a histogram.")
