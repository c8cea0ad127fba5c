"""Long vectors, components by index, norms, copies."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, make, number, where, wp
from ...types import DOUBLE, FLOAT, HALF, INT, Vec, vec

REALS = {FLOAT: 6, DOUBLE: 2, HALF: 1}


def component(v: Var | Term, n: Term | int) -> Term:
    """Return a component of a local."""
    return Term(v.e)[n]


def long_vectors(k: Author) -> None:
    """Vectors of five to twelve components: filled, shifted, smoothed, folded by index."""
    c, T = k.c, k.c.weighted(REALS)
    n = c.between(5, 12)
    V = vec(n, T)
    k.name("long_vectors|fill_vector|shift_window|filter_taps|vector_registers")
    src = k.input("src|x|signal", T)
    i = gate(k, k.tid("i|tid|idx"), src.shape(0))
    v = k.var("v|taps|window", make(V))
    with k.for_("j|n|m", n) as j:
        value = varied(k, src[(i + j) % src.shape(0)], 0, 2)
        k.put(component(v, j), value)
    way = c.below(4)
    w = k.var("w|next_v|u", make(V) if way == 0 else Term(v.e))
    if way < 3:
        with k.for_("p|q|t", 1, n - 1) as p:
            if way == 0:
                made = 0.5 * (component(v, p - 1) + component(v, p + 1)) - component(v, p) * coefficient(k, T)
            elif way == 1:
                made = wp.max(component(v, p), component(v, p - 1))
            else:
                made = component(w, p - 1) + component(v, p) * coefficient(k, T)
            k.put(component(w, p), varied(k, made, 0, 1))
    else:
        with k.for_("p|q|t", n // 2) as p:
            kept = k.let("kept|tmp|swap", component(w, p))
            k.put(component(w, p), component(v, n - 1 - p))
            k.put(component(w, n - 1 - p), kept)
    end = c.below(3)
    if end == 0:
        k.output("out|vectors|result", V)[i] = varied(k, Term(w.e), 0, 2)
    elif end == 1:
        k.output("out|sums|energy", T)[i] = varied(k, wp.dot(Term(w.e), Term(v.e)), 0, 2)
    else:
        k.output("out|picked|result", T)[i] = varied(k, component(w, i % n) - wp.min(Term(v.e)), 0, 2)
    statistic(k, component(w, c.below(n)))
    what = ("smooths", "takes running maxima of", "filters", "reverses")[way]
    k.summary(f"Fills vectors of {n} {T.name} components and {what} them.")


def _evaluate(k: Author, acc: Var, a: Term, x: Term, V: Vec, way: int) -> None:
    """Write the sum of a polynomial or basis whose coefficients are ``a`` into ``acc``."""
    n, T = V.n, V.dtype
    if way == 0:
        with k.for_("j|m|n", n) as j:
            acc.set(Term(acc.e) * x + a[n - 1 - j])
    elif way == 1:
        older = k.var("older|b2|prev", number(0.0, T))
        with k.for_("j|m|n", n - 1, 0, step=-1) as j:
            kept = k.let("kept|tmp|b0", Term(acc.e))
            acc.set(2.0 * x * Term(acc.e) - Term(older.e) + a[j])
            older.set(kept)
        acc.set(x * Term(acc.e) - Term(older.e) + a[0])
    elif way == 2:
        made = k.var("made|prod|c0", make(V))
        with k.for_("j|m|q", n) as j, k.for_("p|q0|t", n) as p, k.if_(j + p < n):
            k.put(component(made, j + p), a[j] * a[p], "+")
        acc.set(varied(k, wp.dot(Term(made.e), a), 0, 1) + component(made, n - 1) * x)
    else:
        d = k.var("d|slope|der", make(V))
        order = k.var("order|deg|e", number(1.0, T))
        with k.for_("j|m|n", 1, n) as j:
            k.put(component(d, j - 1), a[j] * Term(order.e))
            order += 1.0
        with k.for_("p|q|t", n - 1) as p:
            acc.set(Term(acc.e) * x + component(d, n - 2 - p))


def polynomial(k: Author) -> None:
    """Polynomials and bases held in vectors: products, derivatives, Bernstein and Chebyshev sums."""
    c, T = k.c, k.c.weighted({FLOAT: 3, DOUBLE: 1})
    n = c.between(4, 9)
    V = vec(n, T)
    way = c.below(4)
    k.name(
        ("poly_eval|horner_vec", "chebyshev|clenshaw", "poly_product|convolve_vec", "derivative_vec|poly_slope")[way]
    )
    coefs, xs = k.input("coefs|a|basis", V), k.input("x|u|points", T)
    i = gate(k, k.tid("i|tid|idx"), xs.shape(0))
    a = k.let("a|p|cv", varied(k, coefs[i % coefs.shape(0)], 0, 1))
    x = k.let("z|t|xi", wp.clamp(varied(k, xs[i], 0, 1), -1.0, 1.0))
    acc = k.var("acc|r|s", number(0.0, T))
    _evaluate(k, acc, a, x, V, way)
    value = k.let("value|y|res", varied(k, Term(acc.e), 1, 3))
    k.output("out|result|y_out", T)[i] = value
    statistic(k, value)
    what = ("polynomials", "Chebyshev series", "truncated products of polynomials", "derivatives of polynomials")[way]
    k.summary(f"Evaluates {what} whose {n} {T.name} coefficients are a vector.")


def norms(k: Author) -> None:
    """Norms and robust penalties of residual vectors, tests for finite numbers, smooth directions."""
    c = k.c
    n = c.pick((3, 2, 4, 5, 7))
    V = vec(n)
    k.name("residual_norms|robust_cost|penalties|vector_norms|smooth_dirs")
    a, b = k.input("a|x|observed", V), k.input("b|y|predicted", V)
    i = gate(k, k.tid("i|tid|idx"), a.shape(0))
    r = k.let("r|res|diff", varied(k, a[i] - b[i % b.shape(0)], 0, 2))

    def one() -> Term:
        way = c.below(8)
        delta = coefficient(k, FLOAT)
        if way < 4:
            return (wp.norm_l1, wp.norm_l2, wp.norm_huber, wp.norm_pseudo_huber)[way](r)
        if way < 6:
            return (wp.norm_huber, wp.norm_pseudo_huber)[way - 4](r, delta)
        return wp.length(r) if way == 6 else wp.max(wp.abs(r))

    total = one()
    for _ in range(c.below(3)):
        total = total + one() * coefficient(k, FLOAT) if c.chance(1, 2) else wp.max(total, varied(k, one(), 0, 1))
    cost = k.let("cost|e|loss", varied(k, total, 0, 2))
    if c.chance(1, 2):
        bad = k.output("bad|failures|flags", INT)
        with k.if_((wp.isnan if c.chance(1, 2) else wp.isinf)(r)):
            k.atomic("add", bad, 0, 1)
    if c.chance(1, 2):
        d = k.let("d|dir|smooth", wp.smooth_normalize(r, coefficient(k, FLOAT)))
        k.output("grads|dirs|push", V)[i] = varied(k, d * cost, 0, 2)
    safe = where(wp.isfinite(r), cost, number(0.0)) if c.chance(1, 2) else cost
    k.output("out|costs|losses", FLOAT)[i] = varied(k, safe, 0, 2)
    statistic(k, cost)
    k.summary(f"Measures residuals of {n} components by norms and robust penalties.")


def copies(k: Author) -> None:
    """Copies that change apart from their origin: components, slices, swaps, in place and after."""
    c, T = k.c, k.c.weighted(REALS)
    V: Vec = c.pick((vec(3, T), vec(4, T), vec(2, T), vec(6, T), vec(5, T)))
    n = V.n
    k.name("copy_modify|edit_components|swap_parts|rotate_components|patch_vector")
    x = k.inout("x|points|state", V)
    shift = k.scalar("shift|delta|offset", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|p|orig", varied(k, x[i], 0, 1))
    w = k.var("w|q|copy", v)
    for _ in range(c.between(2, 4)):
        place, way = c.below(n), c.below(6)
        if way == 0:
            k.put(component(w, place), varied(k, component(w, (place + 1) % n), 0, 1))
        elif way == 1:
            k.put(component(w, place), shift, c.pick(("+", "-", "*")))
        elif way == 2 and n <= 4:
            letter = "xyzw"[place]
            k.put(getattr(Term(w.e), letter), v[(place + 1) % n] * coefficient(k, T))
        elif way == 3 and n > 2:
            k.put(Term(w.e)[0:2], make(vec(2, T), v[1], component(w, 0)) if c.chance(1, 2) else v[1:3])
        elif way == 4:
            k.put(component(w, i % n), shift * coefficient(k, T), "+")
        else:
            w.set(varied(k, Term(w.e), 1, 1))
    with k.if_(component(w, c.below(n)) > v[c.below(n)]):
        k.put(component(w, c.below(n)), varied(k, shift, 1, 2))
    if c.chance(1, 2):
        k.put(x[i][c.below(n)], varied(k, component(w, 0), 0, 1))
        k.output("moved|gap|drift", T)[i] = varied(k, wp.length(Term(w.e) - v), 0, 2)
    else:
        x[i] = varied(k, Term(w.e) + (v - Term(w.e)) * coefficient(k, T), 0, 1) if c.chance(1, 2) else Term(w.e)
    k.summary(f"Changes components of copies of {V.name}.")
