"""Sparse rows and graphs: CSR, ELL and COO products, bags of embeddings, neighbours, sorted lists."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...loops import lowest, over, weighted_type
from ...terms import Term, both, cast, number, where, wp, zero
from ...types import DOUBLE, FLOAT, INT, MAT33, VEC3, Value, scalar_of


def _bounds(k: Author, offsets: Arr, row: Term, count: Term) -> tuple[Term, Term]:
    """Write the segment of a row: offsets held inside ``count`` elements."""
    c = k.c
    if c.chance(1, 2):
        with k.if_(row + 1 >= offsets.shape(0)):
            k.leave()
        return (
            k.let("start|lo|begin", wp.max(offsets[row], 0)),
            k.let("end|hi|stop", wp.min(offsets[row + 1], count)),
        )
    start = k.let("start|lo|begin", wp.clamp(offsets[row], 0, count))
    after = k.let("after|r1|row_end", wp.min(row + 1, offsets.shape(0) - 1))
    return start, k.let("end|hi|stop", wp.clamp(offsets[after], start, count))


def _spmv(k: Author) -> None:
    """Each thread multiplies a sparse row: CSR, ELL, or adds its COO entry; scalars or blocks; fused updates."""
    c = k.c
    form = c.pick(("csr", "ell", "coo"))
    block = c.chance(1, 4)
    T: Value = MAT33 if block else c.pick((FLOAT, DOUBLE))
    V: Value = VEC3 if block else T
    k.name(
        {"csr": "csr_spmv|sparse_matvec|bsr_mv", "ell": "ell_spmv|padded_matvec", "coo": "coo_spmv|triplet_add"}[form]
    )
    values = k.input("values|vals|entries", T, 2 if form == "ell" else 1)
    cols = k.input("cols|col_idx|columns", INT, 2 if form == "ell" else 1)
    x = k.input("x|v_in|vec_in", V)
    if form == "coo":
        rows, y = k.input("rows|row_idx", INT), k.output("y|result|out", V)
        e = gate(k, k.tid("e|i|nz"), values.shape(0))
        r, s = wp.clamp(rows[e], 0, y.shape(0) - 1), wp.clamp(cols[e], 0, x.shape(0) - 1)
        r = k.let("r|row|to", r) if c.chance(1, 2) else r
        product = varied(k, varied(k, values[e], 0, 1) * varied(k, x[s], 0, 2), 0, 2)
        k.atomic("add", y, r, product, augmented=c.chance(1, 2))
        if c.chance(1, 2):
            k.output("degrees|row_nnz|uses", INT).add_at(r, 1)
        k.summary(f"Adds each entry of a sparse matrix of {T.name} triplets to its row of a product.")
        return
    row = k.tid("row|i|r")
    acc = k.var("acc|total|s", zero(V))
    if form == "csr":
        offsets = k.input("offsets|row_ptr|indptr", INT)
        start, end = _bounds(k, offsets, row, values.shape(0))
        with over(k, "e|nz|p", start, end) as e:
            s = k.let("col|j|s", wp.clamp(cols[e], 0, x.shape(0) - 1))
            acc += varied(k, values[e] * varied(k, x[s], 0, 1), 0, 2)
    else:
        with over(k, "e|nz|p", 0, values.shape(1)) as e:
            s = k.let("col|j|s", cols[row, e])
            with k.if_(both(s >= 0, s < x.shape(0))):
                acc += varied(k, values[row, e] * varied(k, x[s], 0, 1), 0, 2)
    _finish_row(k, row, acc, V)
    k.summary(f"Multiplies a sparse matrix of {T.name} ({form.upper()}) by a vector, one row per thread.")


def _finish_row(k: Author, row: Term, acc: Term, type_: Value) -> None:
    """Write what becomes of a row's product: a store, a residual, a relaxation step."""
    c = k.c
    y = k.output("y|result|out", type_)
    way = c.below(3)
    if way == 0:
        y[row] = varied(k, acc, 0, 3)
        return
    b = k.input("b|rhs|source", type_)
    rest = k.let("rest|res|gap", b[row] - acc)
    if way == 1:
        y[row] = varied(k, rest, 0, 2)
    else:
        old = k.input("old|u|iterate", type_)
        y[row] = varied(k, old[row] + rest * coefficient(k, scalar_of(type_), 5, 120), 0, 2)


