"""Rows sorted in place, each by one thread."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import statistic
from ...fusion.cells import local, settled
from ...terms import Term, either, no, number, wp
from ...types import FLOAT, INT
from .sorting import key_of, key_type

Test = Callable[[Term, Term], Term]
Swap = Callable[[Term, Term], None]


def row_sort(k: Author) -> None:
    """Every thread sorts a row in place: insertion, selection, bubble, shell; by key, with payload, partly."""
    c, T = k.c, key_type(k)
    kind = c.pick(("insertion", "selection", "bubble", "shell", "gnome"))
    k.name(f"{kind}_sort|{kind}_sort_rows|sort_rows|row_{kind}_sort")
    b = k.tid("b|row|i|segment")
    data = k.inout("data|rows_io|keys_io|values", T, 2)
    n = local(k, "n|cols|width", data.shape(1))
    order, down = key_of(k, T), c.chance(1, 3)
    other = k.inout("payload|ids_io|perm", c.pick((INT, FLOAT)), 2) if c.chance(1, 3) else None
    if c.chance(1, 3):
        with k.if_(b >= (data.shape(0) if c.chance(1, 2) else k.scalar("n_rows|count|limit", INT))):
            k.leave()

    def wrong(left: Term, right: Term) -> Term:
        return order(left) < order(right) if down else order(left) > order(right)

    def swap(p: Term, q: Term) -> None:
        held = local(k, "held|tmp|keep", data[b, p])
        data[b, p] = data[b, q]
        data[b, q] = held
        if other is not None:
            kept = local(k, "held2|tmp2|keep2", other[b, p])
            other[b, p] = other[b, q]
            other[b, q] = kept

    _SORTS[kind](k, b, data, n, wrong, swap)
    if c.chance(1, 2):
        middle = settled(k, data[b, n // 2], 0, 2)
        k.output("medians|out|picked", T)[b] = middle
        statistic(k, middle)
    ends = "largest" if down else "smallest"
    k.summary(f"Sorts each row of {order.words}{T.name} keys in place, {ends} first, by {kind} sort.")


def _insertion(k: Author, b: Term, data: Arr, n: Term, wrong: Test, swap: Swap) -> None:
    with k.for_("i0|done|outer", 1, n) as outer:
        j = k.var("j|pos|hole", outer)
        with k.while_(j > 0):
            left = local(k, "left|lo_v|prev", data[b, j - 1])
            with k.if_(no(wrong(left, data[b, j]))):
                k.leave("break")
            swap(j - 1, Term(j.e))
            j -= 1


def _selection(k: Author, b: Term, data: Arr, n: Term, wrong: Test, swap: Swap) -> None:
    turns = n - 1 if k.c.chance(1, 2) else wp.min(n, k.scalar("n_keep|k_top|first_k", INT))
    with k.for_("i0|done|outer", turns) as outer:
        best = k.var("best|arg|at", outer)
        with k.for_("j|m|q", outer + 1, n) as j, k.if_(wrong(data[b, best], data[b, j])):
            best.set(j)
        if k.c.chance(1, 2):
            with k.if_(best != outer):
                swap(outer, Term(best.e))
        else:
            swap(outer, Term(best.e))


def _bubble(k: Author, b: Term, data: Arr, n: Term, wrong: Test, swap: Swap) -> None:
    early = k.c.chance(1, 2)
    with k.for_("i0|pass_n|outer", n) as outer:
        moved = k.var("moved|dirty|n_swaps", number(0, INT)) if early else None
        with k.for_("j|m|q", n - 1 - outer) as j, k.if_(wrong(data[b, j], data[b, j + 1])):
            swap(j, j + 1)
            if moved is not None:
                moved += 1
        if moved is not None:
            with k.if_(moved == 0):
                k.leave("break")


def _shell(k: Author, b: Term, data: Arr, n: Term, wrong: Test, swap: Swap) -> None:
    gap = k.var("gap|h|stride", n // 2)
    with k.while_(gap > 0):
        with k.for_("i0|done|outer", gap, n) as outer:
            j = k.var("j|pos|hole", outer)
            with k.while_(j >= gap):
                with k.if_(no(wrong(data[b, j - gap], data[b, j]))):
                    k.leave("break")
                swap(j - gap, Term(j.e))
                j -= gap
        gap.set(gap // 2 if k.c.chance(1, 2) else (gap * 5 - 1) // 11)


def _gnome(k: Author, b: Term, data: Arr, n: Term, wrong: Test, swap: Swap) -> None:
    j = k.var("j|pos|at", number(1, INT))
    with k.while_(j < n):
        with k.if_(either(j == 0, no(wrong(data[b, wp.max(j - 1, 0)], data[b, j])))):
            j += 1
        with k.else_():
            swap(j - 1, Term(j.e))
            j -= 1


_SORTS = {"insertion": _insertion, "selection": _selection, "bubble": _bubble, "shell": _shell, "gnome": _gnome}
