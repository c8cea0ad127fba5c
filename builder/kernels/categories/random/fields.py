"""Dithering, noise textures, octaves, flows."""

from __future__ import annotations

from ...author import Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Like, Term, cast, make, number, where, wp
from ...types import FLOAT, INT, UINT, VEC2, VEC3, VEC4, Value
from .common import normal, state_of


def dither(k: Author) -> None:
    """Images reduced to few levels with random thresholds; grain, salt and pepper."""
    c = k.c
    k.name("dither|random_threshold|film_grain|salt_pepper|noisy_quantize")
    levels = c.pick((2.0, 4.0, 8.0, 16.0))
    src = k.input("src|image|lum", FLOAT, 2)
    row, col = k.tid("row|y|i", "col|x|j")
    state = state_of(k, row, col)
    v = k.let("v|lum0|px", wp.clamp(varied(k, src[row, col], 0, 2), 0.0, 1.0))
    way = c.below(3)
    if way == 0:
        noise = wp.randf(state) if c.chance(1, 2) else 0.5 * (wp.randf(state) + wp.randf(state))
        made = wp.floor(v * number(levels) + noise) / number(levels)
    elif way == 1:
        grain = k.let("grain|g|n0", normal(k, state) * coefficient(k, FLOAT, 1, 30))
        made = wp.clamp(v + grain * (1.0 - v if c.chance(1, 2) else v), 0.0, 1.0)
    else:
        u = k.let("u|r|dice", wp.randf(state))
        p = coefficient(k, FLOAT, 1, 20)
        made = where(u < p, number(0.0), where(u > 1.0 - p, number(1.0), v))
    value = k.let("value|res|tone", varied(k, made, 0, 2))
    if c.chance(1, 2):
        k.output("out|dst|dithered", FLOAT, 2)[row, col] = value
    else:
        k.output("out|codes|levels_out", INT, 2)[row, col] = cast(wp.clamp(value, 0.0, 1.0) * number(levels * 2.0), INT)
    statistic(k, value)
    what = ("Reduces an image to few levels with random thresholds", "Adds grain to an image",
            "Sets random pixels of an image black or white")[way]  # fmt: skip
    k.summary(f"{what}.")


def _point(k: Author, index: tuple[Term, ...], n: int) -> Term:
    """Return the point of space that a pixel or element stands for, as a term of ``n`` coordinates."""
    c = k.c
    places: list[Like] = [cast(m, FLOAT) * coefficient(k, FLOAT, 1, 40) for m in index][:n]
    while len(places) < n:
        places.append(k.scalar("time|t|phase", FLOAT) if c.chance(1, 2) else coefficient(k, FLOAT))
    if n == 1:
        return k.let("p|u|x", varied(k, places[0], 0, 1))  # type: ignore[no-any-return]
    return k.let("p|uv|at", make({2: VEC2, 3: VEC3, 4: VEC4}[n], *places))  # type: ignore[no-any-return]


def noise_texture(k: Author) -> None:
    """Textures of gradient noise: marble, clouds, terraces, periodic tiles."""
    c = k.c
    n = c.pick((2, 3, 1, 4))
    k.name("noise_texture|perlin|marble|cloud_layer|tile_noise")
    ndim = c.pick((2, 2, 1))
    index = k.tid(*("row|y|i", "col|x|j")[:ndim])
    places = index if isinstance(index, tuple) else (index,)
    state = k.let("state|rng|s0", wp.rand_init(k.scalar("seed|key|base_seed", INT)))
    p = _point(k, places, n)
    periodic = c.chance(1, 2)
    if periodic:
        base = wp.pnoise(state, p, *(c.pick((4, 8, 16)) for _ in range(n)))
    else:
        base = wp.noise(state, p * coefficient(k, FLOAT) if c.chance(1, 2) else p)
    b = k.let("b|n0|base", base)
    way = c.below(4)
    first = p if n == 1 else p[0]
    if way == 0:
        made = wp.sin(first * coefficient(k, FLOAT) + b * coefficient(k, FLOAT, 100, 600))
    elif way == 1:
        made = wp.smoothstep(0.0, coefficient(k, FLOAT, 30, 120), wp.abs(b))
    elif way == 2:
        steps = number(c.pick((4.0, 6.0, 10.0)))
        made = wp.floor((b + 1.0) * steps) / steps
    else:
        made = wp.noise(state, p + b if n == 1 else p + p * b)
    value = k.let("value|h|tone", varied(k, made, 0, 2))
    k.output("out|image|height", FLOAT, ndim)[index] = value
    statistic(k, value)
    what = ("marble", "clouds", "terraces", "warped noise")[way]
    k.summary(f"Makes a texture of {what} from {n}-D {'periodic ' if periodic else ''}gradient noise.")


