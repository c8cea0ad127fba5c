"""Charged particles in electric and magnetic fields."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, Records, factor, let, precise
from ...terms import Term, make, wp
from ...types import Vec, vec


def boris(k: Author) -> None:
    """Push of charged particles in electric and magnetic fields: Boris rotation, Vay-like or plain Lorentz steps."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    method = c.pick(("Boris", "Lorentz-force Euler", "exact gyration"))
    k.name("boris_push|push_particles|lorentz_push|advance_charges")
    records = Records(k, "Ion|Electron|Charge", [("pos|x", V), ("vel|v", V)], changed=(0, 1), alone=True)
    i = gate(k, k.tid("i|tid|p"), records.count)
    loaded = records.load(i)
    x, v = loaded
    qm = let(k, "qm|ratio", k.input("charge|q_over_m", T)[i]) if c.chance(1, 2) else factor(k, "qm|charge_mass", T)
    dt = factor(k, "dt|h", T, 1, 20)
    electric, magnetic = _fields(k, x, i, V)
    if method == "Boris":
        half = let(k, "half|hq", 0.5 * qm * dt)
        minus = let(k, "v_minus|vm", v + electric * half)
        t = let(k, "t|rot", magnetic * half)
        s = t * (2.0 / (1.0 + wp.dot(t, t))) if c.chance(1, 2) else (t * 2.0) / (1.0 + wp.length_sq(t))
        prime = let(k, "v_prime|vp", minus + wp.cross(minus, t))
        nv = minus + wp.cross(prime, let(k, "s|rot2", s)) + electric * half
    elif method == "Lorentz-force Euler":
        nv = v + (electric + wp.cross(v, magnetic)) * (qm * dt)
    else:
        nv = _gyration(k, v, electric, magnetic, let(k, "qdt|scaled", qm * dt))
    if c.chance(1, 3):
        nv = let(k, "u|v_raw", nv)
        nv = nv / wp.sqrt(1.0 + wp.dot(nv, nv) * factor(k, "inv_c2|rel", T, 1, 20) + 1.0e-6)
    nv = let(k, "vn|v_next", varied(k, nv, 0, 1))
    nx = let(k, "xn|x_next", varied(k, x + nv * dt, 0, 1))
    records.store(i, {0: nx, 1: nv}, loaded)
    statistic(k, 0.5 * wp.dot(nv, nv))
    k.summary(f"Pushes charged particles in electric and magnetic fields by the {method} method.")


def _fields(k: Author, x: Term, i: Term, V: Vec) -> tuple[Term, Term]:
    c, T = k.c, V.dtype
    way = c.below(3)
    if way == 0:
        layout = Layout(k, 3, T)
        e, b = layout.input("e_field|efield"), layout.input("b_field|bfield")
        return e.load(k, "ei|e", i), b.load(k, "bi|b", i)
    b0, e0 = factor(k, "b0|b_z", T), factor(k, "e0|e_amp", T)
    if way == 1:
        return let(k, "ei|e", make(V, e0, 0.0 * e0, -e0 * x[2])), let(k, "bi|b", k.scalar("b_uniform|b_ext", V) * b0)
    r2 = let(k, "r2|rad2", x[0] * x[0] + x[1] * x[1] + 0.1)
    curved = make(V, -x[0] * x[2] * b0, -x[1] * x[2] * b0, b0 * (1.0 + x[2] * x[2]))
    return let(k, "ei|e", make(V, x[0], x[1], 0.0 * r2) * (e0 / r2)), let(k, "bi|b", curved)


def _gyration(k: Author, v: Term, e: Term, b: Term, qdt: Term) -> Term:
    size = let(k, "bmag|b_len", wp.length(b) + 1.0e-4)
    axis, angle = let(k, "axis|bhat", b / size), let(k, "angle|theta", -qdt * size)
    kick = let(k, "v0|vk", v + e * (0.5 * qdt))
    along = let(k, "par|along", axis * wp.dot(kick, axis))
    turned = (kick - along) * wp.cos(angle) + wp.cross(axis, kick) * wp.sin(angle)
    return along + turned + e * (0.5 * qdt)
