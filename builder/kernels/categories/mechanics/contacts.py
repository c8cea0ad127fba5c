"""Contacts: granular particles, planes, spheres, boxes and capsules that particles bounce from."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, Records, factor, let, precise
from ...terms import Term, make, number, where, wp, zero
from ...types import Vec, vec
from .pairs import Around


def granular(k: Author) -> None:
    """Soft-sphere contacts: linear or Hertz normal force, damping, friction with a Coulomb limit, cohesion."""
    c, T = k.c, precise(k)
    law = c.pick(("linear", "Hertz"))
    k.name("granular_forces|dem_contacts|grain_contacts|contact_forces")
    layout = Layout(k, c.pick((3, 2)), T)
    pos, vel = layout.input("pos|positions|centres"), layout.input("vel|velocities")
    radii = k.input("radius|radii|size", T) if c.chance(1, 2) else None
    out = layout.output("force|f_out|contact_force")
    i = gate(k, k.tid("i|tid|grain"), pos.count)
    p, v = pos.load(k, "pi|here", i), vel.load(k, "vi|own_v", i)
    own = let(k, "ri|rad_i", radii[i]) if radii is not None else factor(k, "radius|rad", T, 20, 100)
    kn, damp, mu = (
        factor(k, "kn|stiffness", T),
        factor(k, "gamma_n|damping", T, 1, 60),
        factor(k, "mu|friction", T, 10, 80),
    )
    total = k.var("total|acc|fsum", zero(pos.type))
    with Around(k, pos.count).each(i) as j:
        d = let(k, "d|rel|dx", p - pos.at(j))
        r = let(k, "r|dist", wp.length(d) + 1.0e-4)
        overlap = let(k, "overlap|delta|pen", (own + radii[j] if radii is not None else own * 2.0) - r)
        with k.if_(overlap > 0.0):
            n = let(k, "n|nrm|axis", d / r)
            rel = let(k, "rel_v|dv", v - vel.at(j))
            total += _contact(k, law, (n, rel, overlap, kn, damp, mu))
        if c.chance(1, 4):
            with k.else_():
                total -= d * (factor(k, "cohesion|stick", T, 1, 10) / (r * r * r + 0.1))
    force = Term(total.e)
    if c.chance(1, 2):
        force = force + make(pos.type, *(number(-9.81 if m == 1 else 0.0, T) for m in range(pos.type.n)))
    value = let(k, "value|res|fi", varied(k, force, 0, 2))
    out.store(k, i, value)
    statistic(k, wp.length(value))
    k.summary(f"Sums {law} contact forces with friction on each grain in {pos.type.n} dimensions.")


def _contact(k: Scope, law: str, given: tuple[Term, ...]) -> Term:
    n, rel, overlap, kn, damp, mu = given
    c = k.c
    vn = let(k, "vn|closing", wp.dot(rel, n))
    push = kn * overlap if law == "linear" else kn * overlap * wp.sqrt(overlap + 1.0e-6)
    if c.chance(1, 2):
        fn = let(k, "fn|normal_f", wp.max(push - damp * vn, 0.0))
    else:
        fn = let(k, "fn|normal_f", push - damp * vn * (wp.sqrt(overlap + 1.0e-6) if law == "Hertz" else overlap))
    way = c.below(3)
    if way == 0:
        return n * fn
    vt = let(k, "vt|slip", rel - n * vn)
    slip = let(k, "slip_len|vt_len", wp.length(vt) + 1.0e-3)
    if way == 1:
        return n * fn - vt * (wp.min(mu * wp.abs(fn), damp * slip) / slip)
    ft = let(k, "ft|drag_t", wp.min(mu * wp.abs(fn) / slip, wp.abs(damp)))
    return n * fn - vt * ft


_SHAPES = ("plane", "sphere", "box", "capsule", "bowl")


def collide(k: Author) -> None:
    """Particles against a fixed body: push out, reflect with restitution and friction."""
    c, T = k.c, precise(k)
    V = vec(c.pick((3, 2)), T)
    shape = c.pick(_SHAPES)
    k.name(f"collide_{shape}|particle_collisions|bounce|resolve_contacts")
    records = Records(k, "Particle|Grain|Drop", [("pos|x", V), ("vel|v", V)], changed=(0, 1), alone=True)
    i = gate(k, k.tid("i|tid|p"), records.count)
    loaded = records.load(i)
    p, v = loaded
    if c.chance(1, 2):
        p = let(k, "moved|xp", p + v * factor(k, "dt|h", T, 1, 10))
    distance, normal = _signed_distance(k, shape, p, V)
    depth = let(k, "depth|pen", factor(k, "margin|radius|skin", T, 1, 30) - distance)
    hit = depth > 0.0
    restitution, mu = factor(k, "restitution|e_n", T, 10, 90), factor(k, "mu|friction", T, 5, 80)
    if c.chance(1, 2):
        nx, nv = k.var("x1|new_x", p), k.var("v1|new_v", v)
        with k.if_(hit):
            nx.set(p + normal * depth)
            nv.set(_reflect(k, v, normal, restitution, mu))
        result = (Term(nx.e), Term(nv.e))
    else:
        hit = let(k, "hit|touching", hit)
        bounced = let(k, "vb|bounced", _reflect(k, v, normal, restitution, mu))
        result = where(hit, p + normal * depth, p), where(hit, bounced, v)
    nx1 = let(k, "xs|x_out", varied(k, result[0], 0, 1))
    nv1 = let(k, "vs|v_out", varied(k, result[1], 0, 2))
    records.store(i, {0: nx1, 1: nv1}, loaded)
    statistic(k, depth)
    k.summary(f"Lets particles in {V.n} dimensions bounce from a fixed {shape}.")


def _reflect(k: Scope, v: Term, n: Term, restitution: Term, mu: Term) -> Term:
    vn = let(k, "vn|speed_n", wp.dot(v, n))
    way = k.c.below(3)
    if way == 0:
        return v - n * ((1.0 + restitution) * wp.min(vn, 0.0))
    vt = let(k, "vt|slide", v - n * vn)
    out = -restitution * vn if k.c.chance(1, 2) else wp.max(-vn * restitution, 0.0)
    if way == 1:
        return vt * (1.0 - mu) + n * out
    size = let(k, "vt_len|slide_speed", wp.length(vt) + 1.0e-4)
    return vt * wp.max(1.0 - mu * wp.abs(vn) / size, 0.0) + n * out


def _signed_distance(k: Author, shape: str, p: Term, V: Vec) -> tuple[Term, Term]:
    """Emit the signed distance to a body and its outward normal there."""
    T = V.dtype
    if shape == "plane":
        n = let(k, "n|nrm|up", wp.normalize(k.scalar("plane_n|normal", V))) if k.c.chance(1, 2) else let(
            k, "n|nrm|up", _unit(V, k.c.below(V.n)))  # fmt: skip
        return let(k, "dist|sd", wp.dot(p, n) - factor(k, "level|offset_d", T, 1, 50)), n
    if shape in ("sphere", "bowl"):
        d = let(k, "d|rel", p - k.scalar("center|origin", V))
        r = let(k, "r|length", wp.length(d) + 1.0e-4)
        size, n = factor(k, "size|ball_r|big_r", T, 50, 300), let(k, "n|nrm", d / r)
        return (let(k, "dist|sd", r - size), n) if shape == "sphere" else (let(k, "dist|sd", size - r), -n)
    if shape == "capsule":
        a, b = k.scalar("seg_a|tip_a", V), k.scalar("seg_b|tip_b", V)
        ab = let(k, "ab|shaft", b - a)
        t = let(k, "t|along", wp.clamp(wp.dot(p - a, ab) / (wp.dot(ab, ab) + 1.0e-3), 0.0, 1.0))
        d = let(k, "d|rel", p - (a + ab * t))
        r = let(k, "r|length", wp.length(d) + 1.0e-4)
        return let(k, "dist|sd", r - factor(k, "cap_r|thick", T, 10, 100)), let(k, "n|nrm", d / r)
    return _box(k, p, V)


def _unit(V: Vec, axis: int) -> Term:
    return make(V, *(number(float(m == axis), V.dtype) for m in range(V.n)))


def _box(k: Author, p: Term, V: Vec) -> tuple[Term, Term]:
    """Return the distance to an axis-aligned box, by the face that is nearest."""
    half = k.scalar("half|extent|box_half", V)
    q = let(k, "q|excess|over", wp.abs(p) - half)
    if k.c.chance(1, 2):
        outside = make(V, *(wp.max(q[m], 0.0) for m in range(V.n)))
        distance = let(k, "dist|sd", wp.length(outside) + wp.min(wp.max(q), 0.0))
    else:
        distance = let(k, "dist|sd", wp.max(q))
    n = k.var("n|nrm", make(V, *(wp.sign(p[0]) if m == 0 else number(0.0, V.dtype) for m in range(V.n))))
    best = k.var("best|face", q[0])
    for m in range(1, V.n):
        with k.if_(q[m] > best):
            best.set(q[m])
            n.set(make(V, *(wp.sign(p[m]) if o == m else number(0.0, V.dtype) for o in range(V.n))))
    return distance, Term(n.e)
