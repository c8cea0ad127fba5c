"""Bonds and curves, portfolio risk, indicators of price series, order books."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, setting, settings, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, extreme, sweep, total
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar

Discount = Callable[[Term, Term], Term]


def bond(k: Author) -> None:
    """Price, duration, convexity or yield of a bond from its cash flows, flat or on a curve, with credit."""
    c, T = k.c, precise(k)
    kind = c.pick(("price", "duration", "convexity", "yield", "cds", "accrued"))
    k.name(f"bond_{kind}|{kind}_of_flows|cashflow_{kind}|{kind}_kernel")
    rows = Rows(k, "bond|i|row|b0", "n_flows|n|length")
    flows = rows.input("flows|coupons|payments", T)
    times = rows.input("times|dates|year_fractions", T)
    rate = rows.per_row("yields|rates_in|y_in", T) if c.chance(1, 2) else setting(k, "y|flat_rate", 0.04, T)
    rate = local(k, "y0|rate_b|ytm", rate)
    simple = c.chance(1, 3)
    spread = setting(k, "spread|hazard|z_spread", 0.01, T) if c.chance(1, 3) or kind == "cds" else None
    change = transform(k, "amount|fees|cash", T, 1)

    def df(t: Term, y: Term) -> Term:
        y = y if spread is None else y + spread
        if simple:
            return 1.0 / wp.pow(wp.max(1.0 + y, 0.1), wp.clamp(t, 0.0, 60.0))
        return wp.exp(-wp.clamp(y * t, -5.0, 20.0))

    value = _bond_value(k, kind, rows, lambda j: change(flows[j]), lambda j: times[j], df, rate, T)
    value = settled(k, value, 0, 2)
    rows.result("out|values|measure", T)[rows.place] = value
    statistic(k, value)
    names = {"cds": "protection leg", "accrued": "accrued amount", "yield": "yield to maturity by Newton's method"}
    k.summary(f"Computes the {names.get(kind, kind)} of each bond from its {change.words}cash flows.")


def _bond_value(
    k: Author, kind: str, rows: Rows, flow: TermOf, time: TermOf, df: Discount, rate: Term, T: Scalar
) -> Term:
    count = rows.count

    def present(j: Term) -> Term:
        return flow(j) * df(time(j), rate)

    if kind == "price":
        return total(k, "pv|acc|price", count, present, T)
    if kind == "accrued":
        now = setting(k, "now|settle|today", 0.5, T)
        return total(k, "acc|past|due", count, lambda j: where(time(j) <= now, present(j), number(0.0, T)), T)
    if kind == "cds":
        none = number(0.0, T)
        return total(k, "leg|acc|prot", count, lambda j: (1.0 - df(time(j), none)) * present(j), T)
    if kind == "yield":
        quote = rows.per_row("quotes|prices_in|market", T)
        y = k.var("y|guess|ytm_i", rate)
        with k.for_("it|n_it|newton", number(k.c.between(3, 8) if k.c.chance(1, 4) else 20, INT)):
            pv, slope = k.var("pv|model|value_i", number(0.0, T)), k.var("slope|dpv|dur_i", number(0.0, T))
            with sweep(k, count) as j:
                t = local(k, "t|when|tj", time(j))
                part = local(k, "part|pv_j|term", flow(j) * df(t, Term(y.e)))
                pv += part
                slope -= t * part
            y.set(wp.clamp(y - (pv - quote) / wp.min(slope, -1.0e-2), -0.5, 2.0))
        return Term(y.e)
    pv, weighted = k.var("pv|acc|price", number(0.0, T)), k.var("w_sum|tpv|moment", number(0.0, T))
    with sweep(k, count) as j:
        t = local(k, "t|when|tj", time(j))
        part = local(k, "part|pv_j|term", flow(j) * df(t, rate))
        pv += part
        weighted += t * part if kind == "duration" else t * (t + 1.0) * part
    return weighted / where(wp.abs(pv) > 1.0e-3, pv, number(1.0e-3, T))


def curve(k: Author) -> None:
    """A rate, discount factor or forward read off a curve of knots: search and interpolation, or a fitted form."""
    c, T = k.c, precise(k)
    kind = c.pick(("linear", "log_linear", "flat_forward", "cubic", "nelson_siegel", "bootstrap"))
    k.name(f"curve_{kind}|{kind}_interp|yield_curve|discount_factors|{kind}_curve")
    cells = Cells(k, 2)
    t = local(k, "t|tenor|when", wp.max(varied(k, cells.input("tenors|times|dates", T)[cells.place], 0, 1), 0.001))
    value = _nelson(k, t, T) if kind == "nelson_siegel" else _knots(k, kind, t, T)
    value = local(k, "z|zero|rate_t", value)
    style = c.below(3)
    if style == 1:
        value = wp.exp(-wp.clamp(value * t, -5.0, 20.0))
    elif style == 2:
        ahead = setting(k, "delta|accrual|period", 0.25, T)
        value = (wp.exp(wp.clamp(value * ahead, -5.0, 5.0)) - 1.0) / wp.max(ahead, 0.01)
    value = settled(k, value, 0, 2)
    cells.output("out|curve_out|factors", T)[cells.place] = value
    statistic(k, value)
    what = ("zero rate", "discount factor", "simple forward rate")[style]
    k.summary(f"Computes the {what} at each time from a curve of {kind.replace('_', '-')} form.")


def _nelson(k: Author, t: Term, T: Scalar) -> Term:
    """Nelson and Siegel (1987), perhaps with Svensson's fourth term."""
    level = setting(k, "b0|level|long_rate", 0.04, T)
    s = settings(k, {"b1": ("b1|slope", -0.02), "b2": ("b2|hump", 0.01), "tau": ("tau|decay_t", 1.8)}, T)
    x = local(k, "x|rel|scaled_t", t / wp.max(s["tau"], 0.05))
    e = local(k, "e|ex|damp", wp.exp(-wp.min(x, 30.0)))
    load = local(k, "load|lam_x|slope_f", (1.0 - e) / x)
    value = level + s["b1"] * load + s["b2"] * (load - e)
    if k.c.chance(1, 2):
        x2 = local(k, "x2|rel2|long_t", 0.5 * x)
        e2 = local(k, "e2|ex2|damp2", wp.exp(-wp.min(x2, 30.0)))
        value = value + coefficient(k, T, 1, 9) * ((1.0 - e2) / x2 - e2)
    return value


