"""Scans, sorting, largest and smallest elements."""

from __future__ import annotations

from ...author import Author
from ...fusion.coefficients import coefficient
from ...fusion.steps import varied
from ...fusion.tiles import extent, give_single, loaded, named_tile, shaped, single, size_of, stored
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, UINT, Scalar

_LENGTHS = (64, 128, 256, 512)
_SCANS = {
    "inclusive sums": wp.tile_scan_inclusive,
    "exclusive sums": wp.tile_scan_exclusive,
    "running maxima": wp.tile_scan_max_inclusive,
    "running minima": wp.tile_scan_min_inclusive,
}


def _values(k: Author, tile: Term) -> Term:
    """Return a tile of floats after a few steps, or one of integers after one."""
    T = tile.type.dtype  # type: ignore[union-attr]
    if T is FLOAT:
        return named_tile(k, shaped(k, tile, 0, 2))
    words, factor = {"x|v|a": T}, k.c.between(2, 9)
    f = k.function("key|digit|bucket|weight", words, lambda s, v: varied(s, v * factor, 1, 2))
    return named_tile(k, wp.tile_map(f.word, tile))


def scanned(k: Author) -> None:
    """Prefix sums or running extremes of a vector, tile by tile or with a carry from one tile to the next."""
    c = k.c
    T = c.weighted({FLOAT: 3, INT: 2, UINT: 1})
    k.name("prefix_sum|scan_tiles|cumulative|block_scan|running")
    x, out = k.input("x|a|values", T), k.output("out|sums|dst", T)
    length = extent(k, "TILE|BLOCK|N", _LENGTHS)
    i = k.blocks("i|tile_id|bid")
    kind = c.pick(tuple(_SCANS))
    carried = T is FLOAT and "sums" in kind and c.chance(1, 2)
    if carried:
        _carried(k, x, out, length, i, kind)
    else:
        tile = _values(k, loaded(k, x, (length,), (i * length,)))
        made = named_tile(k, _SCANS[kind](tile), "scan|pre|cum")
        if c.chance(1, 3):
            last = k.output("last|tops|ends", T)
            last[i] = made[size_of(length) - 1]
        stored(k, out, shaped(k, made, 0, 2) if T is FLOAT else made, (i * length,))
    k.summary(f"Takes {kind} of {'rows' if carried else 'tiles'} of {T.name} values.")


def _carried(k: Author, x: Term, out: Term, length: Term, i: Term, kind: str) -> None:
    steps = number(k.c.pick((2, 4, 8)), INT)
    carry = k.var("carry|offset|base_sum", number(0.0))
    with k.for_("s|chunk|step", steps) as s:
        at = k.let("start|at|begin", (i * steps + s) * length)
        tile = named_tile(k, shaped(k, loaded(k, x, (length,), (at,)), 0, 2))  # type: ignore[arg-type]
        made = named_tile(k, _SCANS[kind](tile), "scan|pre|cum")
        moved = made + wp.tile_full(shape=length, value=Term(carry.e), dtype=FLOAT)
        k.do(wp.tile_store(out, shaped(k, moved, 0, 1), offset=(at,)), out)  # type: ignore[arg-type]
        carry += single(k, wp.tile_sum(tile), "tile_sum|part")


def best(k: Author) -> None:
    """The place and value of the largest or smallest element of each tile; the first few of them one by one."""
    c = k.c
    T: Scalar = FLOAT
    k.name("argmax_tile|top_value|best_score|nearest|select_best")
    x, where_out = k.input("x|scores|logits", T), k.output("best|ids|winners", INT)
    values = k.output("out|tops|best_values", T)
    length = extent(k, "TILE|BLOCK|CANDIDATES", _LENGTHS)
    i = k.blocks("i|query|bid")
    largest = c.chance(1, 2)
    place, edge = (wp.tile_argmax, wp.tile_max) if largest else (wp.tile_argmin, wp.tile_min)
    tile = named_tile(k, shaped(k, loaded(k, x, (length,), (i * length,)), 0, 2))
    if c.chance(1, 2):
        count = c.pick((2, 3, 4))
        with k.for_("n|rank|turn", count) as n:
            at = k.let("at|pos|arg", single(k, place(tile), "which|found"))
            where_out[i * count + n] = i * length + at
            # Not tile[at]: a thread may be slow to read what another changes in the next line.
            values[i * count + n] = varied(k, single(k, edge(tile), "score_of|peak_of|extreme"), 0, 2)
            tile[at] = number(-1.0e6 if largest else 1.0e6, T)
    else:
        if c.chance(1, 2):
            give_single(k, where_out, place(tile), i)
        else:
            where_out[i] = i * length + single(k, place(tile), "which|at")
        give_single(k, values, shaped(k, edge(tile), 0, 2), i)
    what = "largest" if largest else "smallest"
    k.summary(f"Finds the {what} elements of each tile of {size_of(length)} values, with their places.")


def ordered(k: Author) -> None:
    """Sorts pairs of keys and values in tiles; gives them all, a quantile, or gaps between neighbours."""
    c = k.c
    T = c.weighted({FLOAT: 3, INT: 2})
    k.name("sort_tiles|sort_pairs|block_sort|quantile|order_by_key")
    keys, out = k.input("keys|x|depths", T), k.output("out|sorted_keys|ranked", T)
    length = extent(k, "TILE|BLOCK|N", (64, 128, 256))
    i = k.blocks("i|tile_id|bid")
    order = _values(k, loaded(k, keys, (length,), (i * length,), "key_tile|t"))
    payload = _payload(k, length, i)
    k.do(wp.tile_sort(order, payload))
    way = c.below(3)
    if way == 0:
        stored(k, out, shaped(k, order, 0, 2) if T is FLOAT else order, (i * length,))
        target = k.output("perm|ids|payload_out", payload.type.dtype)  # type: ignore[union-attr]
        stored(k, target, payload, (i * length,))
    else:
        low = size_of(length) * c.between(1, 7) // 8
        middle = order[low] if way == 1 else _between(k, order[low], order[low + 1], T)
        out[i] = varied(k, middle, 0, 2)
        source = k.output("source|picked|who", payload.type.dtype)  # type: ignore[union-attr]
        source[i] = payload[low]
    done = ("gives them all", "gives one quantile", "gives the mean of two neighbours")[way]
    k.summary(f"Sorts every tile of {size_of(length)} {T.name} keys with their values and {done}.")


def _payload(k: Author, length: Term, i: Term) -> Term:
    if k.c.chance(1, 2):
        return named_tile(k, wp.tile_arange(length, dtype=INT), "ids|places|perm_tile")
    T = k.c.weighted({INT: 2, FLOAT: 1})
    values = loaded(k, k.input("vals|payload|items", T), (length,), (i * length,), "val_tile|load")
    return named_tile(k, shaped(k, values, 0, 2)) if T is FLOAT else values


def _between(k: Author, low: Term, high: Term, T: Scalar) -> Term:
    if T is FLOAT:
        share = number(k.c.between(1, 9) / 10)
        return wp.lerp(low, high, share) if k.c.chance(1, 2) else low + (high - low) * coefficient(k, FLOAT)
    return (
        where(high > low, (low + high) // 2, low)
        if k.c.chance(1, 2)
        else low + cast(0.5 * cast(high - low, FLOAT), INT)
    )
