"""Loops over the elements of a row, and sums and extremes of them, in the forms programmers write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..author import Scope, Var
from ..terms import Like, Term, number, wp
from ..types import INT, Scalar

TermOf = Callable[[Term], Term]
_FORMS = {"for": 6, "while": 2, "backwards": 1, "chunks": 1}


@contextmanager
def sweep(k: Scope, count: Like, words: str = "j|col|c|e", *, ordered: bool = False) -> Iterator[Term]:
    """Write the body of a loop over ``0 .. count - 1``; gives the counter. It must not ``continue``.

    Args:
        k: the scope written in.
        count: how many turns; none where it is below 1.
        words: alternatives for the counter.
        ordered: whether the turns must go upwards.
    """
    form = k.c.weighted({form: weight for form, weight in _FORMS.items() if not (ordered and form == "backwards")})
    if form == "for":
        with k.for_(words, count) as j:
            yield j
    elif form == "while":
        turn = k.var(words, number(0, INT))
        with k.while_(turn < count):
            yield Term(turn.e)
            turn += 1
    elif form == "backwards":
        with k.for_("back|rev|turn", count) as turn_down:
            yield k.let(words, count - 1 - turn_down)
    else:
        size = k.c.pick((2, 4))
        with k.for_("block|chunk|tile0", 0, count, step=size) as first, k.for_("lane|u|sub", size) as lane:
            j = k.let(words, first + lane)
            with k.if_(j < count):
                yield j


def total(k: Scope, words: str, count: Like, of: TermOf, type_: Scalar) -> Term:
    """Return the sum of ``of(j)`` over ``j`` below ``count``: plain, compensated, in two halves.

    Compensation is Kahan's (1965). ``of`` may write statements; it is called once for each place it is written.
    """
    form = k.c.weighted({"plain": 6, "named": 3, "kahan": 1, "halves": 1, "fused": 1})
    acc = k.var(words, number(0, type_))
    if form == "kahan":
        _kahan(k, acc, count, of, type_)
    elif form == "halves":
        odd = k.var("odd|acc_b|upper|tail", number(0, type_))
        half = k.let("half|pairs|mid", wp.max(_number(count), 0) // 2)
        with sweep(k, half) as j:
            acc += of(j)
            odd += of(j + half)
        with k.if_(_number(count) > 2 * half):
            acc += of(2 * half)
        return k.let("both|joined|sum_all", acc + odd)  # type: ignore[no-any-return]
    else:
        with sweep(k, count) as j:
            if form == "plain":
                acc += of(j)
            elif form == "named":
                acc += k.let("v|t|part|term|contrib", of(j))
            else:
                acc.set(acc + of(j))
    return Term(acc.e)


def _kahan(k: Scope, acc: Var, count: Like, of: TermOf, type_: Scalar) -> None:
    lost = k.var("lost|comp|carry|err", number(0, type_))
    with sweep(k, count) as j:
        y = k.let("y|adj|item", of(j) - lost)
        t = k.let("t|next_sum|bigger", acc + y)
        lost.set((t - acc) - y)
        acc.set(t)


def _number(count: Like) -> Term:
    return count if isinstance(count, Term) else number(count, INT)


def _start(type_: Scalar, largest: bool) -> Term:
    """Return a number that any element of a row exceeds, or (for the smallest) undercuts."""
    bound: float = 3.0e4 if type_.bits == 16 else 1.0e30
    if type_.is_int:
        bound = 1 << min(type_.bits - 1, 30)
    if not largest:
        return number(bound, type_)
    return number(-bound if type_.signed else 0, type_)


def extreme(k: Scope, words: str, count: Like, of: TermOf, type_: Scalar, *, largest: bool = True) -> Term:
    """Return the largest (or smallest) ``of(j)`` over ``j`` below ``count``; a huge number where there are none."""
    best = k.var(words, _start(type_, largest))
    with sweep(k, count) as j:
        if k.c.chance(2, 3):
            best.set((wp.max if largest else wp.min)(best, of(j)))
        else:
            value = k.let("v|cand|cur", of(j))
            with k.if_(value > best if largest else value < best):
                best.set(value)
    return Term(best.e)


def winner(
    k: Scope, count: Like, of: TermOf, type_: Scalar, *, largest: bool = True, best: str = "best|top|peak",
    which: str = "arg|best_id|which|pick",
) -> tuple[Term, Term]:  # fmt: skip
    """Return the largest (or smallest) ``of(j)`` and its ``j``: the first of equals, 0 where there are none."""
    value, place = k.var(best, _start(type_, largest)), k.var(which, number(0, INT))
    with sweep(k, count, ordered=True) as j:
        given = k.let("v|cand|cur|score", of(j))
        with k.if_(given > value if largest else given < value):
            value.set(given)
            place.set(j)
    return Term(value.e), Term(place.e)
