"""Markov chains, resampling, lattice models, random walks."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Scope, Var
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, setting, settings, settled
from ...fusion.chance import normal, random_state, uniform
from ...fusion.sweeps import sweep, total
from ...terms import Term, both, cast, make, number, where, wp
from ...types import FLOAT, INT, Scalar, Vec, vec

_TARGETS = ("normal", "double_well", "logistic", "cauchy", "rosenbrock", "laplace")


def metropolis(k: Author) -> None:
    """Metropolis or Langevin steps (Metropolis et al. 1953; Roberts and Tweedie 1996) of one chain per thread."""
    c = k.c
    target, langevin, plane = c.pick(_TARGETS), c.chance(1, 3), c.chance(1, 2)
    k.name("langevin_step|mala_chain|ula_step" if langevin else "metropolis|mcmc_chain|metropolis_step|random_walk_mh")
    i = k.tid("i|chain|walker|tid")
    V = vec(2) if plane else FLOAT
    chains = k.inout("chains|state_x|positions|walkers", V)
    rng = random_state(k, i)
    x = k.var("x|cur|theta|here", chains[i])
    log_p = k.function("log_prob|log_density|energy_of", {"q|z|p": V}, lambda s, q: _log_density(s, target, q))
    slope = k.function("score|grad_log_p|drift_of", {"q|z|p": V}, lambda s, q: _score(s, q)) if langevin else None
    size = setting(k, "step_size|sigma|width", 0.4)
    level = k.var("lp|level|energy_x", log_p(x)) if not langevin else None
    taken = k.var("taken|n_acc|accepted", number(0, INT))
    turns = k.scalar("n_steps|sweeps|burn", INT) if c.chance(1, 2) else number(c.between(1, 40), INT)
    with k.for_("it|step_i|t", turns):
        move = _proposal(k, rng, plane)
        if slope is not None:
            x.set(x + 0.5 * size * size * slope(x) + size * move)
            with k.if_(_norm(Term(x.e)) < coefficient(k, FLOAT)):
                taken += 1
        else:
            assert level is not None
            _accept(k, rng, x, level, taken, local(k, "prop|cand|there", x + size * move), log_p)
    chains[i] = Term(x.e) if plane else varied(k, Term(x.e), 0, 1)
    k.output("accept_out|rates|accepted_n", INT)[i] = taken
    if c.chance(1, 2):
        value = settled(k, _norm(Term(x.e)), 0, 3)
        k.output("stat_out|observed|trace", FLOAT)[i] = value
        statistic(k, value)
    k.summary(
        f"Makes {'Langevin' if langevin else 'Metropolis'} steps of one chain per thread towards a "
        f"{target.replace('_', '-')} target{' in the plane' if plane else ''}."
    )


def _norm(x: Term) -> Term:
    return wp.length(x) if isinstance(x.type, Vec) else wp.abs(x)


def _proposal(k: Author, rng: Term, plane: bool) -> Term:
    if k.c.chance(1, 4):
        if plane:
            return local(k, "jump|move|dx", wp.sample_unit_disk(rng))
        return local(k, "jump|move|dx", wp.randf(rng, -1.0, 1.0))
    if not plane:
        return normal(k, rng)
    return local(k, "jump|move|dx", make(vec(2), normal(k, rng, FLOAT, "zx|e0"), normal(k, rng, FLOAT, "zy|e1")))


def _accept(k: Author, rng: Term, x: Var, level: Var, taken: Var, there: Term, log_p: Callable[[Term], Term]) -> None:
    new = local(k, "lp_new|new_level|e_new", log_p(there))
    u = uniform(k, rng)
    way = k.c.below(3)
    if way == 0:
        test = wp.log(u + 1.0e-9) < new - level
    elif way == 1:
        test = u < wp.exp(wp.min(new - level, 0.0))
    else:
        test = u < local(k, "ratio|alpha_a|odds", wp.min(wp.exp(wp.clamp(new - level, -30.0, 10.0)), 1.0))
    with k.if_(test):
        x.set(there)
        level.set(new)
        taken += 1


def _log_density(s: Scope, target: str, q: Term) -> Term:
    r2 = wp.length_sq(q) if isinstance(q.type, Vec) else q * q
    spread = coefficient(s, FLOAT, 20, 200)
    if target == "normal":
        return -0.5 * r2 / spread
    if target == "double_well":
        well = local(s, "well|gap", r2 - 1.0)
        return -spread * well * well
    if target == "logistic":
        r = local(s, "r|size", wp.sqrt(r2 + 1.0e-6))
        return -r - 2.0 * wp.log(1.0 + wp.exp(-r))
    if target == "cauchy":
        return -wp.log(1.0 + r2 / spread)
    a, b = (q[0], q[1]) if isinstance(q.type, Vec) else (q, q)
    if target == "laplace":
        return -spread * (wp.abs(a) + wp.abs(b))
    bend = local(s, "bend|ridge", b - a * a)
    flat = local(s, "flat|along", 1.0 - a)
    return -(flat * flat + spread * bend * bend)


def _score(s: Scope, q: Term) -> Term:
    way = s.c.below(3)
    factor = coefficient(s, FLOAT, 20, 200)
    r2 = wp.length_sq(q) if isinstance(q.type, Vec) else q * q
    if way == 0:
        return -(q * factor)
    if way == 1:
        return q * (-factor / (1.0 + r2))
    return q * (wp.clamp(1.0 - r2, -4.0, 1.0) * factor)


def resample(k: Author) -> None:
    """Resampling of weighted particles: systematic, stratified, multinomial by search; or bootstrap means."""
    c, T = k.c, precise(k)
    kind = c.pick(("systematic", "stratified", "multinomial", "bootstrap"))
    k.name(f"{kind}_resample|{kind}|resample_{kind}|{kind}_draw")
    i = k.tid("i|particle|slot|tid")
    rng = random_state(k, i)
    value = _bootstrap(k, i, rng, T) if kind == "bootstrap" else _drawn(k, kind, i, rng, T)
    value = settled(k, value, 0, 3)
    k.output("out|resampled|drawn_x", T)[i] = value
    statistic(k, value)
    what = "mean of a bootstrap sample" if kind == "bootstrap" else f"particle drawn by {kind} resampling"
    k.summary(f"Computes for each thread the {what}.")


def _drawn(k: Author, kind: str, i: Term, rng: Term, T: Scalar) -> Term:
    c = k.c
    cdf, x = k.input("cdf|cum_weights|cumulative", T), k.input("x|particles|states", T)
    n = local(k, "n|n_particles|size", cdf.shape(0)) if c.chance(1, 2) else cdf.shape(0)
    last = cdf[n - 1] if c.chance(1, 2) else number(1.0, T)
    if kind == "multinomial":
        level = uniform(k, rng, T) * last
    else:
        inside = uniform(k, rng, T) if kind == "stratified" else k.scalar("u0|shift|phase", T)
        level = (cast(i, T) + inside) / cast(wp.max(n, 1), T) * last
    level = local(k, "level|target|goal", level)
    low, high = k.var("lo|low|left", number(0, INT)), k.var("hi|high|right", n - 1)
    if c.chance(2, 3):
        with k.while_(low < high):
            mid = local(k, "mid|m|probe", (low + high) // 2)
            with k.if_(cdf[mid] < level):
                low.set(mid + 1)
            with k.else_():
                high.set(mid)
    else:
        with k.while_(both(low < high, cdf[low] < level)):
            low += 1
    k.output("parents|ancestors|indices", INT)[i] = low
    return x[low]


def _bootstrap(k: Author, i: Term, rng: Term, T: Scalar) -> Term:
    c = k.c
    data = k.input("data|x|sample", T)
    draws = data.shape(0) if c.chance(1, 2) else k.scalar("n_draws|m_out|size", INT)
    weights = k.input("weights|influence|w", T) if c.chance(1, 3) else None
    square = c.chance(1, 3)

    def draw(_: Term) -> Term:
        pick = (
            wp.randi(rng, 0, data.shape(0)) if c.chance(1, 2) else cast(wp.randf(rng) * cast(data.shape(0), FLOAT), INT)
        )
        place = local(k, "pick|at|who", wp.min(pick, data.shape(0) - 1))
        v = local(k, "v|val|obs", data[place] if weights is None else data[place] * weights[place])
        return v * v if square else v

    return total(k, "acc|s|sum_x", draws, draw, T) / cast(wp.max(draws, 1), T)


def walk(k: Author) -> None:
    """A random path of one thread: Brownian, mean-reverting, on a lattice, or with jumps; or a stratified sample."""
    c, T = k.c, precise(k)
    kind = c.pick(("brownian", "ornstein_uhlenbeck", "lattice", "levy", "latin_hypercube", "bridge"))
    k.name(f"{kind}|{kind}_walk|simulate_{kind}|{kind}_path")
    cells = Cells(k, 1)
    start = cells.input("x0|starts|origin_x", T)[cells.place]
    rng = random_state(k, cells.first)
    x = k.var("x|pos|cur", start)
    peak = k.var("peak|farthest|x_max", start) if c.chance(1, 2) else None
    hyper = settings(k, {"dt": ("dt|h|step_t", 0.02), "sigma": ("sigma|vol|noise_amp", 0.6)}, T)
    turns = k.scalar("n_steps|length|horizon", INT) if c.chance(1, 2) else number(c.between(17, 200), INT)
    with sweep(k, turns, "t|step_i|n", ordered=True) as t:
        x.set(_moved(k, kind, Term(x.e), t, turns, rng, hyper, T))
        if c.chance(1, 3):
            _bounded(k, x, T)
        if peak is not None:
            peak.set(wp.max(peak, x) if c.chance(1, 2) else wp.max(peak, wp.abs(x)))
    value = settled(k, Term(x.e), 0, 2)
    cells.output("out|ends|final_x", T)[cells.place] = value
    if peak is not None:
        cells.output("peaks|extent|reach", T)[cells.place] = varied(k, Term(peak.e), 0, 2)
    statistic(k, value)
    k.summary(f"Follows one {kind.replace('_', ' ')} path of {T.name} numbers per thread.")


def _moved(k: Author, kind: str, x: Term, t: Term, turns: Term, rng: Term, hyper: dict[str, Term], T: Scalar) -> Term:
    dt, sigma = hyper["dt"], hyper["sigma"]
    if kind == "lattice":
        u = uniform(k, rng, T)
        return x + sigma * where(u < number(k.c.between(30, 70) / 100, T), dt, -dt)
    if kind == "latin_hypercube":
        u = uniform(k, rng, T)
        return 0.5 * x + (cast(t, T) + u) / cast(wp.max(turns, 1), T) * sigma + dt
    root = wp.sqrt(wp.max(dt, 1.0e-6))
    z = normal(k, rng, T)
    if kind == "ornstein_uhlenbeck":
        mean = coefficient(k, T)
        if k.c.chance(1, 2):
            return x + coefficient(k, T) * (mean - x) * dt + sigma * root * z
        keep = local(k, "keep|decay|phi", wp.exp(-wp.clamp(dt, 0.0, 10.0)))
        return mean + (x - mean) * keep + sigma * wp.sqrt(wp.max(1.0 - keep * keep, 1.0e-6)) * z
    if kind == "levy":
        return x + sigma * dt * z / wp.sqrt(wp.abs(z) + number(0.05, T))
    if kind == "bridge":
        left = local(k, "left|remaining|to_go", cast(turns - t, T))
        return x + (coefficient(k, T) - x) / (left + 1.0) + sigma * root * z
    return x + sigma * root * z if k.c.chance(1, 2) else x + coefficient(k, T) * dt + sigma * root * z


def _bounded(k: Author, x: Var, T: Scalar) -> None:
    wall = coefficient(k, T, 100, 500)
    with k.if_(wp.abs(x) > wall):
        x.set(where(x > 0.0, 2.0 * wall - x, -2.0 * wall - x) if k.c.chance(1, 2) else wp.clamp(x, -wall, wall))
