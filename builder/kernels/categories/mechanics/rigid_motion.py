"""Integration of rigid bodies, inertial navigation, mass properties."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise
from ...terms import Term, make, number, wp
from ...types import INT, Mat, Scalar, Vec, mat, quat, vec
from .parts import Poses, Twists, spin


def integrate_bodies(k: Author) -> None:
    """A time step of rigid bodies: forces, gyroscopic torque, damping, rotation by quaternion."""
    c, T = k.c, precise(k)
    packed = c.chance(1, 2)
    k.name("integrate_bodies|rigid_step|advance_bodies|integrate_rigid")
    in_place = c.chance(1, 3)
    poses = Poses(k, T, "inout" if in_place else "input", packed=packed)
    twists = Twists(k, T, "inout" if in_place else "input", ("body_qd|twists", "vel|lin_vel", "omega|ang_vel"), packed)
    loads = Twists(k, T, "input", ("body_f|wrenches", "force|f_ext", "torque|tau"), packed)
    i = gate(k, k.tid("i|tid|body"), poses.count)
    p, r = poses.load(i)
    v, w = twists.load(i)
    f, t = loads.load(i, "_f")
    dt = factor(k, "dt|h|step", T, 1, 5)
    inv_m = let(k, "im|inv_m", wp.abs(k.input("inv_mass|w_mass", T)[i])) if c.chance(1, 2) else factor(k, "inv_m|im", T)
    gravity = k.scalar("gravity|g_vec", vec(3, T)) if c.chance(1, 2) else make(vec(3, T), 0.0, -9.81, 0.0)
    v1 = let(k, "v1|vn", v + (f * inv_m + gravity) * dt)
    w1 = let(k, "w1|wn", _angular(k, r, w, t, dt, i, T))
    if c.chance(1, 2):
        keep = let(k, "keep|fade", 1.0 - wp.clamp(factor(k, "damping|drag", T, 1, 20) * dt, 0.0, 0.9))
        w1 = let(k, "w2|wd", w1 * keep)
        v1 = let(k, "v2|vd", v1 * keep) if c.chance(1, 2) else v1
    v1 = let(k, "v3|v_out", varied(k, v1, 0, 1))
    x1 = let(k, "x1|p1", p + (v1 if c.chance(2, 3) else (v + v1) * 0.5) * dt)
    r1 = let(k, "r1|q1", spin(k, r, w1, dt, T))
    out_p = poses if in_place else Poses(k, T, "output", "_out", packed)
    names = ("qd_out|twists_out", "vel_out|v_new", "omega_out|w_new")
    out_v = twists if in_place else Twists(k, T, "output", names, packed)
    out_p.store(i, varied(k, x1, 0, 1), r1)
    out_v.store(i, v1, w1)
    statistic(k, wp.dot(v1, v1) + wp.dot(w1, w1))
    k.summary("Integrates rigid bodies over one time step under forces and torques.")


def _angular(k: Author, r: Term, w: Term, t: Term, dt: Term, i: Term, T: Scalar) -> Term:
    c = k.c
    way = c.below(4)
    if way == 0:
        inertia = let(k, "inertia|diag_i", wp.abs(k.input("inertia_diag|moments", vec(3, T))[i]) + make(vec(3, T), 0.1))
        wb, tb = let(k, "wb|w_local", wp.quat_rotate_inv(r, w)), let(k, "tb|t_local", wp.quat_rotate_inv(r, t))
        gyro = let(k, "gyro|coriolis", wp.cross(wb, wp.cw_mul(inertia, wb)))
        return wp.quat_rotate(r, wb + wp.cw_div(tb - gyro, inertia) * dt)
    if way == 1:
        inv = let(k, "inv_i|iinv", k.input("inv_inertia|i_inv", mat(3, 3, T))[i])
        rot = let(k, "rm|rot_m", wp.quat_to_matrix(r))
        world = let(k, "iw|inv_world", rot * inv * wp.transpose(rot))
        return w + world * t * dt
    if way == 2:
        full, inv = k.input("inertia|i_body", mat(3, 3, T)), k.input("inv_inertia|i_inv", mat(3, 3, T))
        wb = let(k, "wb|w_local", wp.quat_rotate_inv(r, w))
        tb = let(k, "tb|t_local", wp.quat_rotate_inv(r, t) - wp.cross(wb, full[i] * wb))
        return wp.quat_rotate(r, wb + inv[i] * tb * dt)
    return w + t * (factor(k, "inv_i|inv_moment", T) * dt)


def strapdown(k: Author) -> None:
    """Strapdown navigation: attitude, velocity and place from gyroscopes and accelerometers, with biases."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    k.name("strapdown|imu_integrate|propagate_imu|dead_reckoning")
    layout = Layout(k, 3, T)
    poses = Poses(k, T, packed=c.chance(1, 2))
    vel = layout.input("vel|velocities")
    gyro, accel = layout.input("gyro|rates"), layout.input("accel|specific_force")
    i = gate(k, k.tid("i|tid|unit"), poses.count)
    p, r = poses.load(i)
    v = vel.load(k, "v|v0", i)
    rate, force = gyro.load(k, "w|rate_i", i), accel.load(k, "a|f_i", i)
    if c.chance(1, 2):
        rate = let(k, "w_c|rate_c", rate - k.scalar("gyro_bias|bg", V))
        force = let(k, "a_c|f_c", force - k.scalar("accel_bias|ba", V))
    if c.chance(1, 3):
        rate = let(k, "w_s|rate_s", rate * factor(k, "scale_g|sg", T, 90, 110))
    if c.chance(1, 3):
        rate = let(k, "w_t|rate_t", rate - wp.quat_rotate_inv(r, k.scalar("earth_rate|w_ie", V)))
    dt = factor(k, "dt|period|ts", T, 1, 5)
    angle = let(k, "phi|dtheta|rotvec", rate * dt)
    r1 = let(k, "r1|q1", _attitude(k, r, angle, T))
    up = make(V, 0.0, 0.0, -9.81) if c.chance(1, 2) else k.scalar("gravity|g_n", V)
    if c.chance(1, 2):
        world = wp.quat_rotate(r1, force) + up
    else:
        world = (wp.quat_rotate(r, force) + wp.quat_rotate(r1, force)) * 0.5 + up
    acc = let(k, "acc|a_world", varied(k, world, 0, 1))
    v1 = let(k, "v1|vn", v + acc * dt)
    x1 = p + (v1 * dt if c.chance(1, 2) else v * dt + acc * (0.5 * dt * dt))
    Poses(k, T, "output", "_out", poses.packed).store(i, varied(k, x1, 0, 1), r1)
    layout.output("vel_out|v_new").store(k, i, varied(k, v1, 0, 1))
    statistic(k, wp.length(acc))
    k.summary("Advances attitude, velocity and place of inertial units by one strapdown step.")