def octaves(k: Author) -> None:
    """Fractal noise: sums of octaves, ridges, turbulence."""
    c = k.c
    n = c.pick((2, 3, 4))
    way = c.below(3)
    k.name(("fbm|fractal_noise", "turbulence|billow", "ridged|mountains")[way])
    points = k.input("points|uv|positions", {2: VEC2, 3: VEC3, 4: VEC4}[n])
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    state = state_of(k, i) if c.chance(1, 3) else k.let("state|rng|s0", wp.rand_init(c.between(1, 999)))
    p = k.let("p|x|q", varied(k, points[i], 0, 1))
    total, amp, freq = (
        k.var("total|h|acc", number(0.0)),
        k.var("amp|a|gain", number(0.5)),
        k.var("freq|f|scale", number(1.0)),
    )
    count = c.between(3, 6) if c.chance(1, 2) else k.scalar("octaves|layers|depth", INT)
    with k.for_("o|n|j", count):
        at = p * Term(freq.e)
        b = k.let(
            "b|n0|v",
            wp.noise(state, at) if c.chance(2, 3) else wp.pnoise(state, at, *(c.pick((8, 16, 32)) for _ in range(n))),
        )
        shaped = (b, wp.abs(b), 1.0 - wp.abs(b))[way]
        if way == 2 and c.chance(1, 2):
            shaped = shaped * shaped
        total += Term(amp.e) * varied(k, shaped, 0, 1)
        updates = [(amp, coefficient(k, FLOAT, 30, 70)), (freq, number(c.pick((2.0, 1.9, 2.1, 3.0))))]
        for local, factor in c.sample(updates, 2):
            local.set(Term(local.e) * factor)
    value = k.let("value|height|res", varied(k, Term(total.e), 0, 2))
    k.output("out|heights|density", FLOAT)[i] = value
    statistic(k, value)
    k.summary(f"Sums octaves of {n}-D noise{(' ', ' of absolute values', ' turned into ridges')[way].rstrip()}.")


def flow(k: Author) -> None:
    """Particles carried by curl noise, with and without octaves."""
    c = k.c
    way = c.pick((3, 2, 4))
    V: Value = VEC2 if way == 2 else VEC3
    k.name("curl_flow|advect_noise|smoke_step|swirl|turbulent_drift")
    pos = k.inout("pos|points|x", V)
    i = gate(k, k.tid("i|tid|particle"), pos.shape(0))
    seed = k.scalar("seed|key|base_seed", INT)
    state = k.let("state|rng|s0", wp.rand_init(seed) if c.chance(1, 2) else wp.rand_init(seed, number(c.below(9), INT)))
    dt = k.scalar("dt|h|step", FLOAT)
    p = k.var("p|x0|cur", pos[i])

    def velocity(s: Scope, x: Term) -> Term:
        at = x * coefficient(s, FLOAT)
        if way == 4:
            at = make(VEC4, *(at[m] for m in range(3)), coefficient(s, FLOAT))
        if s.c.chance(1, 2):
            return wp.curlnoise(state, at)
        return wp.curlnoise(state, at, number(s.c.between(1, 4), UINT), number(2.0), number(0.5))

    with k.for_("n|sub|it", c.between(1, 4) if c.chance(1, 2) else k.scalar("substeps|n_sub|iters", INT)):
        v = k.let("v|vel|u", varied(k, velocity(k, Term(p.e)), 0, 2))
        if c.chance(1, 3):
            mid = k.let("mid|half|pm", Term(p.e) + v * (0.5 * dt))
            v = k.let("v2|vm|w", velocity(k, mid))
        p.set(Term(p.e) + v * dt)
    made = Term(p.e)
    if c.chance(1, 3):
        with k.if_(wp.length(made) > coefficient(k, FLOAT, 200, 900)):
            p.set(make(V, *(wp.randf(state) for _ in range(V.n))))  # type: ignore[union-attr]
    pos[i] = varied(k, made, 0, 1)
    statistic(k, wp.length(made))
    k.summary(f"Carries particles along {way}-D curl noise, in place.")
