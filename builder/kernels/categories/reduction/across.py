"""Reductions along one axis of arrays of more dimensions, and sums over pairs of rows."""

from __future__ import annotations

from collections.abc import Callable

from ...author import Author
from ...fusion import coefficient, statistic, varied
from ...loops import over
from ...terms import Term, cast, number, where, wp, zero
from ...types import FLOAT, INT, VEC3, Scalar
from .kinds import Run, reduced


def _axis(k: Author) -> None:
    """Each thread of a 2-D or 3-D launch reduces one line of an array along a drawn axis."""
    c, T = k.c, k.c.weighted({FLOAT: 5, k.real(): 3, INT: 2})
    ndim = c.pick((3, 4))
    axis = c.below(ndim)
    k.name("axis_reduce|reduce_depth|collapse_axis|line_integral|project")
    a = k.input("a|volume|field|batch", T, ndim)
    threads = k.tid(*("i|b|ix", "j|h|iy", "k|w|iz")[: ndim - 1])
    before, after = threads[:axis], threads[axis:]

    def at(j: Term) -> Term:
        place = (*before, j, *after)
        return a[place]

    value, what = reduced(Run(k, T, at, 0, a.shape(axis)))
    assert isinstance(value.type, Scalar)
    out = k.output("out|projection|result", value.type, ndim - 1)
    out[threads] = varied(k, value, 0, 3)
    k.summary(f"Computes {what} along axis {axis} of a {ndim}-D {T.name} array.")


def _pairs(k: Author) -> None:
    """Each thread of a 2-D launch compares two rows: products, distances, kernels, overlaps."""
    c, T = k.c, k.real()
    k.name("pairwise_rows|gram|distance_matrix|similarity|kernel_matrix")
    a = k.input("a|x|queries|left_rows", T, 2)
    b = k.input("b|y|keys|right_rows", T, 2) if c.chance(2, 3) else a
    i, j = k.tid("i|row|q", "j|col|m")
    if c.chance(1, 4):
        with k.if_(j > i if c.chance(1, 2) else i == j):
            k.leave()
    acc = k.var("acc|dist|total", zero(T))
    way = c.below(6)
    weights = k.input("weights|scale_of|metric", T) if c.chance(1, 3) else None
    with over(k, "d|c0|feat", 0, a.shape(1)) as d:
        u, v = k.let("u|av|xi", varied(k, a[i, d], 0, 1)), k.let("v|bv|yj", varied(k, b[j, d], 0, 1))
        term = _pair_term(k, way, u, v)
        if weights is not None:
            term = term * weights[d]
        if way == 3:
            acc.set(wp.max(acc, term))
        else:
            acc += term
    out = k.output("out|gram_out|dists", T, 2)
    value = varied(k, _pair_end(k, way, acc), 0, 3)
    out[i, j] = value
    statistic(k, value)
    what = ("product", "squared distance", "Manhattan distance", "largest difference", "overlap", "relative distance")
    k.summary(f"Computes for each pair of rows of {T.name} matrices a function of their {what[way]}.")


def _pair_term(k: Author, way: int, u: Term, v: Term) -> Term:
    if way == 0:
        return u * v
    if way == 1:
        d = k.let("diff|delta|gap", u - v)
        return d * d  # type: ignore[no-any-return]
    if way == 4:
        return wp.min(wp.abs(u), wp.abs(v))
    difference = wp.abs(u - v)
    return difference / (wp.abs(u) + wp.abs(v) + number(0.01, _scalar(u))) if way == 5 else difference


def _scalar(term: Term) -> Scalar:
    assert isinstance(term.type, Scalar)
    return term.type


def _pair_end(k: Author, way: int, acc: Term) -> Term:
    if way == 1 and k.c.chance(1, 2):
        return wp.exp(-wp.min(acc * coefficient(k, _scalar(acc)), 20.0)) if k.c.chance(1, 2) else wp.sqrt(acc)
    return acc


def _softmax_row(k: Author) -> None:
    """Each thread normalises its element by a figure of its whole row: softmax, standard score, norm."""
    c, T = k.c, k.real()
    k.name("row_softmax|standardise|normalise_row|row_scale|layer_norm")
    a = k.input("a|logits|x|acts", T, 2)
    out = k.output("out|probs|y", T, 2)
    whole_row = c.chance(1, 2)
    threads = k.tid("row|i|b") if whole_row else k.tid("row|i|b", "col|j0|ch")
    row = threads if whole_row else threads[0]
    run = Run(k, T, lambda j: a[row, j], 0, a.shape(1))
    value, what = reduced(run)
    figure = k.let("figure|norm|level", value if value.type is T else cast(value, T))
    eps = coefficient(k, T, 1, 10)

    def emit(col: Term) -> None:
        v = k.let("v1|own|elem", varied(k, a[row, col], 0, 1))
        approximate = T is FLOAT and c.chance(1, 3)
        ways: tuple[Callable[[], Term], ...] = (
            lambda: (wp.div_approx if approximate else Term.__truediv__)(v, wp.abs(figure) + eps),
            lambda: v - figure,
            lambda: v * figure,
            lambda: wp.max(v, figure),
        )
        out[row, col] = varied(k, c.pick(ways)(), 0, 2)

    if whole_row:
        with over(k, "o|dst_col|e", 0, a.shape(1)) as col:
            emit(col)
    else:
        emit(threads[1])
    k.summary(f"Sets each {T.name} element of a matrix beside {what} of its row.")


def _dots(k: Author) -> None:
    """Each thread reduces a row of vectors: lengths, centroids, nearest directions."""
    c = k.c
    k.name("vector_rows|cloud_reduce|direction_stats|path_length|row_centroid")
    points = k.input("points|paths|clouds", VEC3, 2)
    row = k.tid("row|i|b|tid")
    way = c.below(4)
    if way == 0:
        total = k.var("total|length_sum|acc", number(0.0, FLOAT))
        with over(k, "j|n|p", 1, points.shape(1)) as j:
            step = k.let("step|seg|edge", varied(k, points[row, j] - points[row, j - 1], 0, 2))
            total += varied(k, wp.length(step), 0, 2)
        result: Term = total
    elif way == 1:
        center = k.var("center|mean|sum_p", zero(VEC3))
        with over(k, "j|n|p", 0, points.shape(1)) as j:
            center += varied(k, points[row, j], 0, 2)
        result = varied(k, center / cast(wp.max(points.shape(1), 1), FLOAT), 0, 2)
    else:
        axis = k.scalar("axis|dir|probe", VEC3)
        best = k.var("best|top|reach", number(-1.0e6, FLOAT))
        with over(k, "j|n|p", 0, points.shape(1)) as j:
            along = varied(k, wp.dot(varied(k, points[row, j], 0, 1), axis), 0, 1)
            if way == 2:
                best.set(wp.max(best, along))
            else:
                s = k.let("s|proj|h", along)
                best.set(where(s > best, s, best * number(c.pick((0.5, 0.9, 0.99)), FLOAT)))
        result = best
    out = k.output("out|result|stats", result.type)
    out[row] = varied(k, result, 0, 2)
    what = ("the length of the path", "the centroid", "the furthest reach along an axis", "a decaying furthest reach")
    k.summary(f"Computes {what[way]} of each row of points.")


FAMILIES = (_axis, _pairs, _softmax_row, _dots)
