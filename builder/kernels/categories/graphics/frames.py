"""Frames: fractals, rasterised triangles, splats, bloom, positional encodings."""

from __future__ import annotations

from ...author import Arr, Author, Var
from ...fusion import gate, statistic, varied
from ...layouts import Grid, Layout, Points, chain_of, factor, let, precise, switch
from ...terms import Term, both, cast, make, number, where, wp, zero
from ...types import FLOAT, INT, Scalar, vec


def fractal(k: Author) -> None:
    """Escape-time and root fractals with smooth or plain counts and orbit traps."""
    c, T = k.c, precise(k)
    kind = c.pick(("Mandelbrot", "Julia", "burning-ship", "tricorn", "Newton"))
    k.name(f"{kind.lower().replace('-', '_')}|escape_time|fractal|render_fractal")
    out = k.output("counts_out|iterations|frame", T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, out.shape(0))
    zoom = factor(k, "zoom|scale", T, 50, 300)
    y0 = (cast(i, T) / cast(out.shape(0), T) - 0.5) * zoom + factor(k, "cy|center_y", T, 1, 50)
    x0 = (cast(j, T) / cast(out.shape(1), T) - 0.7) * zoom * (1.0 if c.chance(1, 2) else 1.5)
    y0, x0 = let(k, "y0|py", y0), let(k, "x0|px", x0)
    julia = kind == "Julia"
    cr = factor(k, "c_re|seed_re", T) if julia else x0
    ci = factor(k, "c_im|seed_im", T) if julia else y0
    zr, zi = (
        k.var("zr|x", x0 * 1.0 if julia or kind == "Newton" else number(0.0, T)),
        k.var("zi|y", y0 * 1.0 if julia or kind == "Newton" else number(0.0, T)),
    )
    n = k.var("n|it", number(0.0, T))
    trap = k.var("trap|closest", number(100.0, T)) if c.chance(1, 2) else None
    _escape(k, kind, (zr, zi), (cr, ci), n, trap)
    value = _smooth(k, kind, (Term(n.e), Term(zr.e), Term(zi.e)), T)
    value = let(k, "v|tone", varied(k, let(k, "v0|raw_v", value), 0, 2))
    out[i, j] = value
    if trap is not None:
        k.output("trap_out|orbit", T, 2)[i, j] = varied(k, Term(trap.e), 0, 1)
    statistic(k, value)
    k.summary(f"Renders a {kind} fractal by iteration at each pixel.")


def _escape(k: Author, kind: str, z: tuple[Var, Var], seed: tuple[Term, Term], n: Var, trap: Var | None) -> None:
    """Iterate until the orbit escapes or the count ends."""
    c = k.c
    (zr, zi), (cr, ci) = z, seed
    limit = c.between(24, 200)
    if c.chance(1, 2):
        with k.for_("step|s", limit):
            _iterate(k, kind, zr, zi, cr, ci)
            if kind != "Newton":
                with k.if_(zr * zr + zi * zi > 16.0):
                    k.leave("break")
            if trap is not None:
                trap.set(wp.min(Term(trap.e), wp.abs(Term(zr.e) if c.chance(1, 2) else Term(zi.e))))
            n += 1.0
    else:
        test = n < float(limit) if kind == "Newton" else both(n < float(limit), zr * zr + zi * zi < 16.0)
        with k.while_(test):
            _iterate(k, kind, zr, zi, cr, ci)
            if trap is not None:
                trap.set(wp.min(Term(trap.e), zr * zr + zi * zi))
            n += 1.0


def _iterate(k: Author, kind: str, zr, zi, cr: Term, ci: Term) -> None:  # type: ignore[no-untyped-def]
    if kind == "Newton":
        a, b = let(k, "a|re2", zr * zr - zi * zi), let(k, "b|im2", 2.0 * zr * zi)
        d = let(k, "d|norm2", 3.0 * (a * a + b * b) + 0.01)
        zr.set(0.6666667 * zr + a / d)
        zi.set(0.6666667 * zi - b / d)
        return
    if kind == "burning-ship":
        x, y = let(k, "ax|ar", wp.abs(Term(zr.e))), let(k, "ay|ai", wp.abs(Term(zi.e)))
    else:
        x, y = let(k, "xr|tr", Term(zr.e) * 1.0), let(k, "yi|ti", Term(zi.e) * (-1.0 if kind == "tricorn" else 1.0))
    zr.set(x * x - y * y + cr if k.c.chance(1, 2) else (x - y) * (x + y) + cr)
    zi.set(2.0 * x * y + ci)


