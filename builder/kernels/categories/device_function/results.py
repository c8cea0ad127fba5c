"""Functions with several results, with arrays as arguments, with defaults."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, cast, number, wp
from ...types import FLOAT, INT, Array
from .calls import REALS


def several(k: Author) -> None:
    """Functions with several results, taken apart."""
    c, T = k.c, k.c.weighted(REALS)
    k.name("split_values|two_results|decompose|solve_pair|min_max_pair")
    way = c.below(4)

    def body(s: Scope, a: Term, b: Term) -> tuple[Term, ...]:
        a, b = (s.let(word, varied(s, v, 0, 1)) for word, v in (("p|a1", a), ("q|b1", b)))
        if way == 0:
            return wp.min(a, b), wp.max(a, b)
        if way == 1:
            disc = s.let("disc|h", wp.sqrt(wp.abs(a * a - b) + coefficient(s, T)))
            return -a - disc, -a + disc
        if way == 2:
            total = s.let("total|n", wp.abs(a) + wp.abs(b) + coefficient(s, T))
            return a / total, b / total, total
        return wp.sqrt(a * a + b * b), wp.atan2(b, wp.abs(a) + 0.01), a * b

    f = k.function("both_of|split|pair_of|solve", {"a|x|u": T, "b|y|v": T}, body)
    a, b = k.input("a|xs|left", T), k.input("b|ys|right", T)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    names = ("lo|first|r", "hi|second|phi", "rest|norm|third")[: 3 if way > 1 else 2]
    results = k.many(names, f(varied(k, a[i], 0, 1), b[i]))
    if c.chance(1, 2):
        value = results[0]
        for more in results[1:]:
            value = varied(k, value, 0, 1) * more if c.chance(1, 2) else value - varied(k, more, 0, 2)
        k.output("out|result|y", T)[i] = varied(k, value, 0, 1)
    else:
        for n, value in enumerate(results):
            k.output(("out_a|lower|r_out", "out_b|upper|phi_out", "out_c|norms|third_out")[n], T)[i] = varied(
                k, value, 0, 2
            )
    k.summary(f"Takes the {len(names)} results of a {T.name} function apart.")


def higher(k: Author) -> None:
    """Functions that take an array and loop over it: dot products, polynomials, interpolation, local maxima."""
    c, T = k.c, k.c.weighted(REALS)
    way = c.below(4)
    k.name(("row_dot|dot_rows", "horner_eval|poly_rows", "interp_table|lookup_table", "window_max|local_extreme")[way])
    table, x = k.input("table|coeffs|w", T), k.input("x|src|query", T)
    n = k.scalar("n|order|count", INT) if c.chance(1, 2) else number(c.between(3, 9), INT)

    def body(s: Scope, a: Arr, v: Term, m: Term) -> Term:
        if way == 2:
            at_ = s.let("at|pos|u", wp.clamp(v, 0.0, 1.0) * cast(a.shape(0) - 1, T))
            low = s.let("low|k0|cell", wp.min(cast(wp.floor(at_), INT), wp.max(a.shape(0) - 1 - wp.min(m, 1), 0)))
            frac = s.let("frac|f|t", varied(s, at_ - cast(low, T), 0, 1))
            return wp.lerp(a[low], a[wp.min(low + 1, a.shape(0) - 1)], frac)
        acc = s.var("acc|r|s0", number(0, T) if way != 3 else v)
        with s.for_("j|q|p", wp.min(m, a.shape(0))) as j:
            e = s.let("e|c0|aj", a[j])
            if way == 0:
                acc += e * varied(s, v, 0, 1)
            elif way == 1:
                acc.set(Term(acc.e) * v + e)
            else:
                acc.set(wp.max(Term(acc.e), varied(s, e * v, 0, 2)))
        return Term(acc.e)

    f = k.function("eval_at|reduce_with|over", {"a|arr|c": Array(T, 1), "v|x|t": T, "m|n|len_": INT}, body)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    value = k.let("value|y|r", varied(k, f(table, wp.clamp(varied(k, x[i], 0, 2), -2.0, 2.0), n), 0, 2))
    k.output("out|result|y_out", T)[i] = value
    statistic(k, value)
    what = ("weighted sum", "polynomial", "interpolated entry", "largest product")[way]
    k.summary(f"Computes a {what} of a {T.name} table by a function that takes the array.")


def defaults(k: Author) -> None:
    """Functions with default values, called with and without them."""
    c, T = k.c, FLOAT
    k.name("with_defaults|smooth_default|kernel_weight|scaled_default")
    count = c.between(1, 2)
    words = ("k|rate|stiff", "bias|shift|offset")[:count]
    defaults = tuple(number(c.between(5, 300) / 100, T) for _ in words)

    def body(s: Scope, x: Term, *more: Term) -> Term:
        v = varied(s, x * more[0], 1, 2)
        return v + more[1] if len(more) > 1 else v  # type: ignore[no-any-return]

    f = k.function("weight|respond|soft|curve", {"x|v|r": T} | dict.fromkeys(words, T), body, defaults=defaults)
    x = k.input("x|src|dist", T, c.pick((1, 2)))
    index = k.tid(*("row|i|y", "col|j|x0")[: x.type.ndim])  # type: ignore[union-attr]
    v = k.let("v|e|cur", varied(k, x[index], 0, 1))
    calls = [
        f(v, *(coefficient(k, T) for _ in range(given)))
        for given in c.sample(range(count + 1), c.between(1, count + 1))
    ]
    value = calls[0]
    for more in calls[1:]:
        value = value * more if c.chance(1, 2) else value + varied(k, more, 0, 1)
    made = k.let("total|r|w", varied(k, value, 0, 2))
    k.output("out|result|y_out", T, x.type.ndim)[index] = made  # type: ignore[union-attr]
    statistic(k, made)
    k.summary(f"Calls a function whose last {count} parameters have default values.")
