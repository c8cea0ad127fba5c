"""Attitudes integrated in time, interpolated, split into swing and twist."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, make, number, where, wp
from ...types import DOUBLE, FLOAT, HALF, INT, QUAT, VEC3, Scalar, Value, quat, vec

REALS = {FLOAT: 6, DOUBLE: 2, HALF: 1}


def axis_of(k: Scope, T: Scalar) -> Term:
    """Return a fixed unit axis, or a literal one normalised."""
    c = k.c
    n = c.below(4)
    if n < 3:
        return make(vec(3, T), *(float(n == m) for m in range(3)))
    return wp.normalize(make(vec(3, T), *(number(c.between(10, 90) / 100, T) for _ in range(3))))


def nearer(q: Term, like: Term, k: Scope) -> Term:
    """Return ``q`` or ``-q``: that on the side of ``like``."""
    way = k.c.below(2)
    if way == 0:
        return where(wp.dot(q, like) < 0.0, -q, q)
    x = k.var("near|side|qs", q)
    with k.if_(wp.dot(q, like) < 0.0):
        x.set(-Term(x.e))
    return Term(x.e)


def _step(k: Scope, q: Term, w: Term, dt: Term, T: Scalar) -> Term:
    """Return an attitude turned by an angular velocity for a time, by one of four rules."""
    c = k.c
    way = c.below(4)
    if way == 0:
        spin = k.let("spin|rate|wq", make(quat(T), w, 0.0))
        turned = spin * q if c.chance(1, 2) else q * spin
        return wp.normalize(q + turned * (0.5 * dt))
    angle = k.let("angle|theta|speed", wp.length(w) * dt)
    axis = k.let("axis|dir|n", wp.normalize(w + axis_of(k, T) * number(0.001, T)))
    if way == 1:
        turn = wp.quat_from_axis_angle(axis, angle)
    elif way == 2:
        half = k.let("half|h|a2", 0.5 * angle)
        turn = make(quat(T), axis * wp.sin(half), wp.cos(half))
    else:
        turn = wp.quat_rpy(w[0] * dt, w[1] * dt, w[2] * dt)
    product = turn * q if c.chance(1, 2) else q * turn
    return wp.normalize(product) if c.chance(2, 3) else product


def integrate(k: Author) -> None:
    """Attitudes stepped in time under angular velocities, with damping, torques, inertia."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("integrate_attitude|spin_bodies|rotate_step|update_orientation|gyro_step")
    rots = k.inout("rots|attitudes|orients|q", quat(T))
    torque_given = c.chance(1, 2)
    rates = k.inout("rates|omega|ang_vel", vec(3, T)) if torque_given else k.input("rates|omega|gyro", vec(3, T))
    dt = k.scalar("dt|h|step", T)
    i = gate(k, k.tid("i|tid|body"), rots.shape(0))
    q, w = k.let("q0|rot|r", rots[i]), k.let("w|om|spin0", varied(k, rates[i], 0, 2))
    if torque_given:
        torque = k.input("torque|moment|load", vec(3, T))
        inertia = make(vec(3, T), *(number(c.between(50, 300) / 100, T) for _ in range(3)))
        local = wp.quat_rotate_inv(q, w) if c.chance(1, 2) else w
        body = k.let("wb|local_w|b", local)
        momentum = k.let("mom|lb|ang_mom", wp.cw_mul(inertia, body))
        gyro = varied(k, torque[i], 0, 2) - wp.cross(body, momentum)
        w = k.let("w1|new_w|om1", body + wp.cw_div(gyro, inertia) * dt)
        rates[i] = varied(k, wp.quat_rotate(q, w), 0, 1) if c.chance(1, 2) else w * coefficient(k, T, 80, 100)
    steps = c.below(3)
    params: dict[str, Value] = {"r|p": quat(T), "v|u": vec(3, T), "t|tau": T}
    f = k.helper("advance|turned|step_q", params, lambda s, a, b, t: _step(s, a, b, t, T))
    if steps == 0:
        result = f(q, w, dt)
    else:
        cur = k.var("cur|qn|att", q)
        with k.for_("n|sub|it", c.between(2, 4) if steps == 1 else k.scalar("substeps|n_sub|iters", INT)):
            cur.set(f(Term(cur.e), w, dt * number(0.5, T)))
        result = Term(cur.e)
    made = k.let("q1|new_q|res", varied(k, result, 0, 1))
    rots[i] = made
    statistic(k, wp.dot(made, q))
    k.summary(f"Turns {T.name} attitudes by angular velocities for a time step, in place.")


