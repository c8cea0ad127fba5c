"""What scans are for: places for compaction and sorting, runs, tables of cumulated weights."""

from __future__ import annotations

from ...atomics import exchanged
from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, either, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, UINT, VEC3, Value

_PAYLOADS: tuple[Value, ...] = (FLOAT, INT, DOUBLE, VEC3)


def _test(k: Author, x: Term) -> Term:
    """Write which elements are kept."""
    c = k.c
    if x.type is VEC3:
        return wp.length(x) > coefficient(k, FLOAT)
    if x.type is INT:
        return x % c.between(2, 5) == c.below(2) if c.chance(1, 2) else x > c.between(1, 30)
    assert x.type is FLOAT or x.type is DOUBLE
    way = c.below(3)
    limit = coefficient(k, x.type)
    return x > limit if way == 0 else either(x > limit, x < -limit) if way == 1 else wp.abs(x) <= limit


def _compact(k: Author) -> None:
    """Stream compaction: kept elements go to the places a scan gave, or to places drawn from a counter."""
    c = k.c
    T = c.pick(_PAYLOADS)
    k.name("compact|stream_compaction|filter_scatter|gather_kept|append_kept")
    x = k.input("x|values|src|items", T)
    counted = c.chance(1, 2)
    scan = k.input("scan|offsets|positions", INT) if not counted else None
    counter = k.output("counter|n_kept|cursor", INT) if counted else None
    out = k.output("out|kept|dst", T)
    indices = k.output("kept_ids|origin|source_of", INT) if c.chance(1, 2) else None
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|item|x0", varied(k, x[i], 0, 2))
    with k.if_(_test(k, v)):
        if counter is not None:
            step = number(1, INT)
            place = k.let("slot|place|at", exchanged("add", counter, 0, step))
        else:
            assert scan is not None
            place = k.let("slot|place|at", scan[i] - 1 if c.chance(1, 2) else scan[i])
        with k.if_(both(place >= 0, place < out.shape(0)) if counter is None else place < out.shape(0)):
            out[place] = varied(k, v, 0, 2)
            if indices is not None:
                indices[place] = i
    how = "drawn from an atomic counter" if counted else "given by a scan"
    k.summary(f"Keeps the {T.name} elements that pass a test, at places {how}.")


def _flags(k: Author) -> None:
    """Flags for a scan: heads of runs, changes of key, peaks, crossings, membership."""
    c = k.c
    T = c.pick((INT, FLOAT, UINT))
    k.name("head_flags|mark_runs|boundaries|find_changes|mark_peaks")
    x = k.input("x|keys|codes|signal", T)
    out = k.output("flags|heads|marks", INT)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|cur|here", varied(k, x[i], 0, 2))
    prev = k.let("prev|before|left", varied(k, x[wp.max(i - 1, 0)], 0, 1))
    after = k.let("after|next_x|right", x[wp.min(i + 1, x.shape(0) - 1)])
    way = c.below(4)
    tests = (
        lambda: either(i == 0, v != prev), lambda: both(v > prev, v >= after), lambda: either(v < prev, v < after),
        lambda: both(v != prev, after > prev),
    )  # fmt: skip
    test = tests[way]()
    if c.chance(1, 2):
        flag = k.let("flag|mark|head", where(test, number(1, INT), number(0, INT)))
        out[i] = varied(k, flag, 0, 2)
    else:
        flag_ = k.var("flag|mark|head", number(0, INT))
        with k.if_(test):
            flag_.set(number(1, INT))
        out[i] = varied(k, flag_, 0, 2)
    if c.chance(1, 2):
        runs = k.output("n_runs|total_marks|events", INT)
        with k.if_(test):
            runs.add_at(0, 1)
    if way in (0, 3):
        k.atomic("max", k.output("last_at|furthest|last_seen", INT), 0, where(after > v, i, i + 1))
    what = ("heads of runs", "local peaks", "elements below a neighbour", "changes on a rise")[way]
    k.summary(f"Marks {what} among {T.name} keys.")


