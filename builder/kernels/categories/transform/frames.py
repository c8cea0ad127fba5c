"""Frames and their chains, skinning, blended poses, homogeneous matrices."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, identity, make, number, where, wp
from ...types import DOUBLE, FLOAT, HALF, INT, Scalar, Value, mat, quat, transform, vec

REALS = {FLOAT: 6, DOUBLE: 2, HALF: 1}


def axis_of(k: Scope, T: Scalar) -> Term:
    """Return a unit axis."""
    n = k.c.below(3)
    return make(vec(3, T), *(float(n == m) for m in range(3)))


def parts(k: Scope, X: Term) -> tuple[Term, Term]:
    """Return the translation and the rotation of a transform, by function or by attribute."""
    if k.c.chance(1, 2):
        return wp.transform_get_translation(X), wp.transform_get_rotation(X)
    return X.p, X.q


def _turn(k: Scope, T: Scalar, angle: Term) -> Term:
    """Return a rotation about a drawn axis."""
    way = k.c.below(3)
    if way == 0:
        return wp.quat_from_axis_angle(axis_of(k, T), angle)
    if way == 1:
        return wp.quat_rpy(angle * coefficient(k, T), angle, number(0.0, T))
    half = k.let("half|h|a2", angle * 0.5)
    return make(quat(T), axis_of(k, T) * wp.sin(half), wp.cos(half))


def frames(k: Author) -> None:
    """Points and directions taken between local and world frames, and between two local ones."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("to_world|to_local|change_frame|relative_points|map_points")
    poses, points = k.input("poses|frames|xforms", transform(T)), k.input("points|pts|local", vec(3, T))
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    X = k.let("X|pose|xf", poses[i % poses.shape(0)])
    p = k.let("p|x|v", varied(k, points[i], 0, 1))
    way = c.below(5)
    if way == 0:
        made = wp.transform_point(X, p) if c.chance(1, 2) else wp.transform_vector(X, p)
    elif way == 1:
        made = wp.transform_point(wp.transform_inverse(X), p)
    elif way == 2:
        other = k.let("Y|rel|other", poses[(i + c.between(1, 5)) % poses.shape(0)])
        joined = (
            wp.transform_multiply(wp.transform_inverse(X), other) if c.chance(1, 2) else wp.transform_inverse(X) * other
        )
        made = wp.transform_point(joined, varied(k, p, 0, 1))
    elif way == 3:
        where_, rot = parts(k, X)
        made = wp.quat_rotate_inv(rot, p - where_) if c.chance(1, 2) else wp.quat_rotate(rot, p) + where_
    else:
        tip = wp.transform_point(X, p)
        made = varied(k, tip, 0, 1) - wp.transform_vector(X, axis_of(k, T)) * coefficient(k, T)
    value = k.let("y|moved|res", varied(k, made, 0, 2))
    if c.chance(1, 3):
        size = varied(k, wp.length(value), 1, 2)
        k.output("out|dist|ranges", T)[i] = size
    else:
        k.output("out|world|mapped", vec(3, T))[i] = value
    statistic(k, wp.dot(value, p))
    k.summary(f"Takes {T.name} points from one frame to another.")