def slerp(k: Author) -> None:
    """Keyframes interpolated at times: slerp, normalised lerp, chains and squads of them."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("sample_keys|slerp_track|interpolate_rotations|blend_keyframes|orient_curve")
    keys, times = k.input("keys|frames|track", quat(T)), k.input("times|u|phase", T)
    i = gate(k, k.tid("i|tid|sample"), times.shape(0))
    n = keys.shape(0)
    t = k.let("t|s|tau", wp.abs(varied(k, times[i], 0, 2)))
    base = k.let("k0|seg|lo", wp.min(cast(t * coefficient(k, T), INT), n - 1))
    ramp = wp.clamp(t - wp.floor(t), 0.0, 1.0) if c.chance(1, 2) else wp.smoothstep(0.0, 1.0, wp.frac(t))
    u = k.let("frac|a|w", ramp)
    way = c.below(4)

    def between(s: Scope, p: Term, r: Term, w: Term) -> Term:
        near = s.let("near_q|b|r1", nearer(r, p, s)) if s.c.chance(1, 2) else r
        if way == 0:
            return wp.quat_slerp(p, near, w)
        if way == 1:
            return wp.normalize(wp.lerp(p, near, w))
        if way == 2:
            return wp.normalize(p * (1.0 - w) + near * w)
        return wp.quat_slerp(wp.quat_slerp(p, near, w), near, w * number(0.5, T))

    f = k.helper("mix|between|blend", {"p|q0": quat(T), "r|q1": quat(T), "w|x": T}, between)
    first = keys[base]
    after = keys[wp.min(base + 1, n - 1)] if c.chance(1, 2) else keys[(base + 1) % n]
    q = f(first, after, u)
    for _ in range(c.below(3)):
        q = f(q, keys[(base + c.between(2, 4)) % n], u * coefficient(k, T, 10, 90))
    made = k.let("q|rot|res", varied(k, q, 0, 2))
    if c.chance(1, 2):
        k.output("out|rots|poses", quat(T))[i] = made
    else:
        k.output("out|dirs|forward", vec(3, T))[i] = varied(k, wp.quat_rotate(made, axis_of(k, T)), 0, 2)
    statistic(k, wp.dot(made, q) if c.chance(1, 2) else made[c.below(4)])
    rule = ("slerp", "normalised lerp", "a normalised weighted sum", "two nested slerps")[way]
    k.summary(f"Interpolates {T.name} keyframe rotations by {rule}.")


def _limited(k: Author, i: Term, axis: Term, swing: Term, twist: Term, angle: Term, way: int) -> None:
    """Limit the twist, count violations, or measure swing and twist."""
    limit = coefficient(k, FLOAT, 20, 250)
    if way == 0:
        held = k.let("held|lim|kept", wp.clamp(angle, -limit, limit))
        result = varied(k, swing, 0, 1) * wp.quat_from_axis_angle(axis, varied(k, held, 0, 1))
        k.output("out|limited|q_out", QUAT)[i] = varied(k, result, 0, 1)
    elif way == 1:
        with k.if_(wp.abs(angle) > limit):
            k.atomic("add", k.output("hits|violations|count", INT), 0, 1)
        k.output("out|swings|q_out", QUAT)[i] = varied(
            k, wp.quat_slerp(swing, twist, coefficient(k, FLOAT, 5, 95)), 0, 1
        )
    elif way == 2:
        k.output("angles|twists|theta_out", FLOAT)[i] = varied(k, angle, 1, 2)
        k.output("tilts|swing_out|dirs_out", VEC3)[i] = varied(k, wp.quat_rotate(swing, axis), 0, 1)
    else:
        energy = coefficient(k, FLOAT) * angle * angle + (1.0 - swing[3] * swing[3]) * coefficient(k, FLOAT)
        k.output("energy|penalty|cost", FLOAT)[i] = varied(k, energy + twist[3] * 0.01, 0, 2)


def swing_twist(k: Author) -> None:
    """Rotations split into a twist about an axis and a swing, limited and put together again."""
    c = k.c
    k.name("swing_twist|joint_limit|limit_twist|clamp_swing|decompose_joint")
    rots = k.input("rots|joints|q_in", QUAT)
    i = gate(k, k.tid("i|tid|joint"), rots.shape(0))
    fixed = c.chance(1, 2)
    if fixed:
        axis = k.let("axis|n|dir", axis_of(k, FLOAT))
    else:
        axis = k.let("axis|n|dir", wp.normalize(k.input("axes|dirs|normals", VEC3)[i] + make(VEC3, 0.0, 0.0, 0.01)))
    q = k.let("q|rot|r", varied(k, rots[i], 0, 1))
    way = c.below(4)
    own = c.chance(1, 3)
    if own:
        along = k.let("along|proj|d", axis * wp.dot(axis, make(VEC3, q[0], q[1], q[2])))
        twist = k.let("twist|tw|qt", wp.normalize(make(QUAT, along, q[3])))
    else:
        twist = k.let("twist|tw|qt", wp.quat_twist(axis, q))
    swing = k.let("swing|sw|qs", q * wp.quat_inverse(twist) if c.chance(1, 2) else wp.quat_inverse(twist) * q)
    signed = c.chance(1, 2)
    angle = k.let("angle|theta|a", wp.quat_twist_angle_signed(axis, q) if signed else wp.quat_twist_angle(axis, q))
    _limited(k, i, axis, swing, twist, angle, way)
    if way == 0:
        statistic(k, wp.dot(twist, q))
    k.summary("Splits rotations into a swing and a twist about an axis and limits or measures the twist.")
