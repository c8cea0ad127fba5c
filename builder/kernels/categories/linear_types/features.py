"""Vectors of features and of integers: one-hot places, prototypes, grid cells."""

from __future__ import annotations

from ...author import Author
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, both, cast, make, number, wp
from ...types import FLOAT, INT, UINT, VEC2, VEC3, Vec, vec
from .vectors import REALS, component


def _feature(k: Author, i: Term, v: Term, top: Term, V: Vec, way: int) -> Term:
    """Return what a vector of features is turned into."""
    c, n, T = k.c, V.n, V.dtype
    if way == 0:
        out = k.var("hot|w|mark", make(V))
        k.put(component(out, top), varied(k, v[top], 0, 2))
        result = Term(out.e)
    elif way == 1:
        table = k.input("table|prototypes|codes", V)
        best, dist = k.var("near|pick|b", number(0, INT)), k.var("dist|d|gap", number(1.0e4, T))
        with k.for_("j|m|n", table.shape(0)) as j:
            d = k.let("d2|r|diff", wp.length_sq(v - table[j]) if c.chance(1, 2) else wp.dot(v - table[j], v - table[j]))
            with k.if_(both(d < Term(dist.e), j != top) if c.chance(1, 3) else d < Term(dist.e)):
                dist.set(d)
                best.set(j)
        k.output("codes_out|indices|near_out", INT)[i] = Term(best.e) + top
        result = varied(k, table[Term(best.e)] - v, 0, 1)
    elif way == 2:
        e, total = k.var("e|w|soft", v), k.var("total|z|s", number(0.0, T))
        with k.for_("j|m|n", n) as j:
            k.put(
                component(e, j), wp.exp(wp.max(v[j] - v[top], -20.0) if c.chance(1, 2) else wp.clamp(v[j], -8.0, 8.0))
            )
            total += component(e, j)
        result = Term(e.e) / (Term(total.e) + coefficient(k, T, 1, 10))
    else:
        kept = k.var("kept|w|f0", v)
        with k.for_("j|m|n", n) as j:
            test = component(kept, j) < v[top] * coefficient(k, T, 10, 90) if c.chance(1, 2) else j != top
            with k.if_(test):
                k.put(component(kept, j), component(kept, j) * coefficient(k, T, 1, 50))
        result = Term(kept.e)
    return result


def features(k: Author) -> None:
    """Feature vectors: one-hot places, nearest prototypes, softmax, masks, largest components."""
    c, T = k.c, k.c.weighted(REALS)
    n = c.pick((3, 4, 5, 6, 8))
    V = vec(n, T)
    way = c.below(4)
    k.name(
        ("one_hot|largest_axis", "nearest_prototype|vq_codes", "softmax_vec|soft_weights", "masked_features|keep_top")[
            way
        ]
    )
    x = k.input("x|features|logits", V)
    i = gate(k, k.tid("i|tid|idx"), x.shape(0))
    v = k.let("v|f|xi", varied(k, x[i], 0, 2))
    top = k.let("top|best|place", cast(wp.argmax(v) if c.chance(2, 3) else wp.argmin(v), INT))
    result = _feature(k, i, v, top, V, way)
    value = k.let("value|r|res", varied(k, result, 0, 2))
    if c.chance(2, 3):
        k.output("out|result|weights_out", V)[i] = value
    else:
        k.output("out|score|result", T)[i] = varied(k, value[top] + wp.max(v), 0, 2)
    statistic(k, value[c.below(n)])
    what = (
        "Marks the extreme component",
        "Finds the nearest prototype",
        "Takes softmax weights",
        "Damps the lesser components",
    )[way]
    k.summary(f"{what} of feature vectors of {n} {T.name} components.")


def _moved(k: Author, cell: Term, near: Term, dims: Term, V: Vec, way: int) -> Term:
    """Return a cell clamped, wrapped, masked or shifted."""
    c, T = k.c, V.dtype
    if way == 0:
        return wp.min(wp.max(cell, make(V, 0)), dims)
    if way == 1:
        return wp.abs(cell) % make(V, c.pick((8, 16, 32))) if T is INT else cell % make(V, c.pick((8, 16, 32)))
    if way == 2:
        return (cell & make(V, c.pick((15, 7, 31)))) | (near << make(V, c.between(1, 4)))
    return cell + near * number(c.between(1, 3), T)


def _flat_index(k: Author, q: Term, V: Vec) -> Term:
    """Return one number for a cell."""
    c, n, T = k.c, V.n, V.dtype
    index = q[0]
    for m in range(1, n):
        index = (
            index * number(c.pick((64, 73, 128)), T) + q[m]
            if c.chance(1, 2)
            else index + q[m] * number(c.pick((31, 997, 64)), T)
        )
    return index


def cells(k: Author) -> None:
    """Vectors of integers: grid cells, wrapped neighbours, linear indices, masks, equality."""
    c = k.c
    n, T = c.pick((3, 2)), c.pick((INT, INT, UINT))
    V = vec(n, T)
    k.name("cell_coords|wrap_cells|cell_index|neighbour_cells|grid_keys")
    points = k.input("points|pos|x", {2: VEC2, 3: VEC3}[n])
    other = k.input("others|targets|cells_in", V)
    i = gate(k, k.tid("i|tid|idx"), points.shape(0))
    p = k.let("p|pt|scaled", varied(k, points[i], 0, 1) * coefficient(k, FLOAT))
    parts = [cast(wp.clamp(wp.floor(p[m]), 0.0 if T is UINT else -100.0, 100.0), T) for m in range(n)]
    cell = k.let("cell|g|at", make(V, *parts))
    dims = k.scalar("dims|shape|res", V) if c.chance(1, 2) else make(V, *(c.pick((16, 32, 64)) for _ in range(n)))
    way = c.below(4)
    made = _moved(k, cell, other[i % other.shape(0)], dims, V, way)
    q = k.let("q|kept|moved", made)
    index = _flat_index(k, q, V)
    key = k.let("key|flat|code", varied(k, index, 0, 2))
    end = c.below(3)
    if end == 0:
        k.output("keys|flat_out|codes", T)[i] = key
    elif end == 1:
        hits = k.output("hits|matches|same", INT)
        with k.if_(q == other[i % other.shape(0)]):
            k.atomic("add", hits, 0, 1)
        k.output("cells_out|coords|out", V)[i] = q + make(V, key)
    else:
        k.output("dist|manhattan|out", T)[i] = varied(
            k, wp.max(q) + wp.dot(q, q) % number(1000, T) + key % number(97, T), 0, 1
        )
    if way not in (2, 3) and end != 1:
        k.output("others_out|echo|links", V)[i] = other[i % other.shape(0)] + q
    if way != 0:
        k.output("dims_out|span|box", V)[i] = wp.max(q, dims)
    k.summary(f"Takes points to {n}-D grid cells of {T.name} and computes with them as vectors.")
