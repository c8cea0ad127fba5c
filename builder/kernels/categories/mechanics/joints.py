"""Articulated bodies: forward kinematics, Jacobians, joint constraints and their corrections."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import factor, let, precise, switch
from ...terms import Term, make, number, where, wp
from ...types import FLOAT, INT, Scalar, Vec, quat, transform, vec
from .parts import Poses, Twists


def kinematics(k: Author) -> None:
    """Forward kinematics of chains: from joint coordinates to poses, tip velocities or Jacobian columns."""
    c, T = k.c, precise(k)
    V, X = vec(3, T), transform(T)
    part = c.pick(("poses along each chain", "tip of each planar arm", "relative joint transforms"))
    k.name("forward_kinematics|eval_fk|chain_kinematics|joint_poses")
    if part == "tip of each planar arm":
        _planar(k, T)
        k.summary("Computes the tip of each planar arm from its joint angles.")
        return
    frames, axes = k.input("joint_frames|parent_xform|offsets", X), k.input("joint_axis|axes", V)
    q = k.input("joint_q|angles|coords", T, 1 if part[0] == "r" else 2)
    out = k.output("body_q|poses|xforms", X, 1 if part[0] == "r" else 2)
    if part[0] == "r":
        i = gate(k, k.tid("i|tid|joint"), frames.shape(0))
        pose = let(k, "pose|rel_x", frames[i] * _joint(k, q[i], axes[i], i, T))
        out[i] = pose
        statistic(k, wp.length(wp.transform_get_translation(pose)))
        k.summary("Computes the transform of each joint from its coordinate and axis.")
        return
    e = gate(k, k.tid("e|env|tid"), q.shape(0))
    pose = k.var("pose|cur|world", k.scalar("root|base_pose", X) if c.chance(1, 2) else wp_identity(T))
    bound = wp.min(wp.min(q.shape(1), frames.shape(0)), wp.min(axes.shape(0), out.shape(1)))
    with k.for_("j|link|joint", let(k, "links|n_joints", bound)) as j:
        angle = let(k, "angle|theta", varied(k, q[e, j], 0, 1))
        pose.set(wp.transform_multiply(pose, frames[j] * _joint(k, angle, axes[j], j, T)) if c.chance(1, 2) else
                 pose * frames[j] * _joint(k, angle, axes[j], j, T))  # fmt: skip
        out[e, j] = Term(pose.e)
    tip = let(k, "tip|end", wp.transform_point(Term(pose.e), k.scalar("tool|tool_offset", V)))
    k.output("tips|ends", V)[e] = varied(k, tip, 0, 1)
    statistic(k, wp.length(tip))
    k.summary("Computes the poses of the links of each chain and the place of its tool.")


def wp_identity(T: Scalar) -> Term:
    """Return the identity transform."""
    return make(transform(T), make(vec(3, T), 0.0, 0.0, 0.0), make(quat(T), 0.0, 0.0, 0.0, 1.0))


def _joint(k: Author, q: Term, axis: Term, i: Term, T: Scalar) -> Term:
    """Return the transform of a revolute, prismatic, or either joint."""
    c, X, V = k.c, transform(T), vec(3, T)
    way = c.below(4)
    still = make(V, 0.0, 0.0, 0.0)
    axis = let(k, "axis|a_j|u", axis)
    if way == 0:
        return make(X, still, wp.quat_from_axis_angle(wp.normalize(axis), q))
    if way == 1:
        return make(X, axis * q, make(quat(T), 0.0, 0.0, 0.0, 1.0))
    kind = k.input("joint_type|kinds", INT)
    slides = let(k, "slides|prismatic", kind[wp.min(i, kind.shape(0) - 1)] == 1)
    angle, shift = where(slides, q * 0.0, q), where(slides, q, q * 0.0)
    return make(X, axis * shift, wp.quat_from_axis_angle(wp.normalize(axis), angle))


def _planar(k: Author, T: Scalar) -> None:
    c = k.c
    q, lengths = k.input("angles|joint_q", T, 2), k.input("link_len|lengths", T)
    out = k.output("tip_out|tips", vec(2, T))
    e = gate(k, k.tid("e|arm|tid"), q.shape(0))
    x, y = k.var("x|tx", factor(k, "base_x|x0", T)), k.var("y|ty", factor(k, "base_y|y0", T))
    total = k.var("total|phi", number(0.0, T))
    with k.for_("j|link", wp.min(q.shape(1), lengths.shape(0))) as j:
        total += varied(k, q[e, j], 0, 1)
        if c.chance(1, 2):
            length = let(k, "length|seg", lengths[j])
            x += length * wp.cos(total)
            y += length * wp.sin(total)
        else:
            x += wp.cos(total) * lengths[j]
            y += wp.sin(total) * lengths[j]
    value = let(k, "value|tip", varied(k, let(k, "reach|tip0", make(vec(2, T), x, y)), 0, 1))
    out[e] = value
    if c.chance(1, 2):
        gap = let(k, "gap|err", value - k.scalar("goal|target", vec(2, T)))
        k.output("error_out|cost", T)[e] = varied(k, wp.dot(gap, gap), 0, 2)
    statistic(k, wp.length(value))


def joint_constraint(k: Author) -> None:
    """Corrections of joints between two bodies: ball, hinge, slider, weld, distance, with limits."""
    c, T = k.c, FLOAT
    V = vec(3, T)
    kind = c.pick(("ball", "hinge", "distance", "weld"))
    k.name(f"solve_{kind}_joint|joint_forces|solve_joints|joint_corrections")
    packed = c.chance(1, 2)
    poses = Poses(k, T, packed=packed)
    out = Twists(k, T, "output", ("body_f|wrench_out", "force_out|lin_delta", "torque_out|ang_delta"), packed)
    parents, childs = k.input("parent|body_a", INT), k.input("child|body_b", INT)
    i = gate(k, k.tid("i|tid|joint"), parents.shape(0))
    a = let(k, "a|ia", wp.clamp(parents[i], 0, poses.count - 1))
    b = let(k, "b|ib", wp.clamp(childs[i], 0, poses.count - 1))
    if c.chance(1, 2):
        with k.if_(a == b):
            k.leave()
    pa, ra = poses.load(a, "_a")
    pb, rb = poses.load(b, "_b")
    la, lb = k.input("anchor_a|local_a", V), k.input("anchor_b|local_b", V)
    ha, hb = let(k, "ha|arm_a", wp.quat_rotate(ra, la[i])), let(k, "hb|arm_b", wp.quat_rotate(rb, lb[i]))
    gap = _gap(k, (pa, pb), (ha, hb))
    f = _pull(k, kind, gap, T)
    if c.chance(1, 2):
        f = _damped(k, packed, (a, b), (ha, hb), f, T)
    if c.chance(1, 3):
        top = wp.abs(factor(k, "f_max|break_force", T, 200, 900))
        size = let(k, "size|f_len", wp.length(f) + 1.0e-3)
        f = let(k, "f3|capped", f * wp.min(top / size, 1.0))
    ta, tb = let(k, "ta|torque_a", wp.cross(ha, f)), let(k, "tb|torque_b", wp.cross(hb, f))
    if kind in ("hinge", "weld"):
        t = _alignment(k, kind, ra, rb, i, V)
        ta, tb = let(k, "ta2|tq_a", ta + t), let(k, "tb2|tq_b", tb + t)
    out.add(a, f, ta)
    out.add(b, f, tb, "sub")
    statistic(k, wp.length(gap))
    k.summary(f"Adds the forces and torques of {kind} joints to the two bodies that each connects.")


def _damped(k: Author, packed: bool, bodies: tuple[Term, Term], arms: tuple[Term, Term], f: Term, T: Scalar) -> Term:
    (a, b), (ha, hb) = bodies, arms
    vels = Twists(k, T, "input", ("body_qd|twists", "lin_vel|vels", "ang_vel|omegas"), packed)
    va, wa = vels.load(a, "_va")
    vb, wb = vels.load(b, "_vb")
    rel = let(k, "rel_v|dv", (vb + wp.cross(wb, hb)) - (va + wp.cross(wa, ha)))
    return let(k, "f2|damped", f + rel * factor(k, "kd|damping", T, 1, 50))


def _gap(k: Author, places: tuple[Term, Term], arms: tuple[Term, Term]) -> Term:
    c = k.c
    (pa, pb), (ha, hb) = places, arms
    if c.chance(1, 2):
        xa, xb = let(k, "xa|world_a", pa + ha), let(k, "xb|world_b", pb + hb)
        gap = let(k, "gap|err|sep", xb - xa)
    else:
        gap = let(k, "gap|err|sep", (pb - pa) + (hb - ha) if c.chance(1, 2) else (pb + hb) - (pa + ha))
    return gap


def _pull(k: Author, kind: str, gap: Term, T: Scalar) -> Term:
    """Return the force that closes the gap of a joint."""
    c = k.c
    ke = factor(k, "ke|stiffness", T)
    if kind == "distance":
        length = let(k, "length|dist", wp.length(gap) + 1.0e-4)
        stretch = length - wp.abs(factor(k, "rest|reach", T))
        stretch = wp.max(stretch, 0.0) if c.chance(1, 2) else stretch
        f = let(k, "f|pull", gap * (varied(k, ke * stretch, 0, 1) / length))
    else:
        f = let(k, "f|pull", varied(k, gap * ke, 0, 1))
    return f


def _alignment(k: Author, kind: str, ra: Term, rb: Term, i: Term, V: Vec) -> Term:
    c = k.c
    kt = factor(k, "kt|ang_stiff", FLOAT)
    rel = let(k, "rel_q|dq", wp.quat_inverse(ra) * rb)
    if kind == "weld":
        error = make(V, rel[0], rel[1], rel[2]) * wp.sign(rel[3]) if c.chance(1, 2) else make(V, rel[0], rel[1], rel[2])
        return let(k, "t|align", wp.quat_rotate(ra, error) * (kt * 2.0))
    axis = let(k, "axis|hinge_axis", wp.normalize(k.input("axes|joint_axis", V)[i]))
    first, second = let(k, "ax_a|u", wp.quat_rotate(ra, axis)), let(k, "ax_b|w", wp.quat_rotate(rb, axis))
    t = wp.cross(first, second) * kt
    if c.chance(1, 2):
        angle = let(k, "angle|theta", wp.quat_twist_angle(axis, rel))
        low, high = factor(k, "lo_lim|lower", FLOAT, 1, 50), factor(k, "hi_lim|upper", FLOAT, 60, 300)
        over = let(k, "over|beyond", switch(k, "ex|viol", angle > high, angle - high, wp.min(angle - low, 0.0)))
        t = t + first * (over * factor(k, "k_lim|limit_ke", FLOAT))
    return let(k, "t|align", t)
