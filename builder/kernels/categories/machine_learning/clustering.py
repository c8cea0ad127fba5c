"""Nearest centres and similarity of rows."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import local, precise, settled, transform
from ...fusion.sweeps import sweep, total, winner
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, Scalar, vec


def clusters(k: Author) -> None:
    """k-means: the nearest centre of each point in a few dimensions, and the sums for the update; or mixing weights."""
    c, T = k.c, precise(k)
    k.name("kmeans_assign|assign_clusters|nearest_centroid|vq_encode|knn_one")
    i = k.tid("i|point|tid|n")
    vectors = c.chance(1, 2)
    dist, length = (_vector_distance if vectors else _table_distance)(k, i, T)
    if c.chance(1, 3):
        with k.if_(i >= k.scalar("n_points|count|total_n", INT)):
            k.leave()
    weight = k.input("prior|center_cost|penalty", T) if c.chance(1, 3) else None
    best, which = winner(
        k,
        length,
        dist if weight is None else lambda j: dist(j) + weight[j],
        T,
        largest=False,
        best="best|d_min|nearest_d",
    )
    k.output("assign|labels|code", INT)[i] = which
    value = varied(k, best, 0, 2)
    if c.chance(2, 3):
        k.output("dist_out|errors|inertia", T)[i] = value
    if c.chance(1, 2):
        sizes = k.output("sizes|cluster_n|counts", INT)
        sizes.add_at(which, 1)
    if c.chance(1, 2):
        sums = k.output("sums|cluster_err|potentials", T)
        k.atomic("add", sums, which, value)
    statistic(k, best)
    added = " by distance plus a cost of the centre" if weight is not None else ""
    k.summary(f"Assigns each point, given as a {'vector' if vectors else 'row'}, to the nearest centre{added}.")


def _vector_distance(k: Author, i: Term, T: Scalar) -> tuple[Callable[[Term], Term], Term]:
    V = vec(k.c.between(2, 4), T)
    points, centres = k.input("points|samples|x", V), k.input("centers|centroids|codebook", V)
    p = local(k, "p|here|pt", points[i])
    way = k.c.below(4)

    def distance(j: Term) -> Term:
        if way == 0:
            return wp.length_sq(p - centres[j])
        if way == 1:
            return wp.length(centres[j] - p)
        if way == 2 and T is FLOAT:  # Warp has it for float32 only
            return wp.norm_l1(p - centres[j])
        d = local(k, "d|diff|gap", p - centres[j])
        return d[0] * d[0] + d[1] * d[1]

    return distance, centres.shape(0)


def _table_distance(k: Author, i: Term, T: Scalar) -> tuple[Callable[[Term], Term], Term]:
    points, centres = k.input("points|samples|x", T, 2), k.input("centers|centroids|codebook", T, 2)
    way, flip = k.c.below(2), k.c.chance(1, 4)

    def distance(j: Term) -> Term:
        def term(m: Term) -> Term:
            centre = centres[m, j] if flip else centres[j, m]
            if way:
                return wp.abs(points[i, m] - centre)
            d = local(k, "d|diff|gap", points[i, m] - centre)
            return d * d

        return total(k, "acc|s|d2", points.shape(1), term, T)

    return distance, centres.shape(1 if flip else 0)


def similarity(k: Author) -> None:
    """A distance, a kernel or the cosine of pairs of rows; or the nearest centre of each row."""
    c, T = k.c, precise(k)
    kind = c.pick(("cosine", "rbf_kernel", "sq_distance", "dot_score", "manhattan"))
    k.name(f"{kind}|pairwise_{kind}|{kind}_matrix|row_{kind}")
    i, j = k.tid("i|row|q", "j|col|p")
    a = k.input("a|queries|x|lhs", T, 2)
    b = k.input("b|keys_in|y|rhs", T, 2)
    if c.chance(1, 3):
        with k.if_(j > i if c.chance(1, 2) else j == i):
            k.leave()
    if c.chance(1, 3):
        with k.if_(i >= a.shape(0)):
            k.leave()
    swapped = c.chance(1, 4)
    count = a.shape(1) if c.chance(1, 2) else local(k, "dim|n|width", a.shape(1))
    change = transform(k, "feature|prepare|embed", T, 1)
    weights = k.input("weights|metric|scales", T) if c.chance(1, 3) else None

    def pair(m: Term) -> tuple[Term, Term]:
        left, right = change(a[i, m]), change(b[m, j] if swapped else b[j, m])
        return (left if weights is None else left * weights[m]), right

    value = _pair_value(k, kind, pair, count, T)
    value = settled(k, value, 0, 2)
    k.output("out|sim|gram|dist", T, 2)[i, j] = value
    statistic(k, value)
    names = {
        "cosine": "cosine", "rbf_kernel": "Gaussian kernel", "sq_distance": "squared distance",
        "dot_score": "scaled dot product", "manhattan": "sum of absolute differences",
    }  # fmt: skip
    weighted = ", one of them weighted" if weights is not None else ""
    k.summary(f"Computes the {names[kind]} of each pair of rows of two matrices{weighted}.")


def _pair_value(k: Author, kind: str, pair: Callable[[Term], tuple[Term, Term]], count: Term, T: Scalar) -> Term:
    both = pair
    if kind == "cosine":
        dot, na, nb = (k.var(w, number(0.0, T)) for w in ("dot|ab|acc", "na|aa|left_sq", "nb|bb|right_sq"))
        with sweep(k, count, "m|f|e") as m:
            left, right = both(m)
            u, v = local(k, "u|p0|av", left), local(k, "v|p1|bv", right)
            dot += u * v
            na += u * u
            nb += v * v
        return dot / (wp.sqrt(na) * wp.sqrt(nb) + 1.0e-6)

    def term(m: Term) -> Term:
        left, right = both(m)
        if kind == "dot_score":
            return left * right
        if kind == "manhattan":
            return wp.abs(left - right)
        d = local(k, "d|delta|diff", left - right)
        return d * d

    acc = total(k, "acc|s|total|d2", count, term, T)
    if kind == "dot_score":
        return acc / wp.sqrt(cast(wp.max(count, 1), T))
    if kind == "rbf_kernel":
        return wp.exp(-wp.min(acc * coefficient(k, T), 60.0))
    return where(acc > coefficient(k, T), acc, number(0.0, T)) if k.c.chance(1, 4) else acc
