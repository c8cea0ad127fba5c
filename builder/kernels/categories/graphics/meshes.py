"""Triangles and meshes: normals, areas, closest points, smoothing."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise, switch
from ...terms import Term, make, number, where, wp, zero
from ...types import INT, Scalar, vec


def corners_of(k: Author, n: Term) -> tuple[Term, list[Term]]:
    """Emit the thread index and the three vertex indices of its triangle, held below ``n``."""
    way = k.c.below(3)
    words = ("a|i0|va", "b|i1|vb", "d|i2|vc")
    if way == 0:
        flat = k.input("indices|tris|faces_flat", INT)
        i = gate(k, k.tid("tid|tri|face"), flat.shape(0) // 3)
        top = flat.shape(0) - 1
        return i, [
            let(k, w, wp.clamp(flat[wp.min(i * 3 + m if m else i * 3, top)], 0, n - 1)) for m, w in enumerate(words)
        ]
    if way == 1:
        table = k.input("faces|triangles", INT, 2)
        i = gate(k, k.tid("tid|tri|face"), table.shape(0))
        with k.if_(table.shape(1) < 3):
            k.leave()
        return i, [let(k, w, wp.clamp(table[i, m], 0, n - 1)) for m, w in enumerate(words)]
    packed = k.input("faces|triangles", vec(3, INT))
    i = gate(k, k.tid("tid|tri|face"), packed.shape(0))
    f = let(k, "f|ids", packed[i])
    return i, [let(k, w, wp.clamp(f[m], 0, n - 1)) for m, w in enumerate(words)]


def mesh_normals(k: Author) -> None:
    """Per triangle: normals, areas, volumes, quality, interpolated values; vertex normals added to the corners."""
    c, T = k.c, precise(k)
    part = c.pick(("face normals", "vertex normals", "areas", "signed volumes", "shape quality", "interpolated values"))
    k.name(f"{part.replace(' ', '_')}|mesh_{part.split()[-1]}|triangle_pass")
    layout = Layout(k, 3, T)
    pos = layout.input("points|verts|pos")
    i, ids = corners_of(k, pos.count)
    p = [pos.load(k, f"p{m}|x{m}|v{m}", at) for m, at in enumerate(ids)]
    e1, e2 = let(k, "e1|ab|u", p[1] - p[0]), let(k, "e2|ac|w", p[2] - p[0])
    cr = let(k, "cr|raw_n|area_n", wp.cross(e1, e2))
    double = let(k, "twice|len_n", wp.length(cr) + 1.0e-5)
    if part == "vertex normals":
        value = cr if c.chance(1, 2) else cr / double
        if c.chance(1, 2):
            value = value * _corner_angle(k, e1, e2)
        value = let(k, "nv|share", varied(k, let(k, "nw|wn", value), 0, 1))
        out = layout.output("normals_out|vert_n")
        for at in ids:
            out.add(k, at, value)
        statistic(k, double)
    elif part == "face normals":
        n = let(k, "n|nrm", varied(k, let(k, "n0|unit", cr / double if c.chance(1, 2) else wp.normalize(cr)), 0, 2))
        layout.output("normals_out|face_n").store(k, i, n)
        statistic(k, double)
    else:
        value = _measure(k, part, p, (e1, e2, cr, double), ids, T)
        value = let(k, "value|res", varied(k, let(k, "value0|m0", value), 0, 3))
        k.output("out|per_face|result", T)[i] = value
        if c.chance(1, 3):
            acc = k.output("per_vertex|lumped", T)
            for at in ids:
                k.atomic("add", acc, wp.min(at, acc.shape(0) - 1), value / 3.0, augmented=c.chance(1, 2))
        statistic(k, value)
    k.summary(f"Computes {part} of the triangles of a mesh.")


def _corner_angle(k: Author, u: Term, v: Term) -> Term:
    cos = wp.dot(u, v) / (wp.length(u) * wp.length(v) + 1.0e-4)
    return let(k, "ang|corner", wp.acos(wp.clamp(cos, -0.99, 0.99)))


def _measure(k: Author, part: str, p: list[Term], given: tuple[Term, ...], ids: list[Term], T: Scalar) -> Term:
    e1, e2, cr, double = given
    c = k.c
    if part == "areas":
        if c.chance(1, 2):
            return 0.5 * double
        a, b, d = wp.length(e1), wp.length(e2), wp.length(p[2] - p[1])
        a, b, d = let(k, "la|s0", a), let(k, "lb|s1", b), let(k, "lc|s2", d)
        s = let(k, "s|half_p", 0.5 * (a + b + d))
        return wp.sqrt(wp.max(s * (s - a) * (s - b) * (s - d), 0.0) + 1.0e-8)
    if part == "signed volumes":
        return wp.dot(p[0], wp.cross(p[1], p[2])) / 6.0 if c.chance(1, 2) else wp.dot(p[0], cr) * 0.1666667
    if part == "shape quality":
        edges = wp.dot(e1, e1) + wp.dot(e2, e2) + wp.length_sq(p[2] - p[1])
        return (
            3.4641016 * double / (edges + 1.0e-4)
            if c.chance(1, 2)
            else double / (wp.max(wp.length(e1), wp.length(e2)) + 0.01)
        )
    values, bary = k.input("values|attribute", T), k.input("uv|bary", vec(2, T))
    b = let(k, "bc|weights", bary[wp.min(ids[0], bary.shape(0) - 1)])
    v = [values[wp.min(at, values.shape(0) - 1)] for at in ids]
    if c.chance(1, 2):
        return v[0] * (1.0 - b[0] - b[1]) + v[1] * b[0] + v[2] * b[1] + double * 0.01
    base = let(k, "base|f0", v[0])
    return base + (v[1] - base) * b[0] + (v[2] - base) * b[1] - cr[0] * 0.01


def closest_point(k: Author) -> None:
    """The nearest place on segments, triangles or boxes to each point, over one element or the nearest of many."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    kind = c.pick(("segment", "triangle", "box", "polyline"))
    k.name(f"closest_on_{kind}|nearest_point|project_to_{kind}|distance_to_{kind}")
    layout = Layout(k, 3, T)
    points = layout.input("query|points|samples")
    out = k.output("dist_out|gap_out", T)
    i = gate(k, k.tid("i|tid|q"), points.count)
    p = points.load(k, "p|here", i)
    if kind == "polyline":
        x = _on_path(k, layout, p, T)
    else:
        firsts = layout.input("first|va_in|lo")
        a = firsts.load(k, "a|pa", i)
        b = layout.input("second|vb_in|hi").load(k, "b|pb", i)
        if kind == "segment":
            x = _on_segment(k, p, a, b)
        elif kind == "box":
            lo, hi = let(k, "lo1|mn", wp.min(a, b)), let(k, "hi1|mx", wp.max(a, b))
            x = (
                wp.min(wp.max(p, lo), hi)
                if c.chance(1, 2)
                else make(V, *(wp.clamp(p[n], lo[n], hi[n]) for n in range(3)))
            )
        else:
            x = _on_triangle(k, p, a, b, layout.input("third|vc_in").load(k, "d|pc", i))
    x = let(k, "near|foot", varied(k, let(k, "near0|x0", x), 0, 1))
    d = let(k, "dist|gap", varied(k, wp.length(p - x), 0, 2))
    out[i] = d
    if c.chance(2, 3):
        layout.output("near_out|foot_out").store(k, i, x)
    statistic(k, d)
    k.summary(f"Finds the closest place on a {kind} to each point, and its distance.")


