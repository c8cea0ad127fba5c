"""Searching sorted arrays, and merging them."""

from __future__ import annotations

from ...author import Arr, Author, Var
from ...fusion import gate, varied
from ...fusion.cells import Cells, Change, local
from ...fusion.sweeps import TermOf
from ...terms import Term, both, either, no, number, where, wp
from ...types import INT, Scalar
from .sorting import figure, key_of, key_type


def search(k: Author) -> None:
    """A search of each query in a sorted array or row: lower or upper bound, exponential, interpolating, ternary."""
    c, T = k.c, key_type(k)
    kind = c.pick(("lower_bound", "upper_bound", "equal_range", "exponential", "branchless", "nearest"))
    k.name(f"{kind}_search|binary_search|{kind}|find_{kind}|search_sorted")
    cells = Cells(k, 2)
    query = local(k, "q|query|x", varied(k, cells.input("queries|needles|targets", T)[cells.place], 0, 1))
    rows = c.chance(1, 3)
    table = k.input("table|sorted_keys|haystack|edges", T, 2 if rows else 1)
    order = key_of(k, T) if c.chance(1, 3) else Change(lambda value: value, "")
    row = cells.first % table.shape(0) if rows else None
    row = local(k, "row_of|r0|owner", row) if row is not None else None
    n = local(k, "n|size|length", table.shape(1 if rows else 0))

    def at(p: Term) -> Term:
        return order(table[p] if row is None else table[row, p])

    strict = kind != "upper_bound"
    place = _bound(k, kind, query, n, at, strict)
    if kind == "nearest":
        left = local(k, "left_i|below|before", wp.max(place - 1, 0))
        right = local(k, "right_i|above|after", wp.min(place, n - 1))
        closer = (
            wp.abs(query - at(left)) < wp.abs(at(right) - query) if T.signed else query - at(left) < at(right) - query
        )
        place = local(k, "close|pick|best_i", where(closer, left, right))
    cells.output("places|out|positions", INT)[cells.place] = place
    if kind == "equal_range":
        last = _bound(k, "upper_bound", query, n, at, False)
        cells.output("counts|n_equal|widths", INT)[cells.place] = last - place
    if c.chance(1, 2):
        found = local(k, "hit|value|got", at(wp.min(place, n - 1)))
        values = cells.output("values_out|found|hits", T)
        values[cells.place] = varied(k, where(place < n, found, query), 0, 2)
    if c.chance(1, 3):
        with k.if_(both(place < n, at(wp.min(place, n - 1)) == query)):
            k.output("n_found|matches|hit_count", INT).add_at(0, 1)
    where_ = "its sorted row" if rows else "a sorted array"
    k.summary(f"Finds the {kind.replace('_', ' ')} of each {T.name} query in {where_} of {order.words}keys.")