def _attitude(k: Author, r: Term, angle: Term, T: Scalar) -> Term:
    way = k.c.below(3)
    if way == 0:
        return wp.normalize(r * make(quat(T), angle * 0.5, 1.0))
    size = let(k, "theta|size", wp.length(angle) + 1.0e-5)
    if way == 1:
        half = let(k, "half|h_ang", size * 0.5)
        return r * make(quat(T), angle * (wp.sin(half) / size), wp.cos(half))
    return wp.normalize(r * wp.quat_from_axis_angle(angle / size, size))


def accumulate_inertia(k: Author) -> None:
    """Mass properties: centre of mass and inertia of bodies from their particles or boxes, summed or atomically."""
    c, T = k.c, precise(k)
    V, M = vec(3, T), mat(3, 3, T)
    k.name("accumulate_inertia|mass_properties|body_inertia|sum_inertia")
    layout = Layout(k, 3, T)
    pos = layout.input("pos|points|samples")
    mass = k.input("mass|weights", T) if c.chance(2, 3) else None
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "p|here", i)
    if c.chance(1, 2):
        p = let(k, "scaled|pw", p * factor(k, "unit|metre", T) + k.scalar("shift|origin", V))
    m = let(k, "m|mi", varied(k, wp.abs(mass[i]), 0, 1)) if mass is not None else factor(k, "unit_mass|m0", T)
    body = k.input("body_id|owner|label", INT)
    part = c.pick(("centre of mass", "inertia tensor", "moments about an axis"))
    if part == "centre of mass":
        _centre(k, p, m, body, i, T)
        return
    com = layout.input("com|centres")
    b = let(k, "b|slot|owner_i", wp.clamp(body[i], 0, com.count - 1))
    d = let(k, "d|arm|rel", p - com.at(b))
    if part == "inertia tensor":
        out = k.output("inertia_out|tensors", M)
        tensor = let(k, "tensor|local_i", _tensor(k, d, m, M, V, T))
        k.atomic("add", out, wp.min(b, out.shape(0) - 1), tensor, augmented=c.chance(1, 2))
        statistic(k, wp.trace(tensor))
    else:
        axis = let(k, "axis|u", wp.normalize(k.scalar("axis_in|direction", V)))
        off = let(k, "off|radial", d - axis * wp.dot(d, axis) if c.chance(1, 2) else wp.cross(axis, d))
        out = k.output("moment_out|moments", T)
        value = let(k, "value|mom", varied(k, m * wp.dot(off, off), 0, 2))
        k.atomic("add", out, wp.min(b, out.shape(0) - 1), value, augmented=c.chance(1, 2))
        statistic(k, value)
    k.summary(f"Accumulates the {part} of each body from its points.")


def _centre(k: Author, p: Term, m: Term, body: Arr, i: Term, T: Scalar) -> None:
    """Add up mass and first moment of each body."""
    c, V = k.c, vec(3, T)
    total, first = k.output("total_mass|mass_out", T), k.output("weighted|com_sum", V)
    b = let(k, "b|slot|owner_i", wp.clamp(body[i], 0, wp.min(total.shape(0), first.shape(0)) - 1))
    k.atomic("add", total, b, m, augmented=c.chance(1, 2))
    k.atomic("add", first, b, varied(k, p * m, 0, 1), augmented=c.chance(1, 2))
    if c.chance(1, 2):
        k.atomic("max", k.output("extent|far", T), b, wp.length(p))
    statistic(k, m)
    k.summary("Accumulates mass and mass-weighted place of the points of each body.")


def _tensor(k: Author, d: Term, m: Term, M: Mat, V: Vec, T: Scalar) -> Term:
    c = k.c
    way = c.below(3)
    if way == 0:
        eye = make(M, *(number(1.0 if a == b else 0.0, T) for a in range(3) for b in range(3)))
        return (eye * wp.dot(d, d) - wp.outer(d, d)) * m
    if way == 1:
        s = let(k, "s|cross_m", wp.skew(d))
        return wp.transpose(s) * s * m
    x, y, z = (let(k, f"{n}{n}|d{n}", d[a]) for a, n in enumerate("xyz"))
    rows = (y * y + z * z, -x * y, -x * z, -x * y, x * x + z * z, -y * z, -x * z, -y * z, x * x + y * y)
    return make(M, *rows) * m