def _run_lengths(k: Author) -> None:
    """Run-length coding and decoding from scanned flags or offsets."""
    c = k.c
    T = c.pick((FLOAT, INT, DOUBLE))
    k.name("run_lengths|rle_encode|rle_decode|expand_runs|repeat_by_count")
    x = k.input("x|values|symbols", T)
    if c.chance(1, 2):
        scan = k.input("scan|run_of|head_scan", INT)
        lengths, values = k.output("lengths|counts", INT), k.output("run_values|symbols_out", T)
        i = gate(k, k.tid("i|tid|idx"), x.shape(0))
        run = k.let("run|r|slot", wp.clamp(scan[i] - 1, 0, lengths.shape(0) - 1))
        lengths.add_at(run, 1)
        head = either(i == 0, scan[i] != scan[wp.max(i - 1, 0)])
        with k.if_(head):
            values[run] = varied(k, x[i], 1, 3)
        k.summary(f"Counts the elements of each run of {T.name} and keeps the run's first.")
        return
    ends = k.input("ends|cum_counts|offsets", INT)
    out = k.output("out|expanded|decoded", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    if c.chance(1, 2):
        run = k.let("run|r|slot", wp.min(wp.lower_bound(ends, i + 1), x.shape(0) - 1))
    else:
        lo, hi = k.var("lo|left", number(0, INT)), k.var("hi|right", x.shape(0) - 1)
        with k.while_(lo < hi):
            mid = k.let("mid|m", (lo + hi) // 2 if c.chance(1, 2) else (lo + hi) >> 1)
            with k.if_(ends[mid] <= i):
                lo.set(mid + 1)
            with k.else_():
                hi.set(mid)
        run = Term(lo.e)
    out[i] = varied(k, varied(k, x[run], 0, 2) * cast(1 + i % c.between(1, 4), T), 0, 2)
    k.summary(f"Expands {T.name} values by runs: each place finds its run among the cumulated counts.")


def _partition(k: Author) -> None:
    """The split of a radix sort: each element goes to the place its digit's scan gives, zeros before ones."""
    c = k.c
    T = c.pick((INT, UINT))
    k.name("radix_split|partition|split_by_bit|sort_pass|digit_scatter")
    keys = k.input("keys|codes|x", T)
    scan = k.input("scan|zeros_before|rank_of", INT)
    payload = k.input("payload|values|ids", c.pick((FLOAT, INT))) if c.chance(1, 2) else None
    keys_out = k.output("keys_out|sorted_keys|dst", T)
    i = gate(k, k.tid("i|tid|idx"), keys.shape(0))
    key = k.let("key|code|kv", varied(k, keys[i], 0, 2))
    bit = wp.clamp(k.scalar("bit|shift|digit_at", T), 0, 30)
    mask = number(c.pick((1, 3, 15)), T)
    digit = k.let("digit|b|d", (key >> bit) & mask)
    zeros = k.let("zeros|n_zero|low_count", scan[scan.shape(0) - 1])
    if c.chance(1, 2):
        place = k.let("place|to|dest", where(digit == number(0, T), scan[i], zeros + i - scan[i]))
    else:
        place_ = k.var("place|to|dest", scan[i])
        with k.if_(digit != number(0, T)):
            place_.set(zeros + (i - scan[i]))
        place = Term(place_.e)
    at = k.let("at|slot|safe", wp.clamp(place, 0, keys.shape(0) - 1))
    keys_out[at] = varied(k, key, 0, 1)
    if payload is not None:
        out = k.output("payload_out|values_out", payload[at].type)
        out[at] = varied(k, payload[i], 0, 2)
    k.summary(f"Moves {T.name} keys to the places of one pass of a radix sort by a digit.")


def _cumulative(k: Author) -> None:
    """Tables of cumulated counts or weights, used to look values up or to sample."""
    c = k.c
    k.name("equalise|cumulative_lookup|sample_cdf|quantile|weighted_pick")
    cdf = k.input("cdf|cum_weights|table", FLOAT)
    x = k.input("x|u|levels|uniforms", FLOAT)
    out = k.output("out|picked|mapped", FLOAT)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    total = k.let("total|mass|norm", wp.max(wp.abs(cdf[cdf.shape(0) - 1]), 1.0e-3))
    u = k.let("u|level|draw", varied(k, wp.abs(x[i]), 0, 2))
    way = c.below(3)
    if way == 0:
        place = k.let("place|b|at", wp.min(wp.lower_bound(cdf, u * total), cdf.shape(0) - 1))
        value = cast(place, FLOAT) / cast(cdf.shape(0), FLOAT)
    elif way == 1:
        scaled = wp.clamp(u * cast(cdf.shape(0) - 1, FLOAT), 0.0, cast(cdf.shape(0) - 1, FLOAT))
        place = k.let("place|b|at", cast(scaled, INT))
        value = wp.lerp(cdf[place], cdf[wp.min(place + 1, cdf.shape(0) - 1)], scaled - cast(place, FLOAT)) / total
    else:
        acc, found = k.var("acc|seen|mass_so_far", zero(FLOAT)), k.var("found|b|pick_at", number(0, INT))
        with k.for_("j|q|bin_no", cdf.shape(0)) as j:
            acc += varied(k, wp.abs(cdf[j]), 0, 1)
            with k.if_(acc < u * total):
                found.set(j)
        place, value = Term(found.e), cast(found, FLOAT) + acc / total
    value = varied(k, value, 0, 3)
    out[i] = value
    if c.chance(1, 3):
        hits = k.output("hits|uses|chosen", INT)
        hits.add_at(place, 1)
    statistic(k, value)
    what = ("by search in", "by interpolation in", "by a walk along")[way]
    k.summary(f"Maps levels {what} a table of cumulated weights.")


FAMILIES = (_compact, _flags, _run_lengths, _partition, _cumulative)
