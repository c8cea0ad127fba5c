"""Covariance, autocorrelation, densities, quantiles."""

from __future__ import annotations

from ...author import Author
from ...fusion import statistic, varied
from ...fusion.cells import Cells, local, precise, setting, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, extreme, sweep, total
from ...terms import Term, both, cast, either, number, where, wp
from ...types import INT, Scalar


def covariance(k: Author) -> None:
    """One entry of a covariance or correlation matrix, of a cross-product, or of lagged correlations."""
    c, T = k.c, precise(k)
    kind = c.pick(("covariance", "correlation", "autocorrelation", "cross_correlation", "variogram"))
    k.name(f"{kind}|{kind}_matrix|{kind}_entry|compute_{kind}")
    a, b = k.tid("a|i|var_a|s0", "b|j|var_b|lag")
    x = k.input("x|data|samples|series", T, 2)
    flip = c.chance(1, 3)
    lagged = kind in ("autocorrelation", "cross_correlation", "variogram")
    if not lagged and c.chance(1, 3):
        with k.if_(b < a):
            k.leave()
    n = local(k, "n|n_obs|length", x.shape(1 if flip else 0))
    other = k.input("y|second|partner", T, 2) if kind == "cross_correlation" else x
    change = transform(k, "pre|detrend|observe", T, 1)
    turns = local(k, "turns|overlap|pairs", wp.max(n - b, 0)) if lagged else n
    means = k.input("means|mu|centers", T) if c.chance(1, 2) else None

    def first(t: Term) -> Term:
        value = change(x[(a, t) if flip else (t, a)])
        return value if means is None else value - means[a]

    def second(t: Term) -> Term:
        col = a if lagged else b
        row = t + b if lagged else t
        value = change(other[(col, row) if flip else (row, col)])
        return value if means is None else value - means[col]

    value = _joint(k, kind, turns, first, second, T)
    value = settled(k, value, 0, 2)
    out = k.output("out|cov|result", T, 2)
    out[a, b] = value
    if not lagged and c.chance(1, 2):
        out[b, a] = value
    statistic(k, value)
    what = kind.replace("_", "-")
    k.summary(
        f"Computes the {what} of each {'series and lag' if lagged else 'pair of variables'} of {change.words}data."
    )


def _joint(k: Author, kind: str, turns: Term, first: TermOf, second: TermOf, T: Scalar) -> Term:
    denom = cast(wp.max(turns, 1), T)
    if kind == "variogram":

        def gap(t: Term) -> Term:
            d = local(k, "d|gap|diff", first(t) - second(t))
            return d * d

        return 0.5 * total(k, "acc|gamma_h|s", turns, gap, T) / denom
    if kind == "covariance":
        return total(k, "acc|cov_acc|s", turns, lambda t: first(t) * second(t), T) / denom
    ab, aa, bb = (k.var(words, number(0.0, T)) for words in ("sxy|ab|cross", "sxx|aa|left_sq", "syy|bb|right_sq"))
    with sweep(k, turns, "t|r|obs") as t:
        u, v = local(k, "u|xv|p0", first(t)), local(k, "v|yv|p1", second(t))
        ab += u * v
        aa += u * u
        bb += v * v
    return ab / wp.sqrt(aa * bb + 1.0e-6) if k.c.chance(1, 2) else ab / (wp.sqrt(aa) * wp.sqrt(bb) + 1.0e-6)


def density(k: Author) -> None:
    """A kernel density or regression estimate (Nadaraya 1964, Watson 1964) at each query, in one dimension or two."""
    c, T = k.c, precise(k)
    regression, plane = c.chance(1, 3), c.chance(1, 3)
    k.name(
        "kernel_regression|nadaraya_watson|local_mean" if regression else "kde|kernel_density|density_estimate|parzen"
    )
    cells = Cells(k, 1)
    q = local(k, "q|x0|query_x", varied(k, cells.input("queries|grid_x|targets", T)[cells.place], 0, 1))
    q2 = local(k, "q_y|y0|query_y", cells.input("queries_y|grid_y", T)[cells.place]) if plane else None
    points = k.input("points|samples|data", T)
    points_y = k.input("points_y|samples_y", T) if plane else None
    h = setting(k, "h|bandwidth|sigma", 0.5, T)
    inv = local(k, "inv_h|recip|scale", 1.0 / wp.max(wp.abs(h), 0.05))
    shape = c.pick(("gauss", "epanechnikov", "triangle", "cauchy", "tricube", "box"))
    skip = c.chance(1, 3)
    weights = k.input("weights|masses|importance", T) if c.chance(1, 3) else None

    def kernel(j: Term) -> Term:
        u = local(k, "u|d|rel", (q - points[j]) * inv)
        r2 = u * u
        if q2 is not None and points_y is not None:
            w = local(k, "v|dy|rel_y", (q2 - points_y[j]) * inv)
            r2 = r2 + w * w
        value = _kernel_shape(k, shape, local(k, "r2|dist2|s2", r2), T)
        value = where(r2 > 9.0, number(0.0, T), value) if skip else value
        return value if weights is None else value * weights[j]

    value = _estimate(k, points.shape(0), kernel, regression, inv, T)
    value = settled(k, value, 0, 2)
    cells.output("out|density|result", T)[cells.place] = value
    statistic(k, value)
    what = "weighted mean of responses" if regression else "kernel density of points"
    k.summary(f"Estimates the {what} at each query with a {shape} kernel{' in the plane' if plane else ''}.")


