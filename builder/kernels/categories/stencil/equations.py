"""One explicit step of an equation: diffusion, waves, advection, reactions, relaxation, level sets."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...loops import weighted_type
from ...terms import Term, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC2, VEC3, Scalar, scalar_of
from .grid import Grid, parity, steps_along


def _field(k: Author) -> Scalar:
    return k.c.weighted({FLOAT: 6, DOUBLE: 2, k.real(): 1})


def laplacian(k: Author, g: Grid, u: Arr, mid: Term) -> tuple[Term, str]:
    """Write the Laplacian of a field at the thread's point in one of several stencils; return it and its name."""
    c, S = k.c, scalar_of(mid.type)
    way = c.weighted({"cross": 4, "axes": 2, "wide": 1 if g.reach > 1 else 0, "corners": 2 if g.ndim == 2 else 0})
    if way == "wide":
        total = k.var("lap|curv|spread", mid * number(-2.5 * g.ndim, S))
        for axis in range(g.ndim):
            for step, weight in ((1, 1.3333333), (-1, 1.3333333), (2, -0.0833333), (-2, -0.0833333)):
                total += g.near(u, *steps_along(axis, step)) * number(weight, S)
        return total, f"{4 * g.ndim + 1}-point"
    if way == "axes":
        parts = []
        for axis in range(g.ndim):
            second = g.near(u, *steps_along(axis, 1)) - mid * number(2.0, S) + g.near(u, *steps_along(axis, -1))
            parts.append(k.let(f"d{axis}|u{'yxzw'[axis] * 2}|second{axis}", varied(k, second, 0, 1)))
        scale = coefficient(k, S, 20, 200) if c.chance(1, 2) else None
        whole = parts[0] if scale is None else parts[0] * scale
        for part in parts[1:]:
            whole = whole + part
        return whole, f"{2 * g.ndim + 1}-point"
    sides = [g.near(u, *steps_along(axis, step)) for axis in c.sample(tuple(range(g.ndim)), g.ndim) for step in (-1, 1)]
    named = c.chance(1, 3)
    total_ = sides[0]
    for n, side in enumerate(sides[1:]):
        total_ = total_ + (k.let(f"s{n}|nb{n}", side) if named and g.rule != "zero" else side)
    if way == "corners":
        corners = g.near(u, -1, -1) + g.near(u, -1, 1) + g.near(u, 1, -1) + g.near(u, 1, 1)
        return total_ * number(0.5, S) + corners * number(0.25, S) - mid * number(3.0, S), "9-point"
    return total_ - mid * number(2.0 * g.ndim, S), f"{2 * g.ndim + 1}-point"


def _heat(k: Author) -> None:
    """An explicit step of diffusion: sources, conductivity that varies, decay, vectors, several stencils."""
    c = k.c
    T = weighted_type(k, {FLOAT: 5, DOUBLE: 2, VEC3: 1, VEC2: 1})
    S = scalar_of(T)
    k.name("heat_step|diffuse|laplace_step|smooth_field|conduction")
    g = Grid(k, "u|temp|field|src", T, c.weighted({2: 4, 1: 2, 3: 3, 4: 1}), reach=c.pick((1, 2)))
    out = g.output("out|u_next|temp_out|dst", T)
    mid = k.let("mid|c0|u0", g.first[g.here])
    lap, shape = laplacian(k, g, g.first, mid)
    rate = coefficient(k, S, 1, 30)
    if c.chance(1, 4):
        conductivity = g.input("kappa|diffusivity|coef", S)
        rate = k.let("rate|local_k|a", varied(k, conductivity[g.here], 0, 1) * rate)
    change = k.let("change|du|delta", varied(k, lap, 0, 1) * rate)
    value = mid + change
    if c.chance(1, 3):
        source = g.input("source|heat|f", T)
        value = value + source[g.here] * coefficient(k, S, 1, 60)
    value = varied(k, value, 0, 2)
    out[g.here] = value
    statistic(k, value)
    k.summary(f"Does one explicit step of diffusion of {T.name} with a {shape} Laplacian on {g.what}.")


