"""Long vectors, components by index, norms, copies, vectors of integers."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, make, number, where, wp
from ...types import DOUBLE, FLOAT, HALF, INT, UINT, VEC2, VEC3, Vec, vec

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
    value = k.let("value|y|res", varied(k, Term(acc.e), 1, 3))
    k.output("out|result|y_out", T)[i] = value
    statistic(k, value)
    what = ("polynomials", "Chebyshev series", "truncated products of polynomials", "derivatives of polynomials")[way]
    k.summary(f"Evaluates {what} whose {n} {T.name} coefficients are a vector.")


def features(k: Author) -> None:
    """Feature vectors: one-hot places, nearest prototypes, softmax, masks, largest components."""
    c, T = k.c, k.c.weighted(REALS)
    n = c.pick((3, 4, 5, 6, 8))
    V = vec(n, T)
    way = c.below(4)
    k.name(
        ("one_hot|largest_axis", "nearest_prototype|vq_codes", "softmax_vec|soft_weights", "masked_features|keep_top")[
            way
        ]
    )
    x = k.input("x|features|logits", V)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|f|xi", varied(k, x[i], 0, 2))
    top = k.let("top|best|place", cast(wp.argmax(v) if c.chance(2, 3) else wp.argmin(v), INT))
    if way == 0:
        out = k.var("hot|w|mark", make(V))
        k.put(component(out, top), varied(k, v[top], 0, 2))
        result = Term(out.e)
    elif way == 1:
        table = k.input("table|prototypes|codes", V)
        best, dist = k.var("near|pick|b", number(0, INT)), k.var("dist|d|gap", number(1.0e4, T))
        with k.for_("j|m|n", table.shape(0)) as j:
            d = k.let("d2|r|diff", wp.length_sq(v - table[j]) if c.chance(1, 2) else wp.dot(v - table[j], v - table[j]))
            with k.if_(both(d < Term(dist.e), j != top) if c.chance(1, 3) else d < Term(dist.e)):
                dist.set(d)
                best.set(j)
        k.output("codes_out|indices|near_out", INT)[i] = Term(best.e) + top
        result = varied(k, table[Term(best.e)] - v, 0, 1)
    elif way == 2:
        e, total = k.var("e|w|soft", v), k.var("total|z|s", number(0.0, T))
        with k.for_("j|m|n", n) as j:
            k.put(
                component(e, j), wp.exp(wp.max(v[j] - v[top], -20.0) if c.chance(1, 2) else wp.clamp(v[j], -8.0, 8.0))
            )
            total += component(e, j)
        result = Term(e.e) / (Term(total.e) + coefficient(k, T, 1, 10))
    else:
        kept = k.var("kept|w|f0", v)
        with k.for_("j|m|n", n) as j:
            test = component(kept, j) < v[top] * coefficient(k, T, 10, 90) if c.chance(1, 2) else j != top
            with k.if_(test):
                k.put(component(kept, j), component(kept, j) * coefficient(k, T, 1, 50))
        result = Term(kept.e)
    value = k.let("value|r|res", varied(k, result, 0, 2))
    if c.chance(2, 3):
        k.output("out|result|weights_out", V)[i] = value
    else:
        k.output("out|score|result", T)[i] = varied(k, value[top] + wp.max(v), 0, 2)
    statistic(k, value[c.below(n)])
    what = (
        "Marks the extreme component",
        "Finds the nearest prototype",
        "Takes softmax weights",
        "Damps the lesser components",
    )[way]
    k.summary(f"{what} of feature vectors of {n} {T.name} components.")


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


def cells(k: Author) -> None:
    """Vectors of integers: grid cells, wrapped neighbours, linear indices, masks, equality."""
    c = k.c
    n, T = c.pick((3, 2)), c.pick((INT, INT, UINT))
    V = vec(n, T)
    k.name("cell_coords|wrap_cells|cell_index|neighbour_cells|grid_keys")
    points = k.input("points|pos|x", {2: VEC2, 3: VEC3}[n])
    other = k.input("others|targets|cells_in", V)
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    p = k.let("p|pt|scaled", varied(k, points[i], 0, 1) * coefficient(k, FLOAT))
    parts = [cast(wp.clamp(wp.floor(p[m]), 0.0 if T is UINT else -100.0, 100.0), T) for m in range(n)]
    cell = k.let("cell|g|at", make(V, *parts))
    dims = k.scalar("dims|shape|res", V) if c.chance(1, 2) else make(V, *(c.pick((16, 32, 64)) for _ in range(n)))
    way = c.below(4)
    if way == 0:
        made = wp.min(wp.max(cell, make(V, 0)), dims)
    elif way == 1:
        made = wp.abs(cell) % make(V, c.pick((8, 16, 32))) if T is INT else cell % make(V, c.pick((8, 16, 32)))
    elif way == 2:
        made = (cell & make(V, c.pick((15, 7, 31)))) | (other[i % other.shape(0)] << make(V, c.between(1, 4)))
    else:
        made = cell + other[i % other.shape(0)] * number(c.between(1, 3), T)
    q = k.let("q|kept|moved", made)
    index = q[0]
    for m in range(1, n):
        index = (
            index * number(c.pick((64, 73, 128)), T) + q[m]
            if c.chance(1, 2)
            else index + q[m] * number(c.pick((31, 997, 64)), T)
        )
    key = k.let("key|flat|code", varied(k, index, 0, 2))
    end = c.below(3)
    if end == 0:
        k.output("keys|flat_out|codes", T)[i] = key
    elif end == 1:
        hits = k.output("hits|matches|same", INT)
        with k.if_(q == other[i % other.shape(0)]):
            k.atomic("add", hits, 0, 1)
        k.output("cells_out|coords|out", V)[i] = q + make(V, key)
    else:
        k.output("dist|manhattan|out", T)[i] = varied(
            k, wp.max(q) + wp.dot(q, q) % number(1000, T) + key % number(97, T), 0, 1
        )
    if way not in (2, 3) and end != 1:
        k.output("others_out|echo|links", V)[i] = other[i % other.shape(0)] + q
    if way != 0:
        k.output("dims_out|span|box", V)[i] = wp.max(q, dims)
    k.summary(f"Takes points to {n}-D grid cells of {T.name} and computes with them as vectors.")
