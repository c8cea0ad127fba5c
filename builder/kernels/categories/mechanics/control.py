"""Actuators and surroundings: motors, thrusters, suspension, drag, lift and buoyancy."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import factor, let, precise, switch
from ...terms import Term, cast, make, number, where, wp
from ...types import INT, Scalar, Vec, vec
from .parts import Poses, Twists


def actuators(k: Author) -> None:
    """Joint motors: PD and PID control, limits, friction, feed-forward, gear backlash; one or many joints a thread."""
    c, T = k.c, precise(k)
    k.name("pd_control|joint_control|motor_torques|actuate")
    wide = c.chance(1, 2)
    ndim = 2 if wide else 1
    q, qd = k.input("joint_q|angles|q_pos", T, ndim), k.input("joint_qd|rates|q_vel", T, ndim)
    goal = k.input("target|setpoint|q_ref", T, ndim)
    out = k.output("torque|tau_out|effort", T, ndim)
    if wide:
        i, j = k.tid("env|i|robot", "j|joint|dof")
        at: object = (gate(k, i, q.shape(0)), j)
    else:
        at = gate(k, k.tid("i|tid|joint"), q.shape(0))
    pos, vel = let(k, "pos|q0", q[at]), let(k, "vel|qd0", qd[at])
    error = let(k, "err|e0", goal[at] - pos)
    if c.chance(1, 3):
        turn = number(6.2831853, T)
        error = let(k, "wrapped|e1", error - wp.floor(error / turn + 0.5) * turn)
    if c.chance(1, 3):
        dead = factor(k, "deadband|backlash", T, 1, 10)
        error = let(k, "outside|e2", switch(k, "gap|ex", wp.abs(error) < dead, number(0.0, T), error))
    u = factor(k, "kp|stiffness", T) * varied(k, error, 0, 1) - factor(k, "kd|damping", T) * vel
    if c.chance(1, 2):
        total = _integral(k, at, error, ndim, T)
        u = u + factor(k, "ki|i_gain", T) * total
    if c.chance(1, 2):
        u = u + k.input("feedforward|tau_ff|bias_t", T, ndim)[at]
    if c.chance(1, 2):
        u = let(k, "u|raw", u)
        u = u - factor(k, "coulomb|stiction", T, 1, 20) * (wp.sign(vel) if c.chance(1, 2) else wp.tanh(vel * 10.0))
    value = let(k, "value|tau", varied(k, u, 0, 1))
    value = _saturated(k, value, vel, T)
    out[at] = value
    statistic(k, value * vel)
    k.summary("Computes the torque of each joint's motor from its position and velocity errors.")


def _integral(k: Author, at: object, error: Term, ndim: int, T: Scalar) -> Term:
    """Add an error to the kept integral, held within limits, and return it."""
    state = k.inout("integral|i_state", T, ndim)
    limit = factor(k, "windup|i_max", T)
    total = let(
        k,
        "total|i_new",
        wp.clamp(state[at] + error * factor(k, "dt|period", T, 1, 10), -wp.abs(limit), wp.abs(limit)),
    )
    state[at] = total
    return total


def _saturated(k: Author, u: Term, vel: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    top = factor(k, "tau_max|limit", T, 100, 900)
    if way == 0:
        return u
    if way == 1:
        return let(k, "sat|held", wp.clamp(u, -wp.abs(top), wp.abs(top)))
    if way == 2:
        return let(k, "sat|held", wp.abs(top) * wp.tanh(u / (wp.abs(top) + 0.1)))
    left = let(
        k, "left|headroom", wp.abs(top) * wp.max(1.0 - wp.abs(vel) * factor(k, "inv_speed|slope", T, 1, 30), 0.0)
    )
    return let(k, "sat|held", wp.clamp(u, -left, left))


def suspension(k: Author) -> None:
    """Wheels: spring-damper suspension by ray or height, anti-roll, tyre forces from slip."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    k.name("suspension|wheel_forces|tire_model|vehicle_wheels")
    poses = Poses(k, T, packed=c.chance(1, 2))
    twists = Twists(k, T, "input", ("body_qd|twists", "lin_vel|vel", "ang_vel|omega"), poses.packed)
    out = Twists(k, T, "output", ("body_f|wrenches", "force_out|f_sum", "torque_out|t_sum"), poses.packed)
    mounts, owner = k.input("mount|hardpoints", V), k.input("owner|chassis_id", INT)
    i = gate(k, k.tid("i|tid|wheel"), mounts.shape(0))
    b = let(k, "b|chassis", wp.clamp(owner[wp.min(i, owner.shape(0) - 1)], 0, poses.count - 1))
    p, r = poses.load(b)
    v, w = twists.load(b)
    arm = let(k, "arm|ra", wp.quat_rotate(r, mounts[i]))
    x, vx = let(k, "x|hub", p + arm), let(k, "vx|v_hub", v + wp.cross(w, arm))
    up = let(k, "up|n", wp.quat_rotate(r, make(V, 0.0, 1.0, 0.0)) if c.chance(1, 2) else make(V, 0.0, 1.0, 0.0))
    ground = _ground(k, x, T)
    travel = let(k, "comp|travel", factor(k, "rest|free_len", T) - (x[1] - ground))
    rate = let(k, "rate|vn", wp.dot(vx, up))
    load = factor(k, "ks|spring", T) * travel
    if c.chance(1, 2):
        cd = factor(k, "cd|bump", T)
        load = load - where(rate < 0.0, cd, cd * 1.6) * rate
    else:
        load = load - factor(k, "cd|damper", T) * rate
    if c.chance(1, 3):
        load = load + factor(k, "stop|bumpstop", T) * wp.max(travel - 0.3, 0.0)
    load = let(k, "load|fz", wp.max(varied(k, load, 0, 1), 0.0))
    force = up * load
    if c.chance(2, 3):
        force = force + _tyre(k, r, vx, load, i, V, T)
    force = let(k, "f|fw", where(travel > 0.0, force, make(V, 0.0, 0.0, 0.0)) if c.chance(1, 2) else force)
    out.add(b, force, wp.cross(arm, force))
    statistic(k, load)
    k.summary("Adds the suspension and tyre force of each wheel to its chassis.")


