"""Options: closed form and Greeks, implied volatility, Monte Carlo, lattices, finite differences."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope
from ...fusion import statistic, varied
from ...fusion.cells import Cells, Spec, local, precise, records, settings, settled
from ...terms import Term, both, number, where, wp
from ...types import INT, Scalar

Normal = Callable[[Term], Term]


def cumulative(k: Author, T: Scalar) -> Normal:
    """Return the standard normal distribution function: by erf, erfc, or Abramowitz and Stegun 26.2.17."""
    way = k.c.below(4)
    if way == 0:
        return lambda v: 0.5 + 0.5 * wp.erf(v * 0.70710678)
    if way == 1:
        return lambda v: 0.5 * wp.erfc(-(v * 0.70710678))

    def polynomial(s: Scope, v: Term) -> Term:
        if way == 2:
            return 0.5 * (1.0 + wp.erf(v / wp.sqrt(number(2.0, T))))
        a = local(s, "a|mag|z", wp.abs(v))
        t = local(s, "t|kk|w", 1.0 / (1.0 + 0.2316419 * a))
        poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = local(s, "tail|upper|q", 0.39894228 * wp.exp(-0.5 * wp.min(a * a, 60.0)) * poly)
        return where(v > 0.0, 1.0 - tail, tail)

    made = k.function("norm_cdf|cnd|phi|normal_cdf", {"x|d|v": T}, polynomial)
    return lambda v: made(v)


def density(v: Term) -> Term:
    """Return the standard normal density; ``v`` must be a name."""
    return 0.39894228 * wp.exp(-0.5 * wp.min(v * v, 80.0))


def contract(k: Author, cells: Cells, T: Scalar, extra: Spec) -> dict[str, Term]:
    """Return spot, strike, time, volatility and rate of the thread's option, made safe for logarithms."""
    c = k.c
    spec: dict[str, tuple[str, Scalar]] = {
        "s": ("spot|s0|price", T),
        "k": ("strike|k0|x_strike", T),
        "t": ("expiry|tau|years", T),
    }
    spec |= {"v": ("vol|sigma|iv", T)} if "price" not in extra and c.chance(2, 3) else {}
    spec |= extra
    r = records(k, cells, spec, "Option|Contract|Quote", "options|contracts|book")
    fixed = settings(k, {"r": ("r|rate|risk_free", 0.03)}, T)
    r["r"] = fixed["r"]
    if "v" not in r:
        r["v"] = settings(k, {"v": ("sigma|vol|flat_vol", 0.2)}, T)["v"]
    floor = number(c.pick((1.0e-3, 1.0e-2)), T)
    r["s"] = local(k, "s|spot_pos|px", wp.max(r["s"], floor))
    r["k"] = local(k, "strike_pos|kx|x_k", wp.max(r["k"], floor))
    r["t"] = local(k, "t|tau_pos|ttm", wp.max(r["t"], floor))
    r["v"] = local(k, "sig|vol_pos|vv", wp.max(r["v"], floor))
    return r


def _d1_d2(k: Scope, r: dict[str, Term], vol: Term) -> tuple[Term, Term, Term]:
    """Return d1, d2 and the discount factor of Black and Scholes (1973)."""
    root = local(k, "root|sq_t|vol_t", vol * wp.sqrt(r["t"]))
    if k.c.chance(1, 2):
        top = wp.log(r["s"] / r["k"]) + (r["r"] + 0.5 * vol * vol) * r["t"]
        d1 = local(k, "d1|d_plus", top / root)
    else:
        top = (wp.log(r["s"]) - wp.log(r["k"]) + r["r"] * r["t"]) / root
        d1 = local(k, "d1|d_plus", top + 0.5 * root)
    d2 = local(k, "d2|d_minus", d1 - root)
    return d1, d2, local(k, "df|disc|discount", wp.exp(-wp.clamp(r["r"] * r["t"], -5.0, 20.0)))


_GREEKS = ("delta", "gamma", "vega", "theta", "rho", "vanna")


def black_scholes(k: Author) -> None:
    """Prices of European options in closed form, and some Greeks."""
    c, T = k.c, precise(k)
    k.name("black_scholes|bs_price|price_european|bs_greeks|closed_form_option")
    cells = Cells(k, 2)
    typed = c.chance(1, 3)
    r = contract(k, cells, T, {"kind": ("kind|is_call|flag", INT)} if typed else {})
    cdf = cumulative(k, T)
    d1, d2, df = _d1_d2(k, r, r["v"])
    put = c.chance(1, 3)
    call = r["s"] * cdf(d1) - r["k"] * df * cdf(d2)
    put_value = r["k"] * df * cdf(-d2) - r["s"] * cdf(-d1)
    if typed:
        price = k.var("price|value|premium", call)
        with k.if_(r["kind"] == 0):
            price.set(put_value if c.chance(1, 2) else price - r["s"] + r["k"] * df)
        value = Term(price.e)
    else:
        value = local(k, "price|value|premium", put_value if put else call)
    value = settled(k, value, 0, 2)
    cells.output("prices|out|values", T)[cells.place] = value
    names = c.sample(_GREEKS, c.below(4))
    for name in names:
        greek = _greek(k, name, r, d1, d2, df, cdf, T)
        cells.output(f"{name}_out|{name}s|{name}", T)[cells.place] = varied(k, greek, 0, 1)
    statistic(k, value)
    what = "calls or puts" if typed else "puts" if put else "calls"
    k.summary(f"Prices European {what} in closed form{' with ' + ', '.join(names) if names else ''}.")


