"""Monte Carlo: options on simulated paths, and paths of rates and stochastic volatility."""

from __future__ import annotations

from ...author import Author, Var
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, settings, settled
from ...fusion.chance import normal, random_state, uniform
from ...fusion.sweeps import sweep
from ...terms import Term, cast, number, where, wp
from ...types import INT, Scalar

_PAYOFFS = ("european", "asian", "barrier", "lookback", "digital", "geometric_asian", "cliquet", "basket")


def monte_carlo(k: Author) -> None:
    """Options by simulation: one path per thread, or all paths of one option; antithetic, control, jumps."""
    c, T = k.c, precise(k)
    kind = c.pick(_PAYOFFS)
    k.name(f"mc_{kind}|{kind}_option|price_{kind}|simulate_{kind}|monte_carlo_{kind}")
    cells = Cells(k, 1)
    spot = local(k, "spot|s0|start", wp.max(cells.input("spots|s0_in|prices_in", T)[cells.place], 0.01))
    strike = local(k, "strike|k0|x_k", cells.input("strikes|k_in|levels", T)[cells.place])
    s = settings(k, {"r": ("r|rate", 0.03), "vol": ("vol|sigma", 0.25), "t": ("expiry|maturity", 1.0)}, T)
    rng = random_state(k, cells.first)
    steps = k.scalar("n_steps|steps|n_fix", INT) if c.chance(1, 2) else number(c.between(20, 252), INT)
    dt = local(k, "dt|h|step_t", wp.max(s["t"], 0.001) / cast(wp.max(steps, 1), T))
    drift = local(k, "drift|mu_dt|nu", (s["r"] - 0.5 * s["vol"] * s["vol"]) * dt)
    noise = local(k, "noise_amp|sd|vol_dt", s["vol"] * wp.sqrt(dt))
    put, mirrored = c.chance(1, 2), kind in ("european", "digital") and c.chance(1, 2)
    many = c.chance(1, 3)
    if many:
        paths = k.scalar("n_paths|paths|n_sims", INT) if c.chance(1, 2) else number(c.between(20, 500), INT)
        acc = k.var("acc|payoff_sum|total_pay", number(0.0, T))
        with sweep(k, paths, "p|path|sim"):
            acc += _path(k, kind, spot, strike, rng, steps, drift, noise, put, mirrored, T)
        pay = acc / cast(wp.max(paths, 1), T)
    else:
        pay = _path(k, kind, spot, strike, rng, steps, drift, noise, put, mirrored, T)
    value = pay * wp.exp(-wp.clamp(s["r"] * s["t"], -5.0, 20.0))
    value = settled(k, value, 0, 2)
    if not many and c.chance(1, 2):
        k.atomic("add", k.output("price_sum|total_out|estimate", T), 0, value, augmented=c.chance(1, 2))
    else:
        cells.output("prices|out|payoffs", T)[cells.place] = value
    statistic(k, value)
    how = "the mean of its simulated paths" if many else "one simulated path per thread"
    side = "puts" if put else "calls"
    k.summary(f"Prices {kind.replace('_', ' ')} {side} by {how}{' and its mirror image' if mirrored else ''}.")