def _wave(k: Author) -> None:
    """A leapfrog step of the wave equation: two fields, damping, a speed that varies, an absorbing rim."""
    c = k.c
    T = _field(k)
    k.name("wave_step|leapfrog|acoustic_step|vibrate|propagate")
    g = Grid(k, "u|now|height|p_now", T, c.weighted({2: 4, 1: 2, 3: 2}), reach=c.pick((1, 2)))
    before, out = g.input("before|u_prev|old", T), g.output("out|u_next|after", T)
    mid = k.let("mid|c0|u0", g.first[g.here])
    lap, shape = laplacian(k, g, g.first, mid)
    speed = coefficient(k, T, 5, 60)
    if c.chance(1, 3):
        speeds = g.input("speeds|medium|c2", T)
        speed = k.let("speed|local_c|s2", varied(k, speeds[g.here], 0, 1) * speed)
    prev = k.let("prev|last|u1", before[g.here])
    damp = coefficient(k, T, 1, 10)
    way = c.below(3)
    if way == 0:
        value = mid * 2.0 - prev + varied(k, lap, 0, 1) * speed
    elif way == 1:
        value = mid + (mid - prev) * (1.0 - damp) + varied(k, lap, 0, 1) * speed
    else:
        velocity = k.let("velocity|v|rate", (mid - prev) * (1.0 - damp) + lap * speed)
        value = mid + varied(k, velocity, 0, 1)
    value = varied(k, value, 0, 2)
    out[g.here] = value
    statistic(k, value)
    damped = ", damped" if way else ""
    k.summary(f"Does one leapfrog step of the wave equation{damped} with a {shape} stencil on {g.what}, of {T.name}.")


def _advect(k: Author) -> None:
    """A step of advection: upwind, Lax-Wendroff, Lax-Friedrichs, with a limiter; speeds from arguments or arrays."""
    c, T = k.c, _field(k)
    ndim = c.weighted({1: 3, 2: 3, 3: 1})
    k.name("advect|upwind_step|transport|lax_wendroff|flux_step|convect")
    g = Grid(k, "q|rho|tracer|u", T, ndim)
    speeds = [
        g.input(f"vel{n}|speed{n}|flow{n}", T)[g.here] if c.chance(1, 2) else coefficient(k, T, 5, 90)
        for n in range(ndim)
    ]
    out = g.output("out|q_next|rho_out", T)
    mid = k.let("mid|c0|q0", g.first[g.here])
    way = c.below(4)
    value = k.var("value|acc|q1", mid)
    for axis in range(ndim):
        v = k.let(f"v{axis}|a{axis}|cfl{axis}", wp.clamp(varied(k, speeds[axis], 0, 1), -0.9, 0.9))
        low = k.let(f"lo{axis}|left{axis}|qm{axis}", g.near(g.first, *steps_along(axis, -1)))
        high = k.let(f"hi{axis}|right{axis}|qp{axis}", g.near(g.first, *steps_along(axis, 1)))
        value -= varied(k, _flux(k, way, v, (low, mid, high)), 0, 1)
    result = varied(k, value, 0, 3)
    out[g.here] = result
    names = ("upwind", "Lax-Wendroff", "Lax-Friedrichs", "limited upwind")
    k.summary(f"Does one {names[way]} step of advection of {T.name} on {g.what}.")


def _flux(k: Author, way: int, v: Term, values: tuple[Term, Term, Term]) -> Term:
    low, mid, high = values
    S = scalar_of(v.type)
    if way == 0:
        if k.c.chance(1, 2):
            return where(v > 0.0, v * (mid - low), v * (high - mid))
        return wp.max(v, 0.0) * (mid - low) + wp.min(v, 0.0) * (high - mid)
    if way == 1:
        return v * 0.5 * (high - low) - v * v * 0.5 * (high - 2.0 * mid + low)
    if way == 2:
        return mid - (high + low) * 0.5 + v * 0.5 * (high - low)
    a, b = k.let("da|back|r0", mid - low), k.let("db|fore|r1", high - mid)
    if k.c.chance(1, 2):
        slope = where(a * b > 0.0, where(wp.abs(a) < wp.abs(b), a, b), zero(S))
    else:
        slope = wp.max(a * b, 0.0) * 2.0 / (wp.abs(a + b) + number(0.001, S))
    return v * (where(v > 0.0, a, b) + slope * (1.0 - wp.abs(v)) * 0.5)


