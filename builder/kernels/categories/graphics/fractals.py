"""Fractals by escape time and roots."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import gate, statistic, varied
from ...layouts import factor, let, precise
from ...terms import Term, both, cast, number, wp
from ...types import Scalar


def fractal(k: Author) -> None:
    """Escape-time and root fractals with smooth or plain counts and orbit traps."""
    c, T = k.c, precise(k)
    kind = c.pick(("Mandelbrot", "Julia", "burning-ship", "tricorn", "Newton"))
    k.name(f"{kind.lower().replace('-', '_')}|escape_time|fractal|render_fractal")
    out = k.output("counts_out|iterations|frame", T, 2)
    i, j = k.tid("i|y|row", "j|x|col")
    i = gate(k, i, out.shape(0))
    zoom = factor(k, "zoom|scale", T, 50, 300)
    y0 = (cast(i, T) / cast(out.shape(0), T) - 0.5) * zoom + factor(k, "cy|center_y", T, 1, 50)
    x0 = (cast(j, T) / cast(out.shape(1), T) - 0.7) * zoom * (1.0 if c.chance(1, 2) else 1.5)
    y0, x0 = let(k, "y0|py", y0), let(k, "x0|px", x0)
    julia = kind == "Julia"
    cr = factor(k, "c_re|seed_re", T) if julia else x0
    ci = factor(k, "c_im|seed_im", T) if julia else y0
    zr, zi = (
        k.var("zr|x", x0 * 1.0 if julia or kind == "Newton" else number(0.0, T)),
        k.var("zi|y", y0 * 1.0 if julia or kind == "Newton" else number(0.0, T)),
    )
    n = k.var("n|it", number(0.0, T))
    trap = k.var("trap|closest", number(100.0, T)) if c.chance(1, 2) else None
    _escape(k, kind, (zr, zi), (cr, ci), n, trap)
    value = _smooth(k, kind, (Term(n.e), Term(zr.e), Term(zi.e)), T)
    value = let(k, "v|tone", varied(k, let(k, "v0|raw_v", value), 0, 2))
    out[i, j] = value
    if trap is not None:
        k.output("trap_out|orbit", T, 2)[i, j] = varied(k, Term(trap.e), 0, 1)
    statistic(k, value)
    k.summary(f"Renders a {kind} fractal by iteration at each pixel.")


def _escape(k: Author, kind: str, z: tuple[Var, Var], seed: tuple[Term, Term], n: Var, trap: Var | None) -> None:
    """Iterate until the orbit escapes or the count ends."""
    c = k.c
    (zr, zi), (cr, ci) = z, seed
    limit = c.between(24, 200)
    if c.chance(1, 2):
        with k.for_("step|s", limit):
            _iterate(k, kind, zr, zi, cr, ci)
            if kind != "Newton":
                with k.if_(zr * zr + zi * zi > 16.0):
                    k.leave("break")
            if trap is not None:
                trap.set(wp.min(Term(trap.e), wp.abs(Term(zr.e) if c.chance(1, 2) else Term(zi.e))))
            n += 1.0
    else:
        test = n < float(limit) if kind == "Newton" else both(n < float(limit), zr * zr + zi * zi < 16.0)
        with k.while_(test):
            _iterate(k, kind, zr, zi, cr, ci)
            if trap is not None:
                trap.set(wp.min(Term(trap.e), zr * zr + zi * zi))
            n += 1.0


def _iterate(k: Author, kind: str, zr, zi, cr: Term, ci: Term) -> None:  # type: ignore[no-untyped-def]
    if kind == "Newton":
        a, b = let(k, "a|re2", zr * zr - zi * zi), let(k, "b|im2", 2.0 * zr * zi)
        d = let(k, "d|norm2", 3.0 * (a * a + b * b) + 0.01)
        zr.set(0.6666667 * zr + a / d)
        zi.set(0.6666667 * zi - b / d)
        return
    if kind == "burning-ship":
        x, y = let(k, "ax|ar", wp.abs(Term(zr.e))), let(k, "ay|ai", wp.abs(Term(zi.e)))
    else:
        x, y = let(k, "xr|tr", Term(zr.e) * 1.0), let(k, "yi|ti", Term(zi.e) * (-1.0 if kind == "tricorn" else 1.0))
    zr.set(x * x - y * y + cr if k.c.chance(1, 2) else (x - y) * (x + y) + cr)
    zi.set(2.0 * x * y + ci)


def _smooth(k: Author, kind: str, state: tuple[Term, Term, Term], T: Scalar) -> Term:
    n, x, y = state
    c = k.c
    if kind == "Newton":
        return wp.atan2(y, x + 1.0e-4) + n * 0.01
    way = c.below(3)
    if way == 0:
        return n * 0.01 + (x * x + y * y) * 0.0001
    r2 = let(k, "r2|mag2", wp.clamp(x * x + y * y, 4.0, 1.0e6))
    nu = n + 1.0 - wp.log2(0.5 * wp.log2(r2))
    return nu * 0.01 if way == 1 else 0.5 + 0.5 * wp.sin(nu * factor(k, "palette|color_freq", T))
