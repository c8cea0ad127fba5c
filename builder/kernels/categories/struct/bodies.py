"""Particles, rays, boxes and settings as structs."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, either, make, number, where, wp
from ...types import DOUBLE, FLOAT, INT, VEC3, Array, Value, Vec, vec
from .common import at, fill


def _bounce(k: Scope, p: Term, size: Term) -> None:
    """Keep a particle (fields position, velocity) inside a box by one of a few rules."""
    c, pos, vel = k.c, at(p, 0), at(p, 1)
    type_ = pos.type
    assert isinstance(type_, Vec)
    for axis in c.sample(range(type_.n), c.between(1, type_.n)):
        way = c.below(3)
        if way == 0:
            with k.if_(either(pos[axis] < 0.0, pos[axis] > size)):
                k.put(vel[axis], -vel[axis] * coefficient(k, type_.dtype, 10, 95))
        elif way == 1:
            with k.if_(pos[axis] > size):
                k.put(pos[axis], size, "-")
        else:
            k.put(pos[axis], wp.clamp(pos[axis], 0.0, size))


def particles(k: Author) -> None:
    """Particles as an array of structs, stepped in time."""
    c = k.c
    T = c.weighted({FLOAT: 4, DOUBLE: 1})
    V = vec(c.pick((3, 2)), T)
    k.name("step_particles|integrate|advance_particles|update_particles|particle_step")
    fields: dict[str, Value] = {"pos|x|position|p": V, "vel|v|velocity|u": V, "inv_mass|w|im|mass": T}
    extra = c.chance(1, 2)
    if extra:
        fields["age|life|heat|charge|radius"] = T
    P = k.struct("Particle|Body|Point|Agent", fields)
    parts = k.inout("particles|bodies|state|pts", P)
    dt = k.scalar("dt|h|step", T)
    i = gate(k, k.tid("i|tid|idx"), parts.shape(0))

    def force(s: Scope, p: Term) -> Term:
        pull = -at(p, 0) * coefficient(s, T) if c.chance(1, 2) else at(p, 1) * -coefficient(s, T)
        return varied(s, pull, 1, 2)  # type: ignore[no-any-return]

    whole = c.chance(2, 3)
    p = k.let("p|part|me|body", parts[i])
    f = k.let("f|acc|force|a", k.helper("force_on|accel|external_force", {"q|p|particle": P}, force)(p))
    if c.chance(1, 2):
        k.put(at(p, 1), f * (at(p, 2) * dt), "+")
        k.put(at(p, 0), at(p, 1) * dt, "+")
    else:
        k.put(at(p, 0), at(p, 0) + at(p, 1) * dt + f * (0.5 * dt * dt))
        k.put(at(p, 1), at(p, 1) * coefficient(k, T, 50, 99) + f * dt)
    if c.chance(1, 2):
        _bounce(k, p, k.scalar("size|box|extent", T))
    if extra:
        k.put(at(p, 3), varied(k, at(p, 3) + dt, 1, 2))
    if whole:
        parts[i] = p
    else:
        for n in c.sample(range(len(P.fields)), len(P.fields)):
            if n != 2:
                k.put(at(parts[i], n), at(p, n))
    statistic(k, at(p, 2) * wp.dot(at(p, 1), at(p, 1)))
    k.summary(f"Steps {V.n}-D particles kept as an array of structs in time, in place.")


def _sphere(k: Scope, ray: Term, ball: Term) -> Term:
    """Return the distance along a ray to a sphere, or a negative number."""
    oc = k.let("oc|rel|to_center", at(ray, 0) - at(ball, 0))
    b = k.let("b|half_b|bq", wp.dot(oc, at(ray, 1)))
    q = k.let("q|cq|off", wp.dot(oc, oc) - at(ball, 1) * at(ball, 1))
    disc = k.let("disc|h2|root_arg", b * b - q)
    return where(disc < 0.0, number(-1.0), -b - wp.sqrt(wp.max(disc, 0.0)))


def _plane(k: Scope, ray: Term, plane: Term) -> Term:
    """Return the distance along a ray to a plane."""
    slope = k.let("slope|denom|nd", wp.dot(at(plane, 0), at(ray, 1)))
    height = at(plane, 1) - wp.dot(at(plane, 0), at(ray, 0))
    return where(wp.abs(slope) < 1.0e-4, number(-1.0), height / where(wp.abs(slope) < 1.0e-4, number(1.0), slope))


def _record(k: Author, hit: Term, ray: Term, shape: Term, t: Term, j: Term, round_: bool) -> None:
    """Write a nearer hit into the fields of the struct, in any order."""
    point = k.let("point|pt|x", varied(k, at(ray, 0) + at(ray, 1) * t, 0, 1))
    updates = [
        (0, t),
        (2, j),
        (1, wp.normalize(point - at(shape, 0)) if round_ else wp.cross(at(shape, 0), point)),
    ]
    for n, value in k.c.sample(updates, 3):
        k.put(at(hit, n), value)


def rays(k: Author) -> None:
    """Rays against an array of shapes; the nearest hit as a struct."""
    c = k.c
    k.name("trace|cast_rays|intersect|nearest_hit|shoot_rays")
    round_ = c.chance(2, 3)
    Ray = k.struct("Ray|Beam|Line", {"origin|o|start": VEC3, "dir|d|direction": VEC3})
    Shape = k.struct(
        "Sphere|Ball" if round_ else "Plane|HalfSpace",
        {("center|c" if round_ else "normal|n"): VEC3, ("radius|r" if round_ else "offset|dist"): FLOAT},
    )
    Hit = k.struct("Hit|Contact|Isect", {"t|depth|range_": FLOAT, "n|normal|where_": VEC3, "id|shape|prim": INT})
    rays, shapes = k.input("rays|beams", Ray), k.input("shapes|scene|prims", Shape)
    as_struct = c.chance(1, 2)
    out = k.output("hits|result|isects", Hit if as_struct else FLOAT)
    i = gate(k, k.tid("i|tid|ray_id"), rays.shape(0))
    ray = k.let("ray|r|beam", rays[i])
    if c.chance(1, 2):
        k.put(at(ray, 1), wp.normalize(at(ray, 1)))
    hit = k.new("hit|best|nearest", Hit)
    k.put(at(hit, 0), coefficient(k, FLOAT, 1000, 9900))
    body = k.helper("distance_to|hit_shape|solve", {"r|ray": Ray, "s|shape": Shape}, _sphere if round_ else _plane)
    with k.for_("j|s|n", shapes.shape(0)) as j:
        shape = k.let("shape|obj|prim", shapes[j])
        t = k.let("t|d|dist", varied(k, body(ray, shape), 0, 1))
        with k.if_(both(t > 0.001, t < at(hit, 0))):
            _record(k, hit, ray, shape, t, j, round_)
            if c.chance(1, 6):
                k.leave("break")
    if as_struct:
        k.put(at(hit, 1), varied(k, at(hit, 1), 0, 2))
        out[i] = hit
    else:
        shade = at(hit, 0) * coefficient(k, FLOAT) + at(hit, 1)[c.below(3)] + cast(at(hit, 2), FLOAT)
        out[i] = varied(k, shade, 1, 2)
    kind = "spheres" if round_ else "planes"
    k.summary(f"Tests each ray against {kind} and {'stores its hit' if as_struct else 'shades what it hits'}.")


def boxes(k: Author) -> None:
    """Axis-aligned boxes: union, intersection, growth, and what is measured of them."""
    c = k.c
    V = vec(c.pick((3, 2)), c.weighted({FLOAT: 4, DOUBLE: 1}))
    T = V.dtype
    k.name("merge_boxes|box_op|aabb_update|fit_boxes|clip_boxes")
    B = k.struct("Box|Aabb|Bounds|Extent", {"lo|lower|min_pt": V, "hi|upper|max_pt": V})
    a, b = k.input("a|left|boxes", B), k.input("b|right|others", B)
    way = c.below(3)

    def joined(s: Scope, p: Term, q: Term) -> Term:
        grow = varied(s, number(0.05, T) + wp.length(at(p, 1) - at(p, 0)) * coefficient(s, T), 0, 2)
        margin = s.let("margin|pad|eps", grow)
        if way == 0:
            low, high = wp.min(at(p, 0), at(q, 0)), wp.max(at(p, 1), at(q, 1))
        elif way == 1:
            low, high = wp.max(at(p, 0), at(q, 0)), wp.min(at(p, 1), at(q, 1))
        else:
            low, high = wp.lerp(at(p, 0), at(q, 0), 0.5), wp.lerp(at(p, 1), at(q, 1), 0.5)
        return fill(s, "r|box|joined", B, low - make(V, margin), high + make(V, margin))

    measured = c.chance(1, 2)
    out = k.output("out|result|merged", T if measured else B)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    r = k.let("u|m|bb", k.helper("unite|combine|join", {"p|first": B, "q|second": B}, joined)(a[i], b[i]))
    size = k.let("size|ext|d", at(r, 1) - at(r, 0))
    if measured:
        volume = size[0] * size[1] if V.n == 2 else c.pick((
            size[0] * size[1] * size[2], 2.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]),
        ))  # fmt: skip
        out[i] = varied(k, volume, 1, 3)
    else:
        with k.if_(size[c.below(V.n)] > coefficient(k, T)):
            k.put(at(r, 1), varied(k, at(r, 1), 1, 2))
        out[i] = r
    word = ("union", "intersection", "mean")[way]
    k.summary(f"Takes the {word} of pairs of boxes{' and measures it' if measured else ''}.")


def settings(k: Author) -> None:
    """A struct of settings (and perhaps arrays) passed by value."""
    c, T = k.c, k.real()
    k.name("apply_settings|run_model|step_with_params|configured|evaluate")
    owns = c.chance(1, 2)
    fields: dict[str, Value] = {"gain|scale|alpha": T, "bias|offset|beta": T, "steps|count|order": INT}
    if owns:
        fields |= {"table|weights|lut": Array(T, 1)}
    S = k.struct("Params|Settings|Config|Model", fields)
    x = k.input("x|signal|values", T)
    table = None if owns else k.input("table|weights|lut", T)
    s = k.scalar("params|cfg|settings|m", S)
    out = k.output("out|y|result", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    acc = k.var("acc|total|v", varied(k, x[i], 0, 2) * at(s, 0) + at(s, 1))
    whole = k.let("table|lut|w", at(s, 3)) if owns else table
    assert whole is not None
    with k.for_("n|j|step", wp.min(at(s, 2), c.between(4, 32))) as j:
        w = k.let("wj|coef|entry", whole[(i + j) % whole.shape(0)])
        acc.set(varied(k, acc * at(s, 0) + w if c.chance(1, 2) else acc + w * at(s, 1), 1, 2))
        if c.chance(1, 4):
            with k.if_(wp.abs(acc) > coefficient(k, T, 100, 900)):
                k.leave("break")
    value = k.let("r|res|final", varied(k, Term(acc.e), 0, 2))
    out[i] = value
    statistic(k, value)
    holder = " that holds the table" if owns else ""
    k.summary(f"Accumulates {T.name} table entries under settings passed as a struct{holder}.")
