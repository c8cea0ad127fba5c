"""Loops of a pixel or a sample: escape times, ray marching, points drawn until one is accepted."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, make, number, where, wp
from ...types import DOUBLE, FLOAT, INT, VEC2, VEC3
from .common import cap, until


def escape(k: Author) -> None:
    """Escape times of quadratic, cubic and burning maps of the plane."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1})
    way = c.below(4)
    k.name(("mandelbrot|escape_time", "julia|julia_set", "burning_ship|ship_fractal", "tricorn|mandelbar")[way])
    image = k.output("image|iters|out", c.pick((INT, T)), 2)
    row, col = k.tid("row|y|i", "col|x|j")
    scale = k.scalar("scale|zoom|dx", T) if c.chance(1, 2) else number(c.between(1, 8) / 256, T)
    cx = k.let("cx|re0|px", (cast(col, T) - coefficient(k, T, 1000, 12000)) * scale)
    cy = k.let("cy|im0|py", (cast(row, T) - coefficient(k, T, 1000, 12000)) * scale)
    ax, ay = (coefficient(k, T, 5, 80), coefficient(k, T, 5, 80)) if way == 1 else (cx, cy)
    zx = k.var("zx|re|u", cx if way == 1 else number(0.0, T))
    zy = k.var("zy|im|v", cy if way == 1 else number(0.0, T))

    def step() -> None:
        re, im = Term(zx.e), Term(zy.e)
        xt = k.let("xt|tmp|nx", re * re - im * im + ax)
        cross = 2.0 * re * im
        zy.set((cross, cross, wp.abs(cross), -cross)[way] + ay)
        zx.set(wp.abs(xt) if way == 2 and c.chance(1, 2) else xt)

    def holds() -> Term:
        return Term(zx.e) * Term(zx.e) + Term(zy.e) * Term(zy.e) < number(c.pick((4.0, 16.0, 64.0)), T)

    turns = until(k, cap(k, 16, 120), holds, step, counted=True)
    held = image.type.dtype  # type: ignore[union-attr]
    if held is INT:
        image[row, col] = varied(k, turns, 0, 3)
    else:
        size = k.let("size|r2|mag", wp.min(Term(zx.e) * Term(zx.e) + Term(zy.e) * Term(zy.e), 1.0e4))
        image[row, col] = varied(k, cast(turns, T) + wp.log(1.0 + size) * coefficient(k, T), 0, 2)
    kind = ("quadratic map", "quadratic map with a fixed shift", "burning ship map", "conjugate quadratic map")[way]
    k.summary(f"Counts for each pixel the turns of a {T.name} {kind} until it escapes.")


def _scene(k: Scope, p: Term, way: int) -> Term:
    """Return the signed distance from a point to a simple shape."""
    c = k.c
    size = coefficient(k, FLOAT, 30, 150)
    if way == 0:
        return wp.length(p) - size
    if way == 1:
        q = k.let("q|d|w", wp.abs(p) - make(VEC3, size))
        return wp.length(wp.max(q, make(VEC3, 0.0))) + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0)
    if way == 2:
        ring = k.let("ring|flat|u", wp.sqrt(p[0] * p[0] + p[2] * p[2]) - size)
        return wp.sqrt(ring * ring + p[1] * p[1]) - coefficient(k, FLOAT, 5, 25)
    wave = 0.1 * wp.sin(coefficient(k, FLOAT) * p[0]) * wp.cos(coefficient(k, FLOAT) * p[1 + c.below(2)])
    return p[1] + wave


