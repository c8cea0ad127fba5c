"""Effects: blending, dithering, vignettes, grain, mosaics."""

from __future__ import annotations

from ...author import Author
from ...fusion import statistic, varied
from ...layouts import Grid, factor, let, random_state
from ...terms import Term, cast, make, number, where, wp
from ...types import FLOAT, INT, VEC3
from .pixels import Picture, luminance


def blend(k: Author) -> None:
    """Compositing: over, add, multiply, screen, overlay, soft light, difference, with masks and premultiplied alpha."""
    c = k.c
    mode = c.pick(("over", "multiply", "screen", "overlay", "soft-light", "difference", "dodge", "add"))
    pic = Picture(k, radius=0, colour=True, rules=("clamp",))
    k.name(f"blend_{mode.replace('-', '_')}|composite|alpha_blend|layer_blend")
    top, base = pic.input("top|layer|fg"), pic.input("base|background|bg")
    alpha = pic.floats("alpha|matte|coverage", "input")
    dst = pic.output("dst|out|composited")
    pic.grid.enter()
    a = let(
        k,
        "a|opacity|cover",
        wp.clamp(pic.grid.at(alpha, 0, 0) * factor(k, "fade|opacity_in", FLOAT, 20, 100), 0.0, 1.0),
    )
    t, b = (
        let(k, "t|fg_px|upper", varied(k, let(k, "t0|fg0", pic.read(top, 0, 0)), 0, 1)),
        let(k, "b|bg_px|lower", pic.read(base, 0, 0)),
    )
    mixed = let(k, "m|mixed|both", _each(k, mode, t, b))
    way = c.below(3)
    if way == 0:
        value = b * (1.0 - a) + mixed * a
    elif way == 1:
        value = wp.lerp(b, mixed, a)
    else:
        value = b + (mixed - b) * a
    value = let(k, "value|res", varied(k, let(k, "value0|sum_px", value), 0, 2))
    pic.write(dst, value)
    if c.chance(1, 3):
        pic.grid.put(pic.floats("alpha_out|matte_out"), a + (1.0 - a) * factor(k, "base_alpha|a_bg", FLOAT, 10, 100))
    statistic(k, a)
    k.summary(f"Blends a layer over a background in {mode} mode by a matte.")


def _each(k: Author, mode: str, t: Term, b: Term) -> Term:
    """Return the mixture of two pixels; of colours, component by component."""
    from ...types import Vec

    if not isinstance(t.type, Vec):
        return _mode(k, mode, t, b)
    made = k.function(
        f"blend_{mode.replace('-', '_')}_channel|mix_channel",
        {"t|s": FLOAT, "b|d": FLOAT},
        lambda f, s, d: _mode(f, mode, s, d),
    )
    return make(VEC3, *(made(t[n], b[n]) for n in range(3)))


def _mode(f, mode: str, t: Term, b: Term) -> Term:  # type: ignore[no-untyped-def]
    if mode == "over":
        return t + b * 0.0 if f.c.chance(1, 2) else wp.lerp(b, t, 0.95)
    if mode == "multiply":
        return t * b
    if mode == "screen":
        return 1.0 - (1.0 - t) * (1.0 - b) if f.c.chance(1, 2) else t + b - t * b
    if mode == "overlay":
        return where(b < 0.5, 2.0 * t * b, 1.0 - 2.0 * (1.0 - t) * (1.0 - b))
    if mode == "soft-light":
        return (1.0 - 2.0 * t) * b * b + 2.0 * t * b
    if mode == "difference":
        return wp.abs(t - b)
    if mode == "dodge":
        return wp.min(b / wp.max(1.0 - t, 0.02), 1.0)
    return wp.min(t + b, 1.0)


