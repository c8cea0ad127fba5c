"""Phase fields, level sets, magnetisation, and the grids of multigrid."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import Grid, chain_of, factor, kept, let, precise, switch
from ...terms import Term, cast, make, number, where, wp
from ...types import Scalar, vec
from .stencils import gradient, laplacian, neighbours


def phase_field(k: Author) -> None:
    """Allen-Cahn or Cahn-Hilliard: chemical potential of a double well, and the step down its slope."""
    c, T = k.c, precise(k)
    g = Grid(k, c.pick((2, 3)))
    part = c.pick(("Allen-Cahn step", "chemical potential", "Cahn-Hilliard step"))
    k.name("phase_field|allen_cahn|double_well" if part[0] == "A" else "cahn_hilliard|phase_separation|spinodal")
    phi, out = g.input("phi|c|order", T), g.output("out|phi_next|result", T)
    g.enter()
    here = (0,) * g.ndim
    centre = let(k, "p|c0|phase", g.at(phi, *here))
    if part == "Cahn-Hilliard step":
        mu = g.input("mu|potential|chem", T)
        slope = laplacian(k, g, mu, let(k, "m0|mc", g.at(mu, *here)))
        rate = factor(k, "mobility|mob|rate", T) * slope
        if c.chance(1, 2):
            rate = rate - factor(k, "react|loss", T, 1, 20) * (centre - factor(k, "mean|c_avg", T, 10, 60))
        value = centre + factor(k, "dt|tau", T, 1, 20) * varied(k, rate, 0, 1)
    else:
        well = let(k, "well|dw|bulk", varied(k, _well(k, centre, T), 0, 1))
        value = well - factor(k, "kappa|eps2|grad_coef", T, 5, 200) * laplacian(k, g, phi, centre)
        if c.chance(1, 2):
            noise = g.input("noise|bias|fluct", T)
            value = value + factor(k, "strength|temp|amp", T, 1, 30) * g.at(noise, *here)
        if part == "Allen-Cahn step":
            value = centre - factor(k, "dt|tau|rate", T, 1, 30) * value
    value = let(k, "value|res", varied(k, value, 0, 2))
    g.put(out, value)
    statistic(k, value)
    k.summary(f"Computes the {part} of a phase field with a double-well energy on a {g.ndim}-D grid, {g.edge}.")


def _well(k: Author, p: Term, T: Scalar) -> Term:
    way = k.c.below(5)
    if way == 0:
        return p * p * p - p
    if way == 1:
        return p * (p * p - 1.0) * factor(k, "barrier|w0", T)
    if way == 2:
        return 2.0 * p * (1.0 - p) * (1.0 - 2.0 * p)
    if way == 3:
        q = let(k, "q|clipped", wp.clamp(p, 0.02, 0.98))
        return wp.log(q / (1.0 - q)) - factor(k, "chi|theta", T) * (2.0 * q - 1.0)
    q = let(k, "q|clipped|bounded", wp.clamp(p, -1.5, 1.5))
    return q * (q - 1.0) * (q - factor(k, "tilt|threshold", T, 10, 90))


def level_set_field(k: Author) -> None:
    """A level-set step: Godunov reinitialisation, motion along the normal or by curvature."""
    c, T = k.c, precise(k)
    k.name("level_set|reinitialize|evolve_interface|godunov_step")
    g = Grid(k, 2, rules=("clamp", "wrap", "skip", "mirror"))
    phi, out = g.input("phi|sdf|dist_field", T), g.output("phi_next|out|phi_new", T)
    part = c.pick(("reinitialisation", "motion along the normal", "motion by curvature"))
    g.enter()
    centre = let(k, "p0|pc|here", g.at(phi, 0, 0))
    step = factor(k, "dt|tau", T, 5, 50)
    if part == "motion by curvature":
        rate = factor(k, "b|tension|curv_coef", T) * _curvature(k, g, phi, centre)
    else:
        if part == "reinitialisation":
            first = g.input("phi0|initial", T) if c.chance(1, 2) else phi
            s = g.at(first, 0, 0) if first is not phi else centre
            s = kept(k, "s|start|ref", s)
            soft = wp.sqrt(s * s + factor(k, "h2|soft", T, 20, 100)) if c.chance(1, 2) else None
            speed = let(k, "sgn|side", wp.sign(s) if soft is None else s / soft)
        else:
            speed = let(k, "f|speed", g.at(g.input("speed_map|force|normal_speed", T), 0, 0))
        grad = _godunov(k, g, phi, centre, speed, T)
        rate = speed * (1.0 - grad) if part == "reinitialisation" else -speed * grad
    value = let(k, "value|p1", varied(k, centre + step * varied(k, rate, 0, 1), 0, 2))
    if c.chance(1, 3):
        band = factor(k, "band|width_band", T, 50, 500)
        value = switch(k, "held|v", wp.abs(centre) > band, centre, value)
    g.put(out, value)
    statistic(k, value)
    k.summary(f"One level-set step of {part}, {g.edge}.")


def _godunov(k: Author, g: Grid, phi: Arr, centre: Term, speed: Term, T: Scalar) -> Term:
    """Return the length of the gradient, upwind of the motion's direction."""
    ym, yp, xm, xp = neighbours(g, phi)
    a, b = let(k, "a|dxm|bx", centre - xm), let(k, "b|dxp|fx", xp - centre)
    d, e = let(k, "d|dym|by", centre - ym), let(k, "e|dyp|fy", yp - centre)
    if k.c.chance(1, 2):
        plus = let(k, "plus|outward", _two(k, wp.max(a, 0.0), wp.min(b, 0.0)) + _two(k, wp.max(d, 0.0), wp.min(e, 0.0)))
        minus = let(
            k, "minus|inward", _two(k, wp.min(a, 0.0), wp.max(b, 0.0)) + _two(k, wp.min(d, 0.0), wp.max(e, 0.0))
        )
        return wp.sqrt(switch(k, "g2|gsq", speed > 0.0, plus, minus) + 1.0e-6)
    gx, gy = k.var("gx|wx", number(0.0, T)), k.var("gy|wy", number(0.0, T))
    with k.if_(speed > 0.0):
        gx.set(wp.max(wp.max(a, 0.0), -wp.min(b, 0.0)))
        gy.set(wp.max(wp.max(d, 0.0), -wp.min(e, 0.0)))
    with k.else_():
        gx.set(wp.max(-wp.min(a, 0.0), wp.max(b, 0.0)))
        gy.set(wp.max(-wp.min(d, 0.0), wp.max(e, 0.0)))
    return wp.sqrt(gx * gx + gy * gy + 1.0e-6)


