"""Frames: rasterised triangles and passes over pixels."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Grid, factor, let, precise, switch
from ...terms import Term, both, cast, make, number, where, wp
from ...types import FLOAT, INT, Scalar, vec


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
    """Join a pixel with what its pass has gathered around it."""
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
