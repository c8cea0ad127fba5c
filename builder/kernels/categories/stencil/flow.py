"""Fluids on grids: projection, advection, vorticity, shallow water and their parts."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import statistic, varied
from ...layouts import Grid, chain_of, factor, kept, let, precise, switch
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar
from .stencils import difference, gradient, neighbours


def projection(k: Author) -> None:
    """A part of the pressure projection: divergence, one Jacobi or SOR sweep, subtraction of the gradient."""
    c, T = k.c, precise(k)
    part = c.pick(("divergence", "sweep", "gradient"))
    g = Grid(k, c.pick((2, 3)))
    if part == "sweep":
        _pressure_sweep(k, g, T)
        return
    names = ("v|vel_y", "u|vel_x") if g.ndim == 2 else ("w|vel_z", "v|vel_y", "u|vel_x")
    scale = factor(k, "inv_dx|inv_h|scale", T, 10, 200)
    if part == "divergence":
        k.name("divergence|compute_divergence|mac_divergence")
        fields = [g.input(name, T) for name in names]
        out = g.output("div|divergence_out|rhs", T)
        g.enter()
        terms = [_staggered(k, g, field, axis) for axis, field in enumerate(fields)]
        value = let(k, "value|net|outflow", chain_of(k, "acc|total", terms) * scale)
        if c.chance(1, 2):
            value = switch(k, "masked|d0", g.at(g.input("solid|obstacle", INT), *(0,) * g.ndim) == 0, value,
                           number(0.0, T))  # fmt: skip
        value = let(k, "result|d1", varied(k, value, 0, 2))
        g.put(out, value)
        statistic(k, value)
        k.summary(f"Computes the divergence of a velocity field on a {g.ndim}-D grid, {g.edge}.")
        return
    k.name("subtract_gradient|project_velocity|apply_pressure")
    p = g.input("p|pressure", T)
    fields = [g.inout(name, T) for name in names]
    g.enter()
    grads = gradient(k, g, p, "dp|gp|gradp")
    for field, part_, name in zip(fields, grads, names, strict=True):
        new = g.at(field, *(0,) * g.ndim) - scale * part_
        g.put(field, varied(k, let(k, f"new_{name.split('|')[0]}", new), 0, 1))
    k.summary(f"Subtracts the pressure gradient from a velocity field on a {g.ndim}-D grid, {g.edge}.")


def _staggered(k: Author, g: Grid, field: Arr, axis: int) -> Term:
    """Return a difference along an axis: central, or between the two faces of the cell."""
    if k.c.chance(1, 2):
        value = difference(g, field, axis) * 0.5
    else:
        value = g.at(field, *(1 if a == axis else 0 for a in range(g.ndim))) - g.at(field, *(0,) * g.ndim)
    return value if k.c.chance(1, 2) else let(k, "du|dv|dw", value)


def _pressure_sweep(k: Author, g: Grid, T: Scalar) -> None:
    c = k.c
    k.name("pressure_jacobi|jacobi_sweep|poisson_iteration|relax_pressure")
    p, rhs, out = g.input("p|pressure|phi", T), g.input("div|rhs|b", T), g.output("p_next|out|phi_new", T)
    cell = g.enter()
    here = (0,) * g.ndim
    centre = let(k, "pc|p0", g.at(p, *here))
    around = neighbours(g, p)
    source = g.at(rhs, *here)
    if c.chance(1, 2):
        solid = g.input("solid|obstacle|wall", INT)
        walls = neighbours(g, solid)
        around = [where(w == 1, centre, near) for w, near in zip(walls, around, strict=True)]
    total = let(k, "near|around|sum_p", chain_of(k, "acc|total", around))
    spacing = factor(k, "h2|dx2|cell_area", T, 10, 200)
    value = (total - spacing * source) * round(0.5 / g.ndim, 8) if c.chance(1, 2) else (
        (total - source * spacing) / float(2 * g.ndim))  # fmt: skip
    if c.chance(1, 2):
        omega = factor(k, "omega|relax|w", T, 50, 180)
        value = centre + omega * (value - centre) if c.chance(1, 2) else (1.0 - omega) * centre + omega * value
    value = let(k, "value|p1", varied(k, value, 0, 2))
    if c.chance(1, 4):
        odd = chain_of(k, "parity|par", list(cell)) % 2 == k.scalar("colour|phase|parity_in", INT)
        value = switch(k, "kept_p|p2", odd, value, centre)
    g.put(out, value)
    statistic(k, wp.abs(value - centre))
    k.summary(f"One relaxation sweep of the pressure Poisson equation on a {g.ndim}-D grid, {g.edge}.")


def advect_field(k: Author) -> None:
    """Semi-Lagrangian advection: trace back, then interpolate; Euler or midpoint trace, optional limits."""
    c, T = k.c, precise(k)
    k.name("advect|semi_lagrangian|transport|advect_field")
    g = Grid(k, 2, rules=("clamp", "wrap"), radius=2)
    q, u, v = g.input("q|density|dye|smoke", T), g.input("u|vel_x", T), g.input("v|vel_y", T)
    out = g.output("q_next|out|advected", T)
    cell = g.enter()
    step = factor(k, "dt|tau|step_size", T, 5, 100)
    vx, vy = let(k, "vx|ux", g.at(u, 0, 0)), let(k, "vy|uy", g.at(v, 0, 0))
    if c.chance(1, 3):
        swirl = factor(k, "swirl|drift|wind", T, 5, 50)
        vx, vy = let(k, "vx1|gx", vx - swirl * vy), let(k, "vy1|gy", vy + swirl * vx)
    py = let(k, "py|back_y|sy", cast(cell[0], T) - step * wp.clamp(vy, -4.0, 4.0))
    px = let(k, "px|back_x|sx", cast(cell[1], T) - step * wp.clamp(vx, -4.0, 4.0))
    value = bilinear(k, g, q, py, px, T)
    if c.chance(1, 2):
        value = let(k, "mixed|corrected", value + factor(k, "dissipation|sharpen", T, 1, 20) * (g.at(q, 0, 0) - value))
    value = let(k, "value|moved", varied(k, value, 0, 2))
    if c.chance(1, 3):
        value = value * wp.exp(-step * factor(k, "decay|fade", T, 1, 50))
    g.put(out, value)
    statistic(k, kept(k, "stored|final", value))
    k.summary(f"Advects a quantity backwards along a velocity field with bilinear interpolation, {g.edge}.")


def bilinear(k: Author, g: Grid, q: Arr, y: Term, x: Term, T: Scalar) -> Term:
    """Return the bilinear interpolation of grid values at real coordinates, which may lie outside."""
    c = k.c
    h, w = g.extents
    if g.rule == "clamp" or c.chance(1, 2):
        y = let(k, "cy|yy", wp.clamp(y, 0.0, cast(h, T) - 1.0))
        x = let(k, "cx|xx", wp.clamp(x, 0.0, cast(w, T) - 1.0))
    fy, fx = let(k, "fy|y_floor", wp.floor(y)), let(k, "fx|x_floor", wp.floor(x))
    if g.rule == "wrap":
        y0 = let(k, "y0|r0", ((cast(fy, INT) % h) + h) % h)
        x0 = let(k, "x0|c0", ((cast(fx, INT) % w) + w) % w)
        y1, x1 = let(k, "y1|r1", (y0 + 1) % h), let(k, "x1|c1", (x0 + 1) % w)
    else:
        y0 = let(k, "y0|r0", wp.clamp(cast(fy, INT), 0, h - 1))
        x0 = let(k, "x0|c0", wp.clamp(cast(fx, INT), 0, w - 1))
        y1, x1 = let(k, "y1|r1", wp.min(y0 + 1, h - 1)), let(k, "x1|c1", wp.min(x0 + 1, w - 1))
    ty, tx = let(k, "ty|wy|beta", y - fy), let(k, "tx|wx|alpha", x - fx)
    way = c.below(3)
    if way == 0:
        low = let(k, "low|top", wp.lerp(g.get(q, y0, x0), g.get(q, y0, x1), tx))
        high = let(k, "high|bottom", wp.lerp(g.get(q, y1, x0), g.get(q, y1, x1), tx))
        return let(k, "sample|interp", wp.lerp(low, high, ty))
    parts = [
        (1.0 - ty) * (1.0 - tx) * g.get(q, y0, x0), (1.0 - ty) * tx * g.get(q, y0, x1),
        ty * (1.0 - tx) * g.get(q, y1, x0), ty * tx * g.get(q, y1, x1),
    ]  # fmt: skip
    return let(k, "sample|interp", chain_of(k, "acc|total", parts))


def confinement(k: Author) -> None:
    """Vorticity of a plane flow, its confinement force, or the strain-rate invariants."""
    c, T = k.c, precise(k)
    k.name("vorticity|confine|vorticity_force|curl_force")
    g = Grid(k, 2)
    u, v = g.input("u|vel_x", T), g.input("v|vel_y", T)
    part = c.pick(("vorticity", "force", "strain"))
    if part == "force":
        curl = g.input("curl|vort|omega_z", T)
        out_u, out_v = g.output("u_next|new_u", T), g.output("v_next|new_v", T)
        g.enter()
        gy, gx = gradient(k, g, curl, "dw|gw|eta")
        length = let(k, "length|norm|mag", wp.sqrt(gx * gx + gy * gy) + 1.0e-3)
        strength = factor(k, "eps|strength|confinement", T)
        w = let(k, "w0|wc|spin", varied(k, g.at(curl, 0, 0), 0, 1))
        fx = let(k, "fx|push_x", varied(k, strength * (gy / length) * w, 0, 1))
        fy = let(k, "fy|push_y", -strength * (gx / length) * w)
        step = factor(k, "dt|tau", T, 1, 50)
        g.put(out_u, varied(k, g.at(u, 0, 0) + step * fx, 0, 1))
        g.put(out_v, varied(k, g.at(v, 0, 0) + step * fy, 0, 1))
        k.summary(f"Adds the vorticity confinement force to a plane flow, {g.edge}.")
        return
    out = g.output("out|result|field_out", T)
    g.enter()
    dvdx, dudy = let(k, "dvdx|vx", difference(g, v, 1) * 0.5), let(k, "dudy|uy", difference(g, u, 0) / 2.0)
    if part == "vorticity":
        value = varied(k, let(k, "omega|rot", dvdx - dudy), 1, 3)
    else:
        dudx, dvdy = let(k, "dudx|ux", difference(g, u, 1) * 0.5), let(k, "dvdy|vy", difference(g, v, 0) * 0.5)
        shear = let(k, "shear|s12", 0.5 * (dvdx + dudy))
        value = chain_of(k, "acc|rate", [dudx * dudx, dvdy * dvdy, 2.0 * shear * shear])
        if c.chance(1, 2):
            value = value * factor(k, "cs2|smagorinsky", T) + factor(k, "nu0|laminar", T, 1, 20)
        value = varied(k, let(k, "strain|rate2", wp.sqrt(value + 1.0e-6) if c.chance(1, 2) else value), 0, 2)
    value = let(k, "value|res", value)
    g.put(out, value)
    statistic(k, value)
    what = "vorticity" if part == "vorticity" else "strain-rate magnitude"
    k.summary(f"Computes a function of the {what} of a plane flow by central differences, {g.edge}.")


def shallow_water(k: Author) -> None:
    """One step of the shallow-water equations on a plane grid: heights and velocities, bed, friction, rotation."""
    c, T = k.c, precise(k)
    k.name("shallow_water|swe_step|water_step|update_surface")
    g = Grid(k, 2)
    h, u, v = g.input("h|depth_in|eta", T), g.input("u|vel_x", T), g.input("v|vel_y", T)
    step, grav = factor(k, "dt|tau", T, 1, 20), factor(k, "grav|gravity|g_acc", T, 100, 981)
    if c.chance(1, 2):
        out = g.output("h_next|depth_out|eta_new", T)
        g.enter()
        hc = let(k, "hc|h0", g.at(h, 0, 0))
        if c.chance(1, 2):
            flux_x = g.at(h, 0, 1) * g.at(u, 0, 1) - g.at(h, 0, -1) * g.at(u, 0, -1)
            flux_y = g.at(h, 1, 0) * g.at(v, 1, 0) - g.at(h, -1, 0) * g.at(v, -1, 0)
            net = let(k, "net|outflow", 0.5 * (flux_x + flux_y))
        else:
            div = let(k, "div|spread", difference(g, u, 1) + difference(g, v, 0))
            net = let(k, "net|outflow", 0.5 * hc * div + 0.5 * (g.at(u, 0, 0) * difference(g, h, 1)))
        value = let(k, "value|h1", varied(k, hc - step * net, 0, 2))
        g.put(out, wp.max(value, 0.0) if c.chance(1, 2) else value)
        statistic(k, value)
        k.summary(f"Advances the water height of the shallow-water equations, {g.edge}.")
        return
    out_u, out_v = g.output("u_next|new_u", T), g.output("v_next|new_v", T)
    g.enter()
    uc, vc = let(k, "uc|u0", g.at(u, 0, 0)), let(k, "vc|v0", g.at(v, 0, 0))
    dy, dx = gradient(k, g, h, "dh|slope|eta")
    drag = number(1.0, T)
    if c.chance(1, 2):
        speed = let(k, "speed|mag", wp.sqrt(uc * uc + vc * vc))
        drag = let(k, "drag|fade", 1.0 / (1.0 + step * wp.abs(factor(k, "manning|cf|rough", T, 1, 40)) * speed))
    coriolis = factor(k, "f_cor|coriolis|rot", T, 1, 50) if c.chance(1, 2) else number(0.05, T)
    ax = let(k, "ax|acc_x", varied(k, coriolis * vc - grav * dx, 0, 1))
    ay = let(k, "ay|acc_y", varied(k, -coriolis * uc - grav * dy, 0, 1))
    g.put(out_u, varied(k, (uc + step * ax) * drag, 0, 1))
    g.put(out_v, varied(k, (vc + step * ay) * drag, 0, 1))
    k.summary(f"Advances the velocity of the shallow-water equations with rotation, {g.edge}.")
