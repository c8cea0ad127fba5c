"""Histograms and moments."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author
from ...fusion import statistic, varied
from ...fusion.cells import Cells, local, precise, settings, settled, transform
from ...fusion.rows import Rows
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Term, cast, either, number, wp
from ...types import INT, Scalar, scalar_of

Weigh = Callable[[Term, Term], Term]


def histogram(k: Author) -> None:
    """A histogram of one or two variables: bin rule, what lies outside, weights, a row of bins for each block."""
    c, T = k.c, precise(k)
    two = c.chance(1, 3)
    k.name("joint_histogram|histogram2d|bin_pairs" if two else "histogram|weighted_histogram|bin_values|count_bins")
    cells = Cells(k, 2)
    x = cells.input("x|values|samples|data", T)[cells.place]
    v = local(k, "v|xi|val", varied(k, x, 0, 2))
    hyper = settings(k, {"lo": ("lo|low|x_min", 0.1), "step": ("bin_width|step|dx", 0.25)}, T)
    weighted = c.chance(1, 2)
    amount = cells.input("weights|mass|w", T)[cells.place] if weighted else number(1, INT)
    amount = local(k, "w_i|m|amount", varied(k, amount, 0, 2)) if weighted else amount
    blocks = not two and c.chance(1, 3)
    bins = k.output("hist|bins|counts|density", T if weighted else INT, 2 if two or blocks else 1)
    place = _bin(k, v, hyper["lo"], hyper["step"], bins.shape(1 if two or blocks else 0))
    index: tuple[Term, ...] = (place,)
    if two:
        y = cells.input("y|other|second", T)[cells.place]
        other = local(k, "yv|yi|other_v", varied(k, y, 0, 1))
        index = (_bin(k, other, hyper["lo"], hyper["step"], bins.shape(0)), place)
    elif blocks:
        index = (cells.first % bins.shape(0), place)
    if c.chance(1, 2):
        bins.add_at(index, amount)
    else:
        k.atomic("add", bins, index, amount)
    if c.chance(1, 3):
        cells.output("bin_of|slots|codes", INT)[cells.place] = place
    statistic(k, v)
    what = "pairs of values" if two else "values"
    k.summary(f"Counts {'the weight of ' if weighted else ''}{what} in the equal bins of a histogram.")


def _bin(k: Author, v: Term, low: Term, step: Term, n: Term) -> Term:
    """Return the bin of a value; those outside go to the ends, or the thread stops."""
    way = k.c.below(4)
    scaled = local(k, "pos|scaled|rel", (v - low) / wp.max(step, 1.0e-3))
    if way == 0:
        return local(k, "b|slot|bin_id", wp.clamp(cast(wp.clamp(scaled, -1.0e6, 1.0e6), INT), 0, n - 1))
    if way == 1:
        with k.if_(either(scaled < 0.0, scaled >= cast(n, scalar_of(v.type)))):
            k.leave()
        return local(k, "b|slot|bin_id", wp.min(cast(wp.floor(scaled), INT), n - 1))
    held = wp.clamp(scaled, 0.0, 1.0e6)
    if way == 2:
        return local(k, "b|slot|bin_id", wp.min(cast(held, INT), n - 1))
    return local(k, "b|slot|bin_id", cast(wp.floor(held), INT) % n)


def moments(k: Author) -> None:
    """Mean, spread, skewness, kurtosis or another mean of each row, weighted or not, in one pass or two."""
    c, T = k.c, precise(k)
    kind = c.pick(("variance", "skewness", "kurtosis", "zscore", "geometric", "harmonic", "entropy", "mad"))
    k.name(f"row_{kind}|{kind}|{kind}_rows|{kind}_stat")
    rows = Rows(k, "row|i|group|g")
    x = rows.input("x|data|samples|values", T)
    change = transform(k, "pre|prepare|observe", T)
    weights = rows.input("w|weights|freq", T) if c.chance(1, 3) else None

    def weigh(j: Term, value: Term) -> Term:
        return value if weights is None else value * weights[j]

    n = local(k, "n|size_f|denom", cast(wp.max(rows.count, 1), T))
    if weights is not None:
        n = local(k, "w_sum|mass|norm", wp.max(total(k, "ws|acc_w", rows.count, lambda j: weights[j], T), 1.0e-4))
    value = _moment(k, kind, rows, lambda j: change(x[j]), weigh, n, T)
    if kind == "zscore":
        _, mean, spread = _central(k, rows, lambda j: change(x[j]), weigh, n, T, 2)
        out = rows.output("z_out|out|scores", T)
        inv = local(k, "inv|rstd|scale", 1.0 / wp.sqrt(spread + 1.0e-6))
        with sweep(k, rows.count) as j:
            out[j] = varied(k, (change(x[j]) - mean) * inv, 0, 2)
        k.summary(f"Standardises each row of {change.words}values.")
        return
    assert value is not None
    value = settled(k, value, 0, 2)
    rows.result("out|result|stats", T)[rows.place] = value
    statistic(k, value)
    names = {"geometric": "geometric mean", "harmonic": "harmonic mean", "mad": "mean absolute deviation"}
    k.summary(f"Computes the {names.get(kind, kind)} of each row of {change.words}values.")


def _moment(k: Author, kind: str, rows: Rows, of: TermOf, weigh: Weigh, n: Term, T: Scalar) -> Term | None:
    if kind in ("variance", "skewness", "kurtosis"):
        power = {"variance": 2, "skewness": 3, "kurtosis": 4}[kind]
        high, _, spread = _central(k, rows, of, weigh, n, T, power)
        if kind == "variance":
            return wp.sqrt(spread + 1.0e-9) if k.c.chance(1, 2) else spread
        base = local(k, "s2|spread|var_x", spread + 1.0e-4)
        return high / (base * wp.sqrt(base)) if kind == "skewness" else high / (base * base) - 3.0
    if kind == "geometric":
        return wp.exp(
            wp.min(total(k, "acc|logs|s", rows.count, lambda j: weigh(j, wp.log(wp.abs(of(j)) + 0.01)), T) / n, 30.0)
        )
    if kind == "harmonic":
        inverse = total(k, "acc|inverse|s", rows.count, lambda j: weigh(j, 1.0 / (wp.abs(of(j)) + 0.1)), T)
        return n / (inverse + 1.0e-3)
    if kind == "entropy":
        mass = local(k, "mass|z|sum_p", total(k, "acc|s", rows.count, lambda j: weigh(j, wp.abs(of(j))), T) + 1.0e-4)

        def part(j: Term) -> Term:
            p = local(k, "p|share|prob", wp.abs(of(j)) / mass)
            return -p * wp.log(p + 1.0e-6)

        return total(k, "h|entropy_acc|bits", rows.count, part, T)
    if kind == "mad":
        mean = local(k, "mean|mu|avg", total(k, "acc|s", rows.count, lambda j: weigh(j, of(j)), T) / n)
        return total(k, "dev|mad|spread_acc", rows.count, lambda j: weigh(j, wp.abs(of(j) - mean)), T) / n
    return None


def _central(
    k: Author, rows: Rows, of: TermOf, weigh: Weigh, n: Term, T: Scalar, power: int
) -> tuple[Term, Term, Term]:
    """Return the central moment of a power (3 or 4), the mean and the variance."""
    mean = local(k, "mean|mu|avg", total(k, "acc|s1|sum_x", rows.count, lambda j: weigh(j, of(j)), T) / n)
    second, high = k.var("m2|ss|var_acc", number(0.0, T)), None
    if power > 2:
        high = k.var("m_high|cubes|quart", number(0.0, T))
    with sweep(k, rows.count) as j:
        d = local(k, "d|dev|delta", of(j) - mean)
        d2 = local(k, "d2|sq|dd", weigh(j, d * d))
        second += d2
        if high is not None:
            high += d2 * d if power == 3 else d2 * d * d
    spread = wp.max(second, 0.0) / n
    return (second if high is None else high / n), mean, spread