def chain(k: Author) -> None:
    """Kinematic chains: poses of links from joint angles or along parents."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("forward_kinematics|chain_poses|link_frames|joint_chain|end_effector")
    angles = k.input("angles|q|joint_pos", T, 2)
    treed = c.chance(1, 3)
    offsets = k.input("offsets|links|rest", transform(T) if c.chance(1, 2) else vec(3, T))
    i = gate(k, k.tid("i|tid|robot"), angles.shape(0))
    X = k.var("X|pose|acc", identity(transform(T)))
    rigid = offsets.type.dtype is transform(T)  # type: ignore[union-attr]

    def link(s: Scope, a: Term, rest: Term) -> Term:
        turn = _turn(s, T, varied(s, a, 0, 1))
        if s.c.chance(1, 4):
            slide = make(transform(T), axis_of(s, T) * a, identity(quat(T)))
        else:
            slide = make(transform(T), make(vec(3, T), 0.0), turn)
        return rest * slide if rigid else make(transform(T), rest, turn)

    f = k.helper("link_pose|joint_frame|local_pose", {"a|theta|angle": T, "rest|base|o": offsets.type.dtype}, link)  # type: ignore[union-attr]
    parents = k.input("parents|parent_id|tree", INT) if treed else None
    with k.for_("j|joint|n", wp.min(angles.shape(1), c.between(4, 16)) if c.chance(1, 2) else angles.shape(1)) as j:
        rest = offsets[j % offsets.shape(0)]
        if parents is not None:
            with k.if_(parents[j % parents.shape(0)] < 0):
                X.set(identity(transform(T)))
        step = k.let("step|L|local", f(angles[i, j], rest))
        X.set(wp.transform_multiply(Term(X.e), step) if c.chance(1, 2) else Term(X.e) * step)
    if c.chance(1, 2):
        k.output("poses_out|tips|frames", transform(T))[i] = varied(k, Term(X.e), 0, 1)
    tip = k.let("tip|end|ee", wp.transform_point(Term(X.e), axis_of(k, T) * coefficient(k, T)))
    made = varied(k, tip, 0, 2)
    k.output("out|ends|tip_pos", vec(3, T))[i] = made
    statistic(k, wp.length(tip))
    k.summary(f"Follows {T.name} joint angles along a kinematic chain to the pose of its end.")


def skinning(k: Author) -> None:
    """Skinning: vertices moved by several bones with weights."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("skin_vertices|linear_blend|deform_mesh|skinning|bone_blend")
    verts, bones = k.input("verts|rest|points", vec(3, T)), k.input("bones|joints|poses", transform(T))
    ids, weights = k.input("bone_ids|ids|joint_index", INT, 2), k.input("weights|w|influence", T, 2)
    i = gate(k, k.tid("i|tid|vertex"), verts.shape(0))
    v = k.let("v|p|x", varied(k, verts[i], 0, 1))
    dual, normalised = c.chance(1, 3), c.chance(1, 2)
    acc = k.var("acc|moved|total", make(vec(3, T), 0.0))
    rot = k.var("rot|qsum|blend_q", make(quat(T), 0.0, 0.0, 0.0, 0.0)) if dual else None
    share = k.var("share|wsum|norm", number(0.01, T)) if normalised else None
    count = c.pick(
        (weights.shape(1), number(c.between(2, 4), INT), k.scalar("bones_per|count|n", INT))
        if c.chance(1, 3)
        else (weights.shape(1),)
    )
    with k.for_("j|b|n", wp.min(count, ids.shape(1)) if c.chance(1, 2) else count) as j:
        b = k.let("bone|B|pose", bones[wp.abs(ids[i, j % ids.shape(1)]) % bones.shape(0)])
        w = k.let("wj|weight|a", varied(k, weights[i, j % weights.shape(1)], 0, 1))
        if c.chance(1, 4):
            with k.if_(w < number(c.between(0, 5) / 100, T)):
                k.leave("continue")
        if rot is not None:
            where_, q = parts(k, b)
            acc.set(Term(acc.e) + where_ * w)
            rot.set(Term(rot.e) + q * w)
        else:
            acc.set(Term(acc.e) + wp.transform_point(b, v) * w)
        if share is not None:
            share.set(Term(share.e) + wp.abs(w))
    result = Term(acc.e)
    if rot is not None:
        result = result + wp.quat_rotate(wp.normalize(Term(rot.e)), v)
    if share is not None:
        result = result / Term(share.e) if c.chance(1, 2) else result * (1.0 / Term(share.e))
    made = k.let("res|out_v|skinned", varied(k, result, 0, 2))
    k.output("out|deformed|verts_out", vec(3, T))[i] = made
    statistic(k, wp.length(made - v))
    k.summary(f"Moves {T.name} vertices by weighted bones{' with blended rotations' if dual else ''}.")


def _mixed(s: Scope, p: Term, q: Term, w: Term, T: Scalar, way: int) -> Term:
    """Return a pose between two others."""
    (p0, r0), (p1, r1) = parts(s, p), parts(s, q)
    if way == 0:
        return make(transform(T), wp.lerp(p0, p1, w), wp.quat_slerp(r0, r1, w))
    if way == 1:
        return make(transform(T), p0 + (p1 - p0) * w, wp.normalize(wp.lerp(r0, r1, w)))
    if way == 2:
        m = s.let("m|mixed|both", wp.lerp(p, q, w) if s.c.chance(1, 2) else p * (1.0 - w) + q * w)
        return make(transform(T), m.p, wp.normalize(m.q))
    return p * make(transform(T), (p1 - p0) * w, wp.quat_slerp(identity(quat(T)), wp.quat_inverse(r0) * r1, w))