def _ground(k: Author, x: Term, T: Scalar) -> Term:
    c = k.c
    way = c.below(3)
    if way == 0:
        return factor(k, "ground|level", T, 1, 50)
    if way == 1:
        terrain = k.input("terrain|heightmap", T, 2)
        row = wp.clamp(cast(wp.floor(wp.clamp(x[2], -1000.0, 1000.0)), INT), 0, terrain.shape(0) - 1)
        col = wp.clamp(cast(wp.floor(wp.clamp(x[0], -1000.0, 1000.0)), INT), 0, terrain.shape(1) - 1)
        return let(k, "ground|h0", terrain[row, col])
    return let(k, "ground|bumps", factor(k, "bump_h|amp", T, 1, 20) * wp.sin(x[0] * factor(k, "bump_k|freq", T)))


def _tyre(k: Author, r: Term, v: Term, load: Term, i: Term, V: Vec, T: Scalar) -> Term:
    c = k.c
    ahead = let(k, "fwd|ahead", wp.quat_rotate(r, make(V, 0.0, 0.0, 1.0)))
    side = let(k, "side|lat", wp.quat_rotate(r, make(V, 1.0, 0.0, 0.0)))
    vl, vs = let(k, "vl|v_long", wp.dot(v, ahead)), let(k, "vs|v_lat", wp.dot(v, side))
    slip = let(k, "slip|alpha", wp.atan2(vs, wp.abs(vl) + 0.1))
    mu = factor(k, "mu|grip", T)
    if c.chance(1, 2):
        lateral = -mu * load * wp.sin(1.3 * wp.atan(factor(k, "b_mf|stiff", T) * slip))
    else:
        cap = let(k, "cap|limit", wp.abs(mu) * load)
        lateral = wp.clamp(-factor(k, "ca|corner", T) * slip * load, -cap, cap)
    if c.chance(1, 2):
        return side * lateral
    drive = k.input("drive|wheel_torque", T)
    pull = let(k, "pull|fx", drive[wp.min(i, drive.shape(0) - 1)] - factor(k, "roll|resist", T, 1, 20) * vl)
    return side * lateral + ahead * wp.clamp(pull, -load, load)