def _on_path(k: Author, layout: Layout, p: Term, T: Scalar) -> Term:
    nodes = layout.input("nodes|path|corners")
    best, spot = k.var("best|nearest", number(1.0e6, T)), k.var("spot|place", p)
    with k.for_("s|seg", nodes.count - 1) as s:
        x = let(k, "x|cand", _on_segment(k, p, nodes.at(s), nodes.at(s + 1)))
        d = let(k, "d2|dist2", wp.length_sq(p - x))
        with k.if_(d < best):
            best.set(d)
            spot.set(x)
    return Term(spot.e)


def _on_segment(k: Scope, p: Term, a: Term, b: Term) -> Term:
    a = let(k, "sa|from_p", a)
    ab = let(k, "ab|along_v", b - a)
    t = let(k, "t|frac_t", wp.dot(p - a, ab) / (wp.dot(ab, ab) + 1.0e-5))
    t = wp.clamp(t, 0.0, 1.0) if k.c.chance(1, 2) else wp.max(wp.min(t, 1.0), 0.0)
    return a + ab * t if k.c.chance(1, 2) else wp.lerp(a, a + ab, t)


def _on_triangle(k: Author, p: Term, a: Term, b: Term, d: Term) -> Term:
    if k.c.chance(1, 2):
        xs = [let(k, f"s{n}|edge_p{n}", _on_segment(k, p, u, v)) for n, (u, v) in enumerate(((a, b), (b, d), (d, a)))]
        ds = [let(k, f"q{n}|g{n}", wp.length_sq(p - x)) for n, x in enumerate(xs)]
        best = where(ds[0] < wp.min(ds[1], ds[2]), xs[0], where(ds[1] < ds[2], xs[1], xs[2]))
    else:
        best = (a + b + d) / 3.0
    best = let(k, "rim|edge_best", best)
    e1, e2 = let(k, "e1|u", b - a), let(k, "e2|w", d - a)
    n = let(k, "n|nrm", wp.cross(e1, e2))
    n2 = let(k, "n2|norm2", wp.dot(n, n) + 1.0e-5)
    v = let(k, "bv|beta", wp.dot(wp.cross(p - a, e2), n) / n2)
    w = let(k, "bw|gamma", wp.dot(wp.cross(e1, p - a), n) / n2)
    inside = wp.min(wp.min(v, w), 1.0 - v - w) >= 0.0
    return switch(k, "foot0|on_tri", inside, a + e1 * v + e2 * w, best)