def _smooth(k: Author, kind: str, state: tuple[Term, Term, Term], T: Scalar) -> Term:
    n, x, y = state
    c = k.c
    if kind == "Newton":
        return wp.atan2(y, x + 1.0e-4) + n * 0.01
    way = c.below(3)
    if way == 0:
        return n * 0.01 + (x * x + y * y) * 0.0001
    r2 = let(k, "r2|mag2", wp.clamp(x * x + y * y, 4.0, 1.0e6))
    nu = n + 1.0 - wp.log2(0.5 * wp.log2(r2))
    return nu * 0.01 if way == 1 else 0.5 + 0.5 * wp.sin(nu * factor(k, "palette|color_freq", T))


def rasterise(k: Author) -> None:
    """Triangles on pixels: edge functions, depth, interpolated values, the nearest of several, antialiased cover."""
    c, T = k.c, FLOAT
    k.name("rasterize|edge_functions|draw_triangles|triangle_cover")
    V = vec(2)
    a_in, b_in, d_in = (k.input(w, vec(3)) for w in ("va|first_v", "vb|second_v", "vc|third_v"))
    depth = k.output("depth_out|zbuf", T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, depth.shape(0))
    p = let(k, "p|px", make(V, cast(j, T) + 0.5, cast(i, T) + 0.5) * factor(k, "pixel|scale", T))
    zbest, who = k.var("zb|nearest", number(1000.0)), k.var("who|tri_id", number(-1, INT))
    shade = k.var("shade|interp", number(0.0)) if c.chance(1, 2) else None
    bound = wp.min(a_in.shape(0), wp.min(b_in.shape(0), d_in.shape(0)))
    edge = k.function("edge|cross_2d|side", {"a|u": V, "b|w": V, "q|pt": V}, lambda f, a, b, q: _edge(f, a, b, q))
    with k.for_("t|tri", bound) as t:
        vs = [let(k, f"v{m}|c{m}", x[t]) for m, x in enumerate((a_in, b_in, d_in))]
        q = [let(k, f"s{m}|xy{m}", make(V, x[0], x[1])) for m, x in enumerate(vs)]
        area = let(k, "area|twice", edge(q[0], q[1], q[2]))
        with k.if_(wp.abs(area) < 1.0e-5 if c.chance(1, 2) else area <= 1.0e-5):
            k.leave("continue")
        w = [edge(q[1], q[2], p) / area, edge(q[2], q[0], p) / area]
        w = [let(k, f"w{m}|b{m}", x) for m, x in enumerate(w)]
        w.append(let(k, "w2|b2", edge(q[0], q[1], p) / area if c.chance(1, 2) else 1.0 - w[0] - w[1]))
        z = _depth(k, w, vs)
        inside = (
            wp.min(wp.min(w[0], w[1]), w[2]) >= 0.0 if c.chance(1, 2) else both(w[0] >= 0.0, w[1] >= 0.0, w[2] >= 0.0)
        )
        with k.if_(both(inside, z < zbest)):
            zbest.set(z)
            who.set(t)
            if shade is not None:
                shade.set(varied(k, w[0] * 0.2 + w[1] * 0.5 + w[2], 0, 2))
    value = let(k, "depth|zv", varied(k, Term(zbest.e), 0, 2))
    depth[i, j] = value
    k.output("ids_out|tri_out", INT, 2)[i, j] = Term(who.e)
    if shade is not None:
        k.output("shade_out|attr_out", T, 2)[i, j] = Term(shade.e)
    statistic(k, value)
    k.summary("Finds the nearest triangle of each pixel by edge functions and interpolates its depth.")


def _depth(k: Author, w: list[Term], vs: list[Term]) -> Term:
    c = k.c
    if c.chance(1, 2):
        z = w[0] * vs[0][2] + w[1] * vs[1][2] + w[2] * vs[2][2]
    else:
        z = vs[0][2] + w[1] * (vs[1][2] - vs[0][2]) + w[2] * (vs[2][2] - vs[0][2])
    return let(k, "z|zt", varied(k, z, 0, 1))