def blend(k: Author) -> None:
    """Poses interpolated, smoothed, nudged; translations and rotations replaced."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("blend_poses|smooth_pose|interpolate_frames|nudge_frames|track_pose")
    a, b = k.input("a|prev|from_pose", transform(T)), k.input("b|goal|to_pose", transform(T))
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    t = k.let(
        "t|w|s",
        wp.clamp(varied(k, k.input("t_in|phase|blend", T)[i], 0, 2), 0.0, 1.0)
        if c.chance(1, 2)
        else wp.clamp(coefficient(k, T), 0.0, 1.0),
    )
    way = c.below(4)

    def mix(s: Scope, p: Term, q: Term, w: Term) -> Term:
        return _mixed(s, p, q, w, T, way)

    params: dict[str, Value] = {"p|x0": transform(T), "q|x1": transform(T), "w|u": T}
    X = k.let("X|pose|res", k.helper("mix|between|blended", params, mix)(a[i], b[i], t))
    if c.chance(1, 2):
        move = varied(k, wp.transform_get_translation(X), 1, 2)
        if c.chance(1, 2):
            k.do(wp.transform_set_translation(X, move))
        else:
            k.put(X.p, move)
    if c.chance(1, 3):
        k.do(wp.transform_set_rotation(X, wp.normalize(X.q * _turn(k, T, t))))
    if c.chance(2, 3):
        k.output("out|poses|blended_out", transform(T))[i] = X
    else:
        k.output("out|origins|positions", vec(3, T))[i] = varied(k, wp.transform_point(X, axis_of(k, T)), 0, 2)
    statistic(k, wp.length(X.p))
    rule = ("slerp", "normalised lerp", "a weighted sum of the poses", "a step along the difference")[way]
    k.summary(f"Interpolates {T.name} poses by {rule}.")


def matrices(k: Author) -> None:
    """Homogeneous matrices: composed, decomposed, applied, made of transforms and back."""
    c = k.c
    T = c.weighted(REALS)
    k.name("compose_matrices|decompose_trs|matrix_points|node_matrices|homogeneous")
    way = c.below(4)
    points = k.input("points|pts|centers", vec(3, T))
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    p = k.let("p|x|v", varied(k, points[i], 0, 1))
    if way == 0:
        rots, scales = k.input("rots|quats|orients", quat(T)), k.input("scales|sizes|stretch", vec(3, T))
        M = k.let(
            "M|trs|m", wp.transform_compose(p, rots[i % rots.shape(0)], varied(k, scales[i % scales.shape(0)], 0, 1))
        )
        made = wp.transform_point(M, axis_of(k, T)) if c.chance(1, 2) else wp.transform_vector(M, p)
    elif way == 1:
        mats = k.input("mats|nodes|m4", mat(4, 4, T))
        names = (("pos|t|origin"), ("rot|q|orient"), ("size|s|stretch"))
        pos, rot, size = k.many(names, wp.transform_decompose(mats[i % mats.shape(0)]))
        made = pos + wp.quat_rotate(rot, wp.cw_mul(size, p))
    elif way == 2:
        poses = k.input("poses|xforms|frames", transform(T))
        M = k.let("M|m|mat_", wp.transform_to_matrix(poses[i % poses.shape(0)]))
        X = k.let("X|back|pose", wp.transform_from_matrix(varied(k, M, 0, 1) if c.chance(1, 3) else M))
        made = wp.transform_point(X, p) if c.chance(1, 2) else wp.transform_point(M * wp.transpose(M), p)
    else:
        mats = k.input("mats|views|m4", mat(4, 4, T))
        M = k.let("M|m|view", mats[i % mats.shape(0)])
        h = k.let("h|clip|hp", M * make(vec(4, T), p[0], p[1], p[2], 1.0))
        depth = where(wp.abs(h[3]) < 0.01, number(0.01, T), h[3])
        made = make(vec(3, T), h[0], h[1], h[2]) / depth
    value = k.let("y|res|moved", varied(k, made, 0, 2))
    k.output("out|mapped|result", vec(3, T))[i] = value
    statistic(k, value[c.below(3)])
    what = ("composed of position, rotation and scale", "taken apart into position, rotation and scale",
            "made of transforms", "that project")[way]  # fmt: skip
    k.summary(f"Applies {T.name} matrices {what} to points.")
