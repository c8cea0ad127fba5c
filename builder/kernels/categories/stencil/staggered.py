"""Differences between neighbours: gradients, divergence, curl, staggered grids, fluxes, grids of other spacing."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, statistic, varied
from ...loops import one_type
from ...terms import Term, make, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, MAT22, MAT33, VEC2, VEC3, scalar_of, vec
from .grid import Grid, steps_along


def _difference(g: Grid, array: Arr, axis: int, way: str) -> Term:
    """Write a difference along an axis: central, forward or backward."""
    S = scalar_of(array.type.dtype)  # type: ignore[union-attr]
    if way == "central":
        return (g.near(array, *steps_along(axis, 1)) - g.near(array, *steps_along(axis, -1))) * number(0.5, S)
    if way == "forward":
        return g.near(array, *steps_along(axis, 1)) - array[g.here]
    return array[g.here] - g.near(array, *steps_along(axis, -1))


def _gradient(k: Author) -> None:
    """Gradients of a scalar field: their size, direction, slope and aspect; Sobel and Prewitt in 2-D."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    ndim = c.weighted({2: 4, 3: 2, 1: 1})
    k.name("gradient|slope|edge_strength|sobel|normals_from_height|central_difference")
    g = Grid(k, "f|img|height|phi", T, ndim)
    way = c.pick(("central", "forward", "backward"))
    parts = []
    for axis in range(ndim):
        d = _sobel(k, g, axis) if ndim == 2 and c.chance(1, 3) else _difference(g, g.first, axis, way)
        parts.append(k.let(f"d{axis}|g{'yxz'[axis]}|df{axis}", varied(k, d, 0, 2)))
    squares = parts[0] * parts[0]
    for part in parts[1:]:
        squares = squares + part * part
    form = c.below(3)
    V = vec(ndim, T) if ndim > 1 else T
    if form == 0 or ndim == 1:
        value = wp.sqrt(squares + number(0.0001, T)) if c.chance(1, 2) else squares
    elif form == 1:
        value = make(V, *parts)
    else:
        value = wp.atan2(parts[0], wp.abs(parts[1]) + number(0.01, T))
    value = varied(k, value, 0, 3)
    out = g.output("out|grad|edges", value.type)
    out[g.here] = value
    statistic(k, value)
    what = ("size", "vector", "angle")[form if ndim > 1 else 0]
    k.summary(f"Computes the {what} of the gradient of {T.name} on {g.what}.")


def _sobel(k: Author, g: Grid, axis: int) -> Term:
    T = scalar_of(g.first.type)
    weight = number(k.c.pick((2.0, 1.0, 3.3333333)), T)
    total: Term | None = None
    for side in (-1, 0, 1):
        for step in (-1, 1):
            at = (step, side) if axis == 0 else (side, step)
            term = g.near(g.first, *at)
            term = term if side else term * weight
            signed = -term if step < 0 else term
            total = signed if total is None else total - term if step < 0 else total + term
    assert total is not None
    return total * number(0.125, T)


def _vector_field(k: Author) -> None:
    """Figures of a vector field: divergence, curl, Jacobian, strain, vorticity."""
    c = k.c
    ndim = c.pick((2, 3))
    V = VEC2 if ndim == 2 else VEC3
    k.name("divergence|curl|vorticity|strain_rate|jacobian_field|helicity")
    g = Grid(k, "vel|field|v|flow", V, ndim)
    way = c.pick(("central", "forward", "backward"))
    d = [
        k.let(f"d{axis}|v_{'yxz'[axis]}|dv{axis}", varied(k, _difference(g, g.first, axis, way), 0, 1))
        for axis in range(ndim)
    ]
    form = c.below(4)
    if form == 0:
        value = d[0][0] + d[1][1] + (d[2][2] if ndim == 3 else number(0.0, FLOAT))
    elif form == 1:
        value = d[0][1] - d[1][0]
        if ndim == 3:
            value = make(VEC3, d[1][2] - d[2][1], d[2][0] - d[0][2], value)
    elif form == 2:
        value = (wp.matrix_from_cols if c.chance(1, 2) else wp.matrix_from_rows)(*d)
        value = (value + wp.transpose(value)) * 0.5 if c.chance(1, 2) else value
    else:
        mat = k.let("jac|j|m", wp.matrix_from_cols(*d))
        value = wp.trace(mat * mat) if c.chance(1, 2) else wp.determinant(mat)
    value = varied(k, value * coefficient(k, FLOAT), 0, 2)
    if value.type in (MAT22, MAT33) and c.chance(1, 2):
        value = varied(k, wp.ddot(value, wp.transpose(value)), 0, 2)
    out = g.output("out|result|figure", value.type)
    out[g.here] = value
    statistic(k, value)
    names = ("the divergence", "the curl", "the velocity gradient", "an invariant of the velocity gradient")
    k.summary(f"Computes {names[form]} of a {V.name} field on {g.what}.")


