"""Paths of light: bounces at surfaces and ambient occlusion."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let, random_state
from ...terms import Term, make, number, where, wp, zero
from ...types import FLOAT, Vec, vec


def path_bounce(k: Author) -> None:
    """One bounce of light paths against spheres: sampling by cosine, mirror or glass, roulette, ambient occlusion."""
    c, T = k.c, FLOAT
    V = vec(3)
    kind = c.pick(("diffuse", "mirror", "glass", "glossy", "ambient-occlusion"))
    k.name(
        "path_bounce|scatter_rays|trace_bounce|ambient_occlusion"
        if kind[0] == "a"
        else "path_bounce|scatter_rays|trace_bounce"
    )
    layout = Layout(k, 3, T)
    pos, nrm = layout.input("hit_p|positions"), layout.input("hit_n|normals")
    i = gate(k, k.tid("i|tid|path"), nrm.count)
    p, n = pos.load(k, "p|x", i), let(k, "n|nn", wp.normalize(nrm.at(i)))
    rng = random_state(k, i)
    if kind == "ambient-occlusion":
        _occlusion(k, (p, n, rng, i), layout)
        return
    d = layout.input("dirs|ray_d").load(k, "d|wi", i)
    new = let(k, "wo|new_d", _scatter(k, kind, d, n, rng, V))
    thr = layout.input("throughput|beta_in").load(k, "beta|thr", i)
    albedo = k.scalar("albedo|tint_c", V) if c.chance(1, 2) else make(V, 0.8, 0.7, 0.6)
    thr = let(k, "beta1|thr1", varied(k, wp.cw_mul(thr, albedo), 0, 1))
    if c.chance(1, 2):
        keep = let(k, "keep|survive", wp.clamp(wp.max(thr), 0.05, 0.95))
        thr = let(k, "beta2|thr2", where(wp.randf(rng) < keep, thr / keep, zero(V)))
    layout.output("dirs_out|next_d").store(k, i, new)
    layout.output("throughput_out|beta_out").store(k, i, thr)
    if c.chance(1, 2):
        layout.output("origin_out|next_o").store(k, i, p + n * factor(k, "bias|eps_o", T, 1, 5))
    statistic(k, wp.max(thr))
    k.summary(f"Scatters light paths at {kind} surfaces with counter-based random numbers.")


def _scatter(k: Author, kind: str, d: Term, n: Term, rng: Term, V: Vec) -> Term:
    c = k.c
    mirror = d - n * (2.0 * wp.dot(d, n))
    if kind == "mirror":
        return wp.normalize(
            mirror + make(V, wp.randn(rng), wp.randn(rng), wp.randn(rng)) * factor(k, "blur|fuzz", FLOAT, 1, 20)
        )
    if kind == "glossy":
        lobe = let(k, "lobe|fuzzed", mirror + wp.sample_unit_sphere(rng) * factor(k, "rough|fuzz", FLOAT, 5, 60))
        return where(wp.dot(lobe, n) > 0.0, wp.normalize(lobe), n)
    if kind == "glass":
        eta = let(k, "eta|ratio", where(wp.dot(d, n) < 0.0, number(0.667), number(1.5)))
        face = let(k, "face|fn", where(wp.dot(d, n) < 0.0, n, -n))
        cos = let(k, "cos_t|ci", wp.min(-wp.dot(d, face), 1.0))
        k2 = let(k, "k2|disc", 1.0 - eta * eta * (1.0 - cos * cos))
        bent = let(k, "bent|refr", d * eta + face * (eta * cos - wp.sqrt(wp.max(k2, 0.0) + 1.0e-6)))
        return where(k2 < 0.0, mirror, where(wp.randf(rng) < 0.05 + 0.9 * (1.0 - cos) * (1.0 - cos), mirror, bent))
    way = c.below(3)
    if way == 0:
        return wp.normalize(n + wp.sample_unit_sphere_surface(rng))
    if way == 1:
        h = let(k, "h|hemi", wp.sample_unit_sphere_surface(rng))
        return where(wp.dot(h, n) < 0.0, -h, h)
    u, phi = let(k, "u|r1", wp.randf(rng)), let(k, "phi|r2", 6.2831853 * wp.randf(rng))
    side = where(wp.abs(n[0]) > 0.8, make(V, 0.0, 1.0, 0.0), make(V, 1.0, 0.0, 0.0))
    t = let(k, "t|tan", wp.normalize(wp.cross(side, n)))
    b, r = let(k, "b|bit", wp.cross(n, t)), let(k, "r|rad", wp.sqrt(u + 1.0e-6))
    return t * (r * wp.cos(phi)) + b * (r * wp.sin(phi)) + n * wp.sqrt(wp.max(1.0 - u, 0.0) + 1.0e-6)


def _occlusion(k: Author, at: tuple[Term, ...], layout: Layout) -> None:
    p, n, rng, i = at
    c = k.c
    spheres, radii = layout.input("spheres|blockers"), k.input("radii|blocker_r", FLOAT)
    open_, count = k.var("open_w|free", number(0.0)), c.between(4, 16)
    with k.for_("s|sample", count):
        d = let(k, "d|dirn", wp.normalize(n + wp.sample_unit_sphere_surface(rng) * 0.99))
        hit = k.var("hit|blocked", number(0.0))
        with k.for_("m|ball", spheres.count) as m:
            oc = let(k, "oc|rel", p - spheres.at(m))
            b = let(k, "b|half_b", wp.dot(oc, d))
            r = radii[wp.min(m, radii.shape(0) - 1)]
            disc = let(k, "disc|h2", b * b - wp.dot(oc, oc) + r * r)
            with k.if_(disc > 0.0):
                hit.set(wp.max(Term(hit.e), wp.step(b)))
                if c.chance(1, 2):
                    k.leave("break")
        open_ += (1.0 - Term(hit.e)) * (wp.max(wp.dot(d, n), 0.0) if c.chance(1, 2) else 1.0)
    value = let(k, "ao|open_f", varied(k, Term(open_.e) / float(count), 0, 2))
    k.output("ao_out|visibility", FLOAT)[i] = value
    statistic(k, value)
    k.summary("Estimates the ambient occlusion of points among spheres from random rays.")
