"""Attitude control, conversions, averages, look-at rotations, rotated points."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, identity, make, number, where, wp
from ...types import DOUBLE, FLOAT, INT, QUAT, VEC3, mat, quat, vec
from .attitudes import REALS, axis_of, nearer


def control(k: Author) -> None:
    """Attitude errors and the torques that bring bodies to a wanted attitude."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("attitude_control|pd_torque|orient_error|tracking_error|servo")
    now, want = k.input("rots|now|q", quat(T)), k.input("targets|want|goal", quat(T))
    i = gate(k, k.tid("i|tid|body"), now.shape(0))
    q, goal = k.let("q0|cur|r", varied(k, now[i], 0, 1)), k.let("g|goal_q|t", varied(k, want[i], 0, 1))
    error = goal * wp.quat_inverse(q) if c.chance(1, 2) else wp.quat_inverse(q) * goal
    e = k.let("e|err|dq", error)
    if c.chance(1, 2):
        e = k.let(
            "short|e1|near_e", nearer(e, identity(quat(T)) if c.chance(1, 2) else make(quat(T), 0.0, 0.0, 0.0, 1.0), k)
        )
    way = c.below(4)
    if way == 0:
        axis, angle = k.many(("axis|n|dir", "angle|theta|a"), wp.quat_to_axis_angle(e))
        turn = axis * varied(k, angle, 0, 2)
    elif way == 1:
        axis, angle = k.let("axis|n|dir", make(vec(3, T), 0.0)), k.var("angle|theta|a", number(0.0, T))
        k.do(wp.quat_to_axis_angle(e, axis, angle))
        turn = axis * (varied(k, Term(angle.e), 0, 2) * coefficient(k, T))
    elif way == 2:
        turn = make(vec(3, T), e[0], e[1], e[2]) * (2.0 * wp.sign(e[3]))
    else:
        turn = make(vec(3, T), e.x, e.y, e.z) * (2.0 * coefficient(k, T))
    damped = turn * coefficient(k, T)
    if c.chance(2, 3):
        rates = k.input("rates|omega|ang_vel", vec(3, T))
        damped = damped - rates[i] * coefficient(k, T)
    torque = k.let("torque|tau|load", varied(k, damped, 0, 2))
    if c.chance(1, 2):
        torque = k.let("world|tw|out_t", wp.quat_rotate(q, torque))
    k.output("out|torques|moments", vec(3, T))[i] = torque
    statistic(k, wp.dot(torque, torque))
    k.summary(f"Turns {T.name} attitude errors into torques.")


_ORDERS = ((0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1))


def _given(k: Author, start: int, order: tuple[Term, ...]) -> tuple[Term, Term]:
    """Declare rotations in one of four forms; return the thread's index and its rotation as a quaternion."""
    c, i_words = k.c, "i|tid|idx"
    if start == 0:
        angles = k.input("angles|euler|rpy", VEC3)
        i = gate(k, k.tid(i_words), angles.shape(0))
        a = k.let("a|ang|e", varied(k, angles[i], 0, 2))
        made = wp.quat_from_euler(a, *order) if c.chance(1, 2) else wp.quat_rpy(a[0], a[1], a[2])
    elif start == 1:
        mats = k.input("mats|bases|frames", mat(3, 3))
        i = gate(k, k.tid(i_words), mats.shape(0))
        made = wp.quat_from_matrix(varied(k, mats[i], 0, 1))
    elif start == 2:
        axes, thetas = k.input("axes|dirs|n", VEC3), k.input("thetas|angles|a", FLOAT)
        i = gate(k, k.tid(i_words), axes.shape(0))
        made = wp.quat_from_axis_angle(wp.normalize(axes[i] + axis_of(k, FLOAT)), varied(k, thetas[i], 0, 2))
    else:
        rots = k.input("rots|quats|q_in", QUAT)
        i = gate(k, k.tid(i_words), rots.shape(0))
        made = varied(k, rots[i], 1, 2)
    return i, made


