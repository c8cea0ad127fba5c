"""Point clouds and voxels: alignment, normals, fusion, codes along curves, nearest seeds."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, statistic, varied
from ...layouts import Grid, Layout, factor, let, precise, switch
from ...terms import Term, both, cast, make, number, where, wp, zero
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


def tsdf_update(k: Author) -> None:
    """Volumes: fusion of a depth image into a truncated distance field, or occupancy by log odds."""
    c, T = k.c, precise(k)
    log_odds = c.chance(1, 2)
    k.name("occupancy_update|log_odds|integrate_scan" if log_odds else "tsdf_update|fuse_depth|integrate_depth")
    grid = Grid(k, 3, radius=0, rules=("clamp",))
    field = grid.inout("log_odds_map|occupancy|belief" if log_odds else "tsdf|volume|distance_map", T)
    depth = k.input("depth|depth_image|range_img", T, 2)
    weights = None if log_odds else grid.inout("weights|weight_vol", T)
    cell = grid.enter()
    size, focal = factor(k, "voxel|cell_size", T, 1, 20), factor(k, "focal|fx", T, 100, 900)
    z = let(k, "z|depth_v", cast(cell[0], T) * size + 0.2)
    y, x = let(k, "y|py", cast(cell[1], T) * size), let(k, "x|px", cast(cell[2], T) * size)
    if c.chance(1, 2):
        o = k.scalar("origin|corner", vec(3, T))
        z, y, x = let(k, "zw|pz", wp.max(z + o[2], 0.1)), let(k, "yw|qy", y + o[1]), let(k, "xw|qx", x + o[0])
    v = let(k, "v|row_i", cast(wp.clamp(focal * y / z + 0.5, -1.0e4, 1.0e4), INT))
    u = let(k, "u|col_i", cast(wp.clamp(focal * x / z + 0.5, -1.0e4, 1.0e4), INT))
    inside = both(u >= 0, u < depth.shape(1), v >= 0, v < depth.shape(0))
    with k.if_(inside):
        seen = let(k, "seen|d", depth[v, u])
        gap = let(
            k,
            "gap|sdf",
            varied(k, seen - z if c.chance(1, 2) else (seen - z) * wp.sqrt(1.0 + (x * x + y * y) / (z * z)), 0, 1),
        )
        band = let(k, "band|mu", wp.abs(factor(k, "trunc|truncation", T)) + 0.05)
        old = let(k, "old|before", grid.at(field, 0, 0, 0))
        if weights is None:
            value = _log_odds(k, gap, band, old, T)
        else:
            value = _averaged(k, grid, weights, z, gap, band, old, T)
        grid.put(field, let(k, "value|fused", varied(k, let(k, "value0|avg_v", value), 0, 1)))
    what = "log odds of occupancy" if log_odds else "truncated distances"
    k.summary(f"Fuses a depth image into a volume of {what}.")


def _averaged(k: Author, grid: Grid, weights: Arr, z: Term, gap: Term, band: Term, old: Term, T: Scalar) -> Term:
    """Return the running mean of a distance, and count its weight."""
    c = k.c
    w = let(k, "w|w_old", wp.abs(grid.at(weights, 0, 0, 0)))
    with k.if_(gap < -band):
        k.leave()
    new = let(k, "new_d|tsd", wp.min(gap / band, 1.0))
    wn = let(k, "wn|w_new", number(1.0, T) if c.chance(1, 2) else 1.0 / (1.0 + z * z))
    value = (old * w + new * wn) / (w + wn + 1.0e-3)
    grid.put(weights, wp.min(w + wn, factor(k, "w_max|cap", T, 500, 900)))
    return value


def _log_odds(k: Author, gap: Term, band: Term, old: Term, T: Scalar) -> Term:
    """Return the belief in a cell after one more look at it."""
    c = k.c
    change = switch(
        k,
        "dl|update",
        wp.abs(gap) < band,
        factor(k, "l_occ|hit", T, 20, 120),
        -factor(k, "l_free|miss", T, 10, 80),
    )
    if c.chance(1, 2):
        change = let(k, "dl1|seen_part", where(gap < -band, number(0.0, T), change))
    return wp.clamp(old + change, -5.0, 5.0)


def morton_codes(k: Author) -> None:
    """Codes along curves: Morton in two or three dimensions, cells of a hash, Hilbert in the plane, bounding boxes."""
    c, T = k.c, FLOAT
    n = c.pick((3, 2))
    kind = c.pick(
        ("Morton", "hash", "row-major", "Gray-coded") if n == 3 else ("Morton", "hash", "Hilbert", "row-major")
    )
    k.name(f"{kind.lower().replace('-', '_')}_codes|spatial_keys|cell_codes|sort_keys")
    layout = Layout(k, n, T)
    pos = layout.input("points|pos|cloud")
    i = gate(k, k.tid("i|tid|pt"), pos.count)
    p = pos.load(k, "p|here", i)
    scale = factor(k, "inv_cell|res|scale", T, 100, 900)
    origin = k.scalar("lower|origin", vec(n, T)) if c.chance(1, 2) else None
    limit = c.pick((255, 1023, 31))
    q = []
    for m in range(n):
        x = (p[m] - origin[m] if origin is not None else p[m]) * scale
        q.append(let(k, f"c{m}|q{'xyz'[m]}", cast(wp.clamp(x, 0.0, float(limit)), INT)))
    code = let(k, "code|key", _code(k, kind, q, limit))
    code = let(k, "result|key1", varied(k, code, 0, 2))
    k.output("codes|keys_out", INT)[i] = code
    if c.chance(1, 2):
        bins = k.output("counts|cell_count", INT)
        k.atomic("add", bins, wp.abs(code) % bins.shape(0), 1)
    if c.chance(1, 3):
        low = k.output("bounds_lo|aabb_min", T)
        for m in range(n):
            k.atomic("min", low, wp.min(number(m, INT), low.shape(0) - 1), p[m])
    k.summary(f"Computes a {kind} code of the cell of each point in {n} dimensions.")


def _code(k: Author, kind: str, q: list[Term], limit: int) -> Term:
    c = k.c
    bits = {255: 8, 1023: 10, 31: 5}[limit]
    if kind == "row-major":
        code = q[0]
        for x in q[1:]:
            code = code * (limit + 1) + x if c.chance(1, 2) else (code << bits) | x
        return code
    if kind == "hash":
        primes = (73856093, 19349663, 83492791)
        code = q[0] * primes[0]
        for x, prime in zip(q[1:], primes[1:], strict=False):
            code = code ^ (x * prime)
        return code % c.pick((1021, 4096, 65521)) if c.chance(1, 2) else code & 0xFFFF
    if kind == "Hilbert":
        return _hilbert(k, q, bits)
    if kind == "Gray-coded":
        q = [let(k, f"g{m}|gray{m}", x ^ (x >> 1)) for m, x in enumerate(q)]
    if c.chance(1, 2):
        code = k.var("code_acc|z", number(0, INT))
        with k.for_("b|bit", bits) as b:
            for m, x in enumerate(q):
                code.set(Term(code.e) | (((x >> b) & 1) << (b * len(q) + m if m else b * len(q))))
        return Term(code.e)
    spread = k.function("spread|expand_bits|part", {"x|v": INT}, lambda f, x: _spread(f, x, len(q)))
    whole = spread(q[0])
    for m, x in enumerate(q[1:], 1):
        whole = whole | (spread(x) << m)
    return whole


def _spread(f, x: Term, n: int) -> Term:  # type: ignore[no-untyped-def]
    masks = ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)) if n == 3 else (
        (8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))  # fmt: skip
    for shift, mask in masks:
        x = let(f, "v1|w|u", (x | (x << shift)) & mask)
    return x


def _hilbert(k: Author, q: list[Term], bits: int) -> Term:
    x, y, d = k.var("x|hx", q[0]), k.var("y|hy", q[1]), k.var("d|order", number(0, INT))
    s = k.var("s|level", number(1 << (bits - 1), INT))
    with k.while_(s > 0):
        rx = let(k, "rx|bx", where((Term(x.e) & s) > 0, number(1, INT), number(0, INT)))
        ry = let(k, "ry|by", where((Term(y.e) & s) > 0, number(1, INT), number(0, INT)))
        d += s * s * ((3 * rx) ^ ry)
        with k.if_(ry == 0):
            with k.if_(rx == 1):
                x.set((1 << bits) - 1 - Term(x.e))
                y.set((1 << bits) - 1 - Term(y.e))
            t = let(k, "t|old_x", Term(x.e) + 0)
            x.set(Term(y.e) + 0)
            y.set(t)
        s.set(Term(s.e) // 2)
    return Term(d.e)


def jump_flood(k: Author) -> None:
    """Nearest seeds on a grid: a jump-flooding step, brute-force Voronoi cells, a chamfer distance sweep, a fill."""
    c, T = k.c, FLOAT
    kind = c.pick(("jump-flooding step", "chamfer relaxation", "Voronoi assignment"))
    k.name(f"{kind.split()[0].replace('-', '_').lower()}|distance_transform|nearest_seed")
    if kind == "Voronoi assignment":
        _voronoi(k)
        return
    grid = Grid(k, 2, radius=1, rules=("clamp", "wrap", "skip", "mirror"))
    if kind == "chamfer relaxation":
        _chamfer(k, grid)
    else:
        sy, sx = grid.input("seed_y|near_row", INT), grid.input("seed_x|near_col", INT)
        y, x = grid.enter()
        step = k.scalar("step|jump|stride", INT)
        by, bx = k.var("by|best_y", grid.at(sy, 0, 0)), k.var("bx|best_x", grid.at(sx, 0, 0))
        best = k.var("best|nearest", _gap(k, (y, x), (Term(by.e), Term(bx.e)), T))
        h, w = grid.extents
        with k.for_("di|a", -1, 2) as di, k.for_("dj|b", -1, 2) as dj:
            r, s = (
                let(k, "r|ny_", wp.clamp(y + di * step, 0, h - 1)),
                let(k, "s|nx_", wp.clamp(x + dj * step, 0, w - 1)),
            )
            cy, cx = let(k, "cy|cand_y", grid.get(sy, r, s)), let(k, "cx|cand_x", grid.get(sx, r, s))
            g = let(k, "g|gap", varied(k, _gap(k, (y, x), (cy, cx), T), 0, 1))
            with k.if_(both(cy >= 0, g < best) if c.chance(1, 2) else g < best):
                best.set(g)
                by.set(cy)
                bx.set(cx)
        grid.put(grid.output("seed_y_out|row_out", INT), Term(by.e))
        grid.put(grid.output("seed_x_out|col_out", INT), Term(bx.e))
        if c.chance(1, 2):
            grid.put(grid.output("dist_out|field", T), varied(k, Term(best.e), 0, 2))
    k.summary(f"One {kind} of the nearest seeds on a grid, {grid.edge}.")


def _chamfer(k: Author, grid: Grid) -> None:
    T = FLOAT
    d, out = grid.input("dist|distance_in", T), grid.output("dist_out|distance", T)
    grid.enter()
    own = let(k, "own|d0", grid.at(d, 0, 0))
    best = k.var("best|least", own)
    near, far = factor(k, "step|a_w", T, 90, 110), factor(k, "diag|b_w", T, 135, 145)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            if a or b:
                w = near if a * b == 0 else far
                best.set(wp.min(Term(best.e), grid.at(d, a, b) + w))
    value = let(k, "value|res", varied(k, Term(best.e), 0, 2))
    grid.put(out, value)
    statistic(k, own - value)


def _gap(k: Author, a: tuple[Term, Term], b: tuple[Term, Term], T: Scalar) -> Term:
    dy, dx = cast(a[0] - b[0], T), cast(a[1] - b[1], T)
    way = k.c.below(2)
    if way:
        return wp.abs(dy) + wp.abs(dx)
    dy, dx = let(k, "ey|off_y", dy), let(k, "ex|off_x", dx)
    return dy * dy + dx * dx


def _voronoi(k: Author) -> None:
    c, T = k.c, FLOAT
    layout = Layout(k, 2, T)
    seeds = layout.input("seeds|sites|centres")
    out = k.output("labels_out|cells_out", INT, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    p = let(k, "p|pixel", make(vec(2, T), cast(j, T), cast(i, T)) * factor(k, "spacing|pixel_size", T))
    metric = c.pick(("Euclidean", "Manhattan", "Chebyshev"))
    best, second = k.var("best|nearest", number(1.0e6)), k.var("second|runner_up", number(1.0e6))
    who = k.var("who|label", number(0, INT))
    power = k.input("power|weights", T) if c.chance(1, 2) else None
    with k.for_("s|site", seeds.count) as s:
        d = let(k, "d|off", p - seeds.at(s))
        if metric == "Euclidean":
            g = wp.dot(d, d) if c.chance(1, 2) else wp.length(d)
        elif metric == "Manhattan":
            g = wp.abs(d[0]) + wp.abs(d[1])
        else:
            g = wp.max(wp.abs(d))
        g = let(k, "g|gap", g if power is None else g - power[wp.min(s, power.shape(0) - 1)])
        with k.if_(g < best):
            second.set(Term(best.e))
            best.set(g)
            who.set(s)
        if c.chance(1, 2):
            with k.elif_(g < second):
                second.set(g)
    out[i, j] = varied(k, Term(who.e), 0, 1)
    edge = let(k, "edge|ridge", varied(k, second - best, 0, 2))
    k.output("edge_out|ridge_out", T, 2)[i, j] = edge
    statistic(k, edge)
    k.summary(f"Assigns each pixel to its nearest site by {metric} distance.")