def _path(
    k: Author, kind: str, spot: Term, strike: Term, rng: Term, steps: Term, drift: Term, noise: Term, put: bool,
    mirrored: bool, T: Scalar,
) -> Term:  # fmt: skip
    """Simulate one path; return its payoff."""
    c = k.c
    logs = c.chance(1, 2)
    x = k.var("x|log_s|s_t" if logs else "s|s_t|px", wp.log(spot) if logs else spot)
    second = k.var("y|mirror|anti", Term(x.e)) if mirrored else None
    if kind == "basket":
        second = k.var("y|other_s|s2", Term(x.e))
    figure = None
    if kind not in ("european", "digital", "basket"):
        begin = spot if kind in ("lookback", "barrier") else number(0.0, T)
        figure = k.var("fig|running|seen", begin)
    with sweep(k, steps, "t|n|step_i", ordered=True):
        z = normal(k, rng, T)
        move = _jumped(k, drift + noise * z, rng, T) if c.chance(1, 4) else drift + noise * z
        before = local(k, "before|s_old|last", Term(x.e)) if kind == "cliquet" else None
        _advance(x, move, logs)
        if second is not None:
            z2 = -z if mirrored else 0.6 * z + 0.8 * normal(k, rng, T, "z2|e2")
            _advance(second, drift + noise * z2, logs)
        if figure is not None:
            _watch(k, kind, figure, wp.exp(wp.min(x, 20.0)) if logs else Term(x.e), before, logs, T)
    final = local(k, "s_end|final_s|s_T", wp.exp(wp.min(x, 20.0)) if logs else Term(x.e))
    pay = _payoff(k, kind, final, strike, figure, steps, put, T)
    if second is None:
        return pay
    other = local(k, "y_end|final_y|s_T2", wp.exp(wp.min(second, 20.0)) if logs else Term(second.e))
    if kind == "basket":
        mixed = local(k, "mix|basket_s|index_t", 0.5 * (final + other) if c.chance(1, 2) else wp.max(final, other))
        return wp.max(strike - mixed if put else mixed - strike, 0.0)
    return 0.5 * (pay + _payoff(k, kind, other, strike, figure, steps, put, T))


def _advance(x: Var, move: Term, logs: bool) -> None:
    if logs:
        x += move
    else:
        x *= wp.exp(wp.clamp(move, -5.0, 5.0))


def _jumped(k: Author, move: Term, rng: Term, T: Scalar) -> Term:
    """Add a jump with a small probability (Merton 1976)."""
    u = uniform(k, rng, T)
    return move + where(u < number(k.c.between(1, 10) / 100, T), coefficient(k, T, 5, 40), number(0.0, T))


def _watch(k: Author, kind: str, figure: Var, s: Term, before: Term | None, logs: bool, T: Scalar) -> None:
    if kind == "asian":
        figure += s
    elif kind == "geometric_asian":
        figure += wp.log(wp.max(s, 1.0e-4))
    elif kind == "cliquet":
        assert before is not None
        old = wp.exp(wp.min(before, 20.0)) if logs else before
        gain = s / wp.max(old, 1.0e-3) - 1.0
        figure += wp.clamp(gain, -0.02, 0.05)
    elif kind == "lookback":
        figure.set(wp.max(figure, s) if k.c.chance(1, 2) else wp.min(figure, s))
    else:
        figure.set(wp.max(figure, s))


def _payoff(k: Author, kind: str, s: Term, strike: Term, figure: Var | None, steps: Term, put: bool, T: Scalar) -> Term:
    level = s
    if figure is not None and kind in ("asian", "geometric_asian"):
        level = figure / cast(wp.max(steps, 1), T)
        level = local(k, "avg|mean_s|average", level if kind == "asian" else wp.exp(wp.min(level, 20.0)))
    if kind == "lookback" and figure is not None and k.c.chance(1, 2):
        return wp.abs(s - figure)
    if kind == "lookback" and figure is not None:
        level = Term(figure.e)
    if kind == "cliquet" and figure is not None:
        level = strike * (1.0 + figure)
    gain = strike - level if put else level - strike
    if kind == "digital":
        return where(gain > 0.0, number(1.0, T), number(0.0, T))
    gain = wp.max(gain, 0.0)
    if kind == "barrier" and figure is not None:
        return where(figure > strike * coefficient(k, T, 110, 200), number(0.0, T), gain)
    return gain


_MODELS = ("vasicek", "cir", "heston", "sabr", "black_karasinski", "ho_lee", "cev", "garch")


