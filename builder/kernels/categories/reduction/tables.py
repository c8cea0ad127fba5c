"""Reductions in which threads meet: atomics by key, pairwise steps, whole arrays, several values at once."""

from __future__ import annotations

from ...atomics import exchanged
from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import one_type
from ...terms import Term, cast, either, number, where, wp
from ...types import DOUBLE, FLOAT, INT, INT64, VEC2, VEC3, Scalar, scalar_of


def _key(k: Author, i: Term, bins: Arr) -> Term:
    """Write which bin an element belongs to, always inside ``bins``."""
    c, way = k.c, k.c.below(4)
    count = bins.shape(0)
    if way == 0:
        keys = k.input("keys|labels|groups|cluster", INT)
        if c.chance(1, 2):
            return k.let("b|key|slot", wp.clamp(keys[i], 0, count - 1))  # type: ignore[no-any-return]
        key = k.let("b|key|slot", keys[i])
        with k.if_(key < 0 if c.chance(1, 2) else either(key < 0, key >= count)):
            k.leave()
        return k.let("place|bin_of|cell", wp.min(wp.max(key, 0), count - 1))  # type: ignore[no-any-return]
    if way == 1:
        return k.let("b|group|slot", wp.min(i // c.between(2, 64), count - 1))  # type: ignore[no-any-return]
    if way == 2:
        return k.let("b|lane|slot", i % count)  # type: ignore[no-any-return]
    h = k.let("h|hashed|mixed", (i * c.pick((73856093, 19349663, 83492791, 1664525)) + c.between(1, 99)) & 65535)
    return k.let("b|bucket|slot", h % count)  # type: ignore[no-any-return]


def _by_key(k: Author) -> None:
    """Each thread adds its element (or lowers, raises) into the bin of its key; counts and squares beside it."""
    c, T = k.c, k.c.weighted({FLOAT: 5, DOUBLE: 2, INT: 2})
    k.name("reduce_by_key|group_stats|bin_reduce|keyed_sum|aggregate")
    x = k.input("x|values|data|amounts", T)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    value = k.let("value|v0|amount", varied(k, x[i], 0, 3))
    kinds = c.sample(("add", "min", "max"), c.between(1, 2))
    names = {"add": "sums|totals|acc_out", "min": "lows|mins|floor_out", "max": "highs|maxs|peak_out"}
    outs = {kind: k.output(names[kind], T) for kind in kinds}
    place = _key(k, i, outs[kinds[0]])
    for kind in kinds:
        k.atomic(kind, outs[kind], place, value, augmented=kind == "add" and c.chance(1, 2))
    if c.chance(1, 2):
        counts = k.output("counts|hits|n_of", INT)
        counts.add_at(place, 1)
    if c.chance(1, 3) and T is not INT:
        squares = k.output("squares|second|sq_out", T)
        k.atomic("add", squares, place, varied(k, value * value, 0, 1))
    words = {"add": "sums", "min": "minima", "max": "maxima"}
    k.summary(f"Reduces {T.name} elements by key into {' and '.join(words[kind] for kind in kinds)}.")


def _whole(k: Author) -> None:
    """Each thread of a 1-D to 4-D launch adds a term of a norm, a product or an energy to one total."""
    c, T = k.c, k.c.weighted({FLOAT: 4, DOUBLE: 2})
    ndim = c.between(1, 4)
    k.name("total|global_reduce|norm_squared|loss_sum|field_energy|dot")
    a = k.input("a|x|pred|field", T, ndim)
    b = k.input("b|y|truth|other", T, ndim)
    place = k.tid(*("i|n|p", "j|row_j|q", "k|kk|r0", "l|ll|s0")[:ndim])
    index = place if ndim > 1 else (place,)
    u, v = k.let("u|av|left", varied(k, a[index], 0, 2)), k.let("v|bv|right", varied(k, b[index], 0, 1))
    way = c.below(5)
    terms = (
        lambda: u * v, lambda: (u - v) * (u - v), lambda: wp.abs(u - v), lambda: where(u > v, u - v, v * v),
        lambda: wp.max(u, v) * wp.min(u, v),
    )  # fmt: skip
    term = k.let("term|e|loss", varied(k, terms[way](), 0, 2))
    out = k.output("total_out|result|energy", T)
    kind = c.weighted({"add": 4, "max": 1, "min": 1})
    scaled = term * coefficient(k, T) if c.chance(1, 3) else term
    if c.chance(1, 3):
        with k.if_(wp.abs(term) > coefficient(k, T, 1, 50)):
            k.atomic(kind, out, 0, scaled)
    else:
        k.atomic(kind, out, 0, scaled, augmented=kind == "add" and c.chance(1, 2))
    what = ("a dot product", "a squared distance", "a sum of differences", "a one-sided loss", "a mixed product")[way]
    how = {"add": "Adds", "max": "Raises one value to", "min": "Lowers one value to"}[kind]
    k.summary(f"{how} the terms of {what} of two {ndim}-D {T.name} arrays.")


def _pairwise(k: Author) -> None:
    """One step of a tree reduction: each thread joins its element with the one a stride away."""
    c, T = k.c, one_type(k, FLOAT, INT, DOUBLE, VEC3)
    k.name("tree_step|pairwise_step|reduce_step|halve|fold_step")
    scalar = isinstance(T, Scalar)
    in_place = c.chance(1, 2)
    x = k.inout("x|buf|work", T) if in_place else k.input("x|src|level_in", T)
    out = x if in_place else k.output("out|dst|level_out", T)
    i = k.tid("i|tid|lane|idx")
    stride = k.scalar("stride|half|gap", INT)
    if c.chance(1, 2):
        limit = k.scalar("n|active|count", INT)
        with k.if_(i >= wp.min(limit, x.shape(0))):
            k.leave()
    spaced = c.chance(1, 3)
    place = k.let("base|at|left_at", (i * (2 * wp.max(stride, 1))) if spaced else i)
    partner = k.let("partner|mate|right_at", place + wp.max(stride, 1))
    with k.if_(partner < x.shape(0)):
        left, right = varied(k, x[place], 0, 1), varied(k, x[partner], 0, 2)
        way = c.below(4 if scalar else 3)
        if way == 0:
            joined = left + right
        elif way == 1:
            joined = wp.max(left, right)
        elif way == 2:
            joined = wp.min(left, right)
        else:
            joined = (left + right) // 2 if scalar_of(T).is_int else (left + right) * number(0.5, scalar_of(T))
        out[place] = varied(k, joined, 0, 2)
    if not in_place and c.chance(1, 2):
        with k.else_(), k.if_(place < x.shape(0)):
            out[place] = x[place]
    how = ("sum", "maximum", "minimum", "mean")[way]
    k.summary(f"Joins pairs of {T.name} elements a stride apart by their {how}: one step of a tree reduction.")


def _bounds(k: Author) -> None:
    """Each thread widens a box around points, or sums their moments, by atomics on vectors or components."""
    c = k.c
    T = one_type(k, VEC3, VEC2)
    k.name("bounding_box|point_bounds|centroid|moments|extent")
    points = k.input("points|positions|verts", T)
    i = gate(k, k.tid("i|tid|p"), points.shape(0))
    p = k.let("p|pt|pos", varied(k, points[i], 0, 3))
    if c.chance(1, 2):
        low, high = k.output("lower|box_min|lo", T), k.output("upper|box_max|hi", T)
        pad = coefficient(k, FLOAT)
        grown = [p] * 2 if c.chance(1, 2) else [p - wp.abs(p) * pad, p + wp.abs(p) * pad]
        k.atomic("min", low, 0, varied(k, grown[0], 0, 1))
        k.atomic("max", high, 0, varied(k, grown[1], 0, 1))
        k.summary(f"Widens a bounding box of {T.name} points.")
    else:
        sums = k.output("sums|centroid_out|first_moment", T)
        mass = _mass(k, i)
        k.atomic("add", sums, 0, varied(k, p * mass, 0, 1))
        moment = k.output("inertia|second_moment|spread_out", FLOAT)
        k.atomic("add", moment, 0, varied(k, mass * wp.dot(p, p), 0, 2))
        k.summary(f"Sums the first and second moments of weighted {T.name} points.")
    statistic(k, Term(p[0].e))


def _mass(k: Author, i: Term) -> Term:
    masses = k.input("masses|weights|w", FLOAT)
    return k.let("mass|wi|m", varied(k, masses[i], 0, 1))  # type: ignore[no-any-return]


def _packed(k: Author) -> None:
    """Each thread raises a packed word of value and index: a maximum with its place, by integer atomics."""
    c = k.c
    k.name("arg_extreme|packed_argmax|best_index|nearest_key|winner")
    scores = k.input("scores|values|dist", FLOAT)
    i = gate(k, k.tid("i|tid|idx"), scores.shape(0))
    score = k.let("score|s|v0", varied(k, scores[i], 1, 3))
    scaled = wp.clamp(wp.abs(score) * number(c.pick((1000.0, 256.0, 100.0)), FLOAT), 0.0, 1.0e6)
    rank = k.let("rank|level|q", cast(scaled, INT64))
    shift = c.pick((32, 24, 20))
    tag = wp.min(i, (1 << shift) - 1) if shift < 31 else i
    word = k.let("word|packed|code", (rank << number(shift, INT64)) | cast(tag, INT64))
    best = k.inout("best|winner_out|packed_out", INT64)
    kind = c.pick(("max", "min"))
    group = _key(k, i, best) if c.chance(1, 2) else number(0, INT)
    out = k.output("was|previous|old_out", INT64)
    old = k.let("old|before|prev", exchanged(kind, best, group, word))
    out[i] = varied(k, where(old < word, old, word) if c.chance(1, 2) else old, 0, 1)
    k.summary(f"Keeps the {kind}imum of scores with its place in one packed 64-bit word, and what was there before.")


def _structured(k: Author) -> None:
    """Each thread reduces a row to a struct of several values."""
    c, T = k.c, k.c.pick((FLOAT, DOUBLE))
    k.name("row_summary|describe_rows|stats_struct|row_moments")
    fields = c.sample(("low|vmin", "high|vmax", "total|sum_of", "squares|sum_sq"), c.between(2, 4))
    stats = k.struct("Stats|Summary|RowStats", dict.fromkeys(fields, T) | {"count|n_seen": INT})
    a = k.input("a|mat|values", T, 2)
    row = gate(k, k.tid("row|i|r"), a.shape(0))
    names = [name for name, _ in stats.fields]
    s = k.new("s|st|record", stats)
    for name, field in zip(names, fields, strict=False):
        start = a[row, 0] if field[:3] in ("low", "hig") else number(0.0, T)
        k.put(getattr(s, name), start)
    k.put(getattr(s, names[-1]), number(0, INT))
    with k.for_("j|col|c0", a.shape(1)) as j:
        v = k.let("v|x0|value", varied(k, a[row, j], 0, 2))
        for name, field in zip(names, fields, strict=False):
            target = getattr(s, name)
            if field[:3] in ("low", "hig"):
                k.put(target, (wp.min if field[:3] == "low" else wp.max)(target, v))
            else:
                k.put(target, target + (v if field[:3] == "tot" else v * v))
        with k.if_(v > coefficient(k, T)):
            k.put(getattr(s, names[-1]), getattr(s, names[-1]) + 1)
    out = k.output("out|summaries|result", stats)
    out[row] = s
    k.summary(f"Reduces each row of a {T.name} matrix to a struct of {len(names)} figures.")


FAMILIES = (_by_key, _whole, _pairwise, _bounds, _packed, _structured)