def smooth_mesh(k: Author) -> None:
    """Laplacian smoothing over neighbour lists: uniform, by lengths, by Gaussians, with pinned points."""
    c, T = k.c, precise(k)
    k.name("smooth_mesh|laplacian_smooth|relax_vertices|curvature_flow")
    layout = Layout(k, 3, T)
    pos, out = layout.input("points|verts|pos"), layout.output("points_out|verts_out|smoothed")
    starts, items = k.input("offsets|row_ptr|first_nb", INT), k.input("neighbors|adj|nbrs", INT)
    i = gate(k, k.tid("i|tid|vert"), pos.count)
    p = pos.load(k, "p|here", i)
    first = let(k, "begin|lo", wp.clamp(starts[wp.min(i, starts.shape(0) - 1)], 0, items.shape(0)))
    last = let(k, "stop|hi", wp.min(starts[wp.min(i + 1, starts.shape(0) - 1)], items.shape(0)))
    total, weight = k.var("total|acc", zero(pos.type)), k.var("weight|wsum", number(0.0, T))
    scheme = c.pick(("uniform", "inverse-length", "Gaussian"))
    with k.for_("s|slot|m", first, last) as s:
        q = pos.load(k, "q|near", wp.clamp(items[s], 0, pos.count - 1))
        d = let(k, "d|edge", q - p)
        if scheme == "uniform":
            total += d if c.chance(1, 2) else q - p
            weight += 1.0
        else:
            r2 = let(k, "r2|len2", wp.dot(d, d))
            w = (
                1.0 / wp.sqrt(r2 + 1.0e-3)
                if scheme[0] == "i"
                else wp.exp(-wp.min(r2 * factor(k, "inv_s2|sharp", T), 20.0))
            )
            w = let(k, "w|wt", w)
            total += d * w
            weight += w
    mean = let(k, "lap|shift", Term(total.e) / wp.max(Term(weight.e), 1.0e-3))
    mean = let(k, "lap1|shift1", varied(k, mean, 0, 1))
    lam = factor(k, "lam|step|rate", T, 10, 90)
    value = _stepped(k, layout, p, mean, lam, i)
    value = let(k, "value|res", varied(k, let(k, "value0|x2", value), 0, 1))
    out.store(k, i, value)
    statistic(k, wp.length(mean))
    k.summary(f"Smooths the vertices of a mesh by {scheme} weights of their neighbours.")


def _stepped(k: Author, layout: Layout, p: Term, mean: Term, lam: Term, i: Term) -> Term:
    """Return a vertex moved by its mean, perhaps along the surface only or not at all."""
    c = k.c
    value = p + mean * lam
    if c.chance(1, 3):
        normal = layout.input("normals|vert_n").load(k, "n|nrm", i)
        value = p + (mean - normal * wp.dot(mean, normal)) * lam
    if c.chance(1, 2):
        pinned = k.input("pinned|fixed|boundary", INT)
        value = switch(k, "kept|moved_p", pinned[i] == 1, p, let(k, "moved|x1", value))
    return value
