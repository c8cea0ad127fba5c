"""Dynamic programming along rows and diagonals."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author, Var
from ...fusion import statistic, varied
from ...fusion.cells import local, precise, settled, transform
from ...fusion.sweeps import TermOf, sweep
from ...terms import Term, cast, either, number, where, wp
from ...types import FLOAT, INT, Scalar
from .sorting import figure

Cell = Callable[[Term, Term, Term, Term, Term], Term]
_KINDS = ("lcs", "edit", "smith_waterman", "dtw", "needleman", "frechet", "substring")


def alignment(k: Author) -> None:
    """An anti-diagonal of an alignment table, or whole tables by one thread per pair in rolling scratch rows."""
    c = k.c
    kind = c.pick(_KINDS)
    T = precise(k) if kind in ("dtw", "frechet") else INT
    diagonal = c.chance(1, 2)
    k.name(f"{kind}_diagonal|{kind}_wavefront|{kind}_step" if diagonal else f"{kind}_pairs|{kind}_rows|{kind}_table")
    gap, match = number(c.between(1, 4), T), number(c.between(1, 5), T)
    change = transform(k, "local_cost|symbol_cost|penalty", T, 1) if T is not INT else None

    def cell(x: Term, y: Term, corner: Term, up: Term, left: Term) -> Term:
        return _cell(k, kind, (x, y), (corner, up, left), (gap, match), change)

    (_diagonal if diagonal else _table)(k, cell, T)
    names = {
        "lcs": "longest common subsequence",
        "edit": "edit distance",
        "dtw": "time warping",
        "needleman": "global alignment",
        "frechet": "Frechet distance",
        "substring": "common substring",
    }
    what = names.get(kind, "local alignment")
    k.summary(f"Fills {'one anti-diagonal' if diagonal else 'the table'} of the {what} recurrence of two sequences.")


def _cell(
    k: Author, kind: str, pair: tuple[Term, Term], near: tuple[Term, Term, Term], costs: tuple[Term, Term],
    change: TermOf | None,
) -> Term:  # fmt: skip
    (x, y), (corner, up, left), (gap, match) = pair, near, costs
    c = k.c
    if kind in ("dtw", "frechet"):
        d = local(k, "d|cost|gap_xy", wp.abs(x - y) if c.chance(1, 2) else (x - y) * (x - y))
        d = d if change is None else wp.abs(change(d))
        best = wp.min(corner, wp.min(up, left)) if c.chance(1, 2) else wp.min(wp.min(corner, up), left)
        return wp.max(d, best) if kind == "frechet" else d + best
    same = x == y
    if kind == "lcs":
        return where(same, corner + 1, wp.max(up, left))
    if kind == "substring":
        return where(same, corner + 1, number(0, INT))
    if kind == "edit":
        change_cost = where(same, corner, corner + gap)
        step = local(k, "step|swap_cost|diag", change_cost)
        return wp.min(step, wp.min(up, left) + gap) if c.chance(1, 2) else wp.min(wp.min(up + gap, left + gap), step)
    score = local(k, "score|diag|sub", corner + where(same, match, -gap))
    best = wp.max(score, wp.max(up, left) - gap) if c.chance(1, 2) else wp.max(wp.max(up - gap, left - gap), score)
    return wp.max(best, 0) if kind == "smith_waterman" else best


def _diagonal(k: Author, cell: Cell, T: Scalar) -> None:
    c = k.c
    t = k.tid("t|lane|n0|tid")
    a, b = k.input("a|seq_a|rows_s", T), k.input("b|seq_b|cols_s", T)
    table, d = k.inout("table|dp|h", T, 2), k.scalar("d|diag|wave", INT)
    i = local(k, "i|row|r", t + 1 if c.chance(1, 2) else wp.max(d - b.shape(0), 0) + t + 1)
    j = local(k, "j|col|q", d - i + 1)
    limits = either(i >= table.shape(0), j >= table.shape(1), j < 1, i < 1)
    with k.if_(limits):
        k.leave()
    with k.if_(either(i > a.shape(0), j > b.shape(0))):
        k.leave()
    if c.chance(1, 3):
        band = k.scalar("band|width|reach", INT)
        with k.if_(wp.abs(i - j) > band):
            k.leave()
    x, y = local(k, "x|ca|left_s", a[i - 1]), local(k, "y|cb|right_s", b[j - 1])
    value = cell(x, y, table[i - 1, j - 1], table[i - 1, j], table[i, j - 1])
    value = local(k, "value|v|here", varied(k, value, 0, 1) if c.chance(1, 3) else value)
    table[i, j] = value
    if c.chance(1, 2):
        k.atomic("max", k.output("best|peak|top_score", T), 0, value)
    if c.chance(1, 3):
        one, two, none = (number(n, INT) for n in (1, 2, 0))
        trace = where(value == table[i - 1, j], one, where(value == table[i, j - 1], two, none))
        k.output("trace|moves|direction", INT, 2)[i, j] = trace


def _table(k: Author, cell: Cell, T: Scalar) -> None:
    c = k.c
    p = k.tid("p|pair|i|row")
    a, b = k.input("a|seqs_a|left_in", T, 2), k.input("b|seqs_b|right_in", T, 2)
    row = k.inout("scratch|dp_row|line", T, 2)
    m = local(k, "m|width|cols", wp.min(b.shape(1), row.shape(1) - 1))
    rising = c.chance(1, 2)
    with k.for_("j|col|q", m + 1) as j:
        row[p, j] = cast(j, T) if rising else number(0, T)
    with sweep(k, a.shape(1), "i0|step_i|r", ordered=True) as i:
        corner = k.var("corner|diag_v|prev", row[p, 0])
        row[p, 0] = cast(i + 1, T) if rising else number(0, T)
        x = local(k, "x|ca|left_s", a[p, i])
        with k.for_("j|col|q", m) as j:
            up = local(k, "up|above|old", row[p, j + 1])
            value = cell(x, b[p, j], Term(corner.e), up, row[p, j])
            row[p, j + 1] = value
            corner.set(up)
    value = settled(k, row[p, m], 0, 2)
    k.output("out|scores|distances", T)[p] = value
    statistic(k, value)


def knapsack(k: Author) -> None:
    """A row of a knapsack, coin-change, subset-sum or rod-cutting table: one capacity per thread, one item or all."""
    c = k.c
    kind = c.pick(("knapsack", "unbounded", "coin_change", "subset_sum", "count_ways", "house"))
    T = c.pick((INT, FLOAT)) if kind in ("knapsack", "unbounded", "house") else INT
    k.name(f"{kind}_row|{kind}_dp|{kind}_step|{kind}_update")
    batch = c.chance(1, 3)
    tid = k.tid("b|case|row", "cap|w|i") if batch else k.tid("cap|w|i|tid")
    cap = tid[1] if batch else tid
    old = k.input("prev_row|best_in|old", T, 2 if batch else 1)
    sizes, gains = k.input("sizes|item_w|coins", INT), k.input("gains|item_v|worth", T)
    change = transform(k, "value_of|worth_of|bonus", T, 1) if T is FLOAT else None

    def before_at(q: Term) -> Term:
        return old[tid[0], q] if batch else old[q]

    if c.chance(1, 3):
        with k.if_(cap > k.scalar("capacity|cap_max|budget", INT)):
            k.leave()
    best = k.var("best|value|ways", before_at(cap))
    choice = k.var("choice|taken|used", number(0, INT)) if c.chance(1, 2) else None
    if c.chance(1, 2):
        item = k.scalar("item|stage|which", INT)
        n = wp.clamp(item, 0, sizes.shape(0) - 1)
        _offered(k, kind, before_at, cap, n, (sizes, gains), best, choice, change)
    else:
        with sweep(k, sizes.shape(0), "n|item|q", ordered=True) as n:
            _offered(k, kind, before_at, cap, n, (sizes, gains), best, choice, change)
    value = settled(k, Term(best.e), 0, 1) if c.chance(1, 3) else Term(best.e)
    k.output("next_row|best_out|table_out", T, 2 if batch else 1)[(tid[0], cap) if batch else cap] = value
    if choice is not None:
        k.output("choices|taken_out|back", INT, 2 if batch else 1)[(tid[0], cap) if batch else cap] = choice
    figure(k, (tid[0], cap) if batch else cap, value, 2 if batch else 1)
    k.summary(f"Computes one row of the {kind.replace('_', ' ')} recurrence, one capacity per thread.")


def _offered(
    k: Author, kind: str, before_at: TermOf, cap: Term, n: Term, items: tuple[Arr, Arr], best: Var, choice: Var | None,
    change: TermOf | None,
) -> None:  # fmt: skip
    sizes, gains = items
    size = local(k, "size|wn|coin", wp.max(sizes[n], 1))
    rest = local(k, "rest|left|room", cap - size)
    with k.if_(rest >= 0):
        before = before_at(wp.max(rest, 0))
        gain = gains[n] if change is None else change(gains[n])
        if kind in ("knapsack", "unbounded", "house"):
            cand = before + gain if kind != "house" else wp.max(before, before_at(wp.max(rest - 1, 0)) + gain)
            cand = local(k, "cand|offer|alt", cand)
            better = cand > best
        elif kind == "coin_change":
            cand = local(k, "cand|offer|alt", before + wp.max(gain, 1))
            better = cand < best
        else:
            joined = wp.max(best, before) if kind == "subset_sum" else (best + before) % 1000007
            cand = local(k, "cand|offer|alt", joined)
            better = cand != best
        if choice is None and kind in ("knapsack", "unbounded", "house") and k.c.chance(1, 2):
            best.set(wp.max(best, cand))
        else:
            with k.if_(better):
                best.set(cand)
                if choice is not None:
                    choice.set(n + 1)