def _ray(k: Author, ndim: int) -> tuple[tuple[Term, ...], Term, Term]:
    """Declare rays as arrays or of a camera; return the thread's index, its ray's origin and direction."""
    index: tuple[Term, ...]
    if ndim == 1:
        origins, dirs = k.input("origins|ro|starts", VEC3), k.input("dirs|rd|rays", VEC3)
        i = gate(k, k.tid("i|tid|ray"), origins.shape(0))
        index = (i,)
        o, d = k.let("o|ro0|eye", origins[i]), k.let("d|rd0|dir", wp.normalize(dirs[i]))
    else:
        index = k.tid("row|y|py", "col|x|px")
        eye = k.scalar("eye|camera|cam", VEC3)
        width = k.scalar("width|res|size", FLOAT)
        o = k.let("o|start|ro", varied(k, eye, 0, 1))
        u, v = (cast(n, FLOAT) / (1.0 + wp.abs(width)) - 0.5 for n in index)
        d = k.let("d|dir|rd", wp.normalize(make(VEC3, u, v, coefficient(k, FLOAT))))
    return index, o, d


def march(k: Author) -> None:
    """Ray marching against a signed distance function."""
    c = k.c
    way = c.below(4)
    k.name("ray_march|sphere_trace|march_rays|trace_sdf|render_sdf")
    ndim = c.pick((1, 2))
    f = k.function("sdf|scene|distance_at", {"p|x|q": VEC3}, lambda s, p: varied(s, _scene(s, p, way), 0, 1))
    index, o, d = _ray(k, ndim)
    t = k.var("t|depth|travel", number(0.0))
    h = k.var("h|gap|dist", f(o))

    def step() -> None:
        t.set(Term(t.e) + Term(h.e) * (coefficient(k, FLOAT, 50, 99) if c.chance(1, 2) else 1.0))
        h.set(f(o + d * Term(t.e)))

    far = number(c.pick((20.0, 50.0, 100.0)))
    eps = number(c.pick((0.001, 0.01)))

    def holds() -> Term:
        return both(wp.abs(Term(h.e)) > eps, Term(t.e) < far) if c.chance(2, 3) else Term(h.e) > eps

    counted = c.chance(1, 2)
    turns = until(k, cap(k, 16, 80), holds, step, counted=counted)
    shade = wp.exp(-0.1 * wp.min(wp.abs(Term(t.e)), far))
    if c.chance(1, 2):
        shade = where(Term(h.e) < eps, shade, number(0.0))
    if counted:
        shade = shade + 0.01 * cast(turns, FLOAT)
    value = k.let("shade|lum|r", varied(k, shade, 1, 2))
    k.output("image|depth_out|out", FLOAT, ndim)[index if ndim > 1 else index[0]] = value
    statistic(k, value)
    kind = ("a ball", "a box", "a torus", "a wavy ground")[way]
    k.summary(f"Marches rays towards {kind} given by its signed distance.")


def rejection(k: Author) -> None:
    """Random points drawn until one is accepted, at most so many times."""
    c = k.c
    V = c.pick((VEC2, VEC3))
    k.name("rejection_sample|draw_accepted|sample_inside|accept_reject")
    out = k.output("out|points|samples", V)
    i = k.tid("i|tid|idx")
    state = k.let("state|rng|s", wp.rand_init(k.scalar("seed|key|base", INT), i))
    p = k.var("p|x|cand", make(V, 0.0))
    score = k.var("score|r2|fx", number(4.0))
    way = c.below(3)

    def step() -> None:
        p.set(make(V, *(wp.randf(state, -1.0, 1.0) for _ in range(V.n))))
        q = Term(p.e)
        value = (wp.dot(q, q), wp.max(wp.abs(q)), wp.length(q) + wp.randf(state))[way]
        score.set(varied(k, value, 0, 1))

    bound = coefficient(k, FLOAT, 50, 150)
    turns = until(k, cap(k, 8, 64), lambda: Term(score.e) > bound, step, counted=True)
    out[i] = varied(k, Term(p.e), 0, 2)
    if c.chance(1, 2):
        k.output("tries|turns_out|counts", INT)[i] = turns
    else:
        k.atomic("add", k.output("total_tries|work|drawn", INT), 0, turns)
    k.summary(f"Draws random {V.n}-D points until one is accepted or a cap is reached.")