def _mac(k: Author) -> None:
    """Staggered grids: divergence at centers, pressure gradients at faces, averages between both."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    ndim = c.pick((2, 3))
    k.name("mac_divergence|project_velocity|face_to_center|subtract_gradient|staggered_step")
    faces = c.chance(1, 2)
    rules = ("clamp", "wrap", "zero", "skip")
    axes = c.sample(tuple(range(ndim)), ndim)
    words = [f"{'vuw'[axis]}|vel_{'yxz'[axis]}|face_{'yxz'[axis]}" for axis in range(ndim)]
    if faces:
        g = Grid(k, "p|pressure|phi", T, ndim, rules=rules)
        scale, mid = coefficient(k, T, 5, 150), k.let("mid|pc|p0", g.first[g.here])
        solid = g.input("solid|mask|walls", INT) if c.chance(1, 3) else None
        for axis in axes[: c.between(1, ndim)]:
            old, new = g.input(words[axis], T), g.output(f"{'vuw'[axis]}_out|new_{'yxz'[axis]}", T)
            drop = k.let(f"drop{axis}|dp{axis}", varied(k, mid - g.near(g.first, *steps_along(axis, -1)), 0, 1))
            fresh = varied(k, old[g.here] - drop * scale, 0, 2)
            new[g.here] = fresh if solid is None else where(solid[g.here] != 0, zero(T), fresh)
        k.summary(f"Takes the pressure gradient from face velocities of {T.name} on {g.what}.")
        return
    g = Grid(k, words[axes[0]], T, ndim, rules=rules)
    arrays = [g.first if axis == axes[0] else g.input(words[axis], T) for axis in range(ndim)]
    average = c.chance(1, 3)
    total = k.var("div|total|acc", zero(T))
    for axis in axes:
        ahead = g.near(arrays[axis], *steps_along(axis, 1))
        pair = (ahead + arrays[axis][g.here]) * number(0.5, T) if average else ahead - arrays[axis][g.here]
        total += varied(k, pair * pair if average and c.chance(1, 2) else pair, 0, 2)
    value = varied(k, total * coefficient(k, T, 10, 300), 0, 3)
    out = g.output("out|div_out|centers", T)
    out[g.here] = value
    statistic(k, value)
    what = "Averages face values at the centers" if average else "Computes the divergence of face velocities"
    k.summary(f"{what}, of {T.name}, on {g.what}.")


def _maxwell(k: Author) -> None:
    """A step of a staggered scheme in time: electric and magnetic fields, shallow water, elastic waves."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("fdtd_step|shallow_water|update_fields|elastic_step|staggered_leapfrog")
    g = Grid(k, "ez|h|p", T, 2, rules=("clamp", "wrap", "zero", "skip"))
    a, b = g.input("hx|hu|vx", T), g.input("hy|hv|vy", T)
    rate = coefficient(k, T, 5, 60)
    ahead = c.chance(1, 2)
    way = "forward" if ahead else "backward"
    if c.chance(1, 2):
        out = g.output("ez_out|h_next|p_next", T)
        cross = c.chance(1, 2)
        da, db = _difference(g, a, 0 if cross else 1, way), _difference(g, b, 1 if cross else 0, way)
        change = k.let("change|curl|flux", varied(k, db - da if cross else da + db, 0, 2))
        value = varied(k, g.first[g.here] + change * rate, 0, 2)
        if c.chance(1, 3):
            value = value * (1.0 - g.input("loss|sigma_of|sponge", T)[g.here] * coefficient(k, T, 1, 20))
        out[g.here] = value
        statistic(k, value)
    else:
        x_out, y_out = g.output("hx_out|hu_next", T), g.output("hy_out|hv_next", T)
        d0 = k.let("d0|slope_y|ey", varied(k, _difference(g, g.first, 0, way), 0, 2))
        d1 = k.let("d1|slope_x|ex", varied(k, _difference(g, g.first, 1, way), 0, 1))
        x_out[g.here] = varied(k, a[g.here] - d0 * rate, 0, 2)
        y_out[g.here] = varied(k, b[g.here] + d1 * coefficient(k, T, 5, 60), 0, 2)
    k.summary(f"Does half a step of a staggered scheme of {T.name} fields on {g.what}.")


