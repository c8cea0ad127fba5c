"""Time integration of particles: schemes, force fields, noise."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Records, divisor, factor, let, precise, random_state, switch
from ...terms import Term, make, number, where, wp
from ...types import FLOAT, Scalar, Vec, vec

Force = Callable[[Term, Term], Term]


def _axis(type_: Vec, n: int, value: float) -> Term:
    return make(type_, *(number(value if m == n else 0.0, type_.dtype) for m in range(type_.n)))


def _field(k: Author, V: Vec) -> tuple[Force, str]:
    """Return the acceleration of a particle at a place with a velocity, and what it is."""
    T, c = V.dtype, k.c
    kind = c.pick(("uniform gravity with drag", "a harmonic trap", "a central mass", "a damped spring to an anchor"))
    pull, drag = factor(k, "g|pull|k_s", T, 10, 981), factor(k, "drag|gamma|damp", T, 1, 50)
    anchor = k.scalar("anchor|origin|center", V) if kind in ("a central mass", "a damped spring to an anchor") else None

    def body(f: Scope, x: Term, v: Term) -> Term:
        if kind == "uniform gravity with drag":
            if f.c.chance(1, 2):
                return _axis(V, 1, -9.81) * (1.0 - 0.02 * x[1]) - v * drag * 0.1
            return _axis(V, V.n - 1, -1.0) * (pull - 0.01 * x[V.n - 1]) - v * (drag * wp.length(v))
        if kind == "a harmonic trap":
            return x * (-pull) - v * drag
        assert anchor is not None
        d = let(f, "d|rel", x - anchor)
        if kind == "a central mass":
            r2 = let(f, "r2|dist2", wp.dot(d, d) + 0.05)
            return d * (-pull / (r2 * wp.sqrt(r2))) - v * (drag * 0.01)
        r = let(f, "r|dist", wp.length(d) + 1.0e-3)
        return d * (-pull * (r - 1.0) / r) - v * drag

    made: Force = lambda x, v: body(k, x, v)  # noqa: E731
    if anchor is None and _closed(pull) and _closed(drag):
        made = k.function("accel|force_at|acceleration", {"x|p": V, "v|w": V}, body)
    return made, kind


def _closed(term: Term) -> bool:
    """Say whether a term is a literal or a constant of the module, which a function may use."""
    return not hasattr(term.e, "name") or getattr(term.e, "value", None) is not None


def integrate(k: Author) -> None:
    """One time step of particles in a force field: Euler, symplectic, leapfrog, Verlet, midpoint, RK4."""
    c, T = k.c, precise(k)
    V = vec(c.pick((3, 2)), T)
    scheme = c.pick(("explicit Euler", "semi-implicit Euler", "leapfrog", "velocity Verlet", "midpoint", "RK4"))
    k.name("integrate|advance_particles|time_step|step_particles")
    fields: list[tuple[str, Vec | Scalar]] = [("pos|x", V), ("vel|v", V)]
    weighted = c.chance(1, 2)
    if weighted:
        fields.append(("inv_mass|w", T))
    records = Records(k, "Particle|Body|Point", fields, changed=(0, 1), alone=True)
    i = gate(k, k.tid("i|tid|p"), records.count)
    loaded = records.load(i)
    x, v = loaded[0], loaded[1]
    force, kind = _field(k, V)
    dt = factor(k, "dt|h|step", T, 1, 10)
    dt_v = let(k, "dtw|impulse_dt", dt * wp.clamp(loaded[2], 0.0, 4.0)) if weighted else dt
    nx, nv = _advance(k, scheme, x, v, force, dt, dt_v)
    nx, nv = _aftermath(k, x, nx, let(k, "v1|vn", varied(k, nv, 0, 1)), V)
    records.store(i, {0: nx, 1: nv}, loaded)
    statistic(k, wp.dot(nv, nv) * 0.5)
    k.summary(f"One {scheme} step of particles in {V.n} dimensions under {kind}.")


def _advance(k: Author, scheme: str, x: Term, v: Term, f: Force, dt: Term, dt_v: Term) -> tuple[Term, Term]:
    if scheme == "explicit Euler":
        return x + v * dt, v + f(x, v) * dt_v
    if scheme == "semi-implicit Euler":
        nv = let(k, "vn|v_next", v + f(x, v) * dt_v)
        return x + nv * dt, nv
    if scheme == "leapfrog":
        half = let(k, "vh|v_half", v + f(x, v) * (0.5 * dt_v))
        nx = let(k, "xn|x_next", x + half * dt)
        return nx, half + f(nx, half) * (0.5 * dt_v)
    if scheme == "velocity Verlet":
        a0 = let(k, "a0|acc0", f(x, v))
        nx = let(k, "xn|x_next", x + v * dt + a0 * (0.5 * dt * dt_v))
        return nx, v + (a0 + f(nx, v)) * (0.5 * dt_v)
    if scheme == "midpoint":
        xm, vm = let(k, "xm|x_mid", x + v * (0.5 * dt)), let(k, "vm|v_mid", v + f(x, v) * (0.5 * dt_v))
        return x + vm * dt, v + f(xm, vm) * dt_v
    return _rk4(k, x, v, f, dt, dt_v)


def _rk4(k: Author, x: Term, v: Term, f: Force, dt: Term, dt_v: Term) -> tuple[Term, Term]:
    k1 = let(k, "k1|a1", f(x, v))
    v2 = let(k, "v2|va", v + k1 * (0.5 * dt_v))
    k2 = let(k, "k2|a2", f(x + v * (0.5 * dt), v2))
    v3 = let(k, "v3|vb", v + k2 * (0.5 * dt_v))
    k3 = let(k, "k3|a3", f(x + v2 * (0.5 * dt), v3))
    v4 = let(k, "v4|vc", v + k3 * dt_v)
    k4 = let(k, "k4|a4", f(x + v3 * dt, v4))
    nx = x + (v + v2 * 2.0 + v3 * 2.0 + v4) * (dt / 6.0)
    return nx, v + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (dt_v / 6.0)


def _aftermath(k: Author, x: Term, nx: Term, nv: Term, V: Vec) -> tuple[Term, Term]:
    """Damp, put to sleep, wrap into a box, hold in a box or bounce from the ground."""
    c, T = k.c, V.dtype
    way = c.below(6)
    nx = let(k, "x1|moved", nx)
    if way == 1:
        nv = let(k, "v_damped|vd", nv * factor(k, "keep|damping", T, 90, 99))
    elif way == 2:
        calm = wp.length_sq(nv) < factor(k, "sleep2|threshold", T, 1, 10)
        nv = let(k, "v_sleep|vs", where(calm, make(V), nv))
        nx = let(k, "x_sleep|xs", where(calm, x, nx))
    elif way == 3:
        box = divisor(k, "box|period|length", T, 200, 900)
        nx = let(k, "x_wrap|xw", make(V, *(nx[n] - wp.floor(nx[n] / box) * box for n in range(V.n))))
    elif way == 4:
        size = factor(k, "bound|half_size", T, 200, 900)
        nx = let(k, "x_held|xh", make(V, *(wp.clamp(nx[n], -wp.abs(size), wp.abs(size)) for n in range(V.n))))
    elif way == 5:
        ground = factor(k, "ground|floor_y", T, 1, 100)
        bounce = -nv[1] * factor(k, "restitution|bounce", T, 10, 90)
        below = let(k, "below|under", nx[1] < ground)
        speed = where(below, bounce, nv[1])
        nv = let(k, "v_hit|vb", make(V, *(speed if n == 1 else nv[n] for n in range(V.n))))
        nx = let(k, "x_hit|xb", make(V, *(wp.max(nx[n], ground) if n == 1 else nx[n] for n in range(V.n))))
    return nx, nv


def langevin(k: Author) -> None:
    """Stochastic dynamics: Brownian, Langevin (BAOAB-like), Ornstein-Uhlenbeck, Andersen collisions."""
    c, T = k.c, FLOAT
    V = vec(c.pick((3, 2)), T)
    model = c.pick(("Brownian motion", "Langevin dynamics", "an Ornstein-Uhlenbeck process", "an Andersen thermostat"))
    k.name("langevin|brownian|thermostat|stochastic_step")
    records = Records(k, "Particle|Bead|Walker", [("pos|x", V), ("vel|v", V)], changed=(0, 1), alone=True)
    i = gate(k, k.tid("i|tid|walker"), records.count)
    loaded = records.load(i)
    x, v = loaded
    rng = random_state(k, i)
    kick = _noise(k, rng, V)
    dt, temp = factor(k, "dt|h", T, 1, 10), factor(k, "temp|kt|temperature", T)
    drift = _drift(k, x, V)
    if model == "Brownian motion":
        sigma = let(k, "sigma|spread", wp.sqrt(2.0 * wp.abs(temp) * wp.abs(dt) + 1.0e-6))
        nx = let(k, "x1|moved", x + drift * dt + kick * sigma)
        nv = (nx - x) / (wp.abs(dt) + 1.0e-3)
    elif model == "Langevin dynamics":
        fade = let(k, "fade|c1", wp.exp(-wp.abs(factor(k, "gamma|friction", T) * dt)))
        hot = let(k, "hot|c2", wp.sqrt(wp.abs(temp) * (1.0 - fade * fade) + 1.0e-6))
        half = let(k, "vh|v_half", (v + drift * (0.5 * dt)) * fade + kick * hot)
        nx = let(k, "x1|moved", x + half * dt)
        nv = half + _drift(k, nx, V) * (0.5 * dt)
    elif model == "an Ornstein-Uhlenbeck process":
        rate = factor(k, "theta|rate", T)
        nv = let(k, "v1|vn", v - v * (rate * dt) + kick * wp.sqrt(wp.abs(temp * dt) + 1.0e-6))
        nx = x + nv * dt
    else:
        hit = let(k, "hit|collides", wp.randf(rng) < factor(k, "nu|rate", T, 1, 40))
        nv = switch(k, "v1|vn", hit, kick * wp.sqrt(wp.abs(temp) + 0.01), v + drift * dt)
        nv = let(k, "v2|v_new", nv)
        nx = x + nv * dt
    nx = let(k, "x2|x_new", varied(k, nx, 0, 1))
    nv = let(k, "v3|v_out", varied(k, nv, 0, 1))
    records.store(i, {0: nx, 1: nv}, loaded)
    statistic(k, wp.dot(nv, nv))
    k.summary(f"One step of {model} in {V.n} dimensions.")


def _noise(k: Author, rng: Term, V: Vec) -> Term:
    way = k.c.below(3)
    if way == 0:
        return let(k, "kick|xi|noise", make(V, *(wp.randn(rng) for _ in range(V.n))))
    if way == 1:
        parts = [let(k, f"n{axis}|g{axis}", wp.randn(rng)) for axis in "xyz"[: V.n]]
        return let(k, "kick|xi|noise", make(V, *parts))
    ball = wp.sample_unit_sphere(rng) if V.n == 3 else wp.sample_unit_disk(rng)
    return let(k, "kick|xi|noise", ball * 1.7)


def _drift(k: Author, x: Term, V: Vec) -> Term:
    c = k.c
    way = c.below(3)
    stiff = factor(k, "stiff|k_trap", FLOAT)
    if way == 0:
        return x * (-stiff)
    if way == 1:
        return (k.scalar("well|trap_center", V) - x) * stiff
    r2 = let(k, "r2|x_sq", wp.min(wp.dot(x, x), 20.0))
    return x * (stiff * (1.0 - r2)) if c.chance(1, 2) else x * (-stiff / (1.0 + r2))
