"""Polynomials and power iteration."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar


def polynomial(k: Author) -> None:
    """A polynomial at each point: Horner, Clenshaw, Chebyshev, Legendre, Hermite recurrences, Newton form, rational."""
    c, T = k.c, precise(k)
    kind = c.pick(("horner", "clenshaw", "legendre", "hermite", "newton", "rational", "lagrange", "powers"))
    k.name(f"{kind}|{kind}_eval|eval_{kind}|{kind}_polynomial")
    cells = Cells(k, 2)
    t = cells.input("x|points|t", T)[cells.place]
    x = local(k, "xi|t0|arg", wp.clamp(varied(k, t, 0, 1), -coefficient(k, T, 50, 200), coefficient(k, T, 50, 200)))
    rows = c.chance(1, 3)
    table = k.input("coeffs|a|weights", T, 2 if rows else 1)
    owner = cells.first % table.shape(0) if rows else None
    n = local(k, "n|degree|terms", table.shape(1 if rows else 0))
    if c.chance(1, 3):
        n = local(k, "m|used|order", wp.min(n, k.scalar("max_terms|limit|order_in", INT)))

    def a(j: Term) -> Term:
        return table[j] if owner is None else table[owner, j]

    value = _evaluated(k, kind, x, n, a, T)
    if c.chance(1, 3):
        value = value * wp.exp(-wp.min(x * x * coefficient(k, T), 30.0))
    value = settled(k, value, 0, 2)
    cells.output("out|y|values", T)[cells.place] = value
    statistic(k, value)
    k.summary(f"Evaluates at each point a series of coefficients{' of its own row' if rows else ''} in {kind} form.")


def _evaluated(k: Author, kind: str, x: Term, n: Term, a: TermOf, T: Scalar) -> Term:
    c = k.c
    if kind in ("horner", "rational"):
        return _horner(k, kind, x, n, a, T)
    if kind == "clenshaw":
        b1, b2 = k.var("b1|u1|next_b", number(0, T)), k.var("b2|u2|after_b", number(0, T))
        with sweep(k, n - 1, "back|j|m", ordered=True) as back:
            b = local(k, "b0|u0|fresh", 2.0 * x * b1 - b2 + a(n - 1 - back))
            b2.set(b1)
            b1.set(b)
        return a(number(0, INT)) + x * b1 - b2
    if kind in ("newton", "powers"):
        knots = k.input("knots|nodes|xs", T) if kind == "newton" else None
        acc, base = k.var("acc|y0|p", number(0, T)), k.var("base|w|power", number(1, T))
        with sweep(k, n, "j|m|i0", ordered=True) as j:
            acc += a(j) * base
            base *= x - knots[j] if knots is not None else x
        return Term(acc.e)
    if kind == "lagrange":
        return _lagrange(k, x, n, a, T)
    acc, p0, p1 = k.var("acc|y0|s", number(0, T)), k.var("p0|older|pm", number(1, T)), k.var("p1|newer|pc", x)
    with sweep(k, n, "j|m|i0", ordered=True) as j:
        acc += a(j) * p0
        f = local(k, "f|jf|deg", cast(j, T))
        if kind == "legendre":
            new = ((2.0 * f + 3.0) * x * p1 - (f + 1.0) * p0) / (f + 2.0)
        else:
            new = x * p1 - (f + 1.0) * p0 * number(c.pick((1.0, 0.5)), T)
        new = local(k, "p2|fresh|pn", new if kind == "legendre" else wp.clamp(new, -1.0e6, 1.0e6))
        p0.set(p1)
        p1.set(new)
    return Term(acc.e)


def _lagrange(k: Author, x: Term, n: Term, a: TermOf, T: Scalar) -> Term:
    knots = k.input("knots|nodes|xs", T)
    top, down = k.var("num|top|upper", number(0, T)), k.var("den|down|lower", number(0, T))
    with sweep(k, n, "j|m|i0") as j:
        d = local(k, "d|gap|dx", x - knots[j])
        w = local(k, "w|bary|wj", 1.0 / where(wp.abs(d) < 1.0e-3, number(1.0e-3, T), d))
        top += w * a(j)
        down += w
    return top / where(wp.abs(down) < 1.0e-3, number(1.0e-3, T), down)


def _horner(k: Author, kind: str, x: Term, n: Term, a: TermOf, T: Scalar) -> Term:
    c = k.c
    acc, low = k.var("acc|y0|p", number(0, T)), k.var("q|den|bottom", number(0, T)) if kind == "rational" else None
    slope = k.var("dp|slope|deriv", number(0, T)) if c.chance(1, 3) else None
    with sweep(k, n, "back|j|m", ordered=True) as back:
        j = local(k, "at|i0|rev", n - 1 - back)
        if slope is not None:
            slope.set(slope * x + acc)
        acc.set(acc * x + a(j))
        if low is not None:
            low.set(low * x + wp.abs(a(wp.max(j - 1, 0))))
    value = Term(acc.e) if low is None else acc / (1.0 + wp.abs(low))
    return value if slope is None else value + coefficient(k, T) * slope


def power_iteration(k: Author) -> None:
    """A step of power or inverse iteration, of a Rayleigh quotient, of Sinkhorn scaling or of a Markov chain."""
    c, T = k.c, precise(k)
    kind = c.pick(("power", "rayleigh", "sinkhorn", "markov", "shifted", "oja"))
    k.name(f"{kind}_iteration|{kind}_step|{kind}|{kind}_update")
    rows = Rows(k, "i|row|r", "n|cols|width", ("ragged", "batched"))
    a = rows.input("a|mat|matrix", T)
    x = k.input("x|vec_in|v", T)
    change = transform(k, "entry|kernel_of|prepare", T, 1)
    product = total(k, "acc|s|ax", rows.count, lambda j: change(a[j]) * x[j], T)
    i = rows.row
    if kind == "sinkhorn":
        value = k.input("marginals|targets|mu", T)[i] / wp.max(wp.abs(product), 1.0e-3)
    elif kind == "markov":
        value = (1.0 - setting(k, "teleport|eps", 0.15, T)) * product + coefficient(k, T, 1, 20)
    elif kind == "shifted":
        value = product - setting(k, "shift|sigma|mu0", 0.5, T) * x[i]
    elif kind == "oja":
        rate = setting(k, "rate|eta|lr", 0.05, T)
        value = x[i] + rate * (product - product * product * x[i])
    else:
        norm = k.input("norm|scale_in|length_in", T)[0]
        value = product / wp.max(wp.abs(norm), 1.0e-3) if c.chance(1, 2) else product * (1.0 / (wp.abs(norm) + 1.0e-3))
    value = settled(k, value, 0, 2)
    k.output("y|x_next|out", T)[i] = value
    for words in c.sample(("norm_out|sum_sq|yy", "rayleigh_out|xax|quotient", "shift_out|moved|gap"), c.below(3)):
        if words.startswith("norm"):
            part = value * value
        else:
            part = x[i] * product if words.startswith("ray") else wp.abs(value - x[i])
        k.atomic("add", k.output(words, T), 0, part, augmented=c.chance(1, 2))
    statistic(k, value)
    k.summary(f"Makes one {kind} iteration step with a matrix of {change.words}entries, one row per thread.")
