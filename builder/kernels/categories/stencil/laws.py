"""Conservation laws by finite volumes: Burgers and the Euler equations."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Grid, factor, let, precise, switch
from ...terms import Term, make, number, where, wp, zero
from ...types import Scalar, Vec, vec


def _minmod(k: Scope, a: Term, b: Term) -> Term:
    return where(a * b > 0.0, where(wp.abs(a) < wp.abs(b), a, b), zero(a.type))


def _van_leer(k: Scope, a: Term, b: Term) -> Term:
    p = let(k, "ab|prod", a * b)
    return 2.0 * wp.max(p, 0.0) * (a + b) / ((a + b) * (a + b) + 1.0e-6)


def _superbee(k: Scope, a: Term, b: Term) -> Term:
    s = let(k, "sgn|side", wp.sign(a))
    first, second = wp.min(2.0 * wp.abs(a), s * b), wp.min(wp.abs(a), 2.0 * s * b)
    return s * wp.max(wp.max(first, second), 0.0)


def _central(k: Scope, a: Term, b: Term) -> Term:
    return 0.5 * (a + b)


_LIMITERS = {"minmod": _minmod, "van_leer": _van_leer, "superbee": _superbee, "central": _central}


def burgers(k: Author) -> None:
    """One step of Burgers' equation in 1-D or 2-D: upwind, Godunov, central or limited slopes."""
    if k.c.chance(1, 2):
        _burgers_plane(k)
    else:
        _burgers_line(k)


def _burgers_line(k: Author) -> None:
    c, T = k.c, precise(k)
    k.name("burgers|burgers_step|burgers_1d|conservation_step")
    u, out = k.input("u|field|state", T), k.output("u_next|out|u_new", T)
    n = u.shape(0)
    i = gate(k, k.tid("i|tid|cell"), n)
    wrap = c.chance(1, 2)
    left = let(k, "il|im|prev", (i + n - 1) % n if wrap else wp.max(i - 1, 0))
    right = let(k, "ir|ip|nxt", (i + 1) % n if wrap else wp.min(i + 1, n - 1))
    ul, uc, ur = let(k, "ul|um", u[left]), let(k, "uc|u0", u[i]), let(k, "ur|up", u[right])
    scheme = c.pick(("upwind", "Lax-Friedrichs", "Godunov", "Lax-Wendroff"))
    params = {"a|left_u": T, "b|right_u": T}
    flux = k.helper("flux|burgers_flux|numerical_flux", params, lambda f, a, b: _flux(f, scheme, a, b, T))
    step = factor(k, "dt_dx|courant|ratio", T, 5, 60)
    fl, fr = let(k, "fl|f_left", flux(ul, uc)), let(k, "fr|f_right", flux(uc, ur))
    value = uc - step * (fr - fl)
    if c.chance(1, 2):
        value = value + factor(k, "nu|visc|viscosity", T, 1, 30) * (ul - 2.0 * uc + ur)
    if c.chance(1, 3):
        force = k.input("force|source|forcing", T)
        value = value + step * varied(k, force[i], 0, 1)
    value = let(k, "value|res", varied(k, value, 0, 2))
    out[i] = value
    statistic(k, value)
    k.summary(f"One {scheme} step of Burgers' equation on a line, {'periodic' if wrap else 'repeating the edge'}.")


def _flux(f: Scope, scheme: str, a: Term, b: Term, T: Scalar) -> Term:
    c = f.c
    if scheme == "upwind":
        speed = let(f, "s|speed|mid", 0.5 * (a + b))
        return where(speed > 0.0, 0.5 * a * a, 0.5 * b * b)
    if scheme == "Godunov":
        hi, lo = let(f, "up|pos", wp.max(a, 0.0)), let(f, "lo|neg_part", wp.min(b, 0.0))
        return wp.max(0.5 * hi * hi, 0.5 * lo * lo)
    if scheme == "Lax-Wendroff":
        half = let(f, "half|um2|star", 0.5 * (a + b) - number(c.between(5, 45) / 100, T) * (b * b - a * a))
        return 0.5 * half * half
    bound = wp.max(wp.abs(a), wp.abs(b)) if c.chance(1, 2) else number(c.between(50, 200) / 100, T)
    return 0.25 * (a * a + b * b) - 0.5 * bound * (b - a)


def _burgers_plane(k: Author) -> None:
    c, T = k.c, precise(k)
    k.name("burgers_2d|burgers_step|convect|nonlinear_advection")
    g = Grid(k, 2)
    u, v, out = g.input("u|vel_x", T), g.input("v|vel_y", T), g.output("u_next|out|u_new", T)
    g.enter()
    uc, vc = let(k, "uc|u0", g.at(u, 0, 0)), let(k, "vc|v0", g.at(v, 0, 0))
    slopes = []
    for axis, speed in enumerate((vc, uc)):
        ahead = let(k, "fwd|du1", g.at(u, *(1 if a == axis else 0 for a in range(2))) - uc)
        behind = let(k, "bwd|du0", uc - g.at(u, *(-1 if a == axis else 0 for a in range(2))))
        slopes.append(_upwind(k, speed, behind, ahead))
    step = factor(k, "dt|ratio|courant", T, 5, 60)
    value = uc - step * (slopes[0] + slopes[1])
    if c.chance(1, 2):
        lap = g.at(u, 0, 1) + g.at(u, 0, -1) + g.at(u, 1, 0) + g.at(u, -1, 0) - 4.0 * uc
        value = value + factor(k, "nu|visc", T, 1, 20) * let(k, "lap|visc_term", lap)
    value = let(k, "value|res", varied(k, value, 0, 2))
    g.put(out, value)
    statistic(k, value)
    k.summary(f"One step of a component of the plane Burgers equation with upwind slopes, {g.edge}.")


