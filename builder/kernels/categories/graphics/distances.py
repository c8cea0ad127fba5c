"""Signed distances of joined shapes and what is built from them."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, precise
from ...terms import Term, both, make, number, where, wp
from ...types import INT, Scalar, Vec, vec

_SHAPES = ("sphere", "box", "torus", "capsule", "cylinder", "octahedron", "plane", "gyroid")


def _primitive(f: Scope, shape: str, p: Term, T: Scalar) -> Term:
    c = f.c
    size = number(c.between(30, 120) / 100, T)
    small = number(c.between(5, 30) / 100, T)
    if shape == "sphere":
        return wp.length(p) - size
    if shape == "box":
        V = p.type
        assert isinstance(V, Vec)
        q = let(f, "q|over", wp.abs(p) - make(V, size, size * 0.7, small + 0.2))
        outer = wp.length(make(V, *(wp.max(q[n], 0.0) for n in range(3))))
        return outer + wp.min(wp.max(q), 0.0)
    if shape == "torus":
        ring = let(f, "ring|rr", wp.sqrt(p[0] * p[0] + p[2] * p[2] + 1.0e-6) - size)
        return wp.sqrt(ring * ring + p[1] * p[1] + 1.0e-6) - small
    if shape == "capsule":
        y = let(f, "yc|held_y", p[1] - wp.clamp(p[1], -size, size))
        return wp.sqrt(p[0] * p[0] + y * y + p[2] * p[2] + 1.0e-6) - small
    if shape == "cylinder":
        radial = wp.sqrt(p[0] * p[0] + p[2] * p[2] + 1.0e-6) - small
        return wp.max(radial, wp.abs(p[1]) - size)
    if shape == "octahedron":
        return (wp.abs(p[0]) + wp.abs(p[1]) + wp.abs(p[2]) - size) * 0.57735
    if shape == "plane":
        return p[1] + size
    s = number(c.pick((2.0, 3.0, 4.0)), T)
    return (
        wp.sin(p[0] * s) * wp.cos(p[1] * s) + wp.sin(p[1] * s) * wp.cos(p[2] * s) + wp.sin(p[2] * s) * wp.cos(p[0] * s)
    ) / s


def _joined(f: Scope, a: Term, b: Term) -> Term:
    way = f.c.below(5)
    if way == 0:
        return wp.min(a, b)
    if way == 1:
        return wp.max(a, -b)
    if way == 2:
        return wp.max(a, b)
    r = f.c.between(5, 40) / 100
    a, b = let(f, "da|sd_a", a), let(f, "db|sd_b", b)
    if way == 3:
        h = let(f, "h|mix_h", wp.clamp(0.5 + 0.5 * (b - a) / r, 0.0, 1.0))
        return wp.lerp(b, a, h) - h * (1.0 - h) * r
    return -wp.log(wp.exp(-wp.clamp(a, -4.0, 4.0) * 4.0) + wp.exp(-wp.clamp(b, -4.0, 4.0) * 4.0)) * 0.25


def _scene(k: Author, T: Scalar):  # type: ignore[no-untyped-def]
    """Return a function of the module that gives the distance to two or three joined shapes, and what they are."""
    c, V = k.c, vec(3, T)
    shapes = c.sample(_SHAPES, c.between(2, 3))

    def body(f: Scope, p: Term) -> Term:
        q = p
        if c.chance(1, 3):
            q = let(
                f, "qr|cell_p", make(V, *(p[n] - 4.0 * wp.round(p[n] * 0.25) if n != 1 else p[n] for n in range(3)))
            )
        d = _primitive(f, shapes[0], q, T)
        for n, shape in enumerate(shapes[1:]):
            at = let(f, f"p{n}|local{n}", q - make(V, *(number(c.between(-80, 80) / 100, T) for _ in range(3))))
            d = let(f, f"d{n}|sd{n}", _joined(f, d, _primitive(f, shape, at, T)))
        return varied(f, d, 0, 1) if c.chance(1, 4) else d

    return k.function("scene|map_sdf|distance|sdf", {"p|pos|x": V}, body), shapes


def distance_field(k: Author) -> None:
    """Signed distances of joined shapes: at points, on a grid, marched along rays, their normals, occlusion, cells."""
    c, T = k.c, precise(k)
    V = vec(3, T)
    part = c.pick(("distances", "normals", "marching", "marching-cubes cases"))
    k.name("sphere_trace|march_rays" if part == "marching" else "eval_sdf|distance_field|sample_sdf")
    scene, shapes = _scene(k, T)
    layout = Layout(k, 3, T)
    points = layout.input("points|origin|pos")
    i = gate(k, k.tid("i|tid|pt"), points.count)
    p = points.load(k, "p0|start|q", i)
    if part == "distances":
        d = let(k, "d|dist", varied(k, scene(p), 0, 3))
        k.output("dist_out|sdf_out", T)[i] = d
        statistic(k, d)
    elif part == "normals":
        e = c.pick((0.01, 0.001, 0.005))
        steps = [make(V, *(e if m == n else 0.0 for m in range(3))) for n in range(3)]
        if c.chance(1, 2):
            g = [scene(p + s) - scene(p - s) for s in steps]
        else:
            here = let(k, "here|d0", scene(p))
            g = [scene(p + s) - here for s in steps]
        n = wp.normalize(make(V, *(let(k, f"g{axis}|n{axis}", v) for axis, v in zip("xyz", g, strict=True))))
        layout.output("normal_out|normals").store(k, i, let(k, "n|nrm", varied(k, let(k, "n0|g0", n), 0, 2)))
    elif part == "marching":
        _march(k, scene, p, layout, i, T)
    else:
        _cases(k, scene, p, i, T)
    k.summary(f"Computes {part} of a signed distance field of {len(shapes)} joined shapes ({', '.join(shapes)}).")


def _cases(k: Author, scene, p: Term, i: Term, T: Scalar) -> None:  # type: ignore[no-untyped-def]
    """Number the case of marching cubes of the cell at each point."""
    c, V = k.c, vec(3, T)
    code = k.var("code|case_id", number(0, INT))
    h = factor(k, "cell|h|size", T)
    with k.for_("v|corner", 8) as v:
        offset = make(V, *(where(((v >> m) & 1) == 1, h, number(0.0, T)) for m in range(3)))
        with k.if_(scene(p + offset) < factor(k, "iso|level", T, 1, 20) if c.chance(1, 2) else scene(p + offset) < 0.0):
            code.set(Term(code.e) | (number(1, INT) << v))
    k.output("case_out|codes", INT)[i] = varied(k, Term(code.e), 0, 1)
    if c.chance(1, 2):
        with k.if_(both(Term(code.e) > 0, Term(code.e) < 255)):
            k.atomic("add", k.output("active|surface_cells", INT), 0, 1)


def _march(k: Author, scene, o: Term, layout: Layout, i: Term, T: Scalar) -> None:  # type: ignore[no-untyped-def]
    c = k.c
    d = let(k, "rd|dirn", wp.normalize(layout.input("dirs|ray_d").at(i)))
    t = k.var("t|travel", factor(k, "t_near|near", T, 1, 20) * 1.0)
    soft = k.var("soft|shade", number(1.0, T)) if c.chance(1, 2) else None
    steps = k.var("steps|count_s", number(0, INT)) if c.chance(1, 2) else None
    with k.for_("it|step", c.between(24, 96)):
        s = let(k, "s|dist", scene(o + d * t))
        if soft is not None:
            soft.set(wp.min(soft, factor(k, "k_soft|hard", T, 200, 900) * s / wp.max(Term(t.e), 0.05)))
        with k.if_(s < factor(k, "eps|hit_eps", T, 1, 2) * 0.1 if c.chance(1, 2) else wp.abs(s) < 0.001):
            k.leave("break")
        t += s * factor(k, "relax|omega", T, 60, 100) if c.chance(1, 2) else wp.max(s, 0.01)
        if c.chance(1, 2):
            with k.if_(t > 20.0):
                k.leave("break")
        if steps is not None:
            steps += 1
    value = let(k, "value|depth", varied(k, Term(t.e), 0, 2))
    k.output("depth_out|t_out", T)[i] = value
    if soft is not None:
        k.output("shadow_out|soft_out", T)[i] = wp.clamp(Term(soft.e), 0.0, 1.0)
    if steps is not None:
        k.output("steps_out|iters", INT)[i] = Term(steps.e)
    statistic(k, value)