def _two(k: Author, p: Term, q: Term) -> Term:
    if k.c.chance(1, 2):
        return wp.max(p * p, q * q)
    p, q = let(k, "up|lo_side", p), let(k, "dn|hi_side", q)
    return wp.max(p * p, q * q)


def _curvature(k: Author, g: Grid, phi: Arr, centre: Term) -> Term:
    gy, gx = gradient(k, g, phi, "p|d|grad_")
    dxx = let(k, "pxx|dxx", g.at(phi, 0, 1) - 2.0 * centre + g.at(phi, 0, -1))
    dyy = let(k, "pyy|dyy", g.at(phi, 1, 0) - 2.0 * centre + g.at(phi, -1, 0))
    cross = g.at(phi, 1, 1) - g.at(phi, 1, -1) - g.at(phi, -1, 1) + g.at(phi, -1, -1)
    dxy = let(k, "pxy|dxy", 0.25 * cross)
    top = let(k, "num|top", dxx * gy * gy - 2.0 * gx * gy * dxy + dyy * gx * gx)
    return top / (gx * gx + gy * gy + 1.0e-3)


def llg(k: Author) -> None:
    """Landau-Lifshitz-Gilbert step of a magnetisation: exchange, anisotropy, applied field, damping."""
    c = k.c
    k.name("llg_step|landau_lifshitz|update_spins|precess")
    T = precise(k)
    V = vec(3, T)
    g = Grid(k, c.pick((2, 3)))
    m, out = g.input("m|spins|mag", V), g.output("m_next|spins_out|mag_out", V)
    g.enter()
    here = (0,) * g.ndim
    mc = let(k, "mc|s|m0", g.at(m, *here))
    fields = [factor(k, "exchange|a_ex|j_ex", T) * laplacian(k, g, m, mc, "lap|ex")]
    if c.chance(1, 2):
        axis = let(k, "axis|easy", make(V, *c.pick(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))))
        fields.append(axis * (factor(k, "k_u|aniso|ku", T) * wp.dot(mc, axis)))
    if c.chance(1, 2):
        fields.append(k.scalar("h_ext|applied|bias_field", V))
    else:
        fields.append(g.at(g.input("h_map|demag|field_in", V), *here))
    h = let(k, "h_eff|heff|b", varied(k, chain_of(k, "acc|field_sum", fields), 0, 1))
    torque = let(k, "t|torque|mxh", wp.cross(mc, h))
    alpha, step = factor(k, "alpha|gilbert|damping", T, 1, 50), factor(k, "dt|gamma_dt|tau", T, 1, 10)
    if c.chance(1, 2):
        rate = -torque - wp.cross(mc, torque) * alpha
    else:
        along = let(k, "along|proj", wp.dot(mc, h))
        rate = (h - mc * along) * alpha - torque
    moved = let(k, "moved|m1", mc + rate * step)
    unit = wp.normalize(moved) if c.chance(1, 2) else moved / (wp.length(moved) + 1.0e-4)
    value = let(k, "value|res", varied(k, unit, 0, 1))
    g.put(out, value)
    statistic(k, wp.dot(value, h))
    k.summary(f"One Landau-Lifshitz-Gilbert step of a magnetisation on a {g.ndim}-D grid, {g.edge}.")


