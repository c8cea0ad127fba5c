"""Gathers: elements, rows and slices picked by indices; permutations; indexed arrays; remapped images."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import over, weighted_type
from ...terms import Term, cast, make, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, VEC2, VEC3, VEC4, Scalar, Value, scalar_of
from .places import inside

_ELEMENTS: tuple[Value, ...] = (FLOAT, DOUBLE, INT, VEC3, VEC2, VEC4)


def _element(k: Author) -> Value:
    return weighted_type(k, {FLOAT: 5, DOUBLE: 2, INT: 2, VEC3: 3, VEC2: 1, VEC4: 1})


def _gather(k: Author) -> None:
    """Each thread reads one or two elements through indices, perhaps of indices, and joins them."""
    c, T = k.c, _element(k)
    k.name("gather|take|indirect_read|lookup_rows|pick_elements")
    x = k.input("x|values|table|src", T)
    ids = k.input("indices|idx|ids|order", INT)
    i = gate(k, k.tid("i|tid|n"), ids.shape(0))
    first = ids[i]
    if c.chance(1, 3):
        first = ids[k.let("hop|through|link", wp.clamp(first, 0, ids.shape(0) - 1))]
    e = inside(k, first, x.shape(0))
    value = k.let("value|v|picked", varied(k, x[e], 0, 3))
    if c.chance(1, 2):
        beside = k.let("beside|next_e|near", (e + c.between(1, 4)) % x.shape(0))
        other = varied(k, x[beside], 0, 2)
        value = wp.max(value, other) if c.chance(1, 3) else value + other if c.chance(1, 2) else value - other
    out = k.output("out|result|taken", T)
    value = varied(k, value, 0, 2)
    if c.chance(1, 4) and scalar_of(T).bits >= 32:
        k.atomic("add", out, i, value)
    else:
        out[i] = value
    statistic(k, value)
    k.summary(f"Gathers {T.name} elements through indices.")


def _rows(k: Author) -> None:
    """Each thread copies or reduces a row that an index names: a view, a slice, a block of columns."""
    c = k.c
    T = c.weighted({FLOAT: 4, DOUBLE: 2, INT: 2})
    k.name("gather_rows|select_rows|index_select|row_slice|take_columns")
    table = k.input("table|a|rows_in|features", T, 2)
    ids = k.input("indices|idx|ids", INT)
    i = gate(k, k.tid("i|tid|r"), ids.shape(0))
    e = inside(k, ids[i], table.shape(0), "row|r0|which")
    way = c.below(4)
    at: Callable[[Term], Term]
    if way == 0:
        line: Arr = k.let("line|row_view|slab", table[e])
        n, at = _length(k, line), (lambda j: line[j])
    elif way == 1:
        width = c.between(2, 6)
        start = c.between(0, 2)
        part: Arr = k.let("part|window|cut", table[e, start : start + width])
        n, at = _length(k, part), (lambda j: part[j])
    elif way == 2:
        n, at = table.shape(1), (lambda j: table[e, j])
    else:
        n, at = table.shape(1), (lambda j: table[e, table.shape(1) - 1 - j])
    if c.chance(1, 2):
        out = k.output("out|picked|dst", T, 2)
        with over(k, "j|col|c0", 0, n) as j:
            out[i, j] = varied(k, at(j), 0, 2)
        k.summary(f"Copies rows of a {T.name} matrix that indices name.")
    else:
        acc = k.var("acc|total|s", zero(T))
        with over(k, "j|col|c0", 0, n) as j:
            v = varied(k, at(j), 0, 2)
            acc.set(wp.max(acc, v) if c.chance(1, 3) else acc + v)
        sums = k.output("sums|out|scores", T)
        sums[i] = varied(k, acc, 0, 2)
        k.summary(f"Reduces rows of a {T.name} matrix that indices name.")


def _length(k: Author, line: Arr) -> Term:
    way = k.c.below(3)
    if way == 0:
        return line.shape(0)
    return k.let("n|length|width", wp.len(line) if way == 1 else line.shape(0))  # type: ignore[no-any-return]


def _indexed(k: Author) -> None:
    """Each thread works on arrays seen through index lists that come with the argument."""
    c, T = k.c, _element(k)
    ndim = c.pick((1, 2))
    k.name("indexed_view|masked_update|subset_sum|selected_elements")
    x = k.input("x|subset|selected|sel", T, ndim, kind="indexedarray")
    y = k.input("y|other|weights", T, ndim)
    place = k.tid(*("i|row|n", "j|col|m")[:ndim])
    index = place if ndim > 1 else (place,)
    value = k.let("value|v|e", varied(k, x[index], 0, 3))
    other = varied(k, y[index], 0, 2)
    if c.chance(1, 2) and ndim == 2:
        rest = k.var("rest|acc|tail", other)
        with k.for_("q|l|c0", x.shape(1)) as q:
            rest += varied(k, x[index[0], q], 0, 1)
        other = varied(k, rest, 0, 1)
    out = k.output("out|result|dst", T, ndim)
    joined = value + other if c.chance(1, 2) else value - other if c.chance(1, 2) else wp.min(value, other)
    out[index] = varied(k, joined, 0, 2)
    k.summary(f"Joins a {ndim}-D indexed array of {T.name} with an array of the same shape.")


def _permute(k: Author) -> None:
    """Each thread moves its element by a permutation: forwards, backwards, reversed, strided, interleaved."""
    c, T = k.c, _element(k)
    k.name("permute|apply_order|inverse_permutation|shuffle|interleave|rotate_array")
    x = k.input("x|values|src", T)
    i = gate(k, k.tid("i|tid|n"), x.shape(0))
    way = c.below(5)
    if way < 2:
        perm = k.input("perm|order|rank", INT)
        e = inside(k, perm[i], x.shape(0), "to|e|dest")
    elif way == 2:
        e = k.let("to|e|dest", x.shape(0) - 1 - i)
    elif way == 3:
        shift = k.scalar("shift|turn|offset", INT) if c.chance(1, 2) else number(c.between(1, 40), INT)
        e = k.let("to|e|dest", (i + wp.abs(shift)) % x.shape(0))
    else:
        step = number(c.pick((2, 4, 8, 3)), INT)
        block = k.let("per|block|half", wp.max(x.shape(0) // step, 1))
        e = k.let("to|e|dest", wp.min((i % step) * block + i // step, x.shape(0) - 1))
    out = k.output("out|moved|dst", T)
    scatter = c.chance(1, 2)
    value = varied(k, x[i if scatter else e], 0, 3)
    out[e if scatter else i] = value
    if c.chance(1, 3):
        inverse = k.output("inverse|came_from|back", INT)
        inverse[e] = varied(k, i, 0, 1)
    statistic(k, value)
    what = ("a permutation", "a permutation", "reversal", "rotation", "interleaving")[way]
    k.summary(f"Moves {T.name} elements by {what}, {'written to' if scatter else 'read from'} their new places.")


def _remap(k: Author) -> None:
    """Each thread of a 2-D launch reads an image elsewhere: flips, transposes, rolls, pads, resizes, mirrors."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, VEC3: 3, INT: 1})
    k.name("remap_image|flip|transpose_copy|roll_image|resize_nearest|pad_copy|mirror_pad")
    img = k.input("img|src|a", T, 2)
    i, j = k.tid("i|row|y", "j|col|x")
    places = []
    for axis, own in enumerate((i, j)):
        places.append(_moved(k, own, img.shape(axis), axis))
    swap = c.chance(1, 4)
    r, s = k.let("r|sy|from_row", places[0]), k.let("s|sx|from_col", places[1])
    value = varied(k, img[wp.min(s, img.shape(0) - 1), wp.min(r, img.shape(1) - 1)] if swap else img[r, s], 0, 3)
    mixed = varied(k, img[i, j], 0, 1) + value if c.chance(1, 3) else value
    out = k.output("out|dst|result", T, 2)
    out[i, j] = mixed
    if isinstance(T, Scalar):
        statistic(k, mixed)
    k.summary(f"Reads each pixel of a {T.name} image from a computed place{', transposed' if swap else ''}.")