def _kernel_shape(k: Author, shape: str, r2: Term, T: Scalar) -> Term:
    if shape == "gauss":
        return wp.exp(-0.5 * wp.min(r2, 60.0))
    if shape == "epanechnikov":
        return 0.75 * wp.max(1.0 - r2, 0.0)
    if shape == "triangle":
        return wp.max(1.0 - wp.sqrt(r2), 0.0)
    if shape == "cauchy":
        return 1.0 / (1.0 + r2)
    if shape == "box":
        return where(r2 <= 1.0, number(0.5, T), number(0.0, T))
    left = local(k, "left|t3|gap", wp.max(1.0 - r2 * wp.sqrt(r2), 0.0))
    return left * left * left


def _estimate(k: Author, n: Term, kernel: TermOf, regression: bool, inv: Term, T: Scalar) -> Term:
    if not regression:
        return total(k, "acc|s|mass", n, kernel, T) * inv / cast(wp.max(n, 1), T)
    y = k.input("responses|y|outcomes", T)
    top, mass = k.var("top|num|weighted", number(0.0, T)), k.var("mass|den|norm", number(0.0, T))
    with sweep(k, n) as j:
        w = local(k, "w|kv|weight", kernel(j))
        top += w * y[j]
        mass += w
    return top / wp.max(mass, 1.0e-4)


def quantile(k: Author) -> None:
    """A quantile of each row by counting or bisection, ranks, or the share of values below a level."""
    c, T = k.c, precise(k)
    kind = c.pick(("bisection", "counting", "rank", "ecdf"))
    k.name({"rank": "rank_values|average_rank|row_ranks", "ecdf": "empirical_cdf|ecdf|exceedance"}.get(
        kind, f"quantile|median_{kind}|row_quantile|percentile"
    ))  # fmt: skip
    rows = Rows(k, "row|i|group|g")
    x = rows.input("x|data|samples|values", T)
    change = transform(k, "pre|prepare|observe", T, 1)

    def of(j: Term) -> Term:
        return change(x[j])

    if kind in ("rank", "counting"):
        _ranked(k, rows, of, kind, T)
    else:
        level = rows.per_row("levels|thresholds|cuts", T) if kind == "ecdf" else None
        value = (
            _share_below(k, rows, of, local(k, "cut|level_i|t0", level), T)
            if level is not None
            else _bisected(k, rows, of, T)
        )
        value = settled(k, value, 0, 2)
        rows.result("out|result|quantiles", T)[rows.place] = value
        statistic(k, value)
    names = {
        "bisection": "Finds a quantile of each row by bisection",
        "counting": "Finds the element of a given rank in each row",
        "rank": "Computes the rank of each element in its row",
        "ecdf": "Computes the share of each row below its level",
    }
    k.summary(f"{names[kind]}, on {change.words}values.")


def _one(test: Term, T: Scalar) -> Term:
    return where(test, number(1.0, T), number(0.0, T))


def _share_below(k: Author, rows: Rows, of: TermOf, cut: Term, T: Scalar) -> Term:
    return total(k, "below|acc|n_less", rows.count, lambda m: _one(of(m) < cut, T), T) / cast(wp.max(rows.count, 1), T)


def _bisected(k: Author, rows: Rows, of: TermOf, T: Scalar) -> Term:
    low = k.var("lo|low|left", extreme(k, "x_min|least|bottom", rows.count, of, T, largest=False))
    high = k.var("hi|high|right", extreme(k, "x_max|most|top", rows.count, of, T))
    p = setting(k, "p|level|prob", 0.5, T)
    with k.for_("it|step|halving", number(k.c.between(17, 40), INT)):
        mid = local(k, "mid|guess|cut", 0.5 * (low + high))
        with k.if_(_share_below(k, rows, of, mid, T) < p):
            low.set(mid)
        with k.else_():
            high.set(mid)
    return 0.5 * (low + high)


def _ranked(k: Author, rows: Rows, of: TermOf, kind: str, T: Scalar) -> None:
    c = k.c
    out = rows.output("ranks|rank_out|out", T) if kind == "rank" else None
    found = rows.result("out|picked|result", T) if kind == "counting" else None
    with k.for_("j|col|e", rows.count) as j:
        mine = local(k, "mine|v|cur", of(j))
        below = k.var("below|n_less|pos", number(0, INT))
        with sweep(k, rows.count, "m|other|q") as m:
            value = local(k, "other_v|w|cand", of(m))
            ahead = value < mine if c.chance(1, 2) else value > mine
            with k.if_(either(ahead, both(value == mine, m < j))):
                below += 1
        if out is not None:
            place = cast(Term(below.e), T)
            out[j] = varied(k, place if c.chance(1, 2) else place / cast(wp.max(rows.count, 1), T), 0, 1)
        elif found is not None:
            wanted = rows.count // 2 if c.chance(1, 2) else k.scalar("wanted|k_th|nth", INT)
            with k.if_(below == wanted):
                found[rows.place] = varied(k, mine, 0, 2)
