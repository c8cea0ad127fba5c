"""What a thread makes of the elements it runs over: sums, extremes, moments, tests, places."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author, Var
from ...fusion import coefficient, varied
from ...loops import huge, lowest, over
from ...terms import Like, Term, cast, either, no, number, where, wp, zero
from ...types import INT, Scalar

At = Callable[[Term], Term]


class Run:
    """The elements ``first <= j < stop`` as a thread reads them.

    Args:
        k: the kernel.
        type: type of an element.
        at: writes what an element takes and returns it; the same statements each time.
        first: the first place.
        stop: the place behind the last; a term that may be repeated.
    """

    def __init__(self, k: Author, type_: Scalar, at: At, first: Like, stop: Term) -> None:
        self.k, self.type, self.at, self.first, self.stop = k, type_, at, first, stop

    @property
    def count(self) -> Term:
        """How many elements there are, at least 1, in the elements' type."""
        length = self.stop if isinstance(self.first, int) and self.first == 0 else self.stop - self.first
        return cast(wp.max(length, 1), self.type)

    def take(self, j: Term) -> Term:
        """Write what an element takes, perhaps with a step fused; for what reads each element once."""
        return varied(self.k, self.at(j), 0, 2)  # type: ignore[no-any-return]

    def sum(self, words: str, change: Callable[[Term], Term] = lambda v: v, *, fuse: bool = True) -> Var:
        """Write the sum of what ``change`` makes of each element."""
        k = self.k
        acc = k.var(words, zero(self.type))
        with over(k, "j|c|col|m", self.first, self.stop) as j:
            acc += change(self.take(j) if fuse else self.at(j))
        return acc


def _limit(r: Run) -> Term:
    return coefficient(r.k, r.type) if r.type.is_float else number(r.k.c.between(1, 50), r.type)


def _sum(r: Run) -> tuple[Term, str]:
    k, way = r.k, r.k.c.below(4)
    if way == 1 and r.type.is_float:
        total, lost = k.var("total|acc|s", zero(r.type)), k.var("comp|lost|err", zero(r.type))
        with over(k, "j|c|col|m", r.first, r.stop) as j:
            y = k.let("y|term|corrected", r.take(j) - lost)
            t = k.let("t|next_sum|grown", total + y)
            lost.set((t - total) - y)
            total.set(t)
        return total, "the compensated sum"
    if way == 2:
        even, odd = k.var("even|s0|acc0", zero(r.type)), k.var("odd|s1|acc1", zero(r.type))
        with over(k, "j|c|col|m", r.first, r.stop) as j:
            v = k.let("v|x0|value", r.take(j))
            with k.if_(j % 2 == 0 if k.c.chance(1, 2) else (j & 1) == 0):
                even += v
            with k.else_():
                odd += v
        return even + odd, "the sum"
    return r.sum("total|acc|s"), "the sum"


def _mean(r: Run) -> tuple[Term, str]:
    total = r.sum("total|acc|mean_sum")
    return total / r.count if r.type.is_float else total // r.count, "the mean"


def _norm(r: Run) -> tuple[Term, str]:
    k, way = r.k, r.k.c.below(3)
    if way == 0:
        return wp.sqrt(r.sum("sq|energy|acc", lambda v: _square(k, v))), "the Euclidean norm"
    if way == 1:
        return r.sum("l1|absum|acc", wp.abs), "the sum of magnitudes"
    mean_square: Term = r.sum("sq|energy|acc", lambda v: _square(k, v)) / r.count
    return wp.sqrt(mean_square), "the root mean square"


def _square(k: Author, v: Term) -> Term:
    v = k.let("v|x0|value", v)
    return v * v


def _extreme(r: Run) -> tuple[Term, str]:
    k, high = r.k, r.k.c.chance(1, 2)
    words = "best|peak|top" if high else "low|least|floor_value"
    best = k.var(words, lowest(r.type) if high else huge(r.type))
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        if k.c.chance(1, 2):
            best.set((wp.max if high else wp.min)(best, r.take(j)))
        else:
            v = k.let("v|x0|value", r.take(j))
            with k.if_(v > best if high else v < best):
                best.set(v)
    return best, "the maximum" if high else "the minimum"


def _spread(r: Run) -> tuple[Term, str]:
    k = r.k
    low, high = k.var("low|lo|vmin", huge(r.type)), k.var("high|hi|vmax", lowest(r.type))
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        v = k.let("v|x0|value", r.take(j))
        low.set(wp.min(low, v))
        high.set(wp.max(high, v))
    if k.c.chance(1, 2):
        return high - low, "the spread between extremes"
    return (high + low) * number(0.5, r.type), "the middle between extremes"


def _place(r: Run) -> tuple[Term, str]:
    k, high, last = r.k, r.k.c.chance(1, 2), r.k.c.chance(1, 3)
    best = k.var("best|record|top", lowest(r.type) if high else huge(r.type))
    where_ = k.var("arg|pos|where_best", number(-1, INT))
    with over(k, "j|c|col|m", r.first, r.stop, back=False) as j:
        v = k.let("v|x0|value", r.take(j))
        better = (v >= best if last else v > best) if high else (v <= best if last else v < best)
        with k.if_(better):
            best.set(v)
            where_.set(j)
    what = f"the place of the {'largest' if high else 'smallest'} element, the {'last' if last else 'first'} of equals,"
    return where_, what


