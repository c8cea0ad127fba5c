"""Diffusion, waves and reactions on grids."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import Grid, divisor, factor, let, precise, switch
from ...terms import Term, both, cast, number, where, wp
from ...types import INT, Scalar
from .stencils import laplacian, neighbours


def heat_field(k: Author) -> None:
    """One explicit step of diffusion with sources; the conductivity may vary, fixed cells may hold their value."""
    c, T = k.c, precise(k)
    k.name("heat_step|diffuse|diffusion_step|conduction")
    g = Grid(k, c.pick((2, 3)))
    u, out = g.input("u|temp|field|phi", T), g.output("u_next|out|temp_new", T)
    cell = g.enter()
    centre = let(k, "uc|here|t0", g.at(u, *(0,) * g.ndim))
    way = c.weighted({"constant": 3, "array": 2, "faces": 2, "nonlinear": 1})
    if way == "faces":
        flux = _faces(k, g, u, centre, T)
    else:
        kappa = factor(k, "kappa|alpha|diffusivity", T, 2, 20)
        if way == "array":
            kappa = let(k, "kc|cond", g.at(g.input("conductivity|kappa_map|diff", T), *(0,) * g.ndim))
        elif way == "nonlinear":
            kappa = let(k, "kc|cond", kappa * (1.0 + factor(k, "slope|beta", T, 1, 30) * wp.abs(centre)))
        flux = kappa * laplacian(k, g, u, centre)
    source = _source(k, g, centre, cell, T)
    step = factor(k, "dt|tau|time_step", T, 1, 20)
    value = let(k, "value|u1|fresh", centre + step * (varied(k, flux, 0, 1) + source))
    value = varied(k, value, 0, 2)
    if c.chance(1, 3):
        fixed = g.input("fixed|dirichlet|mask_cells", INT)
        value = switch(k, "held|v", g.at(fixed, *(0,) * g.ndim) == 1, centre, value)
    g.put(out, value)
    statistic(k, value)
    k.summary(f"One explicit step of the heat equation with a source on a {g.ndim}-D grid, {g.edge}.")


def _faces(k: Author, g: Grid, u: Arr, centre: Term, T: Scalar) -> Term:
    """Return the divergence of the flux through the faces, each of its own conductivity."""
    cond = g.input("conductivity|kappa|sigma", T)
    kc = let(k, "kc|k0", g.at(cond, *(0,) * g.ndim))
    harmonic = k.c.chance(1, 2)
    total = k.var("total|net|div", number(0.0, T))
    for near, other in zip(neighbours(g, u), neighbours(g, cond), strict=True):
        if harmonic:
            other = let(k, "ko|kn", other)
            face = 2.0 * kc * other / (wp.abs(kc) + wp.abs(other) + 1.0e-3)
        else:
            face = 0.5 * (kc + other)
        total += face * (near - centre)
    return Term(total.e)


def _source(k: Author, g: Grid, centre: Term, cell: tuple[Term, ...], T: Scalar) -> Term:
    way = k.c.below(4)
    if way == 0:
        return g.at(g.input("source|heating|q", T), *(0,) * g.ndim)
    if way == 1:
        return factor(k, "loss|cooling|h_conv", T) * (factor(k, "ambient|t_env|u_inf", T) - centre)
    if way == 2:
        spot, power = k.scalar("spot|heater|hot_row", INT), factor(k, "power|rate|q0", T)
        return where(cell[-1] == spot, power, number(0.0, T))
    return factor(k, "rate|k_react|pre", T) * wp.exp(-divisor(k, "activation|e_act", T) / (wp.abs(centre) + 0.5))


def wave_field(k: Author) -> None:
    """Leapfrog step of the wave equation: speed map, damping, absorbing border, source."""
    c, T = k.c, precise(k)
    k.name("wave_step|wave_update|acoustic_step|leapfrog_wave")
    g = Grid(k, c.pick((2, 3)))
    u, old = g.input("u|p|pressure", T), g.input("u_prev|p_old|last", T)
    out = g.output("u_next|p_new|out", T)
    cell = g.enter()
    here = (0,) * g.ndim
    centre = let(k, "uc|p0", g.at(u, *here))
    if c.chance(1, 2):
        speed = let(k, "cs|speed", g.at(g.input("celerity|speed_map|c_map", T), *here))
        courant = let(k, "r2|courant_sq", (speed * factor(k, "dt|ratio|lam", T, 5, 50)) * speed)
    else:
        courant = factor(k, "c2|courant_sq|r2", T, 5, 45)
    accel = let(k, "accel|force|rhs", varied(k, courant * laplacian(k, g, u, centre), 0, 1))
    prev = let(k, "before|p1|uo", g.at(old, *here))
    damping = factor(k, "damping|sigma|loss", T, 1, 20)
    way = c.below(3)
    if way == 0:
        value = 2.0 * centre - prev + accel
    elif way == 1:
        value = centre + (centre - prev) * (1.0 - damping) + accel
    else:
        value = (2.0 * centre - prev * (1.0 - damping) + accel) / (1.0 + wp.abs(damping))
    if c.chance(1, 2):
        value = _sponge(k, g, cell, let(k, "un|raw", value), T)
    if c.chance(1, 2):
        value = value + _driver(k, g, cell, T)
    value = let(k, "value|res", varied(k, value, 0, 2))
    g.put(out, value)
    statistic(k, value)
    k.summary(f"Leapfrog step of the wave equation on a {g.ndim}-D grid, {g.edge}.")


def _sponge(k: Author, g: Grid, cell: tuple[Term, ...], value: Term, T: Scalar) -> Term:
    """Damp the value near the border of the last axis (or all), as an absorbing layer does."""
    width = k.c.between(3, 12)
    at, extent = cell[-1], g.extents[-1]
    depth = let(k, "depth|to_edge|margin", wp.min(at, extent - 1 - at))
    if k.c.chance(1, 2):
        depth = let(k, "inner|margin2", wp.min(depth, wp.min(cell[-2], g.extents[-2] - 1 - cell[-2])))
    ratio = 1.0 - wp.min(cast(depth, T) / float(width), 1.0)
    way = k.c.below(3)
    if way == 0:
        return value * wp.exp(-ratio * factor(k, "absorb|sponge", T))
    if way == 1:
        r = let(k, "ratio|layer", ratio)
        return value * (1.0 - 0.5 * r * r)
    return switch(k, "damped|v2", depth < width, value * factor(k, "fade|absorb", T, 50, 99), value)


def _driver(k: Author, g: Grid, cell: tuple[Term, ...], T: Scalar) -> Term:
    """Return a source: an oscillating point, line or Ricker pulse."""
    time = k.scalar("t|time|clock", T)
    row = k.scalar("src_row|source_i|tx", INT)
    hot = cell[0] == row
    if k.c.chance(1, 2):
        hot = both(hot, cell[-1] == k.scalar("src_col|source_j|ty", INT))
    if k.c.chance(1, 2):
        a = let(k, "a|phase|arg", time * factor(k, "freq|omega", T))
        a = let(k, "a2|sq", wp.min(a * a, 20.0))
        shape = (1.0 - 2.0 * a) * wp.exp(-a)
    else:
        shape = wp.sin(time * factor(k, "freq|omega", T))
    return where(hot, factor(k, "amp|amplitude|gain", T) * shape, number(0.0, T))


def reaction_diffusion(k: Author) -> None:
    """Explicit step of two reacting and diffusing species: Gray-Scott, FitzHugh-Nagumo, Brusselator, Schnakenberg."""
    c, T = k.c, precise(k)
    g = Grid(k, c.pick((2, 2, 3)))
    u, v = g.input("u|a|act", T), g.input("v|b|inh", T)
    out_u, out_v = g.output("u_next|a_new|u_out", T), g.output("v_next|b_new|v_out", T)
    g.enter()
    here = (0,) * g.ndim
    uc, vc = let(k, "uc|a0", g.at(u, *here)), let(k, "vc|b0", g.at(v, *here))
    model = c.pick(("Gray-Scott", "FitzHugh-Nagumo", "Brusselator", "Schnakenberg"))
    word = model.lower().replace("-", "_")
    k.name(f"{word}|{word}_step|react_diffuse")
    lu = laplacian(k, g, u, uc, "lap_u|lap_a|du2")
    lv = laplacian(k, g, v, vc, "lap_v|lap_b|dv2")
    ru, rv = _kinetics(k, model, uc, vc, T)
    du, dv = factor(k, "du|diff_u|d_a", T, 5, 20), factor(k, "dv|diff_v|d_b", T, 1, 10)
    step = factor(k, "dt|tau", T, 10, 100)
    nu = let(k, "nu|u1|fresh_u", uc + step * (du * lu + varied(k, ru, 0, 1)))
    nv = let(k, "nv|v1|fresh_v", vc + step * (dv * lv + varied(k, rv, 0, 1)))
    if c.chance(1, 2):
        g.put(out_u, varied(k, nu, 0, 2))
        g.put(out_v, varied(k, nv, 0, 2))
    else:
        high = factor(k, "u_max|top|cap", T, 100, 300)
        g.put(out_u, wp.clamp(nu, 0.0, high))
        g.put(out_v, wp.max(varied(k, nv, 0, 1), 0.0))
    k.summary(f"Explicit step of the {model} reaction with diffusion on a {g.ndim}-D grid, {g.edge}.")


def _kinetics(k: Author, model: str, u: Term, v: Term, T: Scalar) -> tuple[Term, Term]:
    c = k.c
    a, b = factor(k, "feed|a_rate|alpha", T, 2, 90), factor(k, "kill|b_rate|beta", T, 2, 90)
    if model == "FitzHugh-Nagumo":
        cubic = u - u * u * u / 3.0 if c.chance(1, 2) else u * (1.0 - u) * (u - a)
        slow = factor(k, "eps|slow", T, 1, 20) * (u + a - b * v)
        return let(k, "fu|react_u", cubic - v), let(k, "fv|react_v", slow)
    if c.chance(1, 2):
        uuv = let(k, "uvv|rate|conv", u * v * v) if model == "Gray-Scott" else let(k, "uuv|rate|conv", u * u * v)
    else:
        pair = let(k, "uv|prod", u * v)
        uuv = pair * v if model == "Gray-Scott" else pair * u
    if model == "Gray-Scott":
        return a * (1.0 - u) - uuv, uuv - (a + b) * v
    if model == "Brusselator":
        return a - (b + 1.0) * u + uuv, b * u - uuv
    return a - u + uuv, b - uuv


def fdtd(k: Author) -> None:
    """Yee update of a magnetic or electric component from the curl of the others, with losses and a source."""
    c, T = k.c, precise(k)
    k.name("fdtd_update|yee_step|maxwell_step|update_fields")
    electric = c.chance(1, 2)
    g = Grid(k, c.pick((2, 3)), rules=("skip", "clamp", "wrap", "zero"))
    kinds = ("hx|Hx", "hy|Hy", "hz|Hz") if electric else ("ex|Ex", "ey|Ey", "ez|Ez")
    axes = "yx" if g.ndim == 2 else "zyx"
    which = c.below(3) if g.ndim == 3 else 2  # the component that is updated: x, y, z
    field = g.inout(("ex|Ex", "ey|Ey", "ez|Ez")[which] if electric else ("hx|Hx", "hy|Hy", "hz|Hz")[which], T)
    others = ((which + 1) % 3, (which + 2) % 3)
    first, second = g.input(kinds[others[0]], T), g.input(kinds[others[1]], T)
    cell = g.enter()
    d = -1 if electric else 1
    # curl component: d second / d first axis - d first / d second axis
    curl = _yee(k, g, second, axes.find("xyz"[others[0]]), d) - _yee(k, g, first, axes.find("xyz"[others[1]]), d)
    curl = let(k, "curl|rot|circulation", varied(k, curl, 0, 1))
    step = factor(k, "dt|courant|s_factor", T, 10, 60)
    coupling = _medium(k, g, step, T)
    now = let(k, "now|f0|before", g.at(field, *(0,) * g.ndim))
    if c.chance(1, 2):
        loss = let(k, "loss|half", 0.5 * wp.abs(g.at(g.input("sigma|conductivity|losses", T), *(0,) * g.ndim)) * step)
        value = (now * (1.0 - loss) + coupling * curl) / (1.0 + loss)
    else:
        value = now + coupling * curl if electric else now - coupling * curl
    value = let(k, "value|res|f1", varied(k, value, 0, 2))
    if c.chance(1, 2):
        value = let(k, "driven|f2", value + _driver(k, g, cell, T))
    if c.chance(1, 3):
        value = _sponge(k, g, cell, value, T)
    g.put(field, value)
    statistic(k, value)
    what = "electric" if electric else "magnetic"
    k.summary(f"Updates one {what} field component of a {g.ndim}-D Yee grid from the curl of the other field.")


def _yee(k: Author, g: Grid, field: Arr, axis: int, d: int) -> Term:
    offset = tuple(d if a == axis else 0 for a in range(g.ndim))
    near, here = g.at(field, *offset), g.at(field, *(0,) * g.ndim)
    value = here - near if d < 0 else near - here
    return value if k.c.chance(1, 2) else let(k, "da|db|slope", value)


def _medium(k: Author, g: Grid, step: Term, T: Scalar) -> Term:
    way = k.c.below(3)
    if way == 0:
        return step
    if way == 1:
        return let(k, "coef|cb", step / (wp.abs(g.at(g.input("eps|mu|medium", T), *(0,) * g.ndim)) + 1.0))
    return let(k, "coef|cb", step / divisor(k, "eps_r|mu_r|index", T, 100, 400))