def convert(k: Author) -> None:
    """Rotations between quaternions, matrices, Euler angles, roll-pitch-yaw, axis and angle."""
    c = k.c
    k.name("convert_rotations|to_matrix_form|angles_to_quat|euler_convert|rotation_forms")
    start = c.below(4)
    order = tuple(number(n, INT) for n in c.pick(_ORDERS))
    i, made = _given(k, start, order)
    q = k.let("q|rot|r", made)
    if c.chance(1, 2):
        q = k.let("q2|turned|both_q", q * wp.quat_rpy(*(coefficient(k, FLOAT) for _ in range(3))))
    end = c.below(6)
    if end == 0:
        result = varied(k, wp.quat_to_euler(q, *order), 0, 2)
    elif end == 1:
        result = varied(k, wp.quat_to_rpy(q), 0, 2)
    elif end == 2:
        result = varied(k, wp.quat_to_matrix(q), 0, 2)
    elif end == 3:
        axis, angle = k.many(("axis|n|u", "angle|theta|phi"), wp.quat_to_axis_angle(q))
        result = axis * varied(k, angle, 0, 2)
    elif end == 4:
        m = k.let("m|basis|mat_", wp.quat_to_matrix(q))
        result = wp.quat_from_matrix(m * wp.transpose(wp.quat_to_matrix(wp.quat_rpy(m[0, 1], m[1, 2], m[2, 0]))))
    else:
        wide = quat(DOUBLE)
        d = k.let("d|wide|qd", make(wide, q))
        result = d * wp.quat_inverse(identity(wide)) if c.chance(1, 2) else wp.normalize(d + d * d)
    value = k.let("value|res|form", result)
    k.output("out|result|forms", value.type)[i] = value
    names = ("Euler or roll-pitch-yaw angles", "matrices", "axes and angles", "quaternions")
    ends = ("Euler angles", "roll, pitch and yaw", "matrices", "rotation vectors", "quaternions", "float64 quaternions")
    k.summary(f"Converts rotations from {names[start]} to {ends[end]}.")


def average(k: Author) -> None:
    """Weighted means of rotations, and how far the rotations are from them."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    k.name("average_rotations|mean_attitude|blend_rotations|fuse_attitudes|consensus")
    rots, weights = k.input("rots|q|samples", quat(T), 2), k.input("weights|w|trust", T)
    i = gate(k, k.tid("i|tid|row"), rots.shape(0))
    first = k.let("first|ref|q0", rots[i, 0])
    acc = k.var("acc|sum_q|total", first * coefficient(k, T))
    slerped = c.chance(1, 3)
    with k.for_("j|n|col", 1, rots.shape(1)) as j:
        q = k.let("qj|r|s", nearer(rots[i, j], first, k))
        w = k.let("wj|weight|a", varied(k, wp.abs(weights[j % weights.shape(0)]), 0, 2))
        if slerped:
            acc.set(wp.quat_slerp(Term(acc.e), q, 1.0 / (1.0 + wp.abs(w))))
        elif c.chance(1, 2):
            acc.set(Term(acc.e) + q * w)
        else:
            acc.set(Term(acc.e) + w * q)
        if c.chance(1, 4):
            with k.if_(wp.length_sq(Term(acc.e)) > number(c.between(20, 90), T)):
                k.leave("break")
    mean = k.let("mean|avg|m", varied(k, wp.normalize(Term(acc.e)), 0, 1))
    k.output("out|means|fused", quat(T))[i] = mean
    if c.chance(1, 2):
        gap = k.let("gap|cosine|d", wp.abs(wp.dot(mean, first)))
        angle = 2.0 * wp.acos(wp.clamp(gap, 0.0, 0.999)) if c.chance(1, 2) else 1.0 - gap * gap
        k.output("spread|dist|errors", T)[i] = varied(k, angle, 0, 2)
    k.summary(f"Averages the {T.name} rotations of each row{' by slerps' if slerped else ' by a weighted sum'}.")


def look_at(k: Author) -> None:
    """Rotations that turn one direction into another: look-at, alignment, frames of curves."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("look_at|align_vectors|face_target|shortest_arc|orient_along")
    points = k.input("points|targets|pts", vec(3, T))
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    eye = k.scalar("eye|camera|origin", vec(3, T)) if c.chance(1, 2) else points[(i + 1) % points.shape(0)]
    toward = wp.normalize(varied(k, points[i], 0, 1) - eye + axis_of(k, T) * number(0.01, T))
    d = k.let("d|dir|fwd", toward)
    up = k.let("up|ref|axis", axis_of(k, T))
    way = c.below(3)
    if way == 0:
        half = k.let("half|h|m", wp.cross(up, d))
        q = wp.normalize(make(quat(T), half, 1.001 + wp.dot(up, d)))
    elif way == 1:
        angle = k.let("angle|theta|a", wp.acos(wp.clamp(wp.dot(up, d), -0.999, 0.999)))
        axis = wp.normalize(wp.cross(up, d) + make(vec(3, T), 0.001, 0.0, 0.0))
        q = wp.quat_from_axis_angle(axis, varied(k, angle, 0, 1))
    else:
        side = k.let("side|right|s", wp.normalize(wp.cross(up, d) + make(vec(3, T), 0.002, 0.0, 0.001)))
        over = k.let("over|v|u", wp.cross(d, side))
        build = wp.matrix_from_cols if c.chance(1, 2) else wp.matrix_from_rows
        q = wp.quat_from_matrix(build(side, over, d))
    made = k.let("q|rot|r", varied(k, q, 0, 1))
    if c.chance(1, 2):
        k.output("out|rots|orients", quat(T))[i] = made
    else:
        k.output("out|moved|dirs", vec(3, T))[i] = varied(k, wp.quat_rotate(made, d), 1, 2)
    statistic(k, made[c.below(4)])
    rule = ("half vectors", "an axis and an angle", "a basis of three directions")[way]
    k.summary(f"Finds {T.name} rotations towards points by {rule}.")


