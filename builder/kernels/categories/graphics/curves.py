"""Curves, skins, cameras, and distances on the globe."""

from __future__ import annotations

from itertools import pairwise

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, chain_of, factor, let, precise, switch
from ...terms import Term, both, cast, make, number, where, wp, zero
from ...types import INT, Scalar, mat, quat, transform, vec


def curve_points(k: Author) -> None:
    """Points and tangents of curves: Bezier, Catmull-Rom, B-spline, Hermite; a piece of a path, or one curve each."""
    c, T = k.c, precise(k)
    kind = c.pick(("Bezier", "Catmull-Rom", "B-spline", "Hermite"))
    k.name(f"{kind.lower().replace('-', '_')}|eval_curve|spline_points|sample_path")
    layout = Layout(k, c.pick((3, 2)), T)
    ctrl, out = layout.input("ctrl|control|knots_p"), layout.output("points_out|curve_out|samples")
    ts = k.input("params|u_in|times", T)
    i = gate(k, k.tid("i|tid|s"), ts.shape(0))
    n = let(k, "n|count_c", ctrl.count)
    u = let(k, "u|param", wp.clamp(ts[i], 0.0, 1.0) * cast(wp.max(n - 1, 1), T))
    first = let(k, "seg|span", wp.clamp(cast(wp.floor(u), INT), 0, n - 1))
    t = let(k, "t|local", varied(k, u - cast(first, T), 0, 1) if c.chance(1, 3) else u - cast(first, T))
    closed = c.chance(1, 3)
    p = []
    for m in range(-1, 3):
        at = first if m == 0 else (first + (m + n if m < 0 else m)) % n if closed else wp.clamp(first + m, 0, n - 1)
        p.append(ctrl.load(k, f"p{m + 1}|c{m + 1}", at))
    value = let(k, "value|x", _curve(k, kind, p, t))
    out.store(k, i, let(k, "res|x1", varied(k, value, 0, 1)))
    if c.chance(1, 2):
        slope = let(k, "tangent|dx", (p[2] - p[0]) * (0.5 * (1.0 - t)) + (p[3] - p[1]) * (0.5 * t))
        layout.output("tangent_out|dirs_out").store(k, i, let(k, "unit_t|tn", varied(k, slope, 0, 1)))
    statistic(k, wp.length(value))
    k.summary(f"Evaluates a {kind} curve at the parameters given.")


def _curve(k: Author, kind: str, p: list[Term], t: Term) -> Term:
    c = k.c
    if kind == "Bezier" and c.chance(1, 2):
        q = p
        while len(q) > 1:
            q = [let(k, "q|b", wp.lerp(a, b, t)) for a, b in pairwise(q)]
        return q[0]
    s, t2 = let(k, "s|one_t", 1.0 - t), let(k, "t2|tt", t * t)
    t3 = let(k, "t3|ttt", t2 * t)
    if kind == "Bezier":
        w = [s * s * s, 3.0 * s * s * t, 3.0 * s * t2, t3]
    elif kind == "B-spline":
        w = [s * s * s / 6.0, (3.0 * t3 - 6.0 * t2 + 4.0) / 6.0, (3.0 * (t + t2 - t3) + 1.0) / 6.0, t3 / 6.0]
    elif kind == "Catmull-Rom":
        if c.chance(1, 2):
            return (p[1] * 2.0 + (p[2] - p[0]) * t + (p[0] * 2.0 - p[1] * 5.0 + p[2] * 4.0 - p[3]) * t2
                    + (p[1] * 3.0 - p[0] - p[2] * 3.0 + p[3]) * t3) * 0.5  # fmt: skip
        w = [
            0.5 * (2.0 * t2 - t3 - t),
            0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
            0.5 * (4.0 * t2 - 3.0 * t3 + t),
            0.5 * (t3 - t2),
        ]
    else:
        m0, m1 = let(k, "m0|tan0", (p[2] - p[0]) * 0.5), let(k, "m1|tan1", (p[3] - p[1]) * 0.5)
        h = [2.0 * t3 - 3.0 * t2 + 1.0, 3.0 * t2 - 2.0 * t3, t3 - 2.0 * t2 + t, t3 - t2]
        return chain_of(k, "acc|total", [v * x for v, x in zip((p[1], p[2], m0, m1), h, strict=True)])
    if c.chance(1, 2):
        w = [let(k, f"w{n}|b{n}", x) for n, x in enumerate(w)]
    return chain_of(k, "acc|total", [v * x for v, x in zip(p, w, strict=True)])