def drag_forces(k: Author) -> None:
    """Forces of the surroundings on bodies: thrusters, quadratic drag, lift, buoyancy, wind."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    kinds = c.sample(("thrusters", "drag", "buoyancy", "lift", "wind"), c.between(2, 3))
    k.name("body_forces|aero_forces|external_forces|apply_thrust")
    poses = Poses(k, T, packed=c.chance(1, 2))
    twists = Twists(k, T, "input", ("body_qd|twists", "lin_vel|vel", "ang_vel|omega"), poses.packed)
    out = Twists(k, T, "output", ("body_f|wrenches", "force_out|f_sum", "torque_out|t_sum"), poses.packed)
    i = gate(k, k.tid("i|tid|body"), poses.count)
    p, r = poses.load(i)
    v, w = twists.load(i)
    force, torque = (
        k.var("f|total_f", make(V, 0.0, 0.0, 0.0)),
        k.var("t|total_t", w * -factor(k, "spin_drag|ang_damp", T, 1, 30)),
    )
    for kind in kinds:
        part, arm = _surrounding(k, kind, (p, r, v), i, V, T)
        part = let(k, f"f_{kind[:4]}|{kind}_f", varied(k, part, 0, 1))
        force += part
        if arm is not None:
            torque += wp.cross(arm, part)
    if c.chance(1, 2):
        force += make(V, 0.0, -9.81, 0.0) * factor(k, "body_mass|mass", T)
    value = let(k, "fi|net", varied(k, Term(force.e), 0, 1))
    if c.chance(1, 2):
        out.store(i, value, Term(torque.e))
    else:
        out.add(i, value, Term(torque.e))
    statistic(k, wp.length(value))
    k.summary(f"Computes the force and torque of {' and '.join(kinds[:2])} on rigid bodies.")


def _surrounding(
    k: Author, kind: str, state: tuple[Term, Term, Term], i: Term, V: Vec, T: Scalar
) -> tuple[Term, Term | None]:
    p, r, v = state
    c = k.c
    if kind == "thrusters":
        command = k.input("throttle|command", T)
        u = let(k, "u|thrust_i", wp.clamp(command[wp.min(i, command.shape(0) - 1)], 0.0, 1.0))
        axis = wp.quat_rotate(r, wp.normalize(k.scalar("nozzle|thrust_dir", V)))
        arm = wp.quat_rotate(r, k.scalar("thruster_pos|mount_pt", V)) if c.chance(1, 2) else None
        return axis * (factor(k, "thrust|f_max", T) * (u * u if c.chance(1, 2) else u)), arm
    if kind == "drag":
        if c.chance(1, 2):
            return v * (-factor(k, "cda|drag_coef", T) * wp.length(v)), None
        local = let(k, "vl|v_body", wp.quat_rotate_inv(r, v))
        each = k.scalar("drag_xyz|cd_axes", V)
        return wp.quat_rotate(r, wp.cw_mul(wp.cw_mul(local, wp.abs(local)), each)) * -1.0, None
    if kind == "buoyancy":
        depth = let(k, "depth|sub", factor(k, "water|surface", T) - p[1])
        share = let(
            k, "share|wet", wp.clamp(depth / 1.5 + 0.5, 0.0, 1.0) if c.chance(1, 2) else wp.smoothstep(-0.5, 0.5, depth)
        )
        lift = make(V, share * 0.0, share * factor(k, "rho_v|displaced", T), share * 0.0)
        return lift, wp.quat_rotate(r, make(V, 0.0, 0.2, 0.0)) if c.chance(1, 2) else None
    if kind == "lift":
        ahead = let(k, "fwd|chord", wp.quat_rotate(r, make(V, 1.0, 0.0, 0.0)))
        up = let(k, "upn|wing_n", wp.quat_rotate(r, make(V, 0.0, 1.0, 0.0)))
        attack = let(k, "aoa|attack", wp.atan2(-wp.dot(v, up), wp.abs(wp.dot(v, ahead)) + 0.1))
        cl = wp.sin(2.0 * attack) if c.chance(1, 2) else wp.clamp(attack * 5.0, -1.2, 1.2)
        return up * (0.5 * factor(k, "rho_s|q_area", T) * wp.dot(v, v) * cl), None
    gust = let(k, "gust|wind_v", k.scalar("wind|wind_vel", V) * (1.0 + 0.3 * wp.sin(p[0] + p[2])))
    return (gust - v) * factor(k, "area|sail", T, 1, 50), None