def rotate_points(k: Author) -> None:
    """Points turned by rotations: rigid bodies, joints in a row, rings of copies."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("rotate_points|turn_cloud|apply_rotations|spin_ring|orbit_points")
    points, rots = k.input("points|pts|local", vec(3, T)), k.input("rots|quats|q", quat(T))
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    p = k.let("p|v|x", varied(k, points[i], 0, 1))
    own = c.below(3)

    def turn(s: Scope, q: Term, v: Term) -> Term:
        if own == 0:
            return wp.quat_rotate(q, v)
        if own == 1:
            moved = s.let("moved|w|h", q * make(quat(T), v, 0.0) * wp.quat_inverse(q))
            return make(vec(3, T), moved[0], moved[1], moved[2])
        u = s.let("u|imag|qv", make(vec(3, T), q[0], q[1], q[2]))
        t = s.let("t|c2|twice", 2.0 * wp.cross(u, v))
        return Term((v + t * q[3] + wp.cross(u, t)).e)

    f = k.helper("turned|rotated|spin", {"q|r": quat(T), "v|a": vec(3, T)}, turn)
    way = c.below(3)
    if way == 0:
        q = k.let("q0|rot|r0", wp.normalize(rots[i % rots.shape(0)]))
        result = f(q, varied(k, p, 0, 1)) if c.chance(1, 2) else f(wp.quat_inverse(q), p)
    elif way == 1:
        cur = k.var("cur|acc|pt", p)
        with k.for_("j|n|joint", wp.min(rots.shape(0), c.between(3, 12))) as j:
            cur.set(f(rots[j], Term(cur.e)) + axis_of(k, T) * coefficient(k, T))
        result = Term(cur.e)
    else:
        angle = cast(i, T) * coefficient(k, T)
        q = k.let("q0|ring|r0", wp.quat_from_axis_angle(axis_of(k, T), varied(k, angle, 0, 1)))
        result = where(p[c.below(3)] > 0.0, f(q, p), f(rots[i % rots.shape(0)] * q, p))
    made = k.let("res|y|out_p", varied(k, result, 0, 2))
    k.output("out|world|turned_pts", vec(3, T))[i] = made
    statistic(k, wp.length(made))
    k.summary(f"Turns {T.name} points by rotations{' one after another' if way == 1 else ''}.")
