"""Filters along a row: smoothing, Kalman filters, hidden Markov models."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author, Var
from ...fusion import coefficient, gate, statistic, varied
from ...fusion.cells import local, precise, setting, settings, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import sweep, total
from ...terms import Like, Term, number, where, wp
from ...types import INT, Scalar, mat, vec


def smoothing(k: Author) -> None:
    """A recursive filter along each row: exponential, Holt, running variance, cumulative sum, rolling window."""
    c, T = k.c, precise(k)
    kind = c.pick(("exponential", "holt", "ewm_variance", "cusum", "rolling", "median3", "alpha_beta", "seasonal"))
    k.name(f"{kind}_filter|{kind}|{kind}_smoothing|row_{kind}")
    rows = Rows(k, "row|i|series|s0", "length|n_time|steps|n")
    x = rows.input("x|signal|series_in|y", T)
    change = transform(k, "pre|observe|prepare", T)
    level = k.var("level|s|state", number(0.0, T))
    second = k.var("trend|v|slope", number(0.0, T)) if kind not in ("exponential", "rolling", "median3") else None
    out = rows.output("out|smoothed|filtered", T)
    with sweep(k, rows.count, "t|j|step_t", ordered=True) as t:
        v = local(k, "v|obs|cur", change(x[t]))
        if c.chance(1, 3):
            with k.if_(t == 0):
                level.set(v)
        value = _filtered(k, kind, v, level, second, lambda back: change(x[wp.max(t - back, 0)]), T)
        out[t] = varied(k, value, 0, 2)
    if c.chance(1, 2):
        last = settled(k, Term(level.e), 0, 1)
        rows.result("last_out|final_level|carry", T)[rows.place] = last
        statistic(k, last)
    k.summary(f"Runs the {kind.replace('_', ' ')} filter along each row of {change.words}values.")


def _filtered(
    k: Author, kind: str, v: Term, level: Var, second: Var | None, at: Callable[[Like], Term], T: Scalar
) -> Term:
    a = number(k.c.between(5, 60) / 100, T)
    if kind == "median3":
        b, d = local(k, "b|prev1", at(1)), local(k, "d|prev2", at(2))
        middle = wp.max(wp.min(v, b), wp.min(wp.max(v, b), d))
        level.set(0.5 * level + 0.5 * middle)
        return middle
    if kind == "rolling":
        mean = total(k, "acc|window_sum|s", number(k.c.between(2, 5), INT), at, T) * number(0.25, T)
        level.set(wp.lerp(level, mean, a))
        return v - mean if k.c.chance(1, 2) else mean
    if second is None:
        level.set(level + a * (v - level) if k.c.chance(1, 2) else a * v + (1.0 - a) * level)
        return Term(level.e)
    if kind == "cusum":
        slack = coefficient(k, T, 1, 50)
        level.set(wp.max(level + v - slack, 0.0))
        second.set(wp.min(second + v + slack, 0.0))
        return wp.max(level, -second)
    residual = local(k, "r|resid|innov", v - level if kind == "ewm_variance" else v - (level + second))
    if kind == "ewm_variance":
        level += a * residual
        second.set((1.0 - a) * (second + a * residual * residual))
        return residual / wp.sqrt(second + 1.0e-4) if k.c.chance(1, 2) else Term(second.e)
    if kind == "seasonal":
        season = local(k, "season|lagged|back_v", at(k.c.between(2, 12)))
        level += a * (v - season - level)
        second.set(wp.lerp(second, v - level, number(0.2, T)))
        return level + second
    b = number(k.c.between(2, 40) / 100, T)
    before = local(k, "before|old_level|prev_level", Term(level.e))
    level.set(level + second + a * residual)
    second.set(wp.lerp(second, level - before, b) if kind == "holt" else second + b * residual)
    return level + second if k.c.chance(1, 2) else Term(level.e)


def kalman(k: Author) -> None:
    """A Kalman filter (1960): along each row with one or two states, or one step with vectors and matrices."""
    c = k.c
    way = c.pick(("scalar", "two_state", "matrix"))
    k.name("kalman_filter|kalman_step|kalman_update|filter_series|state_estimate")
    if way == "matrix":
        _matrix_step(k)
        return
    T = precise(k)
    rows = Rows(k, "row|i|series|track", "length|n_time|steps|n")
    z = rows.input("z|measured|obs_in", T)
    change = transform(k, "sensor|calibrate|pre", T, 1)
    x, p = k.var("x|est|state", number(0.0, T)), k.var("p|var_x|cov", number(1.0, T))
    rate = k.var("rate|v|slope", number(0.0, T)) if way == "two_state" else None
    s = settings(k, {"q": ("q|process_noise", 0.02), "r": ("r|meas_noise", 0.3)}, T)
    missing = c.chance(1, 3)
    out = rows.output("out|filtered|estimates", T)
    with sweep(k, rows.count, "t|j|step_t", ordered=True) as t:
        obs = local(k, "obs|meas|y", change(z[t]))
        if rate is not None:
            x += rate * coefficient(k, T, 1, 100)
        elif c.chance(1, 2):
            x *= number(c.between(80, 99) / 100, T)
        p += wp.abs(s["q"])
        innov = local(k, "innov|resid|e", obs - x)
        gain = p / (p + wp.abs(s["r"]) + 1.0e-4)
        gain = where(wp.abs(innov) > coefficient(k, T, 100, 900), 0.0, gain) if missing else gain
        gain = local(k, "gain|kg|k_gain", gain)
        x += gain * innov
        p.set((1.0 - gain) * p if c.chance(1, 2) else p - gain * p)
        if rate is not None:
            rate += gain * innov * number(c.between(5, 50) / 100, T)
        out[t] = varied(k, Term(x.e), 0, 2)
    value = settled(k, Term(p.e), 0, 2)
    rows.result("var_out|final_p|spread", T)[rows.place] = value
    statistic(k, value)
    gated = ", leaving out outliers" if missing else ""
    k.summary(f"Runs a {'two-state' if rate is not None else 'one-state'} Kalman filter along each row{gated}.")


def _matrix_step(k: Author) -> None:
    """Predict and update a mean vector and a covariance matrix with one scalar measurement."""
    c, T = k.c, precise(k)
    n = c.between(2, 4)
    V, M = vec(n, T), mat(n, n, T)
    i = k.tid("i|track|target|tid")
    means, covs, z = k.inout("means|states|x_in", V), k.inout("covs|p_in|cov_in", M), k.input("z|measured|obs", T)
    i = gate(k, i, z.shape(0))
    x, p = local(k, "x|m|state", means[i]), local(k, "p|cov|sigma", covs[i])
    if c.chance(2, 3):
        f = k.scalar("f|transition|a_mat", M)
        x, p = local(k, "xp|x_pred|mean_p", f * x), local(k, "pp|p_pred|cov_p", f * p * wp.transpose(f))
    noise = setting(k, "q|process_noise|accel_var", 0.02, T)
    p = local(k, "p1|inflated|cov_q", p + k.input("q_mats|process_cov|noise_cov", M)[i] * noise)
    h = k.scalar("h|obs_row|sensor", V) if c.chance(1, 2) else k.input("h_rows|obs_rows|sensors", V)[i]
    h = local(k, "hv|row_h|dir_h", h)
    ph = local(k, "ph|cross|p_h", p * h)
    s = local(k, "s|innov_var|total_var", wp.max(wp.abs(wp.dot(h, ph)), 1.0e-3) + setting(k, "r|meas_noise", 0.3, T))
    innov = local(k, "innov|resid|e", varied(k, z[i] - wp.dot(h, x), 0, 1))
    if c.chance(1, 3):
        with k.if_(innov * innov > coefficient(k, T, 200, 900) * s):
            k.leave()
    gain = local(k, "gain|kg|k_gain", ph / s)
    means[i] = x + gain * innov
    updated = p - wp.outer(gain, ph)
    if c.chance(1, 2):
        updated = local(k, "p2|posterior|p_new", updated)
        updated = (updated + wp.transpose(updated)) * number(0.5, T)
    covs[i] = updated
    value = settled(k, innov * innov / s, 0, 2)
    k.output("nis|chi2|score_out", T)[i] = value
    statistic(k, value)
    k.summary(f"Makes one Kalman step of {n} states with a scalar measurement for each track.")


def hidden_markov(k: Author) -> None:
    """One step of the forward, backward or Viterbi recursion (Rabiner 1989) for each sequence and state."""
    c, T = k.c, precise(k)
    kind = c.pick(("forward", "backward", "viterbi", "log_forward"))
    k.name(f"hmm_{kind}|{kind}_step|{kind}_recursion|hmm_{kind}_step")
    b, s = k.tid("b|seq|row", "s|state|j")
    alpha, trans = k.input("alpha|prev|messages", T, 2), k.input("trans|a_mat|transition", T, 2)
    emit, obs = k.input("emit|b_mat|emission", T, 2), k.input("obs|symbols|tokens", INT)
    n = local(k, "n|n_states|width", trans.shape(0)) if c.chance(1, 2) else trans.shape(0)
    flip = c.chance(1, 3) != (kind == "backward")
    change = transform(k, "potential|weight_of|adjust", T, 1)
    o = local(k, "o|sym|token", wp.clamp(obs[b], 0, emit.shape(1) - 1))

    def step(m: Term) -> Term:
        return change(trans[s, m] if flip else trans[m, s])

    if kind in ("forward", "backward"):

        def term(m: Term) -> Term:
            product = alpha[b, m] * step(m)
            return product * emit[m, o] if kind == "backward" else product

        value = total(k, "acc|mass|p", n, term, T)
        value = value * emit[s, o] if kind == "forward" else value
        value = value / (k.input("norms|scales|c_t", T)[b] + 1.0e-4) if c.chance(1, 2) else value
    else:
        value, arg = _strongest(k, kind, n, step, alpha, b, T)
        value = value + emit[s, o]
        k.output("back_out|pointers|trace", INT, 2)[b, s] = arg
    value = settled(k, value, 0, 2)
    k.output("alpha_out|next_msg|out", T, 2)[b, s] = value
    statistic(k, value)
    k.summary(f"Makes one {kind.replace('_', ' ')} step of a hidden Markov model for each sequence and state.")


def _strongest(
    k: Author, kind: str, n: Term, step: Callable[[Term], Term], alpha: Arr, b: Term, T: Scalar
) -> tuple[Term, Var]:
    """Return the score of the best way into a state, or the log of the sum of all, and where the best comes from."""
    top, arg = k.var("best|top|score", number(-1.0e30, T)), k.var("arg|from_s|back", number(0, INT))
    with sweep(k, n, "m|src|prev_s", ordered=True) as m:
        cand = local(k, "cand|v|path", alpha[b, m] + step(m))
        with k.if_(cand > top):
            top.set(cand)
            arg.set(m)
    value = Term(top.e)
    if kind == "log_forward":
        value = value + wp.log(
            total(k, "mass|z|acc", n, lambda m: wp.exp(wp.max(alpha[b, m] + step(m) - top, -60.0)), T) + 1.0e-6
        )
    return value, arg
