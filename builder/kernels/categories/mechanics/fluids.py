"""Smoothed-particle sums of fluids: kernels, densities, forces."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, Points, divisor, factor, let, precise
from ...terms import Term, number, where, wp, zero
from ...types import Scalar
from .pairs import Around


def _poly6(k: Scope, r: Term, h: Term) -> Term:
    x = let(k, "x|gap", wp.max(h * h - r * r, 0.0))
    return x * x * x


def _spiky(k: Scope, r: Term, h: Term) -> Term:
    x = let(k, "x|gap", wp.max(h - r, 0.0))
    return x * x * x


def _wendland(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", r / h)
    x = let(k, "x|gap", wp.max(1.0 - 0.5 * q, 0.0))
    return x * x * x * x * (2.0 * q + 1.0)


def _cubic(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", r / h)
    far = let(k, "far|outer", wp.max(2.0 - q, 0.0))
    return where(q < 1.0, 1.0 - 1.5 * q * q + 0.75 * q * q * q, 0.25 * far * far * far)


def _gaussian(k: Scope, r: Term, h: Term) -> Term:
    q = let(k, "q|ratio", wp.min(r / h, 4.0))
    return wp.exp(-q * q)


_KERNELS: dict[str, Callable[[Scope, Term, Term], Term]] = {
    "poly6": _poly6, "spiky": _spiky, "Wendland": _wendland, "cubic spline": _cubic, "Gaussian": _gaussian,
}  # fmt: skip


def sph(k: Author) -> None:
    """Smoothed particles: density, pressure force, viscosity or XSPH velocity, by several smoothing kernels."""
    c, T = k.c, precise(k)
    shape, part = c.pick(tuple(_KERNELS)), c.pick(("density", "pressure force", "viscosity", "colour gradient"))
    k.name(f"sph_{part.replace(' ', '_')}|compute_{part.split()[0]}|sph_pass")
    layout = Layout(k, c.pick((3, 2)), T)
    pos = layout.input("pos|positions|xs")
    i = gate(k, k.tid("i|tid|p"), pos.count)
    p = pos.load(k, "pi|xi|here", i)
    h = divisor(k, "h|radius|support", T, 20, 200)
    smooth = k.helper("kernel|smoothing|w_of", {"r|dist": T, "h|size": T}, lambda f, r, s: _KERNELS[shape](f, r, s))
    mass = k.input("mass|m", T) if c.chance(1, 2) else None
    if part == "density":
        acc = k.var("rho|dens|total", number(0.0, T))
        with Around(k, pos.count).each(i) as j:
            r = let(k, "r|dist", wp.length(p - pos.at(j)))
            w = smooth(r, h)
            acc += w if mass is None else mass[j] * w
        value = let(k, "value|density", varied(k, Term(acc.e) * factor(k, "norm|coef|alpha_d", T), 0, 2))
        k.output("density|rho_out", T)[i] = value
        if c.chance(1, 2):
            k.output("pressure|p_out", T)[i] = _state_equation(k, value, T)
        statistic(k, value)
    else:
        value = _sph_force(k, part, (layout, pos, p, i, h, smooth, mass), T)
    k.summary(f"Computes the {part} of smoothed particles with a {shape} kernel.")


def _state_equation(k: Author, rho: Term, T: Scalar) -> Term:
    rest, stiff = divisor(k, "rho0|rest_density", T), factor(k, "stiffness|k_p|bulk", T)
    way = k.c.below(3)
    if way == 0:
        return stiff * (rho - rest)
    if way == 1:
        return wp.max(stiff * (rho - rest), 0.0)
    q = let(k, "ratio|comp", wp.clamp(rho / rest, 0.0, 2.0))
    return stiff * (q * q * q * q * q * q * q - 1.0)


def _sph_force(k: Author, part: str, given: tuple, T: Scalar) -> Term:  # type: ignore[type-arg]
    layout, pos, p, i, h, smooth, mass = given
    c = k.c
    rho = k.input("rho|density", T)
    extra = k.input("pressure|prs", T) if part == "pressure force" else None
    vel: Points | None = layout.input("vel|velocities") if part == "viscosity" else None
    ri = let(k, "rho_i|di", wp.max(rho[i], 0.05))
    here = let(k, "p_i|press_i", extra[i]) if extra is not None else vel.load(k, "vi|v_here", i) if vel else ri
    acc = k.var("acc|total|fsum", zero(pos.type))
    with Around(k, pos.count).each(i) as j:
        d = let(k, "d|rel|dr", p - pos.at(j))
        r = let(k, "r|dist", wp.length(d) + 1.0e-4)
        w = let(k, "w|weight", smooth(r, h) if mass is None else mass[j] * smooth(r, h))
        rj = let(k, "rho_j|dj", wp.max(rho[j], 0.05))
        if extra is not None:
            share = (here + extra[j]) / (2.0 * rj) if c.chance(1, 2) else here / (ri * ri) + extra[j] / (rj * rj)
            acc += d * (share * w / r)
        elif vel is not None:
            dv = vel.at(j) - here
            dv = dv * (1.0 / rj) if c.chance(1, 2) else dv * (2.0 / (ri + rj))
            acc += dv * w
        else:
            acc += d * (w / rj)
    value = let(k, "value|res|fi", varied(k, Term(acc.e) * factor(k, "coef|mu|strength", T), 0, 2))
    layout.output("force|acc_out|out").store(k, i, value)
    statistic(k, wp.length(value))
    return value