def _bag(k: Author) -> None:
    """Each thread joins the table rows that its bag of ids names: sum, mean, maximum, weighted; per dimension."""
    c, T = k.c, k.real()
    k.name("embedding_bag|bag_mean|pool_rows|sum_embeddings|ragged_gather")
    table, ids = k.input("table|embeddings|weights_in", T, 2), k.input("ids|tokens|indices", INT)
    offsets = k.input("offsets|starts|bag_ptr", INT)
    b, d = k.tid("b|bag|i", "d|dim|j")
    start, end = _bounds(k, offsets, b, ids.shape(0))
    kind = c.pick(("sum", "mean", "max", "weighted"))
    factors = k.input("factors|scores|importance", T) if kind == "weighted" else None
    acc = k.var("acc|pooled|total", lowest(T) if kind == "max" else zero(T))
    with over(k, "e|p|n", start, end) as e:
        row = k.let("row|r|token", wp.clamp(ids[e], 0, table.shape(0) - 1))
        v = varied(k, table[row, d], 0, 2)
        if c.chance(1, 4):
            v = where(row == c.below(3), zero(T), v)
        if factors is not None:
            v = v * varied(k, factors[e], 0, 1)
        acc.set(wp.max(acc, v) if kind == "max" else acc + v)
    result: Term = acc
    if kind == "mean":
        result = acc / cast(wp.max(end - start, 1), T)
    elif kind == "max":
        result = where(end > start, acc, zero(T))
    out = k.output("out|bags|pooled_out", T, 2)
    out[b, d] = varied(k, result, 0, 3)
    k.summary(f"Pools {T.name} embeddings by bag: {kind}.")


def _graph(k: Author) -> None:
    """Each thread joins a figure over the neighbours of its vertex: diffusion, ranks, extremes, labels, degrees."""
    c = k.c
    T = weighted_type(k, {FLOAT: 4, DOUBLE: 1, VEC3: 2, INT: 1})
    k.name("graph_step|pagerank|smooth_mesh|label_step|neighbour_max|message_passing")
    offsets, adjacency = k.input("offsets|row_ptr|starts", INT), k.input("adjacency|neighbours|nbr", INT)
    x = k.input("x|values|state", T)
    weights = k.input("weights|edge_w|strength", scalar_of(T)) if c.chance(1, 2) else None
    v = k.tid("v|vertex|i")
    start, end = _bounds(k, offsets, v, adjacency.shape(0))
    own = k.let("own|mine|xv", varied(k, x[v], 0, 1))
    way = c.below(3)
    acc = k.var("acc|message|near", own if way == 1 else zero(T))
    with over(k, "e|p|n", start, end) as e:
        u = k.let("u|nb|other", wp.clamp(adjacency[e], 0, x.shape(0) - 1))
        message = varied(k, x[u] if way != 2 else x[u] - own, 0, 2)
        if weights is not None:
            message = message * weights[e]
        acc.set((wp.max if c.chance(1, 2) else wp.min)(acc, message) if way == 1 else acc + message)
    degree = cast(wp.max(end - start, 1), scalar_of(T))
    mean = acc // degree if scalar_of(T).is_int else acc / degree
    result = (
        mean
        if way == 0
        else acc
        if way == 1
        else own + (mean if T is INT else mean * coefficient(k, scalar_of(T), 5, 95))
    )
    out = k.output("out|updated|next_x", T)
    out[v] = varied(k, result, 0, 3)
    what = ("Averages", "Takes an extreme of", "Diffuses")[way]
    k.summary(f"{what} {T.name} values over the neighbours of each vertex of a graph.")