def _moved(k: Author, own: Term, count: Term, axis: int) -> Term:
    c, way = k.c, k.c.below(6)
    if way == 0:
        return own
    if way == 1:
        return count - 1 - own
    shift = k.scalar(f"shift{axis}|d{axis}|pad{axis}", INT) if c.chance(1, 2) else number(c.between(1, 9), INT)
    if way == 2:
        return (own + wp.abs(shift)) % count
    if way == 3:
        return wp.clamp(own - shift, 0, count - 1)
    if way == 4:
        mirrored = k.let(f"m{axis}|fold{axis}", (own + wp.abs(shift)) % (2 * count))
        return where(mirrored < count, mirrored, 2 * count - 1 - mirrored)
    scaled = cast(own, FLOAT) * coefficient(k, FLOAT, 20, 180)
    return wp.clamp(cast(scaled, INT), 0, count - 1)


def _components(k: Author) -> None:
    """Each thread packs separate arrays into vectors, or takes vectors apart, with a change of their order."""
    c = k.c
    n = c.pick((3, 2, 4))
    T = {2: VEC2, 3: VEC3, 4: VEC4}[n]
    k.name("pack_vectors|unpack_vectors|aos_to_soa|soa_to_aos|swizzle")
    words = ("x_in|ax|px", "y_in|ay|py", "z_in|az|pz", "w_in|aw|pw")[:n]
    if c.chance(1, 2):
        parts = [k.input(word, FLOAT) for word in words]
        i = gate(k, k.tid("i|tid|n"), parts[0].shape(0))
        values = [varied(k, part[i], 0, 2) for part in parts]
        order = c.sample(tuple(range(n)), n)
        out = k.output("out|packed|vectors", T)
        out[i] = varied(k, make(T, *(values[m] for m in order)), 0, 2)
        k.summary(f"Packs {n} arrays of float32 into one of vectors.")
        return
    vectors = k.input("vectors|points|v_in", T)
    i = gate(k, k.tid("i|tid|n"), vectors.shape(0))
    v = k.let("v|p|e", varied(k, vectors[i], 0, 2))
    for m in c.sample(tuple(range(n)), c.between(2, n)):
        single = k.output(words[m].replace("_in", "_out").replace("|a", "|o"), FLOAT)
        single[i] = varied(k, v[m], 0, 3)
    k.summary(f"Takes vectors of {n} float32 components apart into separate arrays.")


FAMILIES = (_gather, _rows, _indexed, _permute, _remap, _components)
