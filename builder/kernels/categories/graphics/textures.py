"""Procedural textures."""

from __future__ import annotations

from ...author import Author
from ...fusion import gate, statistic, varied
from ...layouts import Layout, factor, let
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, vec


def textures(k: Author) -> None:
    """Procedural textures: checkers, marble, wood, bricks, turbulence, stripes, spots, by noise of several octaves."""
    c, T = k.c, FLOAT
    kind = c.pick(("checker", "marble", "wood", "brick", "turbulence", "stripe", "cell"))
    k.name(f"{kind}_texture|procedural_texture|texture_eval|pattern")
    layout = Layout(k, 3, T)
    pos = layout.input("points|uvw|coords")
    i = gate(k, k.tid("i|tid|px"), pos.count)
    p = let(k, "p|q", pos.at(i) * factor(k, "freq|scale", T))
    v = let(k, "v|pattern_v", _pattern(k, kind, p))
    v = let(k, "v1|tone", varied(k, v, 0, 2))
    if c.chance(1, 2):
        a, b = k.scalar("color_a|dark", vec(3)), k.scalar("color_b|light_c", vec(3))
        layout.output("color_out|rgb").store(k, i, wp.lerp(a, b, wp.clamp(v, 0.0, 1.0)))
    else:
        k.output("value_out|grey", T)[i] = v
    statistic(k, v)
    k.summary(f"Evaluates a {kind} texture at points of space.")


def _noise(k: Author, p: Term) -> Term:
    """Return a sum of octaves of noise, in a loop or once."""
    c = k.c
    state = let(k, "st|noise_seed", wp.rand_init(k.scalar("seed|noise_key", INT)))
    if c.chance(1, 3):
        return wp.noise(state, p)
    total, amp, q = k.var("total|fbm", number(0.0)), k.var("amp|gain_o", number(0.5)), k.var("oct|pq", p)
    with k.for_("o|octave", c.between(2, 5)):
        n = let(k, "n|smp", wp.noise(state, Term(q.e)))
        total += Term(amp.e) * (wp.abs(n) if c.chance(1, 2) else n)
        amp *= c.pick((0.5, 0.6, 0.45))
        q.set(Term(q.e) * 2.0)
    return Term(total.e)


def _pattern(k: Author, kind: str, p: Term) -> Term:
    c = k.c
    cells = [let(k, f"c{n}|f{n}", wp.floor(p[n])) for n in range(3)]
    if kind == "checker":
        s = cells[0] + cells[1] + cells[2]
        if c.chance(1, 2):
            return 2.0 * wp.frac(0.5 * wp.abs(s))
        return where(cast(wp.abs(s), INT) % 2 == 0, number(1.0), factor(k, "dark|low_v", FLOAT, 5, 60))
    if kind == "brick":
        row = let(k, "row|course", wp.floor(p[1] * 2.0))
        x = let(k, "x|shifted", wp.frac(wp.abs(p[0] + 0.5 * wp.frac(0.5 * wp.abs(row)))))
        y = let(k, "y|mort", wp.frac(wp.abs(p[1] * 2.0)))
        gap = factor(k, "mortar|joint", FLOAT, 2, 15)
        return where(wp.min(x, y) < gap, number(0.2), 0.8 + 0.1 * wp.sin(row + cells[0]))
    if kind == "stripe":
        s = wp.sin(p[0] * 3.14159265 + factor(k, "bend|warp_a", FLOAT) * wp.sin(p[1]))
        return wp.smoothstep(-0.2, 0.2, s) if c.chance(1, 2) else 0.5 + 0.5 * s
    if kind == "cell":
        best = k.var("best|nearest", number(10.0))
        with k.for_("a|di", -1, 2) as a, k.for_("b|dj", -1, 2) as b:
            x, y = let(k, "gx|cx", cells[0] + cast(a, FLOAT)), let(k, "gy|cy", cells[1] + cast(b, FLOAT))
            h = let(k, "h|hash", wp.frac(wp.abs(wp.sin(x * 12.9898 + y * 78.233)) * 43758.5))
            dx, dy = let(k, "dx|ox", x + h - p[0]), let(k, "dy|oy", y + wp.frac(h * 7.31) - p[1])
            best.set(wp.min(Term(best.e), dx * dx + dy * dy))
        return wp.sqrt(Term(best.e) + 1.0e-6)
    n = let(k, "turb|nz", _noise(k, p))
    if kind == "marble":
        return 0.5 + 0.5 * wp.sin(p[c.below(3)] * 4.0 + factor(k, "vein|swirl", FLOAT, 100, 600) * n)
    if kind == "wood":
        r = let(
            k, "r|ring", wp.sqrt(p[0] * p[0] + p[2] * p[2] + 1.0e-4) * factor(k, "rings|grain", FLOAT, 200, 900) + n
        )
        return wp.frac(r) if c.chance(1, 2) else 0.5 + 0.5 * wp.sin(r * 6.2831853)
    return wp.abs(n) + cells[0] * 0.001 if c.chance(1, 2) else n