def skinning(k: Author) -> None:
    """Skinning: linear blends of matrices or transforms, or of rotations, over four or all bones, normals too."""
    c, T = k.c, precise(k)
    kind = c.pick(("linear-blend", "rotation-blend", "matrix-palette"))
    k.name("skin_vertices|linear_skinning|blend_bones|skinning")
    layout = Layout(k, 3, T)
    rest, out = layout.input("rest|bind_pos|verts"), layout.output("skinned|deformed|verts_out")
    ids, weights = k.input("bone_ids|joint_ids", INT, 2), k.input("bone_w|skin_weights", T, 2)
    bones = k.input("bones|palette|joint_x", mat(4, 4, T) if kind == "matrix-palette" else transform(T))
    i = gate(k, k.tid("i|tid|vert"), rest.count)
    p = rest.load(k, "p|bind", i)
    if c.chance(1, 2):
        p = let(k, "p1|scaled", varied(k, p * factor(k, "body_scale|unit", T), 0, 2))
    row = let(k, "row|line", wp.min(i, wp.min(ids.shape(0), weights.shape(0)) - 1))
    total, wsum = k.var("total|acc", zero(vec(3, T))), k.var("wsum|norm", number(0.0, T))
    turn = k.var("turn|q_acc", make(quat(T), 0.0, 0.0, 0.0, 0.05)) if kind == "rotation-blend" else None
    with k.for_("s|slot|m", let(k, "n|slots", wp.min(ids.shape(1), weights.shape(1)))) as s:
        w = let(k, "w|wt", wp.abs(weights[row, s]))
        if c.chance(1, 2):
            with k.if_(w < 0.001):
                k.leave("continue")
        bone = let(k, "bone|x", bones[wp.clamp(ids[row, s], 0, bones.shape(0) - 1)])
        if turn is not None:
            q = let(k, "q|rot_b", wp.transform_get_rotation(bone))
            turn += q * (w * where(q[3] < 0.0, number(-1.0, T), number(1.0, T)))
            total += wp.transform_get_translation(bone) * w
        else:
            total += wp.transform_point(bone, p) * w
        wsum += w
    value = Term(total.e) / wp.max(Term(wsum.e), 1.0e-3)
    if turn is not None:
        value = value + wp.quat_rotate(wp.normalize(Term(turn.e)), p)
    value = let(k, "value|x1", varied(k, let(k, "value0|blended", value), 0, 1))
    value = _morphed(k, layout, i, p, value, T)
    out.store(k, i, value)
    if c.chance(1, 3):
        k.output("shift_out|moved_by", T)[i] = varied(k, wp.length(value - p), 0, 1)
    statistic(k, wp.length(value))
    k.summary(f"Deforms vertices by {kind} skinning.")


def _morphed(k: Author, layout: Layout, i: Term, p: Term, value: Term, T: Scalar) -> Term:
    c = k.c
    if c.chance(1, 2):
        offset = layout.input("morph|blend_shape").load(k, "m_d|morph_d", i)
        value = let(k, "morphed|x2", value + offset * factor(k, "morph_w|expr", T))
    if c.chance(1, 2):
        amount = factor(k, "amount|influence", T, 20, 100)
        value = let(k, "mixed|part_x", wp.lerp(p, value, amount))
    return value


