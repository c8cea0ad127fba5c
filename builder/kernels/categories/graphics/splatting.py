"""Splats: Gaussians blended on pixels, photons scattered to them."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, varied
from ...layouts import Layout, Points, factor, let
from ...terms import Term, both, cast, make, number, wp, zero
from ...types import FLOAT, INT, vec


def splats(k: Author) -> None:
    """Splats: Gaussians blended in order on pixels, or photons and points scattered to pixels with a footprint."""
    c, T = k.c, FLOAT
    scatter = c.chance(1, 2)
    k.name("photon_splat|splat_points|scatter_photons" if scatter else "gaussian_splat|blend_gaussians|render_splats")
    layout = Layout(k, 2, T)
    centre = layout.input("centres|means|splat_xy")
    if scatter:
        _scatter(k, layout, centre)
        return
    conic, opacity = k.input("conic|inv_cov", vec(3)), k.input("opacity|alpha_in", T)
    shades = k.input("colors|splat_rgb", vec(3)) if c.chance(1, 2) else k.input("levels|splat_v", T)
    coloured = shades.type.dtype is not T  # type: ignore[union-attr]
    out = k.output("image_out|frame", vec(3) if coloured else T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, out.shape(0))
    p = let(k, "p|px", make(vec(2), cast(j, T), cast(i, T)) * factor(k, "pixel|scale", T))
    trans, acc = k.var("trans|tau_t", number(1.0)), k.var("acc|rgb_acc", zero(vec(3)) if coloured else number(0.0))
    with k.for_("g|splat", centre.count) as g:
        a = _alpha(k, centre, conic, opacity, p, g)
        if c.chance(1, 2):
            with k.if_(a < factor(k, "cut|min_alpha", T, 1, 2)):
                k.leave("continue")
        acc += shades[wp.min(g, shades.shape(0) - 1)] * (a * Term(trans.e))
        trans.set(Term(trans.e) * (1.0 - a))
        if c.chance(1, 2):
            with k.if_(Term(trans.e) < 0.0001):
                k.leave("break")
    value = Term(acc.e)
    if c.chance(1, 2):
        value = value + (k.scalar("background|bg", vec(3)) if coloured else factor(k, "background|bg", T)) * Term(
            trans.e
        )
    out[i, j] = let(k, "res|final", varied(k, let(k, "res0|mix", value), 0, 2))
    if c.chance(1, 2):
        k.output("alpha_out|cover", T, 2)[i, j] = varied(k, 1.0 - Term(trans.e), 0, 1)
    k.summary("Blends Gaussian splats in order over each pixel.")


def _alpha(k: Author, centre: Points, conic: Arr, opacity: Arr, p: Term, g: Term) -> Term:
    """Return how much a splat covers a place; skips the splats that cannot."""
    c = k.c
    d = let(k, "d|off", p - centre.at(g))
    q = let(k, "q|cov_i", conic[wp.min(g, conic.shape(0) - 1)])
    power = let(k, "power|expo", 0.5 * (wp.abs(q[0]) * d[0] * d[0] + wp.abs(q[2]) * d[1] * d[1]) + q[1] * d[0] * d[1])
    if c.chance(1, 2):
        with k.if_(power < 0.0):
            k.leave("continue")
    falloff = wp.exp(-wp.clamp(power, 0.0, 20.0)) if c.chance(2, 3) else 1.0 / (1.0 + wp.max(power, 0.0))
    if c.chance(1, 2):
        falloff = let(k, "fall|foot", varied(k, falloff, 1, 1))
    return let(k, "a|alpha_g", wp.min(wp.abs(opacity[wp.min(g, opacity.shape(0) - 1)]) * falloff, 0.99))


def _scatter(k: Author, layout: Layout, centre) -> None:  # type: ignore[no-untyped-def]
    c, T = k.c, FLOAT
    out = k.output("image_out|caustics|hits_map", T, 2)
    i = gate(k, k.tid("i|tid|photon"), centre.count)
    p = centre.load(k, "p|at_p", i)
    power = (
        let(k, "flux|power_i", varied(k, k.input("power|energy_in", T)[i], 0, 2))
        if c.chance(2, 3)
        else factor(k, "flux|unit_p", T)
    )
    s = factor(k, "res|scale", T)
    if c.chance(1, 2):
        s = let(k, "bent_s|lens_s", s * (1.0 + 0.1 * wp.sin(p[0] * 3.0) * wp.cos(p[1] * 3.0)))
    y, x = let(k, "y|py", wp.clamp(p[1] * s, -1.0e4, 1.0e4)), let(k, "x|px", wp.clamp(p[0] * s, -1.0e4, 1.0e4))
    r = c.pick((0, 1, 2))
    h, w = out.shape(0), out.shape(1)
    iy, ix = let(k, "iy|row", cast(wp.floor(y), INT)), let(k, "ix|col", cast(wp.floor(x), INT))
    if r == 0:
        with k.if_(both(iy >= 0, iy < h, ix >= 0, ix < w)):
            k.atomic("add", out, (iy, ix), power, augmented=c.chance(1, 2))
    else:
        width = factor(k, "width|inv_s2", T)
        with k.for_("a|di", -r, r + 1) as a, k.for_("b|dj", -r, r + 1) as b:
            r2 = cast(a * a + b * b, T)
            g = wp.exp(-wp.min(r2 * wp.abs(width), 20.0)) if c.chance(1, 2) else wp.max(1.0 - 0.2 * r2 * width, 0.0)
            g = let(k, "g|foot", g)
            yy, xx = let(k, "yy|r1", iy + a), let(k, "xx|c1", ix + b)
            if c.chance(1, 2):
                with k.if_(both(yy >= 0, yy < h, xx >= 0, xx < w)):
                    k.atomic("add", out, (yy, xx), power * g, augmented=c.chance(1, 2))
            else:
                k.atomic(
                    "add", out, (wp.clamp(yy, 0, h - 1), wp.clamp(xx, 0, w - 1)), power * g, augmented=c.chance(1, 2)
                )
    k.summary("Scatters photons to the pixels around where they land.")