def _greek(k: Author, name: str, r: dict[str, Term], d1: Term, d2: Term, df: Term, cdf: Normal, T: Scalar) -> Term:
    root = wp.sqrt(r["t"])
    if name == "delta":
        return cdf(d1)
    if name == "gamma":
        return density(d1) / (r["s"] * r["v"] * root)
    if name == "vega":
        return r["s"] * density(d1) * root * number(k.c.pick((1.0, 0.01)), T)
    if name == "theta":
        return -(r["s"] * density(d1) * r["v"] / (2.0 * root)) - r["r"] * r["k"] * df * cdf(d2)
    if name == "rho":
        return r["k"] * r["t"] * df * cdf(d2)
    return -(density(d1) * d2 / r["v"])


def implied_volatility(k: Author) -> None:
    """The volatility at which the closed form gives a quoted price: by Newton, bisection, secant or both mixed."""
    c, T = k.c, precise(k)
    kind = c.pick(("newton", "bisection", "secant", "safeguarded"))
    k.name(f"implied_vol|implied_volatility|iv_{kind}|solve_vol|{kind}_implied_vol")
    cells = Cells(k, 2)
    r = contract(k, cells, T, {"price": ("quote|market|premium_in", T)})
    cdf = cumulative(k, T)
    spec = {"s|spot": T, "kk|strike_x": T, "t|tau": T, "rr|rate_c": T, "v|vol_g": T}

    def body(s: Scope, spot: Term, strike: Term, t: Term, rate: Term, vol: Term) -> Term:
        inner = {"s": spot, "k": strike, "t": t, "r": rate}
        d1, d2, df = _d1_d2(s, inner, vol)
        return spot * cdf(d1) - strike * df * cdf(d2)

    made = k.helper("bs_call|call_value|model_price", spec, body)
    target = local(k, "goal|quoted|mkt", wp.max(r["price"], 1.0e-4))

    def miss(vol: Term) -> Term:
        return made(r["s"], r["k"], r["t"], r["r"], vol) - target

    turns = number(c.between(17, 40), INT) if c.chance(2, 3) else k.scalar("max_iter|n_iter|turns", INT)
    found = _solve(k, kind, miss, r, turns, T)
    value = settled(k, found, 0, 2)
    cells.output("vols|iv_out|sigma_out", T)[cells.place] = value
    statistic(k, value)
    k.summary(f"Finds the implied volatility of each quoted call by {kind} iteration.")


def _solve(k: Author, kind: str, miss: Normal, r: dict[str, Term], turns: Term, T: Scalar) -> Term:
    c = k.c
    vol = k.var("x|vol_i|guess", number(c.between(15, 60) / 100, T) if c.chance(1, 2) else r["v"])
    if kind == "newton":
        with k.for_("it|n|step_i", turns):
            f = local(k, "f|gap|err", miss(Term(vol.e)))
            with k.if_(wp.abs(f) < number(c.pick((1.0e-5, 1.0e-6)), T)):
                k.leave("break")
            d = (wp.log(r["s"] / r["k"]) + (r["r"] + 0.5 * vol * vol) * r["t"]) / (vol * wp.sqrt(r["t"]))
            d = local(k, "dd|d_one|arg_d", d)
            slope = local(k, "slope|vega_i|df_dv", r["s"] * wp.sqrt(r["t"]) * density(d) + 1.0e-4)
            vol.set(wp.clamp(vol - f / slope, 0.01, 5.0))
        return Term(vol.e)
    low, high = k.var("lo|low|left", number(0.01, T)), k.var("hi|high|right", number(4.0, T))
    if kind == "secant":
        f0 = k.var("f0|f_lo|gap0", miss(Term(low.e)))
        with k.for_("it|n|step_i", turns):
            f1 = local(k, "f1|f_hi|gap1", miss(Term(high.e)))
            rise = f1 - f0
            rise = local(k, "rise|df|change_f", where(wp.abs(rise) < 1.0e-6, number(1.0e-6, T), rise))
            vol.set(wp.clamp(high - f1 * (high - low) / rise, 0.01, 5.0))
            low.set(high)
            f0.set(f1)
            high.set(vol)
        return Term(vol.e)
    with k.for_("it|n|step_i", turns):
        f = local(k, "f|gap|err", miss(Term(vol.e)))
        with k.if_(f > 0.0):
            high.set(vol)
        with k.else_():
            low.set(vol)
        middle = 0.5 * (low + high)
        if kind == "safeguarded":
            step = local(k, "trial|next_v|prop", vol - f / (r["s"] * wp.sqrt(r["t"]) * number(0.3, T)))
            vol.set(where(both(step > low, step < high), step, middle))
        else:
            vol.set(middle)
    return Term(vol.e)