def camera(k: Author) -> None:
    """Cameras: projection with distortion, rays through pixels, culling by frustum or sphere, reprojection errors."""
    c, T = k.c, precise(k)
    kind = c.pick(("projection", "unprojection", "frustum culling", "reprojection error"))
    k.name(f"{kind.split()[0]}|camera_{kind.split()[-1]}|project_points|view_transform")
    V = vec(3, T)
    layout = Layout(k, 3, T)
    f, cx, cy = factor(k, "focal|fx", T, 100, 900), factor(k, "cx|center_u", T), factor(k, "cy|center_v", T)
    if kind == "unprojection":
        _unproject(k, f, cx, cy, T)
        return
    points = layout.input("points|world_p|landmarks")
    i = gate(k, k.tid("i|tid|pt"), points.count)
    p = points.load(k, "p|world", i)
    if c.chance(1, 2):
        q = wp.transform_point(k.scalar("view|extrinsic", transform(T)), p)
    else:
        q = k.scalar("rot|r_cw", mat(3, 3, T)) * p + k.scalar("trans|t_cw", V)
    q = let(k, "q|cam_p", q)
    z = let(k, "z|depth", wp.max(q[2], 0.05) if c.chance(1, 2) else wp.abs(q[2]) + 0.05)
    if kind == "frustum culling":
        _cull(k, q, z, i, T)
        return
    x, y = let(k, "xn|nx", q[0] / z), let(k, "yn|ny", q[1] / z)
    x, y = _distorted(k, x, y, T)
    u, v = let(k, "u|px", f * x + cx), let(k, "v|py", f * y + cy)
    if kind == "projection":
        k.output("pixels|uv_out", vec(2, T))[i] = varied(k, let(k, "uv|pix", make(vec(2, T), u, v)), 0, 1)
        if c.chance(1, 2):
            k.output("depth_out|z_out", T)[i] = varied(k, z, 0, 1)
        statistic(k, z)
    else:
        seen = let(k, "seen|obs", k.input("observed|keypoints", vec(2, T))[i])
        du, dv = let(k, "du|ex", u - seen[0]), let(k, "dv|ey", v - seen[1])
        e = let(
            k, "e|err", varied(k, du * du + dv * dv if c.chance(1, 2) else wp.sqrt(du * du + dv * dv + 1.0e-6), 0, 2)
        )
        k.output("error_out|residual", T)[i] = e
        statistic(k, e)
    k.summary(f"Computes the {kind} of points in a pinhole camera.")


def _distorted(k: Author, x: Term, y: Term, T: Scalar) -> tuple[Term, Term]:
    way = k.c.below(3)
    if way == 0:
        return x, y
    r2 = let(k, "r2|rad2", wp.min(x * x + y * y, 4.0))
    s = 1.0 + r2 * (factor(k, "k1|radial1", T, 1, 30) + r2 * factor(k, "k2|radial2", T, 1, 10))
    s = let(k, "s|radial", s)
    if way == 1:
        return x * s, y * s
    p1, p2 = factor(k, "p1|tan1", T, 1, 5), factor(k, "p2|tan2", T, 1, 5)
    return x * s + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x), y * s + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y