def multigrid(k: Author) -> None:
    """Move between the grids of multigrid: residual, restriction to the coarse grid, prolongation of a correction."""
    c, T = k.c, precise(k)
    part = c.pick(("residual", "restriction", "prolongation"))
    if part == "residual":
        _residual(k, T)
        return
    fine, coarse = ("fine|res_fine|r_h", "coarse|res_coarse|r_2h")
    k.name("restrict|full_weighting|coarsen" if part == "restriction" else "prolong|interpolate_correction|refine")
    src = k.input(fine if part == "restriction" else coarse, T, 2)
    dst = k.output(coarse if part == "restriction" else fine, T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    h, w = let(k, "h|ny", src.shape(0)), let(k, "w|nx", src.shape(1))
    if part == "restriction":
        value = _restrict(k, src, i, j, h, w, T)
    else:
        value = _prolong(k, src, i, j, h, w, T)
        if c.chance(1, 2):
            base = k.input("base|u_fine|solution", T, 2)
            value = base[i, j] + factor(k, "omega|damp", T, 50, 100) * value
    value = let(k, "value|res", varied(k, value, 0, 3))
    dst[i, j] = value
    statistic(k, value)
    k.summary(f"Multigrid {part} between a grid and one of half its resolution.")


def _residual(k: Author, T: Scalar) -> None:
    k.name("residual|poisson_residual|defect|smooth_residual")
    g = Grid(k, k.c.pick((2, 3)))
    u, b, out = g.input("u|x|phi", T), g.input("b|rhs|f", T), g.output("r|res|defect_out", T)
    g.enter()
    here = (0,) * g.ndim
    centre = let(k, "uc|x0", g.at(u, *here))
    lap = laplacian(k, g, u, centre) * factor(k, "inv_h2|scale", T)
    if k.c.chance(1, 2):
        lap = lap - factor(k, "shift|helmholtz|mass_term", T) * centre
    r = let(k, "value|d", varied(k, g.at(b, *here) - lap if k.c.chance(1, 2) else lap - g.at(b, *here), 0, 2))
    if k.c.chance(1, 2):
        r = let(k, "smoothed|u1", centre + factor(k, "omega|relax", T, 5, 80) * r)
    g.put(out, varied(k, r, 0, 1))
    statistic(k, r * r)
    k.summary(f"Computes a residual of a Poisson problem on a {g.ndim}-D grid, {g.edge}.")


def _restrict(k: Author, src: Arr, i: Term, j: Term, h: Term, w: Term, T: Scalar) -> Term:
    i0, j0 = let(k, "fi|i2", wp.min(2 * i, h - 1)), let(k, "fj|j2", wp.min(2 * j, w - 1))
    way = k.c.below(3)
    if way == 0:
        i1, j1 = let(k, "i3|fi1", wp.min(i0 + 1, h - 1)), let(k, "j3|fj1", wp.min(j0 + 1, w - 1))
        return chain_of(k, "acc|s", [src[i0, j0], src[i0, j1], src[i1, j0], src[i1, j1]]) * 0.25
    if way == 1:
        im, ip = let(k, "im|up", wp.max(i0 - 1, 0)), let(k, "ip|down", wp.min(i0 + 1, h - 1))
        jm, jp = let(k, "jm|left", wp.max(j0 - 1, 0)), let(k, "jp|right", wp.min(j0 + 1, w - 1))
        sides = let(k, "sides|cross", chain_of(k, "acc|s", [src[im, j0], src[ip, j0], src[i0, jm], src[i0, jp]]))
        corners = let(k, "corners|diag", chain_of(k, "acc|s2", [src[im, jm], src[im, jp], src[ip, jm], src[ip, jp]]))
        return 0.25 * src[i0, j0] + 0.125 * sides + 0.0625 * corners
    acc = k.var("acc|total", number(0.0, T))
    with k.for_("di|a", -1, 2) as di:
        y = let(k, "y|yy", wp.clamp(i0 + di, 0, h - 1))
        with k.for_("dj|b", -1, 2) as dj:
            x = let(k, "x|xx", wp.clamp(j0 + dj, 0, w - 1))
            weight = cast((2 - wp.abs(di)) * (2 - wp.abs(dj)), T)
            acc += weight * src[y, x]
    return acc / 16.0


def _prolong(k: Author, src: Arr, i: Term, j: Term, h: Term, w: Term, T: Scalar) -> Term:
    ci, cj = let(k, "ci|i0", wp.min(i // 2, h - 1)), let(k, "cj|j0", wp.min(j // 2, w - 1))
    if k.c.chance(1, 4):
        return src[ci, cj]
    ni, nj = let(k, "ni|i1", wp.min(ci + 1, h - 1)), let(k, "nj|j1", wp.min(cj + 1, w - 1))
    if k.c.chance(1, 2):
        ty = let(k, "ty|wy", where(i % 2 == 1, number(0.5, T), number(0.0, T)))
        tx = let(k, "tx|wx", where((j & 1) == 1, number(0.5, T), number(0.0, T)))
        a = let(k, "a|top", wp.lerp(src[ci, cj], src[ci, nj], tx))
        return wp.lerp(a, let(k, "b|bottom", wp.lerp(src[ni, cj], src[ni, nj], tx)), ty)
    value = k.var("corr|e", src[ci, cj])
    with k.if_(i % 2 == 1):
        value.set(0.5 * (value + src[ni, cj]))
    with k.if_(j % 2 == 1):
        value.set(0.5 * (value + 0.5 * (src[ci, nj] + src[ni, nj])))
    return Term(value.e)