def dither(k: Author) -> None:
    """Fewer levels: ordered dither by a Bayer matrix, by noise, by interleaved gradients, with several levels."""
    c = k.c
    pic = Picture(k, radius=0, rules=("clamp",))
    kind = c.pick(("Bayer-matrix", "noise", "interleaved-gradient", "threshold-map"))
    k.name("ordered_dither|dither|halftone|quantise_levels")
    src, dst = pic.input("src|img|grey"), pic.output("dst|out|dithered")
    y, x = pic.grid.enter()
    v = let(k, "v|tone|level", varied(k, pic.read(src, 0, 0), 0, 2))
    if kind == "Bayer-matrix":
        bits = c.pick((1, 2, 3))
        t = k.var("t|rank", number(0, INT))
        with k.for_("bit|level_b", bits) as bit:
            yb, xb = let(k, "yb|a", (y >> bit) & 1), let(k, "xb|b", (x >> bit) & 1)
            t.set(4 * t + (2 * (xb ^ yb) + yb if c.chance(1, 2) else ((xb ^ yb) << 1 | xb)))
        bias = cast(Term(t.e), FLOAT) / float(4**bits)
    elif kind == "noise":
        rng = random_state(k, y * 4099 + x)
        bias = wp.randf(rng) if c.chance(1, 2) else 0.5 * (wp.randf(rng) + wp.randf(rng))
    elif kind == "interleaved-gradient":
        inner = wp.frac(0.06711056 * cast(x, FLOAT) + 0.00583715 * cast(y, FLOAT))
        bias = wp.frac(52.9829189 * inner)
    else:
        table = k.input("pattern|tile|threshold_map", FLOAT, 2)
        bias = table[y % table.shape(0), x % table.shape(1)]
    bias = let(k, "bias|threshold|th", bias)
    levels = number(float(c.pick((1, 2, 3, 7, 15))))
    way = c.below(3)
    if way == 0:
        value = wp.floor(v * levels + bias) / levels
    elif way == 1:
        value = where(v > bias, number(1.0), number(0.0))
    else:
        value = wp.round((v + (bias - 0.5) * factor(k, "spread|amount", FLOAT, 10, 100)) * levels) / levels
    value = let(k, "value|res", value)
    if c.chance(1, 2):
        value = let(k, "clamped|held", wp.clamp(value, 0.0, 1.0))
    pic.write(dst, value)
    statistic(k, value - v if c.chance(1, 2) else value)
    k.summary(f"Dithers an image to few levels by a {kind} threshold.")


def stylise(k: Author) -> None:
    """Looks: vignette, grain, mosaic, scan lines, posterise, solarise, tilt-shift weights."""
    c = k.c
    looks = c.sample(("vignette", "film grain", "scan lines", "posterisation", "solarisation", "tint"), c.between(2, 3))
    pic = Picture(k, radius=0, colour=True, rules=("clamp",))
    k.name("stylise|film_look|post_effect|retro_filter")
    src, dst = pic.input("src|img|frame"), pic.output("dst|out|styled")
    y, x = pic.grid.enter()
    if c.chance(1, 4):
        size = c.pick((4, 8, 16))
        by, bx = let(k, "by|cell_y", y // size * size), let(k, "bx|cell_x", x // size * size)
        value = pic.number(pic.grid.get(src, by, bx))
    else:
        value = pic.read(src, 0, 0)
    value = let(k, "value|px|c0", value)
    for look in looks:
        value = let(k, f"{look.split()[0][:5]}_px|after_{look.split()[0]}", _look(k, look, pic.grid, value, y, x))
    value = let(k, "final|res", varied(k, value, 0, 1))
    pic.write(dst, value)
    if pic.colour:
        statistic(k, let(k, "lum|grey", luminance(k, value)))
    k.summary(f"Applies {' and '.join(looks[:2])} to an image.")


def _look(k: Author, look: str, g: Grid, v: Term, y: Term, x: Term) -> Term:
    c = k.c
    if look == "vignette":
        cy = cast(y, FLOAT) / cast(g.extents[0], FLOAT) - 0.5
        cx = cast(x, FLOAT) / cast(g.extents[1], FLOAT) - 0.5
        cy, cx = let(k, "cy|dy0", cy), let(k, "cx|dx0", cx)
        r2 = let(k, "r2|rad2", cx * cx + cy * cy)
        s = factor(k, "falloff|strength", FLOAT)
        return v * (1.0 / (1.0 + s * r2) if c.chance(1, 2) else wp.max(1.0 - s * wp.sqrt(r2 + 1.0e-6), 0.0))
    if look == "film grain":
        rng = random_state(k, y * 8191 + x)
        n = wp.randn(rng) if c.chance(1, 2) else wp.randf(rng) - 0.5
        return v * (1.0 + let(k, "grain|noise_v", n) * factor(k, "grain_amt|iso", FLOAT, 1, 30))
    if look == "scan lines":
        if c.chance(1, 2):
            return v * where(y % c.between(2, 4) == 0, factor(k, "dark|line_gain", FLOAT, 30, 90), number(1.0))
        return v * (0.85 + 0.15 * wp.sin(cast(y, FLOAT) * factor(k, "line_freq|pitch", FLOAT, 50, 300)))
    if look == "posterisation":
        levels = float(c.pick((3, 4, 5, 8)))
        return _per(v, lambda p: wp.floor(p * levels) / levels)
    if look == "solarisation":
        level = number(c.between(30, 70) / 100)
        return _per(v, lambda p: where(p > level, 1.0 - p, p))
    tint = factor(k, "warmth|tint_amt", FLOAT, 80, 120)
    return _per(v, lambda p: p * tint + 0.01)


def _per(v: Term, f) -> Term:  # type: ignore[no-untyped-def]
    from ...types import Vec

    if isinstance(v.type, Vec):
        return make(VEC3, *(f(v[n]) for n in range(3)))
    result: Term = f(v)
    return result