def _unproject(k: Author, f: Term, cx: Term, cy: Term, T: Scalar) -> None:
    c, V = k.c, vec(3, T)
    depth, out = k.input("depth|depth_img", T, 2), k.output("points_out|cloud_out", V, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    d = let(k, "d|z", varied(k, depth[i, j], 0, 1))
    safe = let(k, "inv_f|rf", 1.0 / wp.max(wp.abs(f), 0.1))
    x, y = let(k, "x|cam_x", (cast(j, T) - cx) * safe), let(k, "y|cam_y", (cast(i, T) - cy) * safe)
    ray = make(V, x, y, 1.0)
    p = let(k, "p|cam_p", wp.normalize(ray) * d if c.chance(1, 2) else ray * d)
    if c.chance(1, 2):
        p = let(k, "pw|world", wp.transform_point(k.scalar("pose|camera_pose", transform(T)), p))
    if c.chance(1, 2):
        p = let(k, "held|valid_p", where(d > factor(k, "z_min|near", T, 5, 50), p, zero(V)))
    out[i, j] = varied(k, p, 0, 1)
    statistic(k, wp.length(p))
    k.summary("Lifts the pixels of a depth image to points in space.")


def _cull(k: Author, q: Term, z: Term, i: Term, T: Scalar) -> None:
    c = k.c
    tx, ty = factor(k, "tan_x|half_w", T), factor(k, "tan_y|half_h", T)
    r = let(k, "rad|bound_r", wp.abs(k.input("bound_radius|radii", T)[i])) if c.chance(1, 2) else number(0.1, T)
    if c.chance(1, 2):
        sides = both(wp.abs(q[0]) < z * tx + r, wp.abs(q[1]) < z * ty + r)
    else:
        over = wp.max(wp.abs(q[0]) - z * tx, wp.abs(q[1]) - z * ty)
        sides = over < r
    near, far = factor(k, "z_near|near", T, 5, 50), factor(k, "z_far|far", T, 500, 900)
    seen = let(k, "seen|visible", both(sides, q[2] > near - r, q[2] < far + r))
    flag = switch(k, "flag|bit", seen, number(1, INT), number(0, INT))
    flag = let(k, "vis|keep", flag)
    k.output("visible_out|flags_out", INT)[i] = varied(k, flag, 0, 1)
    if c.chance(1, 2):
        k.atomic("add", k.output("count_out|survivors", INT), 0, flag)
    if c.chance(1, 2):
        k.output("lod_out|screen_size", T)[i] = varied(k, r / z, 0, 2)
    k.summary("Tests which bounding spheres lie in the frustum of a camera.")


def geodesic(k: Author) -> None:
    """On the globe and the plane: great circles, bearings, Mercator, in-circle tests, winding, supports."""
    c, T = k.c, precise(k)
    kind = c.pick(("great-circle distance", "bearing", "Mercator projection", "in-circle test", "winding number",
                   "polygon area", "support point"))  # fmt: skip
    k.name(f"{kind.split()[0].replace('-', '_').lower()}|{kind.split()[-1].lower()}_of|geo_pass")
    if kind in ("winding number", "polygon area", "support point"):
        _polygons(k, kind, T)
        return
    layout = Layout(k, 2, T)
    a, out = layout.input("first|places|pa_in"), k.output("out|result|values_out", T)
    i = gate(k, k.tid("i|tid|pt"), a.count)
    p = a.load(k, "p|here", i)
    if kind == "in-circle test":
        b, d, e = (
            layout.input(w).load(k, v, i)
            for w, v in (("qb|second", "b|vb"), ("qc|third", "d|vc"), ("qd|probe", "e|vd"))
        )
        u, v, w = let(k, "u|ad", p - e), let(k, "v|bd", b - e), let(k, "w|cd", d - e)
        x = let(k, "x|lift", wp.dot(u, u) * (v[0] * w[1] - v[1] * w[0]) - wp.dot(v, v) * (u[0] * w[1] - u[1] * w[0]))
        value = x + wp.dot(w, w) * (u[0] * v[1] - u[1] * v[0])
    else:
        q = layout.input("second|goals|pb_in").load(k, "q|there", i)
        lat1, lon1 = let(k, "lat1|phi1", wp.clamp(p[0], -1.5, 1.5)), let(k, "lon1|lam1", p[1])
        lat2, lon2 = let(k, "lat2|phi2", wp.clamp(q[0], -1.5, 1.5)), let(k, "lon2|lam2", q[1])
        value = _sphere(k, kind, (lat1, lon1, lat2, lon2), T)
    value = let(k, "value|res", varied(k, let(k, "value0|raw_v", value), 0, 3))
    out[i] = value
    statistic(k, value)
    k.summary(f"Computes the {kind} of each pair of places.")


def _sphere(k: Author, kind: str, at: tuple[Term, ...], T: Scalar) -> Term:
    lat1, lon1, lat2, lon2 = at
    c = k.c
    dlon = let(k, "dlon|dl", lon2 - lon1)
    if kind == "bearing":
        y = let(k, "by|num", wp.sin(dlon) * wp.cos(lat2))
        x = let(k, "bx|den", wp.cos(lat1) * wp.sin(lat2) - wp.sin(lat1) * wp.cos(lat2) * wp.cos(dlon))
        angle = wp.atan2(y, x + 1.0e-6)
        return wp.degrees(angle) if c.chance(1, 2) else angle
    if kind == "Mercator projection":
        y1, y2 = (wp.log(wp.tan(0.78539816 + 0.5 * lat * 0.98)) for lat in (lat1, lat2))
        dy = let(k, "dy|north", y2 - y1)
        return wp.sqrt(dlon * dlon + dy * dy + 1.0e-6) * factor(k, "earth|radius", T)
    way = c.below(3)
    if way == 0:
        s, t = let(k, "s|sin_lat", wp.sin(0.5 * (lat2 - lat1))), let(k, "t|sin_lon", wp.sin(0.5 * dlon))
        h = let(k, "h|hav", wp.clamp(s * s + wp.cos(lat1) * wp.cos(lat2) * t * t, 0.0, 0.999))
        angle = 2.0 * wp.asin(wp.sqrt(h + 1.0e-7))
    elif way == 1:
        dot = wp.sin(lat1) * wp.sin(lat2) + wp.cos(lat1) * wp.cos(lat2) * wp.cos(dlon)
        angle = wp.acos(wp.clamp(dot, -0.9999, 0.9999))
    else:
        x = let(k, "x|east", dlon * wp.cos(0.5 * (lat1 + lat2)))
        y = let(k, "y|north", lat2 - lat1)
        angle = wp.sqrt(x * x + y * y + 1.0e-7)
    return angle * factor(k, "earth|radius", T)


def _polygons(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    layout = Layout(k, 2 if kind != "support point" else c.pick((3, 2)), T)
    ring, queries = layout.input("ring|polygon|hull"), layout.input("queries|probes|dirs")
    out = k.output("out|result|values_out", T)
    i = gate(k, k.tid("i|tid|pt"), queries.count)
    q = queries.load(k, "q|probe", i)
    if kind == "support point":
        best, who = k.var("best|extent", number(-1.0e6, T)), k.var("who|vertex", number(0, INT))
        with k.for_("m|v", ring.count) as m:
            d = let(k, "d|proj", wp.dot(ring.at(m), q))
            with k.if_(d > best):
                best.set(d)
                who.set(m)
        k.output("vertex_out|support_id", INT)[i] = Term(who.e)
        value = Term(best.e)
    else:
        total = k.var("total|acc", number(0.0, T))
        with k.for_("m|v", ring.count) as m:
            a = let(k, "a|from_v", ring.at(m) - q)
            b = let(k, "b|to_v", ring.at((m + 1) % ring.count) - q)
            cross = let(k, "cr|twice", a[0] * b[1] - a[1] * b[0])
            total += cross if kind == "polygon area" else _turn(k, a, b, cross, T)
        value = Term(total.e) * 0.5 if kind == "polygon area" else Term(total.e)
    value = let(k, "value|res", varied(k, let(k, "value0|raw_v", value), 0, 3))
    out[i] = value
    statistic(k, value)
    k.summary(f"Computes the {kind} of a polygon for each probe.")


def _turn(k: Scope, a: Term, b: Term, cross: Term, T: Scalar) -> Term:
    if k.c.chance(1, 2):
        return wp.atan2(cross, wp.dot(a, b) + 1.0e-5) / 6.2831853
    up = both(a[1] <= 0.0, b[1] > 0.0, cross > 0.0)
    down = both(a[1] > 0.0, b[1] <= 0.0, cross < 0.0)
    return where(up, number(1.0, T), where(down, number(-1.0, T), number(0.0, T)))