def rate_path(k: Author) -> None:
    """Paths of a short rate, or of a price with stochastic volatility, by Euler steps; integral, extremes, stored."""
    c, T = k.c, precise(k)
    kind = c.pick(_MODELS)
    k.name(f"{kind}_path|simulate_{kind}|{kind}_euler|{kind}_scenarios")
    stored = c.chance(1, 3)
    i = k.tid("i|path|scenario|tid")
    start = k.input("r0|starts|x0", T)
    if c.chance(1, 3):
        with k.if_(i >= start.shape(0)):
            k.leave()
    grid = k.output("paths_out|grid|scenarios", T, 2) if stored else None
    x = k.var("x|rate|r_t", wp.max(start[i], 0.001) if kind in ("heston", "sabr", "cev") else start[i])
    v = k.var("v|var_t|alpha_t", number(c.between(2, 30) / 100, T)) if kind in ("heston", "sabr", "garch") else None
    s = settings(k, {"a": ("kappa|speed|mean_rev", 0.4), "b": ("theta|mean|level", 0.05), "vol": ("sigma|vol", 0.1)}, T)
    dt = local(k, "dt|h|step_t", settings(k, {"dt": ("dt|h_t|time_step", 0.02)}, T)["dt"])
    root = local(k, "sq|root_dt|sdt", wp.sqrt(wp.max(dt, 1.0e-6)))
    rng = random_state(k, i)
    area = k.var("area|integral|acc", number(0.0, T)) if c.chance(2, 3) or grid is None else None
    steps = grid.shape(1) if grid is not None else k.scalar("n_steps|steps|horizon", INT)
    with sweep(k, steps, "t|n|step_i", ordered=True) as t:
        z = normal(k, rng, T)
        _stepped(k, kind, x, v, z, s, dt, root, rng, T)
        if area is not None:
            area += x * dt if c.chance(1, 2) else local(k, "held|clipped|pos_x", wp.max(x, 0.0)) * dt
        if grid is not None:
            grid[i, t] = varied(k, Term(x.e), 0, 1)
    if area is not None:
        value = Term(area.e) if c.chance(1, 2) else wp.exp(-wp.clamp(area, -10.0, 20.0))
        value = settled(k, value, 0, 2)
        k.output("integrals|discounts|out", T)[i] = value
        statistic(k, value)
    if grid is None:
        k.output("ends|final_out|terminal", T)[i] = varied(k, Term(x.e), 0, 2)
    k.summary(f"Simulates one {kind.replace('_', '-')} path per thread by Euler steps.")


def _stepped(
    k: Author, kind: str, x: Var, v: Var | None, z: Term, s: dict[str, Term], dt: Term, root: Term, rng: Term, T: Scalar
) -> None:
    c = k.c
    if kind in ("vasicek", "ho_lee"):
        pull = s["a"] * (s["b"] - x) if kind == "vasicek" else s["a"] * s["b"]
        x += pull * dt + s["vol"] * root * z
        return
    if kind == "cir":
        pos = local(k, "pos|xp|held_x", wp.max(x, 0.0))
        x += s["a"] * (s["b"] - pos) * dt + s["vol"] * wp.sqrt(pos + 1.0e-8) * root * z
        if c.chance(1, 2):
            x.set(wp.abs(x))
        return
    if kind == "black_karasinski":
        x += s["a"] * (s["b"] - x) * dt + s["vol"] * root * z
        if c.chance(1, 2):
            x.set(wp.clamp(x, -10.0, 10.0))
        return
    if kind == "cev":
        x += s["b"] * x * dt + s["vol"] * wp.pow(wp.max(x, 1.0e-3), number(c.between(30, 90) / 100, T)) * root * z
        return
    assert v is not None
    if kind == "garch":
        shock = local(k, "shock|eps_t|ret", wp.sqrt(wp.max(v, 1.0e-6)) * z)
        v.set(wp.abs(s["b"]) * dt + number(0.08, T) * shock * shock + number(0.9, T) * v)
        x += shock
        return
    rho = number(-c.between(10, 80) / 100, T)
    z2 = local(k, "zv|w2|z_vol", rho * z + wp.sqrt(1.0 - rho * rho) * normal(k, rng, T, "z1|e1"))
    if kind == "heston":
        pos = local(k, "vp|pos_v|held_v", wp.max(v, 0.0))
        x *= wp.exp(wp.clamp((s["b"] - 0.5 * pos) * dt + wp.sqrt(pos + 1.0e-8) * root * z, -5.0, 5.0))
        v += s["a"] * (s["b"] - pos) * dt + s["vol"] * wp.sqrt(pos + 1.0e-8) * root * z2
        return
    x += v * wp.pow(wp.max(x, 1.0e-3), number(c.between(30, 90) / 100, T)) * root * z
    v *= wp.exp(wp.clamp(s["vol"] * root * z2 - 0.5 * s["vol"] * s["vol"] * dt, -5.0, 5.0))
