"""Rays against shapes."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise, switch
from ...terms import Term, both, number, where, wp
from ...types import INT, Vec, vec


def ray_shapes(k: Author) -> None:
    """Rays against spheres, boxes, planes, triangles, discs, cylinders: one shape, or the nearest of several."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    shape = c.pick(("sphere", "box", "plane", "triangle", "disc", "cylinder"))
    k.name(f"ray_{shape}|intersect_{shape}|cast_rays|trace_{shape}")
    layout = Layout(k, 3, T)
    origins, directions = layout.input("origin|ray_o|starts"), layout.input("dirs|ray_d|headings")
    out = k.output("t_out|hit_t|depth_out", T)
    i = gate(k, k.tid("i|tid|ray"), origins.count)
    o, d = origins.load(k, "o|ro", i), let(k, "d|rd", wp.normalize(directions.at(i)))
    far = factor(k, "t_max|far", T, 500, 900)
    if c.chance(1, 2) and shape in ("sphere", "box", "disc"):
        shapes = layout.input("centres|centers|mids")
        best = k.var("best|nearest", far * 1.0)
        which = k.var("which|winner", number(-1, INT))
        with k.for_("s|prim|m", shapes.count) as s:
            t = let(k, "t|dist", _hit(k, shape, o, d, shapes.at(s), V))
            with k.if_(both(t > 0.0, t < best)):
                best.set(t)
                which.set(s)
        t = Term(best.e)
        k.output("prim_out|ids_out", INT)[i] = Term(which.e)
    else:
        t = let(k, "t|dist", _hit(k, shape, o, d, k.scalar("center|place|anchor", V), V))
        t = switch(k, "t_hit|kept_t", t < 0.0, far, t) if c.chance(1, 2) else t
    t = let(k, "tv|along", varied(k, t, 0, 2))
    out[i] = t
    if c.chance(1, 2):
        layout.output("point_out|hit_p").store(k, i, let(k, "p_hit|x", o + d * t))
    statistic(k, t)
    k.summary(f"Intersects rays with shapes of kind {shape}.")


def _hit(k: Author, shape: str, o: Term, d: Term, at: Term, V: Vec) -> Term:
    T = V.dtype
    at = let(k, "ctr|q0", at)
    rel = let(k, "oc|rel", o - at)
    size = factor(k, "size|radius|ext", T)
    none = number(-1.0, T)
    if shape == "sphere":
        b, q = let(k, "b|half_b", wp.dot(rel, d)), let(k, "q|c0", wp.dot(rel, rel) - size * size)
        disc = let(k, "disc|h2", b * b - q)
        root = let(k, "root|sq", wp.sqrt(wp.max(disc, 0.0) + 1.0e-8))
        near = where(-b - root > 0.0, -b - root, -b + root) if k.c.chance(1, 2) else -b - root
        return where(disc < 0.0, none, near)
    if shape == "box":
        return _slabs(k, rel, d, size, V)
    if shape in ("plane", "disc"):
        n = let(k, "n|nrm", wp.normalize(k.scalar("normal|facing", V)))
        slope = let(k, "slope|dn", wp.dot(d, n))
        safe = where(wp.abs(slope) < 1.0e-4, number(1.0e-4, T), slope)
        t = let(k, "tp|cross_t", -wp.dot(rel, n) / safe)
        if shape == "plane":
            return t
        x = let(k, "xr|off", rel + d * t)
        return where(wp.dot(x, x) < size * size, t, none)
    if shape == "triangle":
        return _moller(k, o, d, at, V)
    a, b = let(k, "aa|d2", d[0] * d[0] + d[2] * d[2] + 1.0e-4), let(k, "bb|od", rel[0] * d[0] + rel[2] * d[2])
    disc = let(k, "disc|h2", b * b - a * (rel[0] * rel[0] + rel[2] * rel[2] - size * size))
    t = let(k, "tc|side_t", (-b - wp.sqrt(wp.max(disc, 0.0) + 1.0e-8)) / a)
    y = rel[1] + t * d[1]
    return where(both(disc > 0.0, wp.abs(y) < factor(k, "half_h|tall", T)), t, none)


def _slabs(k: Author, rel: Term, d: Term, size: Term, V: Vec) -> Term:
    T = V.dtype
    low, high = k.var("t0|near_t", number(-1000.0, T)), k.var("t1|far_t", number(1000.0, T))
    way = k.c.below(2)
    for axis in range(3):
        inv = let(k, f"inv{axis}|r{axis}", 1.0 / where(wp.abs(d[axis]) < 1.0e-4, number(1.0e-4, T), d[axis]))
        a, b = (
            let(k, f"a{axis}|lo{axis}", (-size - rel[axis]) * inv),
            let(k, f"b{axis}|hi{axis}", (size - rel[axis]) * inv),
        )
        if way:
            low.set(wp.max(low, wp.min(a, b)))
            high.set(wp.min(high, wp.max(a, b)))
        else:
            with k.if_(inv < 0.0):
                low.set(wp.max(low, b))
                high.set(wp.min(high, a))
            with k.else_():
                low.set(wp.max(low, a))
                high.set(wp.min(high, b))
    return where(high < low, number(-1.0, T), Term(low.e))


def _moller(k: Author, o: Term, d: Term, a: Term, V: Vec) -> Term:
    """Moeller and Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997."""
    T = V.dtype
    e1, e2 = let(k, "e1|edge1", k.scalar("b_corner|vb", V) - a), let(k, "e2|edge2", k.scalar("c_corner|vc", V) - a)
    p = let(k, "pv|h", wp.cross(d, e2))
    det = let(k, "det|vol", wp.dot(e1, p))
    inv = let(k, "inv|f", 1.0 / where(wp.abs(det) < 1.0e-5, number(1.0e-5, T), det))
    s = let(k, "s|tv", o - a)
    u = let(k, "u|bu", wp.dot(s, p) * inv)
    q = let(k, "qv|cr", wp.cross(s, e1))
    v = let(k, "v|bv", wp.dot(d, q) * inv)
    t = let(k, "tt|ray_t", wp.dot(e2, q) * inv)
    inside = wp.min(wp.min(u, v), 1.0 - u - v) >= 0.0 if k.c.chance(1, 2) else both(u >= 0.0, v >= 0.0, u + v <= 1.0)
    return where(inside, t, number(-1.0, T))
