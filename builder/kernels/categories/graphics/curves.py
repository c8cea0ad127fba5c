"""Curves and skins."""

from __future__ import annotations

from itertools import pairwise

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, chain_of, factor, let, precise
from ...terms import Term, cast, make, number, where, wp, zero
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
    """Add a shape key, or blend with the place at rest."""
    c = k.c
    if c.chance(1, 2):
        offset = layout.input("morph|blend_shape").load(k, "m_d|morph_d", i)
        value = let(k, "morphed|x2", value + offset * factor(k, "morph_w|expr", T))
    if c.chance(1, 2):
        amount = factor(k, "amount|influence", T, 20, 100)
        value = let(k, "mixed|part_x", wp.lerp(p, value, amount))
    return value