def _relax(k: Author) -> None:
    """A sweep that solves a Poisson equation: Jacobi, red-black Gauss-Seidel in place, over-relaxation, residual."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("jacobi|red_black|sor_sweep|poisson_relax|pressure_solve|residual")
    ndim, way = c.weighted({2: 4, 1: 1, 3: 3}), c.below(3)
    g = Grid(k, "b|rhs|div", T, ndim)
    p = g.inout("p|phi|x", T) if way == 1 else g.input("p|phi|x", T)
    out = p if way == 1 else g.output("out|p_next|res", T)
    if way == 1:
        color = k.scalar("color|phase|red", INT) if c.chance(1, 2) else number(c.below(2), INT)
        with k.if_(parity(g.place) != color % 2):
            k.leave()
    sides = [g.near(p, *steps_along(axis, step)) for axis in c.sample(tuple(range(ndim)), ndim) for step in (-1, 1)]
    total = sides[0]
    for side in sides[1:]:
        total = total + side
    total = k.let("total|nbsum|around", total) if c.chance(1, 2) else total
    h2 = coefficient(k, T, 1, 200)
    f = k.let("f|b0|load", varied(k, g.first[g.here], 0, 1))
    own = k.let("own|mid|p0", p[g.here])
    count = number(2.0 * ndim, T)
    if way == 2:
        value = varied(k, f * h2 - (total - own * count), 0, 2)
    else:
        fresh = k.let("fresh|target|pj", (total - f * h2) / count)
        value = fresh
        if c.chance(2, 3):
            omega = coefficient(k, T, 20, 190)
            value = wp.lerp(own, fresh, omega) if c.chance(1, 2) else own + (fresh - own) * omega
        value = varied(k, value, 0, 2)
    out[g.here] = value
    statistic(k, value)
    names = ("a Jacobi sweep", "a red-black Gauss-Seidel sweep in place", "the residual")
    k.summary(f"Does {names[way]} of a Poisson equation of {T.name} on {g.what}.")


def _react(k: Author) -> None:
    """Two fields that diffuse and react: Gray-Scott, FitzHugh-Nagumo, predators and prey, Brusselator."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("gray_scott|reaction_diffusion|fitzhugh|brusselator|predator_prey")
    g = Grid(k, "u|a|prey", T, c.pick((2, 1, 3)), rules=("wrap", "clamp", "skip"))
    v = g.input("v|b|predator", T)
    u_out, v_out = g.output("u_out|a_next", T), g.output("v_out|b_next", T)
    a, b = k.let("a0|uc", g.first[g.here]), k.let("b0|vc", v[g.here])
    la, lb = laplacian(k, g, g.first, a)[0], laplacian(k, g, v, b)[0]
    la, lb = k.let("la|lap_u", varied(k, la, 0, 1)), k.let("lb|lap_v", lb)
    r, s, dt = (coefficient(k, T, 1, 90) for _ in range(3))
    way = c.below(4)
    if way == 0:
        uvv = k.let("uvv|react|abb", a * b * b)
        da, db = r * (1.0 - a) - uvv, uvv - (r + s) * b
    elif way == 1:
        da, db = a - a * a * a / 3.0 - b, s * (a + r - b * 0.8)
    elif way == 2:
        da, db = a * (r - b), b * (a - s)
    else:
        da, db = r - (s + 1.0) * a + a * a * b, s * a - a * a * b
    u_out[g.here] = varied(k, a + (la * coefficient(k, T, 1, 30) + da) * dt, 0, 2)
    v_out[g.here] = varied(k, b + (lb * coefficient(k, T, 1, 30) + db) * dt, 0, 2)
    names = ("Gray-Scott", "FitzHugh-Nagumo", "predator-prey", "Brusselator")
    k.summary(f"Does one explicit step of a {names[way]} system of {T.name} on {g.what}.")


FAMILIES = (_heat, _wave, _advect, _relax, _react)
