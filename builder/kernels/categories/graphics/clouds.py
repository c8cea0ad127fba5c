"""Point clouds: alignment and normals."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise
from ...terms import Term, make, number, where, wp, zero
from ...types import FLOAT, INT, Scalar, mat, vec


def icp_residual(k: Author) -> None:
    """Alignment of clouds: nearest or given pairs, point or plane residual, robust weights, cross covariance."""
    c, T = k.c, precise(k)
    k.name("icp_residual|align_clouds|registration_step|correspondence")
    layout = Layout(k, 3, T)
    src, dst = layout.input("source|moving|src"), layout.input("target|fixed|dst")
    i = gate(k, k.tid("i|tid|pt"), src.count)
    rot, shift = k.scalar("rot|rmat", mat(3, 3, T)), k.scalar("shift|trans", vec(3, T))
    p = let(k, "p|moved", rot * src.at(i) + shift)
    if c.chance(1, 2):
        best, j = k.var("best|nearest", number(1.0e6, T)), k.var("j|match", number(0, INT))
        with k.for_("m|cand", dst.count) as m:
            d = let(k, "d2|dist2", wp.length_sq(dst.at(m) - p))
            with k.if_(d < best):
                best.set(d)
                j.set(m)
        at = Term(j.e)
        if c.chance(1, 2):
            k.output("match_out|pairs_out", INT)[i] = at
    else:
        at = let(k, "j|match", wp.clamp(k.input("pairs|matches", INT)[i], 0, dst.count - 1))
    q = dst.load(k, "q|other", at)
    diff = let(k, "diff|gap", p - q)
    plane = c.chance(1, 2)
    r = wp.dot(diff, layout.input("normals|dst_n").at(at)) if plane else wp.length(diff)
    r = let(k, "r|res", varied(k, let(k, "r0|raw_r", r), 0, 2))
    w = let(k, "w|robust", _robust(k, r, T))
    way = c.below(3)
    if way == 0:
        k.output("residual_out|cost_out", T)[i] = w * r * r
    elif way == 1:
        k.output("residual_out|cost_out", T)[i] = r
        k.output("weight_out|w_out", T)[i] = w
    else:
        k.atomic("add", k.output("cov_out|cross_out", mat(3, 3, T)), 0, wp.outer(p, q) * w)
        k.atomic("add", k.output("cost_out|total_cost", T), 0, w * r * r)
    statistic(k, r)
    k.summary(f"Computes the point-to-{'plane' if plane else 'point'} residual of each point of a moved cloud.")


def _robust(k: Author, r: Term, T: Scalar) -> Term:
    s = factor(k, "scale_r|cutoff", T)
    s = let(k, "sc|bound", wp.abs(s) + 0.05)
    way = k.c.below(4)
    if way == 0:
        return where(wp.abs(r) < s, number(1.0, T), s / (wp.abs(r) + 1.0e-3))
    if way == 1:
        return 1.0 / (1.0 + (r / s) * (r / s))
    if way == 2:
        u = let(k, "u|in_band", wp.max(1.0 - (r / s) * (r / s), 0.0))
        return u * u
    return where(wp.abs(r) < s, number(1.0, T), number(0.0, T))


def point_normals(k: Author) -> None:
    """Normals of a cloud from the covariance of neighbours: by iteration, by eigenvectors, or by rows."""
    c, T = k.c, FLOAT
    M, V = mat(3, 3, T), vec(3, T)
    k.name("point_normals|estimate_normals|local_pca|surface_variation")
    layout = Layout(k, 3, T)
    pos = layout.input("points|cloud|pos")
    table = k.input("neighbors|nbrs|knn", INT, 2)
    i = gate(k, k.tid("i|tid|pt"), pos.count)
    p = pos.load(k, "p|here", i)
    mean, cov, n = k.var("mean|centroid", zero(V)), k.var("cov|scatter", zero(M)), k.var("n|found", number(0.0, T))
    radius = factor(k, "radius|reach", T, 50, 300) if c.chance(1, 2) else None
    row = let(k, "row|line", wp.min(i, table.shape(0) - 1))
    with k.for_("s|slot|m", table.shape(1)) as s:
        q = pos.load(k, "q|near", wp.clamp(table[row, s], 0, pos.count - 1))
        d = let(k, "d|rel", q - p)
        w = number(1.0, T) if radius is None else where(wp.length(d) < radius, number(1.0, T), number(0.0, T))
        w = let(k, "w|wt", w if radius is not None else wp.exp(-wp.min(wp.dot(d, d), 20.0)))
        if c.chance(1, 2):
            w = let(k, "w1|conf", varied(k, w, 1, 1))
        mean += d * w
        cov += wp.outer(d, d) * w
        n += w
    inv = let(k, "inv|share", 1.0 / wp.max(Term(n.e), 1.0))
    mu = let(k, "mu|avg", Term(mean.e) * inv)
    spread = let(k, "spread|tensor", Term(cov.e) * inv - wp.outer(mu, mu))
    normal = _least_axis(k, spread, i)
    normal = let(k, "nrm|unit", normal)
    if c.chance(1, 2):
        view = k.scalar("viewpoint|eye", V)
        normal = let(k, "facing|outward", where(wp.dot(normal, view - p) < 0.0, -normal, normal))
    if c.chance(1, 2):
        flat = wp.dot(normal, spread * normal) / (wp.abs(wp.trace(spread)) + 0.01)
        k.output("roughness_out|planarity", T)[i] = varied(k, flat, 0, 2)
    if c.chance(1, 2):
        normal = let(k, "tilted|n2", normal + mu * factor(k, "tilt|lean", T, 1, 20))
    layout.output("normals_out|n_out").store(k, i, let(k, "res|n1", varied(k, normal, 0, 1)))
    statistic(k, wp.trace(spread))
    k.summary("Estimates the normal of each point of a cloud from the covariance of its neighbours.")


def _least_axis(k: Author, spread: Term, i: Term) -> Term:
    """Return the direction in which a cloud spreads least."""
    c, T = k.c, FLOAT
    M, V = mat(3, 3, T), vec(3, T)
    way = c.below(3)
    if way == 0:
        vecs, vals = k.many(("vecs|axes_m", "vals|lambdas"), wp.eig3(spread))
        total = vals[0] + vals[1] + vals[2]
        k.output("variation_out|flatness", T)[i] = varied(k, wp.min(vals) / (wp.abs(total) + 1.0e-3), 0, 1)
        normal = make(V, vecs[0, 2], vecs[1, 2], vecs[2, 2])
    elif way == 1:
        flip = (
            make(M, *(1.0 if a == b else 0.0 for a in range(3) for b in range(3))) * (wp.trace(spread) + 0.01) - spread
        )
        v = k.var("v|guess", make(V, 0.3, 0.5, 0.8))
        m = let(k, "m|shifted", flip)
        with k.for_("it|sweep", c.between(4, 12)):
            v.set(wp.normalize(m * Term(v.e)))
        normal = Term(v.e)
    else:
        rows = [make(V, *(spread[a, b] for b in range(3))) for a in range(2)]
        normal = wp.normalize(wp.cross(rows[0], rows[1]) + make(V, 0.0, 0.0, 1.0e-4))
    return normal