def _search(k: Author) -> None:
    """Each thread searches a sorted list: ranks for a merge, intersections, ranges, nearest keys, bisection by hand."""
    c = k.c
    T = c.pick((INT, FLOAT, DOUBLE))
    k.name("merge_rank|sorted_search|range_count|intersect_sorted|nearest_key|bisect")
    keys, queries = k.input("keys|sorted_keys|a", T), k.input("queries|b|probes", T)
    i = gate(k, k.tid("i|tid|n"), queries.shape(0))
    q = k.let("q|key|wanted", varied(k, queries[i], 0, 2))
    way = c.below(4)
    if way == 0:
        place = k.let("place|rank|at", wp.lower_bound(keys, q))
    elif way == 1:
        low, high = k.scalar("first|lo_at|begin", INT), keys.shape(0) // c.between(1, 2)
        place = k.let("place|rank|at", wp.lower_bound(keys, wp.clamp(low, 0, high), high, q))
    else:
        place = _bisected(k, keys, q, way)
    form = c.below(3)
    at = k.let("e|held|near_at", wp.min(place, keys.shape(0) - 1))
    ranks = k.output("ranks|places|out", INT)
    if form == 0:
        ranks[i] = varied(k, place + i if c.chance(1, 2) else place, 0, 2)
    elif form == 1:
        ranks[i] = varied(
            k, where(keys[at] == q if T is INT else wp.abs(keys[at] - q) < 0.01, at, number(-1, INT)), 0, 2
        )
    else:
        upper = k.let("upper|until|stop", wp.lower_bound(keys, q + number(c.between(1, 5), T)))
        ranks[i] = varied(k, upper - place, 0, 2)
    gap = k.output("gaps|dists|misses", T)
    value = varied(k, wp.abs(keys[at] - q), 0, 2)
    gap[i] = value
    statistic(k, value)
    what = ("its rank", "its place, if it is there", "how many keys lie in its range")[form]
    k.summary(f"Searches a sorted list of {T.name} for each query: {what}.")


def _bisected(k: Author, keys: Arr, q: Term, way: int) -> Term:
    """Return the place of a key by bisection written out."""
    c = k.c
    lo, hi = k.var("lo|left|a0", number(0, INT)), k.var("hi|right|b0", keys.shape(0))
    with k.while_(lo < hi):
        mid = k.let("mid|m|half", (lo + hi) // 2 if c.chance(1, 2) else lo + ((hi - lo) >> 1))
        with k.if_(keys[mid] < q if way == 2 else keys[mid] <= q):
            lo.set(mid + 1)
        with k.else_():
            hi.set(mid)
    return Term(lo.e)


def _elements(k: Author) -> None:
    """Each thread gathers the nodes of a cell, works on them, and scatters to the same nodes: finite elements."""
    c = k.c
    n = c.pick((2, 3, 4))
    k.name("element_forces|spring_edges|assemble_cells|triangle_energy|edge_update")
    nodes = k.input("cells|edges|elements", INT, 2)
    x = k.input("x|positions|nodes", VEC3)
    e = k.tid("e|cell|i")
    out = k.output("forces|out|gradient", VEC3)
    idx = [k.let(f"{'abcd'[m]}|n{m}|i{m}", wp.clamp(nodes[e, m], 0, x.shape(0) - 1)) for m in range(n)]
    points = [k.let(f"p{m}|x{m}|q{m}", x[idx[m]]) for m in range(n)]
    mean: Term = points[0]
    for point in points[1:]:
        mean = mean + point
    center = k.let("center|mid|cm", varied(k, mean * number(1.0 / n, FLOAT), 0, 1))
    rest = k.input("rest|rest_length|stiffness", FLOAT)
    for m in range(n):
        d = k.let(f"d{m}|r{m}|e{m}", points[m] - center if n != 2 else points[1 - m] - points[m])
        pull = varied(k, d * (wp.length(d) - rest[e]), 0, 1 if m else 2)
        k.atomic("add" if n == 2 or c.chance(1, 2) else "sub", out, idx[m], pull)
    energy = k.output("energy|strain|figures", FLOAT)
    energy[e] = varied(k, wp.length(center - points[0]) * rest[e], 0, 3)
    k.summary(f"Gathers the {n} nodes of each cell and scatters forces towards a rest length back to them.")


FAMILIES = (_spmv, _bag, _graph, _search, _elements)