def _nearest(r: Run) -> tuple[Term, str]:
    k = r.k
    aim = k.scalar("target|goal|level", r.type)
    gap, found = k.var("gap|err|miss", huge(r.type)), k.var("found|arg|pos", number(-1, INT))
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        d = k.let("d|diff|away", wp.abs(r.take(j) - aim))
        with k.if_(d < gap):
            gap.set(d)
            found.set(j)
    return found, "the place of the element nearest to a target"


def _count(r: Run) -> tuple[Term, str]:
    k = r.k
    hits = k.var("hits|n_hit|counted", number(0, INT))
    limit = _limit(r)
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        v = r.take(j)
        if k.c.chance(1, 2):
            with k.if_(v > limit):
                hits += 1
        else:
            hits += where(v < limit, number(1, INT), number(0, INT))
    return hits, "the count of elements on one side of a limit"


def _test(r: Run) -> tuple[Term, str]:
    k, every = r.k, r.k.c.chance(1, 2)
    flag = k.var("flag|verdict|ok", number(1 if every else 0, INT))
    limit = _limit(r)
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        v = k.let("v|x0|value", r.take(j))
        test = v > limit if k.c.chance(1, 2) else either(v > limit, v < -limit)
        with k.if_(no(test) if every else test):
            flag.set(number(0 if every else 1, INT))
            if k.c.chance(1, 2):
                k.leave("break")
    return flag, f"whether {'all' if every else 'any'} elements pass a test"


def _first(r: Run) -> tuple[Term, str]:
    k = r.k
    at = k.var("at|found|first_hit", number(-1, INT))
    limit = _limit(r)
    with over(k, "j|c|col|m", r.first, r.stop, back=False) as j, k.if_(r.take(j) > limit):
        at.set(j)
        k.leave("break")
    return at, "the first place where an element exceeds a limit"


def _log_sum_exp(r: Run) -> tuple[Term, str]:
    k = r.k
    if k.c.chance(1, 2):
        top = k.var("top|shift|peak", lowest(r.type))
        with over(k, "j|c|col|m", r.first, r.stop) as j:
            top.set(wp.max(top, r.at(j)))
        acc = k.var("acc|z|mass", zero(r.type))
        with over(k, "l|q|n", r.first, r.stop) as j:
            acc += wp.exp(r.at(j) - top)
    else:
        top, acc = k.var("top|running|peak", lowest(r.type)), k.var("acc|z|mass", zero(r.type))
        with over(k, "j|c|col|m", r.first, r.stop) as j:
            v = k.let("v|x0|value", r.take(j))
            new = k.let("new_top|raised|m_new", wp.max(top, v))
            acc.set(acc * wp.exp(top - new) + wp.exp(v - new))
            top.set(new)
    return top + wp.log(wp.max(acc, number(1.0e-4, r.type))), "the log of the sum of exponentials"


def _variance(r: Run) -> tuple[Term, str]:
    k, way = r.k, r.k.c.below(3)
    if way == 0:
        mean, m2 = k.var("mean|mu|center", zero(r.type)), k.var("m2|ssd|spread", zero(r.type))
        seen = k.var("seen|n_seen|weight", zero(r.type))
        with over(k, "j|c|col|m", r.first, r.stop) as j:
            v = k.let("v|x0|value", r.take(j))
            seen += 1.0
            delta = k.let("delta|d|step", v - mean)
            mean += delta / seen
            m2 += delta * (v - mean)
        return m2 / wp.max(seen, 1.0), "the variance by Welford's recurrence"
    if way == 1:
        mean_ = k.let("mean|mu|center", r.sum("total|acc|s", fuse=False) / r.count)
        m2 = k.var("m2|ssd|spread", zero(r.type))
        with over(k, "l|q|n", r.first, r.stop) as j:
            m2 += _square(k, r.at(j) - mean_)
        return m2 / r.count, "the variance in two passes"
    total, squares = k.var("total|sx|s1", zero(r.type)), k.var("squares|sxx|s2", zero(r.type))
    with over(k, "j|c|col|m", r.first, r.stop) as j:
        v = k.let("v|x0|value", r.take(j))
        total += v
        squares += v * v
    mu = k.let("mu|avg", total / r.count)
    return wp.max(squares / r.count - mu * mu, 0.0), "the variance from sums of powers"


FLOAT_KINDS = (
    _sum, _mean, _norm, _extreme, _spread, _place, _nearest, _count, _test, _first, _log_sum_exp, _variance,
)  # fmt: skip
INT_KINDS = (_sum, _mean, _extreme, _place, _nearest, _count, _test, _first)


def reduced(r: Run) -> tuple[Term, str]:
    """Write a drawn reduction of a run; return its value and what it is, in words."""
    return r.k.c.pick(FLOAT_KINDS if r.type.is_float else INT_KINDS)(r)
