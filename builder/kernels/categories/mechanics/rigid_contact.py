"""Contacts of rigid bodies: where shapes touch, and the impulses that part them."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise, switch
from ...terms import Term, make, number, where, wp
from ...types import FLOAT, INT, Scalar, vec
from .parts import Poses, Twists


def impulse(k: Author) -> None:
    """Contact impulses: normal with restitution and bias, friction by a cone, two bodies or one and the ground."""
    c, T = k.c, precise(k)
    k.name("contact_impulse|solve_contacts|apply_impulses|sequential_impulse")
    packed = c.chance(1, 2)
    layout = Layout(k, 3, T)
    points, normals = layout.input("contact_p|points"), layout.input("contact_n|normals")
    depths = k.input("depth|gap|separation", T)
    ids = k.input("body_id|body_a", INT)
    vels = Twists(k, T, "input", ("body_qd|twists", "lin_vel|vel", "ang_vel|omega"), packed)
    out = Twists(k, T, "output", ("dv_out|impulses", "dv|lin_out", "dw|ang_out"), packed)
    masses = k.input("inv_mass|im", T)
    coms = layout.input("com|centres")
    i = gate(k, k.tid("i|tid|contact"), ids.shape(0))
    a = let(k, "a|ia", wp.clamp(ids[i], 0, masses.shape(0) - 1))
    x, n = points.load(k, "x|cp", i), let(k, "n|nrm", wp.normalize(normals.at(i)))
    ra = let(k, "ra|arm_a", x - coms.at(a))
    va, wa = vels.load(a, "_a")
    velocity = va + wp.cross(wa, ra)
    effective = _effective(k, ra, n, masses[a], a, T)
    b = None
    if c.chance(1, 2):
        other = k.input("other_id|body_b", INT)
        b = let(k, "b|ib", wp.clamp(other[i], 0, masses.shape(0) - 1))
        rb = let(k, "rb|arm_b", x - coms.at(b))
        vb, wb = vels.load(b, "_b")
        velocity = velocity - (vb + wp.cross(wb, rb))
        effective = effective + _effective(k, rb, n, masses[b], b, T)
    rel = let(k, "rel|dv0|vel_c", velocity)
    vn, jn = _normal_impulse(k, rel, n, effective, depths, i, T)
    p = let(k, "pj|impulse_v", n * jn + _friction(k, rel, n, vn, jn, effective, T))
    out.add(a, p * wp.abs(masses[a]), wp.cross(ra, p) * factor(k, "inv_i|ang_scale", T))
    if b is not None:
        out.add(b, p * wp.abs(masses[b]), wp.cross(rb, p) * factor(k, "inv_i2|ang_scale_b", T), "sub")
    statistic(k, jn)
    what = "two bodies" if b is not None else "a body and the ground"
    k.summary(f"Computes the impulse of each contact of {what}, with friction, and adds the changes of velocity.")


def _normal_impulse(
    k: Author, rel: Term, n: Term, effective: Term, depths: Arr, i: Term, T: Scalar
) -> tuple[Term, Term]:
    """Return the closing speed and the impulse along the normal, perhaps added to a stored one."""
    c = k.c
    vn = let(k, "vn|closing", wp.dot(rel, n))
    bias = _bias(k, vn, let(k, "pen|d0", depths[i]), T)
    jn = let(k, "jn|normal_j", wp.max(varied(k, (bias - vn) / (effective + 0.01), 0, 1), 0.0))
    if c.chance(1, 3):
        stored = k.inout("acc_n|lambda_n", T)
        old = let(k, "old|j0", stored[i])
        new = let(k, "new_j|j1", wp.max(old + jn, 0.0))
        stored[i] = new
        jn = let(k, "dj|delta_j", new - old)
    return vn, jn


def _effective(k: Author, arm: Term, n: Term, inv_mass: Term, body: Term, T: Scalar) -> Term:
    way = k.c.below(3)
    cross = let(k, "rxn|rn", wp.cross(arm, n))
    if way == 0:
        return wp.abs(inv_mass) + wp.dot(cross, cross) * wp.abs(factor(k, "inv_i|inv_moment", T))
    if way == 1:
        diag = k.input("inv_inertia|inv_i_diag", vec(3, T))
        own = diag[wp.min(body, diag.shape(0) - 1)]
        return wp.abs(inv_mass) + wp.dot(wp.cw_mul(cross, wp.abs(own)), cross)
    return let(k, "keff|k_n", wp.abs(inv_mass) * (1.0 + wp.dot(cross, cross)))


def _bias(k: Author, vn: Term, depth: Term, T: Scalar) -> Term:
    way, c = k.c.below(3), k.c
    restitution = factor(k, "restitution|e_n", T, 5, 90)
    if way == 0:
        return where(vn < -0.5, -restitution * vn, number(0.0, T))
    slop = wp.max(depth - factor(k, "slop|allowed", T, 1, 10), 0.0)
    push = slop * factor(k, "baumgarte|beta", T, 5, 40)
    if way == 1:
        return let(k, "bias|push", push)
    return (
        let(k, "bias|push", wp.max(push, -restitution * vn)) if c.chance(1, 2) else push - restitution * wp.min(vn, 0.0)
    )


def _friction(k: Author, rel: Term, n: Term, vn: Term, jn: Term, effective: Term, T: Scalar) -> Term:
    c = k.c
    mu = factor(k, "mu|friction", T, 10, 90)
    vt = let(k, "vt|slip", rel - n * vn)
    way = c.below(3)
    if way == 0:
        size = let(k, "slip_len|s_len", wp.length(vt) + 1.0e-4)
        jt = let(k, "jt|tangent_j", wp.min(size / (effective + 0.01), wp.abs(mu) * jn))
        return vt * (-jt / size)
    if way == 1:
        V = vec(3, T)
        side = where(wp.abs(n[0]) > 0.7, make(V, 0.0, 1.0, 0.0), make(V, 1.0, 0.0, 0.0))
        t1 = let(k, "t1|tan1", wp.normalize(wp.cross(n, side)))
        t2 = let(k, "t2|tan2", wp.cross(n, t1))
        limit = let(k, "limit|cone", wp.abs(mu) * jn)
        j1 = let(k, "j1|jx", wp.clamp(-wp.dot(rel, t1) / (effective + 0.01), -limit, limit))
        j2 = let(k, "j2|jy", wp.clamp(-wp.dot(rel, t2) / (effective + 0.01), -limit, limit))
        return t1 * j1 + t2 * j2
    want = let(k, "want|jt_free", vt * (-1.0 / (effective + 0.01)))
    size = let(k, "want_len|jt_len", wp.length(want))
    limit = let(k, "limit|cone", wp.abs(mu) * jn)
    return switch(k, "jt|fric", size > limit, want * (limit / (size + 1.0e-4)), want)


def contact_points(k: Author) -> None:
    """Contacts between shapes: spheres, boxes, capsules and planes; depth, normal, point; counted or kept in place."""
    c, T = k.c, FLOAT
    V = vec(3, T)
    pair = c.pick(("sphere-sphere", "sphere-plane", "sphere-box", "capsule-capsule", "box-plane", "capsule-plane"))
    k.name(f"collide_{pair.replace('-', '_')}|generate_contacts|narrow_phase")
    poses = Poses(k, T, packed=c.chance(1, 2))
    sizes = k.input("size|radius|extents", V if pair[:3] == "box" or "box" in pair else T)
    if pair in ("sphere-plane", "box-plane", "capsule-plane"):
        i = gate(k, k.tid("i|tid|body"), poses.count)
        a = let(k, "sa|own_size", sizes[wp.min(i, sizes.shape(0) - 1)])
        p, r = poses.load(i)
        depth, n, x = _against_plane(k, pair, p, r, a)
    else:
        first, second = k.input("pair_a|ids_a", INT), k.input("pair_b|ids_b", INT)
        i = gate(k, k.tid("i|tid|pair"), wp.min(first.shape(0), second.shape(0)))
        ia = let(k, "ia|a", wp.clamp(first[i], 0, poses.count - 1))
        ib = let(k, "ib|b", wp.clamp(second[i], 0, poses.count - 1))
        pa, ra = poses.load(ia, "_a")
        pb, rb = poses.load(ib, "_b")
        depth, n, x = _between(k, pair, (pa, ra, pb, rb), (ia, ib), sizes)
    depth = let(k, "depth|pen", varied(k, depth, 0, 1))
    touching = depth > -wp.abs(factor(k, "margin|skin", T, 1, 10))
    if c.chance(1, 2):
        with k.if_(touching):
            k.output("depth_out|gaps", T)[i] = depth
            k.output("normal_out|contact_n", V)[i] = n
            if c.chance(1, 2):
                k.output("point_out|contact_x", V)[i] = varied(k, x, 0, 1)
            k.atomic("add", k.output("count_out|contact_count", INT), 0, 1)
    else:
        k.output("depth_out|gaps", T)[i] = where(touching, depth, number(0.0, T))
        k.output("normal_out|contact_n", V)[i] = n
        k.output("point_out|contact_x", V)[i] = varied(k, x, 0, 1)
        statistic(k, depth)
    k.summary(f"Finds the {pair} contact of each {'body' if 'plane' in pair else 'pair'}: depth and normal.")


def _against_plane(k: Author, pair: str, p: Term, r: Term, size: Term) -> tuple[Term, Term, Term]:
    c, V = k.c, vec(3, FLOAT)
    n = let(k, "n|nrm", make(V, 0.0, 1.0, 0.0) if c.chance(1, 2) else wp.normalize(k.scalar("plane_n|up", V)))
    level = factor(k, "level|plane_d", FLOAT, 1, 50)
    if pair == "sphere-plane":
        # A rolling sphere's marked point turns with it.
        tilt = let(k, "spot|mark", wp.quat_rotate(r, n))
        gap = let(k, "gap|sd", wp.dot(p, n) - level - wp.abs(size))
        return -gap, n, p - n * wp.abs(size) + (tilt - n) * 0.0 if c.chance(1, 2) else p - tilt * wp.abs(size)
    if pair == "capsule-plane":
        axis = let(k, "axis|shaft", wp.quat_rotate(r, make(V, 0.0, factor(k, "half_len|half_h", FLOAT), 0.0)))
        low = switch(k, "tip|low_end", wp.dot(axis, n) > 0.0, p - axis, p + axis)
        low = let(k, "end|e0", low)
        gap = let(k, "gap|sd", wp.dot(low, n) - level - wp.abs(size))
        return -gap, n, low - n * wp.abs(size)
    if c.chance(1, 2):
        local = let(k, "ln|n_local", wp.quat_rotate_inv(r, n))
        corner = make(V, *(-wp.sign(local[m]) * size[m] for m in range(3)))
        x = let(k, "x|vertex", p + wp.quat_rotate(r, corner))
        return level - wp.dot(x, n), n, x
    best, spot = k.var("best|deepest", number(-100.0)), k.var("spot|vert", p)
    with k.for_("v|corner", 8) as v:
        signs = [where(((v >> m) & 1) == 1, size[m], -size[m]) for m in range(3)]
        x = let(k, "x|vertex", p + wp.quat_rotate(r, make(V, *signs)))
        d = let(k, "d|pen_v", level - wp.dot(x, n))
        with k.if_(d > best):
            best.set(d)
            spot.set(x)
    return Term(best.e), n, Term(spot.e)


def _between(k: Author, pair: str, pose: tuple[Term, ...], ids: tuple[Term, Term], sizes) -> tuple[Term, Term, Term]:  # type: ignore[no-untyped-def]
    pa, ra, pb, rb = pose
    c, V = k.c, vec(3, FLOAT)
    sa = let(k, "sa|size_a", sizes[wp.min(ids[0], sizes.shape(0) - 1)])
    sb = let(k, "sb|size_b", sizes[wp.min(ids[1], sizes.shape(0) - 1)])
    if pair == "sphere-box":
        local = let(k, "local|c_local", wp.quat_rotate_inv(rb, pa - pb))
        half = let(k, "half|hb", wp.abs(sb))
        near = make(V, *(wp.clamp(local[m], -half[m], half[m]) for m in range(3)))
        near = let(k, "near|closest", near if c.chance(1, 2) else wp.max(wp.min(local, half), -half))
        d = let(k, "d|off", wp.quat_rotate(rb, local - near))
        r = let(k, "r|dist", wp.length(d) + 1.0e-4)
        return wp.abs(sa[0]) - r, let(k, "n|nrm", d / r), pb + wp.quat_rotate(rb, near)
    if pair == "sphere-sphere":
        d = let(k, "d|off", pb - pa)
        r = let(k, "r|dist", wp.length(d) + 1.0e-4)
        n = let(k, "n|nrm", d / r)
        x = pa + n * (wp.abs(sa) - 0.5 * (wp.abs(sa) + wp.abs(sb) - r))
        return wp.abs(sa) + wp.abs(sb) - r, n, x if c.chance(1, 2) else (pa + pb) * 0.5
    half = factor(k, "half_len|half_h", FLOAT)
    up = make(V, 0.0, 1.0, 0.0)
    u, v = let(k, "u|axis_a", wp.quat_rotate(ra, up) * half), let(k, "w|axis_b", wp.quat_rotate(rb, up) * half)
    s, t = _closest(k, pa - u, u * 2.0, pb - v, v * 2.0)
    xa, xb = let(k, "xa|near_a", pa - u + u * (2.0 * s)), let(k, "xb|near_b", pb - v + v * (2.0 * t))
    d = let(k, "d|off", xb - xa)
    r = let(k, "r|dist", wp.length(d) + 1.0e-4)
    return wp.abs(sa) + wp.abs(sb) - r, let(k, "n|nrm", d / r), (xa + xb) * 0.5


def _closest(k: Scope, p: Term, d1: Term, q: Term, d2: Term) -> tuple[Term, Term]:
    """Emit the parameters of the closest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9)."""
    d1, d2 = let(k, "d1|seg1", d1), let(k, "d2|seg2", d2)
    r = let(k, "r0|w0", p - q)
    a, e = let(k, "aa|len1", wp.dot(d1, d1) + 1.0e-4), let(k, "ee|len2", wp.dot(d2, d2) + 1.0e-4)
    b, f = let(k, "bb|mix", wp.dot(d1, d2)), let(k, "ff|proj2", wp.dot(d2, r))
    down = let(k, "den|denom", a * e - b * b + 1.0e-4)
    s = let(k, "s|ts", wp.clamp((b * f - wp.dot(d1, r) * e) / down, 0.0, 1.0))
    t = let(k, "t|tt", wp.clamp((b * s + f) / e, 0.0, 1.0))
    if k.c.chance(1, 2):
        s = let(k, "s2|ts2", wp.clamp((b * t - wp.dot(d1, r)) / a, 0.0, 1.0))
    return s, t