def _knots(k: Author, kind: str, t: Term, T: Scalar) -> Term:
    c = k.c
    knots, rates = k.input("knots|pillars|grid_t", T), k.input("zeros|rates|pillar_rates", T)
    n = local(k, "n|n_knots|last", knots.shape(0)) if c.chance(1, 2) else knots.shape(0)
    low = k.var("lo|left|below", number(0, INT))
    if c.chance(1, 2):
        high = k.var("hi|right|above", n - 1)
        with k.while_(high - low > 1):
            mid = local(k, "mid|m|probe", (low + high) // 2)
            with k.if_(knots[mid] <= t):
                low.set(mid)
            with k.else_():
                high.set(mid)
    else:
        with k.for_("j|knot|q", n - 1) as j, k.if_(knots[j] <= t):
            low.set(j)
    right = local(k, "r1|after|next_k", wp.min(low + 1, n - 1))
    gap = local(k, "gap|span|dt_k", wp.max(knots[right] - knots[low], 1.0e-3))
    w = local(k, "w|frac|weight", wp.clamp((t - knots[low]) / gap, 0.0, 1.0))
    a, b = local(k, "a|z0|ra", rates[low]), local(k, "b|z1|rb", rates[right])
    if kind == "linear":
        return wp.lerp(a, b, w) if c.chance(1, 2) else a + w * (b - a)
    if kind == "log_linear":
        return wp.exp(wp.min((1.0 - w) * wp.log(wp.abs(a) + 1.0e-3) + w * wp.log(wp.abs(b) + 1.0e-3), 5.0))
    if kind == "flat_forward":
        return (a * knots[low] * (1.0 - w) + b * knots[right] * w) / t
    if kind == "cubic":
        return a + (b - a) * w * w * (3.0 - 2.0 * w) + coefficient(k, T, 1, 40) * w * (1.0 - w) * gap
    return where(w < 0.5, a, b) + w * (b - a) * number(0.1, T)


def portfolio(k: Author) -> None:
    """Risk of each portfolio: variance from a covariance matrix or factors, value at risk by counting, shortfall."""
    c, T = k.c, precise(k)
    kind = c.pick(("variance", "factor_variance", "var_count", "shortfall", "component", "beta"))
    k.name(f"portfolio_{kind}|{kind}_risk|risk_{kind}|{kind}_of_portfolios")
    rows = Rows(k, "p|row|book|i", "n_assets|n|width", ("columns",))
    w = rows.input("w|weights|holdings", T)
    change = transform(k, "exposure|size_of|position", T, 1)

    def held(j: Term) -> Term:
        return change(w[j])

    value = _risk(k, kind, rows, held, T)
    value = settled(k, value, 0, 2)
    rows.result("risk_out|out|risks", T)[rows.place] = value
    statistic(k, value)
    names = {
        "variance": "volatility from a covariance matrix", "factor_variance": "volatility from factor loadings",
        "var_count": "share of scenarios with a loss beyond a limit", "shortfall": "mean loss beyond a limit",
        "component": "largest contribution of an asset to the variance", "beta": "beta to an index",
    }  # fmt: skip
    k.summary(f"Computes for each portfolio of {change.words}weights the {names[kind]}.")


def _risk(k: Author, kind: str, rows: Rows, held: TermOf, T: Scalar) -> Term:
    n = rows.count
    if kind in ("variance", "component"):
        cov = k.input("cov|sigma_mat|covariance", T, 2)
        n = local(k, "n_held|known|used", wp.min(n, cov.shape(0)))

        def row(a: Term) -> Term:
            inner = total(k, "cw|inner|marg", n, lambda b: cov[a, b] * held(b), T)
            return held(a) * inner

        if kind == "component":
            return extreme(k, "top|worst|biggest", n, row, T)
        return wp.sqrt(wp.abs(total(k, "acc|var_p|quad", n, row, T)) + 1.0e-8)
    if kind == "factor_variance":
        load, vol = k.input("loadings|betas|factor_map", T, 2), k.input("factor_var|f_var|premia", T)
        n = local(k, "n_held|known|used", wp.min(n, load.shape(0)))

        def factor(f: Term) -> Term:
            e = local(k, "e|expo|net", total(k, "acc_f|expo_sum|bf", n, lambda j: held(j) * load[j, f], T))
            return e * e * vol[f]

        return wp.sqrt(wp.abs(total(k, "acc|var_p|quad", load.shape(1), factor, T)) + 1.0e-8)
    returns = k.input("returns|scenarios|shocks", T, 2)
    n = local(k, "n_held|known|used", wp.min(n, returns.shape(1)))
    if kind == "beta":
        index = k.input("index_ret|market|bench", T)

        def product(s: Term) -> Term:
            return index[s] * total(k, "pnl|ret_p|move", n, lambda j: held(j) * returns[s, j], T)

        both = total(k, "acc|cov_pm|cross", returns.shape(0), product, T)
        return both / (total(k, "mm|var_m|base", returns.shape(0), lambda s: index[s] * index[s], T) + 1.0e-4)
    return _beyond(k, kind, returns, held, n, T)


def _beyond(k: Author, kind: str, returns: Arr, held: TermOf, n: Term, T: Scalar) -> Term:
    """Return how often the loss is beyond a limit, or how large it is there."""
    c = k.c
    limit = setting(k, "limit|threshold|loss_cut", 0.05, T)
    hits, losses = k.var("hits|n_bad|beyond", number(0.0, T)), None
    if kind == "shortfall":
        losses = k.var("losses|tail_sum|bad", number(0.0, T))
    with sweep(k, returns.shape(0), "s|scen|day") as s:
        pnl = total(k, "pnl|gain|move", n, lambda j: held(j) * returns[s, j], T)
        with k.if_(pnl < -limit if c.chance(1, 2) else -pnl > limit):
            hits += 1.0
            if losses is not None:
                losses -= pnl
    return hits / cast(wp.max(returns.shape(0), 1), T) if losses is None else losses / wp.max(hits, 1.0)
