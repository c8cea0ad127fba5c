"""Option trees and finite differences."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author, Scope
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, settings, settled
from ...fusion.sweeps import sweep
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar
from .options import contract

_GAINS = ("vanilla", "vanilla", "straddle", "digital", "power", "capped")


def lattice(k: Author) -> None:
    """A binomial or trinomial tree rolled back in a row of scratch memory per thread; exercise, payoff, barrier."""
    c, T = k.c, precise(k)
    three, style, put = c.chance(1, 3), c.pick(("European", "American", "Bermudan")), c.chance(1, 2)
    kind, barrier = c.pick(_GAINS), c.chance(1, 4)
    k.name("binomial_tree|crr_price|lattice_option|trinomial_price|roll_back_tree")
    cells = Cells(k, 1)
    r = contract(k, cells, T, {})
    values = k.inout("scratch|tree|nodes", T, 2)
    i = cells.first
    n = local(k, "n|n_steps|depth", wp.max((values.shape(1) - 1) // (2 if three else 1), 1))
    if c.chance(1, 3):
        n = local(k, "m_steps|used|n_used", wp.min(n, k.scalar("max_steps|limit_n|n_max", INT)))
        with k.if_(n < 1):
            k.leave()
    up, p, df = _tree(k, r, n, three, T)
    kept = k.scalar("barrier|knock_out|cap_level", T) if barrier else None
    made = k.helper(
        "payoff|exercise|intrinsic", {"s|px|x": T, "strike_k|kx|level_k": T},
        _gain_of(kind, put, number(c.between(50, 300) / 100, T), T),
    )  # fmt: skip

    def payoff(level: Term, node: Term) -> Term:
        power = cast(node - level, T) if three else cast(2 * node - level, T)
        s = local(k, "s_node|px_node|st", r["s"] * wp.exp(wp.clamp(power * up, -20.0, 20.0)))
        gain = made(s, r["k"])
        return gain if kept is None else where(s > kept, number(0.0, T), gain)

    with sweep(k, 2 * n + 1 if three else n + 1, "j|node|m") as j:
        values[i, j] = varied(k, payoff(n, j), 0, 1)
    _roll_back(k, values, i, n, (p, df), payoff, three, style)
    value = settled(k, values[i, 0], 0, 2)
    cells.output("prices|out|option_values", T)[i] = value
    statistic(k, value)
    shape, stop = "trinomial" if three else "binomial", " with a knock-out level" if barrier else ""
    k.summary(f"Prices {style} {kind} {'puts' if put else 'calls'} on a {shape} tree{stop}.")


def _gain_of(kind: str, put: bool, size: Term, T: Scalar) -> Callable[[Scope, Term, Term], Term]:
    def body(_: Scope, s: Term, strike: Term) -> Term:
        gain = strike - s if put else s - strike
        if kind == "straddle":
            return wp.abs(gain) * size
        if kind == "digital":
            return where(gain > 0.0, size, number(0.0, T))
        if kind == "power":
            return wp.max(gain, 0.0) * wp.max(gain, 0.0)
        return wp.clamp(gain, 0.0, size) if kind == "capped" else wp.max(gain, 0.0)

    return body


def _roll_back(
    k: Author, values: Arr, i: Term, n: Term, step: tuple[Term, Term], payoff: Callable[[Term, Term], Term],
    three: bool, style: str,
) -> None:  # fmt: skip
    c, (p, df) = k.c, step
    way = c.below(2)
    dates = c.between(2, 12)
    with k.for_("back|lev|step_i", n) as back:
        level = local(k, "level|t_i|now", n - 1 - back)
        with k.for_("j|node|m", 2 * level + 1 if three else level + 1) as j:
            if three:
                held = (1.0 - 2.0 * p) * values[i, j + 1] + p * (values[i, j] + values[i, j + 2])
            elif way:
                held = p * values[i, j + 1] + (1.0 - p) * values[i, j]
            else:
                held = wp.lerp(values[i, j], values[i, j + 1], p)
            held = local(k, "held|cont|roll", df * held)
            if style == "American":
                held = wp.max(held, payoff(level, j))
            elif style == "Bermudan":
                held = where(level % dates == 0, wp.max(held, payoff(level, j)), held)
            values[i, j] = held


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
