"""Sorting: compare-exchange networks, ranks by counting and digits."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import gate, statistic, varied
from ...fusion.cells import Change, local, settled
from ...fusion.sweeps import TermOf, sweep, total
from ...terms import Like, Term, both, cast, either, no, number, where, wp
from ...types import DOUBLE, FLOAT, INT, INT64, UINT, Scalar, scalar_of


def key_type(k: Author) -> Scalar:
    """Return a type of keys."""
    return k.c.weighted({INT: 4, FLOAT: 3, UINT: 1, INT64: 1, DOUBLE: 1})


def key_of(k: Author, type_: Scalar) -> Change:
    """Return what keys are compared by: themselves, or a function of theirs drawn once."""
    if k.c.chance(1, 2):
        return Change(lambda value: value, "")
    made = k.function("key_of|sort_key|priority|weight_of", {"v|x|item": type_}, lambda s, v: varied(s, v, 1, 2))
    return Change(made, "derived ")


def figure(k: Author, place: Like, value: Term, ndim: int = 1) -> None:
    """Perhaps keep a score made of a count, a rank or a code, as those do who use it at once."""
    if k.c.chance(1, 3):
        return
    scored = cast(value, FLOAT)
    if k.c.chance(1, 3):
        scored = scored / k.scalar("scale|norm|temperature", FLOAT)
    scored = settled(k, scored, 1, 3, "score|feature|gain|mark")
    k.output("scores|features|marks", FLOAT, ndim)[place] = scored
    statistic(k, scored)


def exchange(k: Author) -> None:
    """One step of a sorting network: bitonic, odd-even, or comb; of a flat array or of every row; with payload."""
    c, T = k.c, key_type(k)
    kind = c.pick(("bitonic", "odd_even", "comb", "odd_even_merge"))
    k.name(f"{kind}_step|{kind}_pass|{kind}_exchange|sort_step_{kind}")
    rows = c.chance(1, 3)
    tid = k.tid("b|row|segment", "i|tid|lane") if rows else k.tid("i|tid|lane|p")
    i = tid[1] if rows else tid
    keys = k.inout("keys_io|keys_arr|data|values", T, 2 if rows else 1)
    payload = k.inout("payload|ids_io|perm|vals", c.pick((INT, FLOAT)), 2 if rows else 1) if c.chance(1, 2) else None
    order = key_of(k, T)
    n = keys.shape(1 if rows else 0)
    a, b, up = _partners(k, kind, i, n)
    with k.if_(either(b >= n, a < 0) if kind != "comb" else b >= n):
        k.leave()

    def at(place: Term) -> tuple[Term, ...]:
        return (tid[0], place) if rows else (place,)

    ka, kb = local(k, "ka|x|left", keys[at(a)]), local(k, "kb|y|right", keys[at(b)])
    down = c.chance(1, 3)
    wrong = order(ka) < order(kb) if down else order(ka) > order(kb)
    wrong = wrong if up is None else wrong == up
    if payload is None and c.chance(1, 3):
        first, second = (wp.max(ka, kb), wp.min(ka, kb)) if down else (wp.min(ka, kb), wp.max(ka, kb))
        if not (up is None and order.words == ""):
            swap = local(k, "swap|flip|bad", wrong)
            first, second = where(swap, kb, ka), where(swap, ka, kb)
        keys[at(a)] = first
        keys[at(b)] = second
    else:
        with k.if_(wrong):
            keys[at(a)] = kb
            keys[at(b)] = ka
            if payload is not None:
                _swap(k, payload, at(a), at(b))
            if c.chance(1, 3):
                k.output("swaps|changed|n_swaps", INT).add_at(0, 1)
    what = f"compare-exchange step {'of every row' if rows else 'of an array'} on {order.words}{T.name} keys"
    k.summary(f"Makes one {kind.replace('_', '-')} {what}, {'largest' if down else 'smallest'} first.")


def _swap(k: Author, x: Arr, a: tuple[Term, ...], b: tuple[Term, ...]) -> None:
    held = local(k, "held|tmp|pa", x[a])
    x[a] = x[b]
    x[b] = held


def _partners(k: Author, kind: str, i: Term, n: Term) -> tuple[Term, Term, Term | None]:
    """Return the two places to compare, the lower first, and the direction of a bitonic step."""
    c = k.c
    if kind == "bitonic":
        j, size = k.scalar("j|stride|dist", INT), k.scalar("k|size|block", INT)
        if c.chance(1, 2):
            other = local(k, "ixj|partner|mate", i ^ j)
            with k.if_(other <= i):
                k.leave()
            return i, other, local(k, "up|ascending|dir_up", (i & size) == 0)
        low = local(k, "lo|a_idx|first", 2 * j * (i // wp.max(j, 1)) + i % wp.max(j, 1))
        return low, local(k, "hi|b_idx|second", low + wp.max(j, 1)), local(k, "up|ascending|dir_up", (low & size) == 0)
    if kind == "odd_even":
        phase = k.scalar("phase|parity|odd", INT)
        if c.chance(1, 2):
            low = local(k, "lo|a_idx|first", 2 * i + wp.clamp(phase, 0, 1))
        else:
            with k.if_((i + phase) % 2 != 0 if c.chance(1, 2) else (i & 1) != (phase & 1)):
                k.leave()
            low = i
        return low, local(k, "hi|b_idx|second", low + 1), None
    if kind == "comb":
        gap = k.scalar("gap|stride|dist", INT)
        with k.if_(gap < 1 if c.chance(1, 2) else no(gap > 0)):
            k.leave()
        low = local(k, "lo|a_idx|first", i // gap * (2 * gap) + i % gap) if c.chance(1, 2) else i
        return low, local(k, "hi|b_idx|second", low + gap), None
    p, q = k.scalar("p|outer|size", INT), k.scalar("q|inner|dist", INT)
    with k.if_(either(p < 1, q < 1)):
        k.leave()
    with k.if_(i // (2 * p) != (i + q) // (2 * p)):
        k.leave()
    with k.if_(i % (2 * q) < q % (2 * p) if c.chance(1, 2) else (i & q) != 0):
        k.leave()
    return i, local(k, "hi|b_idx|second", i + q), None


def rank_sort(k: Author) -> None:
    """Sorting by counting: the rank of every key, then a scatter; in a flat array, rows or segments."""
    c, T = k.c, key_type(k)
    k.name("rank_sort|counting_rank|sort_by_rank|enumeration_sort|rank_scatter")
    rows = c.chance(1, 3)
    tid = k.tid("b|row|segment", "i|item|e") if rows else k.tid("i|item|e|tid")
    i = tid[1] if rows else tid
    keys = k.input("keys_in|data|values", T, 2 if rows else 1)
    n = keys.shape(1 if rows else 0)
    n = local(k, "n|count|size", n) if c.chance(1, 2) else n
    order, down = key_of(k, T), c.chance(1, 3)
    if c.chance(1, 3):
        with k.if_(i >= n):
            k.leave()
    at = (lambda p: (tid[0], p)) if rows else (lambda p: (p,))
    mine = local(k, "mine|key|x", order(keys[at(i)]))
    segment = k.input("segments|groups|owner", INT) if not rows and c.chance(1, 3) else None

    def ahead(j: Term) -> Term:
        other = local(k, "other|y|cand", order(keys[at(j)]))
        first = other > mine if down else other < mine
        before = either(first, both(other == mine, j < i))
        if segment is not None:
            before = both(segment[j] == segment[i], before)
        return where(before, number(1, INT), number(0, INT))

    rank = _counted(k, n, ahead)
    if segment is None and c.chance(2, 3):
        out = k.output("sorted_out|out|ordered", T, 2 if rows else 1)
        out[at(rank)] = keys[at(i)]
    if segment is not None or c.chance(1, 2):
        k.output("ranks|rank_out|positions", INT, 2 if rows else 1)[at(i)] = rank
    else:
        k.output("order_out|perm|argsort", INT, 2 if rows else 1)[at(rank)] = i
    figure(k, at(i), rank, 2 if rows else 1)
    where_ = "in its row" if rows else "in its segment" if segment is not None else "in the array"
    way = "descending" if down else "ascending"
    k.summary(f"Finds the {way} rank of each {order.words}{T.name} key {where_} by counting.")


def _counted(k: Author, n: Term, ahead: TermOf) -> Term:
    """Return how many keys come before."""
    c = k.c
    if c.chance(1, 2):
        rank = total(k, "rank|below|pos", n, ahead, INT)
    else:
        slot = k.var("rank|below|pos", number(0, INT))
        with sweep(k, n, "j|m|q") as j, k.if_(ahead(j) == 1):
            slot += 1
        rank = Term(slot.e)
    return rank


def digits(k: Author) -> None:
    """A pass of radix sort: counting digits (also per block), scattering by given offsets, splitting by a bit."""
    c = k.c
    kind, T = c.pick(("count", "scatter", "split", "bucket")), c.pick((UINT, INT, INT64))
    k.name(f"radix_{kind}|{kind}_digits|radix_{kind}_pass|{kind}_keys")
    i = k.tid("i|item|tid|e")
    keys = k.input("keys_in|codes|data", T)
    i = gate(k, i, keys.shape(0))
    key = local(k, "key|code|x", varied(k, keys[i], 0, 2))
    shift = (
        cast(k.scalar("shift|bit|pass_bit", INT) & 31, T) if c.chance(1, 2) else number(c.pick((0, 4, 8, 16, 24)), T)
    )
    mask = c.pick((15, 255, 3, 63))
    digit = cast((key >> shift) & (1 if kind == "split" else mask), INT)
    digit = local(k, "digit|d|bucket", digit)
    payload = k.input("payload|vals|ids_in", c.pick((INT, FLOAT))) if c.chance(1, 2) else None
    if kind in ("count", "bucket"):
        blocks = c.chance(1, 2)
        counts = k.output("counts|hist|bins", INT, 2 if blocks else 1)
        size = c.pick((32, 64, 128, 256))
        last = digit % counts.shape(1 if blocks else 0)
        place = ((i // size) % counts.shape(0), last) if blocks else (last,)
        counts.add_at(place, 1) if c.chance(1, 2) else k.atomic("add", counts, place, 1)
        if payload is not None:
            folded = k.output("extremes|sums|folded", scalar_of(payload.type))
            k.atomic(c.pick(("max", "min", "add")), folded, digit % folded.shape(0), payload[i])
        k.output("digit_out|labels|codes_out", INT)[i] = digit
    else:
        _scattered(k, kind, i, key, digit, keys, payload, T)
    names = {"count": "Counts the digits of", "bucket": "Sorts into buckets the", "scatter": "Scatters by digit the"}
    k.summary(f"{names.get(kind, 'Splits by one bit the')} {T.name} keys of a radix sort pass.")


def _scattered(
    k: Author, kind: str, i: Term, key: Term, digit: Term, keys: Arr, payload: Arr | None, T: Scalar
) -> None:
    c = k.c
    if kind == "split":
        ones = k.input("ones_before|scan|flags_scan", INT)
        zeros = k.scalar("n_zeros|zeros|total_zeros", INT)
        before = local(k, "before|ones|seen", ones[i])
        if c.chance(1, 2):
            slot = where(digit == 1, zeros + before, i - before)
        else:
            place = k.var("place|target|to", i - before)
            with k.if_(digit == 1):
                place.set(zeros + before)
            slot = Term(place.e)
    else:
        starts = k.input("starts|bases|digit_start", INT)
        first = local(k, "first|base|start", starts[digit % starts.shape(0)])
        if c.chance(1, 2):
            rank = k.input("local_rank|rank_in|within", INT)[i]
        else:
            span = c.pick((16, 32, 64))
            begin = local(k, "begin|block_start|lo", i // span * span)
            seen = k.var("seen|same|rank", number(0, INT))
            with k.for_("j|m|q", begin, i) as j, k.if_(keys[j] == key):
                seen += 1
            rank = Term(seen.e)
        slot = first + rank
    slot = local(k, "slot|dst|to_idx", wp.clamp(slot, 0, keys.shape(0) - 1))
    k.output("keys_out|sorted_out|next_keys", T)[slot] = key
    if payload is not None:
        k.output("vals_out|payload_out|next_vals", scalar_of(payload.type))[slot] = payload[i]