def _upwind(k: Author, speed: Term, behind: Term, ahead: Term) -> Term:
    way = k.c.below(4)
    if way == 0:
        return speed * where(speed > 0.0, behind, ahead)
    if way == 1:
        return wp.max(speed, 0.0) * behind + wp.min(speed, 0.0) * ahead
    if way == 2:
        return speed * _LIMITERS[k.c.pick(tuple(_LIMITERS))](k, behind, ahead)
    return speed * switch(k, "slope|d", speed >= 0.0, behind, ahead)


def euler_flux(k: Author) -> None:
    """Numerical fluxes of the 1-D Euler equations at cell faces: Rusanov, HLL, HLLC-like, Roe averages."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    k.name("euler_flux|riemann_flux|godunov_update|face_flux")
    packed = c.chance(1, 2)
    arrays = [k.input("q|state|cons", V)] if packed else [
        k.input(w, T) for w in ("rho|density", "mom|momentum|rho_u", "ener|etot|energy_in")]  # fmt: skip
    outs = [k.output("flux|face_flux_out|f_out", V)] if packed else [
        k.output(w, T) for w in ("f_rho|flux0", "f_mom|flux1", "f_ener|flux2")]  # fmt: skip
    n = arrays[0].shape(0)
    i = gate(k, k.tid("i|face|tid"), n)
    wrap = c.chance(1, 2)
    nxt = let(k, "ip|right_cell|nb", (i + 1) % n if wrap else wp.min(i + 1, n - 1))
    left, right = _state(k, arrays, i, "l", V), _state(k, arrays, nxt, "r", V)
    gamma = number(c.pick((1.4, 1.667, 1.3)), T)
    scheme = c.pick(("Rusanov", "HLL", "Roe-averaged HLL"))
    ul, pl, al = _primitive(k, left, gamma, "l")
    ur, pr, ar = _primitive(k, right, gamma, "r")
    fl, fr = _physical(k, left, ul, pl, V, "l"), _physical(k, right, ur, pr, V, "r")
    if scheme == "Rusanov":
        top = let(k, "s_max|smax|radius", wp.max(wp.abs(ul) + al, wp.abs(ur) + ar))
        flux = 0.5 * (fl + fr) - 0.5 * top * (right - left)
    else:
        flux = _hll(k, scheme, (left, right), (ul, ur), (al, ar), (fl, fr))
    flux = let(k, "face|f|num", varied(k, flux, 0, 1))
    if packed:
        outs[0][i] = flux
    else:
        for m, out in enumerate(outs):
            out[i] = varied(k, flux[m], 0, 1)
    statistic(k, wp.abs(ul) + al)
    k.summary(f"Computes the {scheme} flux of the 1-D Euler equations between neighbouring cells.")


def _state(k: Author, arrays: list[Arr], i: Term, side: str, V: Vec) -> Term:
    if len(arrays) == 1:
        return let(k, f"q{side}|state_{side}|w{side}", arrays[0][i])
    return let(k, f"q{side}|state_{side}|w{side}", make(V, *(a[i] for a in arrays)))


def _primitive(k: Author, q: Term, gamma: Term, side: str) -> tuple[Term, Term, Term]:
    rho = let(k, f"rho_{side}|d{side}", wp.max(q[0], 0.05))
    u = let(k, f"u_{side}|vel_{side}", q[1] / rho)
    kinetic = 0.5 * q[1] * u if k.c.chance(1, 2) else 0.5 * rho * u * u
    p = let(k, f"p_{side}|pres_{side}", wp.max((gamma - 1.0) * (q[2] - kinetic), 1.0e-3))
    return u, p, let(k, f"a_{side}|c_{side}|snd_{side}", wp.sqrt(gamma * p / rho))


def _physical(k: Author, q: Term, u: Term, p: Term, V: Vec, side: str) -> Term:
    body = make(V, q[1], q[1] * u + p, (q[2] + p) * u) if k.c.chance(1, 2) else q * u + make(V, 0.0 * p, p, p * u)
    return let(k, f"f_{side}|phys_{side}", body)


def _hll(k: Author, scheme: str, q: tuple[Term, Term], u: tuple[Term, Term], a: tuple[Term, Term],
         f: tuple[Term, Term]) -> Term:  # fmt: skip
    if scheme == "HLL":
        sl, sr = wp.min(u[0] - a[0], u[1] - a[1]), wp.max(u[0] + a[0], u[1] + a[1])
    else:
        wl, wr = (
            let(k, "wl|root_l", wp.sqrt(wp.max(q[0][0], 0.05))),
            let(k, "wr|root_r", wp.sqrt(wp.max(q[1][0], 0.05))),
        )
        mean = let(k, "u_roe|u_hat", (wl * u[0] + wr * u[1]) / (wl + wr))
        sound = let(k, "a_roe|a_hat", (wl * a[0] + wr * a[1]) / (wl + wr))
        sl, sr = mean - sound, mean + sound
    sl, sr = let(k, "sl|s_left", wp.min(sl, -1.0e-3)), let(k, "sr|s_right", wp.max(sr, 1.0e-3))
    return (f[0] * sr - f[1] * sl + (q[1] - q[0]) * (sl * sr)) / (sr - sl)