def _edge(f, a: Term, b: Term, q: Term) -> Term:  # type: ignore[no-untyped-def]
    if f.c.chance(1, 2):
        return (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0])
    u, w = let(f, "d1|e1", b - a), let(f, "d2|e2", q - a)
    return u[0] * w[1] - u[1] * w[0]


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


def bloom(k: Author) -> None:
    """Passes over a frame: bright pass and blur, depth of field by depth, motion trails, shadows of a height map."""
    c, T = k.c, precise(k)
    kind = c.pick(("bright-pass blur", "depth-of-field", "temporal blend", "ambient shadow", "edge darkening"))
    grid = Grid(k, 2, radius=1 if kind != "depth-of-field" else 2)
    k.name(f"{kind.split()[0].replace('-', '_')}|post_pass|frame_pass|{kind.split()[-1].replace('-', '_')}_pass")
    src, out = grid.input("frame|color|hdr", T), grid.output("frame_out|pass_out|dst", T)
    aux = grid.input("depth|z_map|history", T)
    grid.enter()
    own, z = let(k, "own|c0", grid.at(src, 0, 0)), let(k, "z|a0", varied(k, grid.at(aux, 0, 0), 0, 1))
    if kind == "temporal blend":
        near = [let(k, f"n{m}|q{m}", grid.at(src, *o)) for m, o in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1)))]
        lo, hi = near[0], near[0]
        for x in near[1:]:
            lo, hi = wp.min(lo, x), wp.max(hi, x)
        old = let(k, "old|held", wp.min(wp.max(z, let(k, "lo|least", lo)), let(k, "hi|most", hi)))
        value = wp.lerp(own, old, factor(k, "blend|keep", T, 50, 95))
    else:
        acc, norm = k.var("acc|total", number(0.0, T)), k.var("norm|wsum", number(0.0, T))
        r = 1
        with k.for_("di|dy", -r, r + 1) as di, k.for_("dj|dx", -r, r + 1) as dj:
            v = let(k, "v|near", grid.at(src, di, dj))
            g = let(k, "g|z1", grid.at(aux, di, dj))
            w = let(k, "w|wt", _pass_weight(k, kind, v, g, z, T))
            acc += v * w if kind != "ambient shadow" else w
            norm += w if kind != "ambient shadow" else number(1.0, T)
        mean = let(k, "mean|blurred", Term(acc.e) / wp.max(Term(norm.e), 1.0e-3))
        value = _composed(k, kind, own, mean, z, T)
    value = let(k, "value|res", varied(k, let(k, "value0|px_out", value), 0, 2))
    grid.put(out, value)
    statistic(k, value)
    k.summary(f"A {kind} pass over a frame, {grid.edge}.")


def _composed(k: Author, kind: str, own: Term, mean: Term, z: Term, T: Scalar) -> Term:
    if kind == "ambient shadow":
        value = own * (1.0 - wp.clamp(mean, 0.0, 1.0) * factor(k, "strength|dark", T, 10, 100))
    elif kind == "bright-pass blur":
        value = own + mean * factor(k, "strength|bloom_g", T)
    elif kind == "depth-of-field":
        coc = let(
            k,
            "coc|blur_r",
            wp.clamp(wp.abs(z - factor(k, "focus|focal", T)) * factor(k, "aperture|f_num", T), 0.0, 1.0),
        )
        value = wp.lerp(own, mean, coc)
    else:
        value = switch(k, "edge_v|lined", wp.abs(own - mean) > factor(k, "edge_t|threshold", T, 5, 60), own * 0.2, own)
    return value


def _pass_weight(k: Author, kind: str, v: Term, g: Term, z: Term, T: Scalar) -> Term:
    if kind == "bright-pass blur":
        return wp.max(v - factor(k, "threshold|knee", T), 0.0) / (1.0 + wp.abs(g - z))
    if kind == "depth-of-field":
        return where(g > z - 0.1, number(1.0, T), number(0.3, T)) if k.c.chance(1, 2) else 1.0 / (1.0 + wp.abs(g - z))
    if kind == "ambient shadow":
        d = let(k, "dz|rise", z - g)
        return wp.clamp(d, 0.0, 1.0) if k.c.chance(1, 2) else where(d > 0.05, 1.0 / (1.0 + d * d), number(0.0, T))
    return wp.exp(-wp.min(wp.abs(g - z), 20.0))


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
