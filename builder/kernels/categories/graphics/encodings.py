"""Encodings of places by features of growing frequency."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, chain_of, factor, let
from ...terms import Term, cast, wp
from ...types import FLOAT, Scalar


def positional_encoding(k: Author) -> None:
    """Features of places: sines and cosines of growing frequency, windows, hashed grid corners, Gaussians of axes."""
    c, T = k.c, FLOAT
    n = c.pick((3, 2))
    kind = c.pick(("sinusoidal", "windowed", "integrated", "triangle-wave"))
    k.name("positional_encoding|encode_points|fourier_features|embed_coords")
    layout = Layout(k, n, T)
    pos, out = layout.input("points|coords|xyz"), k.output("features|encoded|emb", T, 2)
    i = gate(k, k.tid("i|tid|pt"), wp.min(pos.count, out.shape(0)))
    i = wp.min(i, out.shape(0) - 1)
    p = pos.load(k, "p|x", i)
    if c.chance(1, 2):
        p = let(k, "pn|scaled_p", varied(k, p * factor(k, "inv_extent|norm_s", T), 0, 2))
    levels = c.between(2, 8)
    width = let(k, "width|cols", out.shape(1))
    freq = k.var("freq|band", factor(k, "base|f0", T) * 1.0)
    with k.for_("m|level", levels) as m:
        gain = _gain(k, kind, m, Term(freq.e), T)
        for axis in range(n):
            a = let(k, f"a{axis}|ph{axis}", p[axis] * Term(freq.e))
            if kind == "triangle-wave":
                s, t = wp.abs(wp.frac(a) - 0.5) * 4.0 - 1.0, wp.abs(wp.frac(a + 0.25) - 0.5) * 4.0 - 1.0
            else:
                s, t = wp.sin(a), wp.cos(a)
            slot = m * (2 * n) + 2 * axis if c.chance(1, 2) else (m * n + axis) * 2
            slot = let(k, f"slot{axis}|at{axis}", slot)
            with k.if_(slot + 1 < width):
                out[i, slot] = s if gain is None else s * gain
                out[i, slot + 1] = t if gain is None else t * gain
        if c.chance(1, 2):
            freq *= 2.0
        else:
            freq.set(Term(freq.e) * factor(k, "growth|octave", T, 150, 220))
    statistic(k, chain_of(k, "acc|energy_p", [p[m] * p[m] for m in range(n)]))
    k.summary(f"Encodes {n}-D points by {kind} features of {levels} frequencies.")


def _gain(k: Author, kind: str, m: Term, freq: Term, T: Scalar) -> Term | None:
    if kind == "windowed":
        x = let(k, "xw|open_w", wp.clamp(factor(k, "progress|alpha_w", T) - cast(m, T), 0.0, 1.0))
        return let(k, "gain|win", 0.5 * (1.0 - wp.cos(3.14159265 * x)) if k.c.chance(1, 2) else x)
    if kind == "integrated":
        var = factor(k, "variance|cov_d", T, 1, 40)
        return let(k, "gain|fade", wp.exp(-wp.min(0.5 * freq * freq * wp.abs(var), 20.0)))
    return let(k, "gain|amp", 1.0 / (1.0 + cast(m, T))) if k.c.chance(1, 3) else None
