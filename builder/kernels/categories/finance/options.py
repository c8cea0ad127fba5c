"""Options: closed form and Greeks, implied volatility, Monte Carlo, lattices, finite differences."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, Spec, local, precise, records, settings, settled
from ...terms import Term, both, cast, number, where, wp
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


def _contract(k: Author, cells: Cells, T: Scalar, extra: Spec) -> dict[str, Term]:
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
    r = _contract(k, cells, T, {"kind": ("kind|is_call|flag", INT)} if typed else {})
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
    r = _contract(k, cells, T, {"price": ("quote|market|premium_in", T)})
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


def lattice(k: Author) -> None:
    """A binomial or trinomial tree rolled back in a row of scratch memory per thread; early exercise, barriers."""
    c, T = k.c, precise(k)
    three, american, put = c.chance(1, 3), c.chance(1, 2), c.chance(1, 2)
    barrier = c.chance(1, 4)
    k.name("binomial_tree|crr_price|lattice_option|trinomial_price|roll_back_tree")
    cells = Cells(k, 1)
    r = _contract(k, cells, T, {})
    values = k.inout("scratch|tree|nodes", T, 2)
    i = cells.first
    n = local(k, "n|n_steps|depth", wp.max((values.shape(1) - 1) // (2 if three else 1), 1))
    up, p, df = _tree(k, r, n, three, T)
    width = 2 * n + 1 if three else n + 1
    kept = k.scalar("barrier|knock_out|cap", T) if barrier else None

    def payoff(level: Term, node: Term) -> Term:
        power = cast(node - level, T) if three else cast(2 * node - level, T)
        s = local(k, "s_node|px_node|st", r["s"] * wp.exp(wp.clamp(power * up, -20.0, 20.0)))
        gain = wp.max(r["k"] - s if put else s - r["k"], 0.0)
        return gain if kept is None else where(s > kept, number(0.0, T), gain)

    with k.for_("j|node|m", width) as j:
        values[i, j] = varied(k, payoff(n, j), 0, 1)
    with k.for_("back|lev|step_i", n) as back:
        level = local(k, "level|t_i|now", n - 1 - back)
        with k.for_("j|node|m", 2 * level + 1 if three else level + 1) as j:
            held = (
                (1.0 - 2.0 * p) * values[i, j + 1] + p * (values[i, j] + values[i, j + 2])
                if three
                else (p * values[i, j + 1] + (1.0 - p) * values[i, j])
            )
            held = local(k, "held|cont|roll", df * held)
            values[i, j] = wp.max(held, payoff(level, j)) if american else held
    value = settled(k, values[i, 0], 0, 2)
    cells.output("prices|out|option_values", T)[i] = value
    statistic(k, value)
    style, shape = "American" if american else "European", "trinomial" if three else "binomial"
    k.summary(
        f"Prices {style} {'puts' if put else 'calls'} on a {shape} tree{' with a knock-out level' if barrier else ''}."
    )


def _tree(k: Author, r: dict[str, Term], n: Term, three: bool, T: Scalar) -> tuple[Term, Term, Term]:
    """Return the logarithm of an up move, its probability and the discount of one step (Cox, Ross, Rubinstein 1979)."""
    dt = local(k, "dt|h|step_t", r["t"] / cast(n, T))
    if three:
        up = local(k, "du|dx|log_up", r["v"] * wp.sqrt(3.0 * dt))
        p = local(k, "p|p_up|prob", number(1.0 / 6.0, T))
    else:
        up = local(k, "du|dx|log_up", r["v"] * wp.sqrt(dt))
        u = local(k, "u|up_f|growth", wp.exp(wp.min(up, 20.0)))
        rise = (wp.exp(wp.clamp(r["r"] * dt, -5.0, 5.0)) - 1.0 / u) / (u - 1.0 / u + 1.0e-6)
        p = local(k, "p|p_up|prob", wp.clamp(rise, 0.0, 1.0))
    return up, p, local(k, "df|disc|step_df", wp.exp(-wp.clamp(r["r"] * dt, -5.0, 5.0)))


def _at(tid: tuple[Term, ...], place: Term) -> tuple[Term, ...]:
    return (*tid[:-1], place)


def finite_difference(k: Author) -> None:
    """One explicit time step of the Black-Scholes equation on a grid of prices, one row per option or volatility."""
    c, T = k.c, precise(k)
    plane = c.chance(2, 3)
    k.name("bs_pde_step|explicit_fd|pde_option_step|finite_difference_step|theta_step")
    tid = k.tid("b|option|row", "j|node|price_i") if plane else (k.tid("j|node|price_i"),)
    v = k.input("v|values|v_now", T, len(tid))
    j = tid[-1]
    n = v.shape(len(tid) - 1)
    if c.chance(1, 2):
        with k.if_(j >= n):
            k.leave()
    low, high = local(k, "jl|left|below", wp.max(j - 1, 0)), local(k, "jr|right|above", wp.min(j + 1, n - 1))
    s = settings(k, {"r": ("r|rate", 0.03), "vol": ("sigma|vol", 0.25), "dt": ("dt|h_t", 0.001)}, T)
    vol = k.input("vols|sigma_row|local_vol", T)[tid[0]] if c.chance(1, 2) else s["vol"]
    vol = local(k, "sg|vol_j|sig", vol * coefficient(k, T) if c.chance(1, 3) else wp.abs(vol))
    at = {name: local(k, words, v[_at(tid, place)]) for name, words, place in (
        ("m", "vl|v_down|um", low), ("c", "vc|v_here|u0", j), ("p", "vr|v_up|up_v", high),
    )}  # fmt: skip
    x = local(k, "x|s_j|grid_s", cast(j, T))
    if c.chance(1, 2):
        second = 0.5 * vol * vol * x * x * (at["p"] - 2.0 * at["c"] + at["m"])
        first = 0.5 * s["r"] * x * (at["p"] - at["m"])
        new = at["c"] + s["dt"] * (second + first - s["r"] * at["c"])
    else:
        a = local(k, "a|wl|c_down", 0.5 * s["dt"] * (vol * vol * x * x - s["r"] * x))
        b = local(k, "b|wc|c_mid", 1.0 - s["dt"] * (vol * vol * x * x + s["r"]))
        d = local(k, "d|wr|c_up", 0.5 * s["dt"] * (vol * vol * x * x + s["r"] * x))
        new = a * at["m"] + b * at["c"] + d * at["p"]
    new = local(k, "new_v|v1|next_v", varied(k, new, 0, 2))
    american = c.chance(1, 2)
    if american:
        strike = k.scalar("strike|k_idx|kx", T)
        new = wp.max(new, strike - x) if c.chance(1, 2) else where(new < strike - x, strike - x, new)
    value = settled(k, new, 0, 1)
    k.output("v_next|out|values_out", T, len(tid))[tid] = value
    statistic(k, value)
    k.summary(f"Makes one explicit step of the Black-Scholes equation{' with early exercise' if american else ''}.")