def _volumes(k: Author) -> None:
    """Finite volumes: fluxes through the faces by a helper, of a nonlinear law, with the widest wave speed."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    ndim = c.weighted({1: 3, 2: 3})
    k.name("finite_volume|burgers_step|rusanov|godunov|conservation_step")
    g = Grid(k, "q|u|rho", T, ndim)
    law = c.below(3)

    def flux(q: Term) -> Term:
        return (q * q * 0.5, q * (1.0 - q), q * q * q / (q * q + number(0.5, T)))[law]

    def face(_: Scope, a: Term, b: Term) -> Term:
        way, half = c.below(3), number(0.5, T)
        if way == 0:
            return (flux(a) + flux(b)) * half - (b - a) * half
        if way == 1:
            speed = wp.max(wp.abs(a), wp.abs(b))
            return half * (flux(a) + flux(b) - speed * (b - a))
        return where(a + b > 0.0, flux(a), flux(b))

    through = k.helper("face_flux|numerical_flux|interface", {"a|left|ql": T, "b|right|qr": T}, face)
    mid = k.let("mid|qc|q0", g.first[g.here])
    rate = coefficient(k, T, 2, 50)
    value = k.var("value|q1|acc", mid)
    for axis in range(ndim):
        low = k.let(f"lo{axis}|west{axis}", g.near(g.first, *steps_along(axis, -1)))
        high = k.let(f"hi{axis}|east{axis}", g.near(g.first, *steps_along(axis, 1)))
        inflow, outflow = through(low, mid), through(mid, high)
        value -= varied(k, (outflow - inflow) * rate, 0, 2)
    out = g.output("out|q_next|rho_out", T)
    result = varied(k, value, 0, 3)
    out[g.here] = result
    statistic(k, result)
    names = ("Burgers' law", "a traffic law", "a two-phase law")
    k.summary(f"Does one finite-volume step of {names[law]} of {T.name} on {g.what}.")


def _levels(k: Author) -> None:
    """Between grids of other spacing: restriction with weights, prolongation, injection, corrections."""
    c = k.c
    T = one_type(k, FLOAT, DOUBLE, VEC3)
    S = scalar_of(T)
    ndim = c.pick((1, 2, 3))
    k.name("restrict|prolong|coarsen|refine|downsample|upsample")
    down = c.chance(1, 2)
    src = k.input("fine|src|u" if down else "coarse|src|u", T, ndim)
    out = k.output("coarse_out|dst|out" if down else "fine_out|dst|out", T, ndim)
    made = k.tid(*("i|y|row", "j|x|col", "k|z|slab")[:ndim])
    place = made if ndim > 1 else (made,)
    total = k.var("total|acc|sum_w", zero(T))
    corners: list[tuple[Term, ...]] = [()]
    for axis in range(ndim):
        base = place[axis] * 2 if down else place[axis] // 2
        far = base + 1 if down else base + (place[axis] & 1) if c.chance(1, 2) else base + place[axis] % 2
        low = k.let(f"a{axis}|lo{axis}", wp.min(base, src.shape(axis) - 1))
        high = k.let(f"b{axis}|hi{axis}", wp.min(far, src.shape(axis) - 1))
        corners = [(*corner, side) for corner in corners for side in (low, high)]
    for corner in corners:
        total += varied(k, src[corner], 0, 1)
    value: Term = total * number(1.0 / len(corners), S)
    if c.chance(1, 3):
        base_of = k.input("base|old|error", T, ndim)
        value = base_of[made] + value * coefficient(k, S)
    out[made] = varied(k, value, 0, 3)
    k.summary(f"{'Coarsens' if down else 'Refines'} a {ndim}-D grid of {T.name} by two, by means of neighbours.")


FAMILIES = (_gradient, _vector_field, _mac, _maxwell, _volumes, _levels)