def _bound(k: Author, kind: str, query: Term, n: Term, at: TermOf, strict: bool) -> Term:
    """Return how many keys lie below the query (or at most at it)."""
    c = k.c

    def below(p: Term) -> Term:
        return at(p) < query if strict else no(query < at(p))

    if kind == "branchless":
        base, size = k.var("base|lo|pos", number(0, INT)), k.var("size_left|len_left|span", n)
        with k.while_(size > 1):
            half = local(k, "half|h|step", size // 2)
            base.set(where(below(base + half - 1), base + half, base))
            size -= half
        return local(
            k, "place|found_i|idx", base + where(both(n > 0, below(Term(base.e))), number(1, INT), number(0, INT))
        )
    low, high = k.var("lo|low|left", number(0, INT)), k.var("hi|high|right", n)
    if kind == "exponential":
        reach = k.var("reach|jump|bound_i", number(1, INT))
        with k.while_(both(reach < n, below(wp.min(reach, n - 1)))):
            reach.set(reach * 2)
        low.set(reach // 2)
        high.set(wp.min(reach + 1, n))
        with k.if_(both(n > 0, no(below(wp.min(low, n - 1))))):
            low.set(number(0, INT))
    loop = c.below(2)
    if loop:
        with k.while_(low < high):
            _narrow(k, low, high, below)
    else:
        with k.for_("it|step_i|halving", number(31, INT)), k.if_(low < high):
            _narrow(k, low, high, below)
    return Term(low.e)


def _narrow(k: Author, low: Var, high: Var, below: TermOf) -> None:
    mid = local(k, "mid|m|probe", (low + high) // 2 if k.c.chance(1, 2) else low + (high - low) // 2)
    if k.c.chance(3, 4):
        with k.if_(below(mid)):
            low.set(mid + 1)
        with k.else_():
            high.set(mid)
    else:
        lower = local(k, "lower|go_right|small", below(mid))
        high.set(where(lower, high, mid))
        low.set(where(lower, mid + 1, low))


def merge(k: Author) -> None:
    """Merging of two sorted arrays: by the merge path, by ranks, or serially for each pair of rows; set operations."""
    c, T = k.c, key_type(k)
    kind = c.pick(("rank", "path", "serial", "intersect"))
    k.name(f"merge_{kind}|{kind}_merge|sorted_merge|merge_sorted_{kind}")
    if kind == "serial":
        _merge_rows(k, T)
        return
    i = k.tid("i|tid|item|diag")
    a, b = k.input("a_keys|left_in|a", T), k.input("b_keys|right_in|b", T)
    if kind != "path":
        i = gate(k, i, a.shape(0))
    order = key_of(k, T) if c.chance(1, 3) else Change(lambda value: value, "")
    if kind == "path":
        _path(k, i, a, b, order, T)
    else:
        mine = local(k, "mine|x|key", order(a[i]))
        place = _bound(
            k, c.pick(("plain", "branchless", "exponential")), mine, b.shape(0), lambda p: order(b[p]), c.chance(1, 2)
        )
        if kind == "rank":
            out = k.output("merged|out|both_out", T)
            slot = local(k, "slot|dst|to", wp.min(i + place, out.shape(0) - 1))
            out[slot] = varied(k, a[i], 0, 1)
            k.output("origin|ranks|places", INT)[i] = slot
            figure(k, i, place)
        else:
            inside = both(place < b.shape(0), order(b[wp.min(place, b.shape(0) - 1)]) == mine)
            flag = local(k, "flag|same|inside", where(inside, number(1, INT), number(0, INT)))
            k.output("flags|member|in_both", INT)[i] = flag
            k.output("n_common|size_out|shared_n", INT).add_at(0, flag)
            figure(k, i, place)
    names = {
        "rank": "Places each key of one sorted array among another's",
        "path": "Takes one key of the merge of two arrays",
        "intersect": "Marks the keys of one sorted array that another holds",
    }
    k.summary(f"{names[kind]}, comparing {order.words}{T.name} keys.")


def _path(k: Author, i: Term, a: Arr, b: Arr, order: Change, T: Scalar) -> None:
    """Find where diagonal ``i`` crosses the merge path (Green, McColl and Bader 2012), and take the next key."""
    c = k.c
    na, nb = local(k, "na|n_left|len_a", a.shape(0)), local(k, "nb|n_right|len_b", b.shape(0))
    with k.if_(i >= na + nb):
        k.leave()
    low, high = k.var("lo|low|first", wp.max(i - nb, 0)), k.var("hi|high|last", wp.min(i, na))
    with k.while_(low < high):
        mid = local(k, "mid|m|probe", (low + high) // 2)
        ahead = order(b[i - mid - 1]) < order(a[mid])
        with k.if_(no(ahead) if c.chance(1, 2) else order(a[mid]) <= order(b[i - mid - 1])):
            low.set(mid + 1)
        with k.else_():
            high.set(mid)
    other = local(k, "other|j|from_b", i - low)
    take = either(other >= nb, both(low < na, order(a[wp.min(low, na - 1)]) <= order(b[wp.min(other, nb - 1)])))
    out = k.output("merged|out|both_out", T)
    with k.if_(i < out.shape(0)):
        with k.if_(take):
            out[i] = varied(k, a[wp.min(low, na - 1)], 0, 2)
        with k.else_():
            out[i] = varied(k, b[wp.min(other, nb - 1)], 0, 2)
    if c.chance(1, 2):
        k.output("splits|from_a|cross", INT)[wp.min(i, na - 1)] = low
    figure(k, wp.min(i, na - 1), Term(low.e))


def _merge_rows(k: Author, T: Scalar) -> None:
    c = k.c
    r = k.tid("r|row|pair|b0")
    a, b, out = (
        k.input("a_rows|left_in|a", T, 2),
        k.input("b_rows|right_in|b", T, 2),
        k.output("out|merged|union_out", T, 2),
    )
    order, unique = key_of(k, T), c.chance(1, 3)
    n, m = local(k, "n|na|len_a", a.shape(1)), local(k, "m|nb|len_b", b.shape(1))
    i, j, w = (k.var(words, number(0, INT)) for words in ("i|ia|p", "j|ib|q", "w|wrote|fill"))
    with k.while_(both(w < out.shape(1), either(i < n, j < m))):
        x, y = a[r, wp.min(i, n - 1)], b[r, wp.min(j, m - 1)]
        x, y = local(k, "x|xa|left_k", x), local(k, "y|yb|right_k", y)
        with k.if_(either(j >= m, both(i < n, order(x) <= order(y)))):
            out[r, w] = varied(k, x, 0, 1)
            if unique:
                with k.if_(both(j < m, x == y)):
                    j += 1
            i += 1
        with k.else_():
            out[r, w] = varied(k, y, 0, 1)
            j += 1
        w += 1
    if c.chance(1, 2):
        k.output("sizes|lengths|filled", INT)[r] = w
    figure(k, r, Term(w.e))
    k.summary(
        f"Merges pairs of sorted rows of {T.name} keys, compared {order.words or 'as they are '}, by one thread each."
    )
