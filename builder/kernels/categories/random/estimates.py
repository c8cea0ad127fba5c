"""Monte-Carlo integrals, random walks, dice and Poisson events."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, either, make, number, where, wp
from ...types import FLOAT, INT, UINT, VEC2, VEC3, Value
from .common import normal, state_of, uniform


def _count(k: Author) -> Term:
    if k.c.chance(1, 2):
        return k.scalar("samples|trials|draws", INT)
    return number(k.c.pick((16, 32, 64, 100)), INT)


def integral(k: Author) -> None:
    """Integrals by random points: areas, means of functions, importance weights, antithetic pairs."""
    c = k.c
    way = c.below(5)
    k.name(("estimate_pi|disk_area", "mean_value|mc_integral", "importance_sample|weighted_mc", "antithetic|paired_mc",
            "option_price|payoff_mc")[way])  # fmt: skip
    scales = k.input("scales|params|x", FLOAT)
    i = gate(k, k.tid("i|tid|idx"), scales.shape(0))
    state = state_of(k, i)
    a = k.let("a|scale|p", wp.abs(varied(k, scales[i], 0, 1)) + 0.1)
    total = k.var("total|acc|sum_", number(0.0))
    f = k.function("f|integrand|payoff", {"x|u|t": FLOAT, "s|p": FLOAT}, lambda s, x, p: varied(s, x * p, 1, 3))
    count = _count(k)
    with k.for_("n|j|it", count):
        if way == 0:
            p = k.let("p|pt|q", make(VEC2, uniform(k, state), uniform(k, state)))
            with k.if_(wp.length(p) < a if c.chance(1, 2) else wp.length_sq(p) <= coefficient(k, FLOAT)):
                total += varied(k, a, 0, 1) if c.chance(1, 2) else 1.0
        elif way == 1:
            total += f(uniform(k, state), a)
        elif way == 2:
            x = k.let("x|z|u", -wp.log(wp.max(1.0 - wp.randf(state), 1.0e-6)))
            total += f(x, a) * wp.exp(-wp.min(x, 20.0)) / (coefficient(k, FLOAT) + wp.exp(-x))
        elif way == 3:
            u = k.let("u|x|r", wp.randf(state))
            total += 0.5 * (f(u, a) + f(1.0 - u, a))
        else:
            z = k.let("z|shock|g", wp.clamp(normal(k, state), -5.0, 5.0))
            end = k.let("end|price|st", a * wp.exp(coefficient(k, FLOAT, 5, 40) * z - coefficient(k, FLOAT, 1, 20)))
            total += wp.max(end - coefficient(k, FLOAT), 0.0) if c.chance(1, 2) else f(end, a)
    mean = k.let("mean|est|r0", varied(k, Term(total.e) / wp.max(cast(count, FLOAT), 1.0), 0, 2))
    k.output("out|result|estimates", FLOAT)[i] = mean
    statistic(k, mean)
    what = ("areas of disks", "means of a function", "means by weighted draws", "means by pairs of draws",
            "expected payoffs")[way]  # fmt: skip
    k.summary(f"Estimates {what} from random draws.")


def _kick(s: Scope, state: Term, V: Value, lattice: bool) -> Term:
    """Return one step of a walk: along an axis of a lattice, normal, or of unit length."""
    if lattice:
        one = s.let("dir|way|turn", wp.randi(state, 0, 2) * 2 - 1)
        if V is FLOAT:
            return cast(one, FLOAT)
        n = V.n  # type: ignore[union-attr]
        axis = s.let("axis|k0|which", wp.randi(state, 0, n))
        return make(V, *(where(axis == m, cast(one, FLOAT), number(0.0)) for m in range(n)))
    if V is FLOAT:
        return normal(s, state)
    if s.c.chance(1, 2):
        return wp.sample_unit_ring(state) if V is VEC2 else wp.sample_unit_sphere_surface(state)
    return make(V, *(wp.randn(state) for _ in range(V.n)))  # type: ignore[union-attr]


def walk(k: Author) -> None:
    """Random walks and noisy motion: lattice steps, Brownian motion, Langevin, first exits."""
    c = k.c
    lattice = c.chance(1, 3)
    V: Value = FLOAT if c.chance(1, 3) else c.pick((VEC2, VEC3))
    k.name("random_walk|brownian|langevin|first_exit|diffuse")
    start = k.input("start|x0|seeds_at", V)
    i = gate(k, k.tid("i|tid|walker"), start.shape(0))
    state = state_of(k, i)
    x = k.var("x|pos|p", varied(k, start[i], 0, 1))
    steps = _count(k)
    size = coefficient(k, FLOAT, 2, 60)
    exits = c.chance(1, 2)
    at = k.var("at|exit_step|n", number(0, INT)) if exits else None

    with k.for_("it|step|j", steps):
        kick = k.let("kick|dx|jump", _kick(k, state, V, lattice) * size)
        x.set(Term(x.e) + kick if c.chance(1, 2) else Term(x.e) * coefficient(k, FLOAT, 80, 99) + kick)
        if at is not None:
            far = wp.abs(Term(x.e)) if V is FLOAT else wp.length(Term(x.e))
            with k.if_(far > coefficient(k, FLOAT, 100, 900)):
                k.leave("break")
            at += 1
    made = varied(k, Term(x.e), 0, 2)
    k.output("out|ends|x_out", V)[i] = made
    if at is not None:
        k.output("exits|times|steps_out", INT)[i] = Term(at.e)
    statistic(k, made)
    where_ = " on a lattice" if lattice else ""
    k.summary(f"Walks each {V.name} at random{where_} for a number of steps{' or until it is far' if exits else ''}.")


_PICKED = "out|picked|result"


def _chosen(k: Author, state: Term, data: Arr, own: Term) -> Term:
    """Return a place drawn by the cumulative sums that ``data`` holds, or by those of its elements."""
    c = k.c
    if c.chance(1, 3):
        first = k.let("first|draw|pick0", wp.sample_cdf(state, data))
        if c.chance(1, 2):
            return wp.clamp(varied(k, first, 0, 2), 0, data.shape(0) - 1)
        with k.if_(own > coefficient(k, FLOAT)):
            k.output("other|second_pick|retry", INT)[first % data.shape(0)] = wp.sample_cdf(state, data)
        return first  # type: ignore[no-any-return]
    limit = varied(k, own, 0, 1) if c.chance(1, 2) else data[data.shape(0) - 1]
    u = k.let("u|r|target", wp.randf(state) * limit)
    n, run = k.var("n|at|pick", number(0, INT)), k.var("run|cum|acc", data[0])
    with k.while_(both(n < data.shape(0) - 1, Term(run.e) < u)):
        n += 1
        run.set(Term(run.e) + varied(k, wp.abs(data[Term(n.e)]), 0, 1))
    return Term(n.e)


def _roll(k: Author, data: Arr) -> None:
    """Roll dice and count their sums."""
    c = k.c
    i = k.tid("i|tid|idx")
    state = state_of(k, i)
    total = k.var("total|sum_|acc", number(0, INT))
    with k.for_("j|n|die", _count(k) if c.chance(1, 2) else c.between(2, 5)):
        total += wp.randi(state, 1, c.pick((7, 21, 13)))
    bins = k.output("hist|bins|counts", INT)
    k.atomic("add", bins, wp.abs(varied(k, Term(total.e), 0, 1)) % bins.shape(0), 1)
    k.output(_PICKED, FLOAT)[i] = varied(k, data[Term(total.e) % data.shape(0)], 0, 2)


def _reservoir(k: Author, data: Arr) -> None:
    """Keep one element of each row, each as likely."""
    c = k.c
    rows = k.input("rows|stream|x", c.pick((FLOAT, INT)), 2)
    i = gate(k, k.tid("i|tid|row"), rows.shape(0))
    state = state_of(k, i)
    kept = k.var("kept|pick|best", rows[i, 0])
    with k.for_("j|n|col", 1, rows.shape(1)) as j:
        test = wp.randi(state, 0, j + 1) == 0
        with k.if_(
            test if c.chance(1, 2) else wp.randf(state) * cast(j + 1, FLOAT) < varied(k, data[j % data.shape(0)], 0, 1)
        ):
            kept.set(varied(k, rows[i, j], 0, 1))
    k.output(_PICKED, kept.type)[i] = varied(k, Term(kept.e), 0, 1)
    if c.chance(1, 2):
        k.output("noise_out|shift|aux", FLOAT)[i] = data[i % data.shape(0)] * wp.randf(state)
    else:
        k.output("noise_out|shift|aux", FLOAT)[i] = varied(k, data[i % data.shape(0)], 1, 2)


def _choice(k: Author, data: Arr) -> None:
    """Draw an index by cumulative weights."""
    i = gate(k, k.tid("i|tid|idx"), data.shape(0))
    state = state_of(k, i)
    k.output(_PICKED, INT)[i] = _chosen(k, state, data, data[i])


def _flips(k: Author, data: Arr) -> None:
    """Flip biased coins and count heads."""
    c = k.c
    i = gate(k, k.tid("i|tid|idx"), data.shape(0))
    state = state_of(k, i)
    heads = k.var("heads|hits|count", number(0, INT))
    p = k.let("p|prob|bias", wp.clamp(varied(k, data[i], 0, 2), 0.05, 0.95))
    with k.for_("j|n|flip", _count(k)):
        with k.if_(
            wp.randf(state) < p if c.chance(1, 2) else either(wp.randf(state) < p, wp.randu(state) == number(0, UINT))
        ):
            heads += 1
        if c.chance(1, 3):
            with k.if_(Term(heads.e) > c.between(5, 30)):
                k.leave("break")
    k.output(_PICKED, INT)[i] = varied(k, Term(heads.e), 0, 2)


def dice(k: Author) -> None:
    """Draws from lists: dice, weighted choices by cumulative sums, reservoir picks, coin flips, shuffles of few."""
    c = k.c
    way = c.below(4)
    k.name(
        ("roll_dice|dice_sums", "weighted_choice|pick_by_cdf", "reservoir_pick|stream_pick", "coin_flips|bernoulli")[
            way
        ]
    )
    data = k.input("data|values|weights", FLOAT)
    if way == 0:
        _roll(k, data)
    elif way == 1:
        _choice(k, data)
    elif way == 2:
        _reservoir(k, data)
    else:
        _flips(k, data)
    what = (
        "Rolls dice and counts their sums",
        "Draws indices by cumulative weights",
        "Picks one element of each row at random",
        "Counts heads of biased coins",
    )[way]
    k.summary(f"{what}.")


def poisson_events(k: Author) -> None:
    """Poisson counts: photons, arrivals, thinning, shot noise."""
    c = k.c
    k.name("shot_noise|poisson_counts|photon_counts|arrivals|thinning")
    ndim = c.pick((1, 2))
    rates = k.input("rates|image|lam", FLOAT, ndim)
    index = k.tid(*("row|i|y", "col|j|x")[:ndim])
    state = state_of(k, *(index if isinstance(index, tuple) else (index,)))
    rate = k.let("rate|lam0|mu", wp.clamp(wp.abs(varied(k, rates[index], 0, 2)) * coefficient(k, FLOAT), 0.01, 60.0))
    way = c.below(3)
    if way == 0:
        count = wp.poisson(state, rate)
        made = (
            cast(count, FLOAT)
            if c.chance(1, 2)
            else cast(cast(count, INT), FLOAT) + normal(k, state) * coefficient(k, FLOAT)
        )
    elif way == 1:
        kept = k.var("kept|seen|hits", number(0, UINT))
        with k.for_("n|j|shot", c.between(2, 6) if c.chance(1, 2) else k.scalar("shots|frames|bursts", INT)):
            kept.set(Term(kept.e) + wp.poisson(state, rate * coefficient(k, FLOAT, 20, 90)))
        made = cast(Term(kept.e), FLOAT) / (1.0 + rate)
    else:
        t, n = k.var("t|clock|time", number(0.0)), k.var("n|events|count", number(0, INT))
        with k.while_(both(Term(t.e) < coefficient(k, FLOAT, 100, 400), n < c.between(20, 80))):
            t.set(Term(t.e) - wp.log(wp.max(wp.randf(state), 1.0e-6)) / rate)
            with k.if_(wp.randf(state) < coefficient(k, FLOAT, 20, 90)):
                n += 1
            with k.else_():
                t.set(Term(t.e) + 0.001)
            if c.chance(1, 2):
                with k.if_(Term(t.e) > 50.0):
                    k.leave("break")
        made = cast(Term(n.e), FLOAT)
    value = k.let("value|r|noisy", varied(k, made, 0, 2))
    k.output("out|counts|noisy_out", FLOAT, ndim)[index] = value
    statistic(k, value)
    what = ("Poisson counts of rates", "sums of Poisson counts", "events with exponential gaps")[way]
    k.summary(f"Draws {what}.")
