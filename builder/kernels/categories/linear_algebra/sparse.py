"""Sparse matrix-vector products."""

from __future__ import annotations

from ...author import Arr, Author
from ...fusion import coefficient, gate, statistic, varied
from ...fusion.cells import local, precise, setting, settled, transform
from ...fusion.sweeps import sweep, total
from ...terms import Term, both, make, number, where, wp
from ...types import INT, Scalar, mat, vec

_FORMATS = ("csr", "ell", "coo", "dia", "bsr", "csc")


def spmv(k: Author) -> None:
    """A sparse matrix-vector product in CSR, ELL, COO, DIA, block CSR or CSC; residual, scaling, diagonal."""
    c, T = k.c, precise(k)
    kind = c.pick(_FORMATS)
    k.name(f"spmv_{kind}|{kind}_spmv|{kind}_matvec|sparse_{kind}")
    if kind == "bsr":
        _block_rows(k, T)
    elif kind in ("coo", "csc"):
        _scattered(k, kind, T)
    else:
        _gathered(k, kind, T)
    k.summary(f"Multiplies a sparse matrix in {kind.upper()} format with a vector of {T.name} numbers.")


def _gathered(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    i = k.tid("i|row|r|tid")
    x, values = k.input("x|vec_in|p", T), k.input("values|vals|a_vals", T, 1 if kind == "csr" else 2)
    y = k.output("y|out|ap", T)
    change = transform(k, "coeff|entry|prepare", T, 1)
    if c.chance(1, 2):
        with k.if_(i >= y.shape(0)):
            k.leave()
    if kind == "csr":
        ptr, col = k.input("row_ptr|indptr|offsets", INT), k.input("col_idx|indices|cols", INT)
        first = local(k, "first|begin|lo", wp.max(ptr[i], 0))
        last = local(k, "last|end|hi", wp.min(ptr[wp.min(i + 1, ptr.shape(0) - 1)], values.shape(0)))

        def term(m: Term) -> Term:
            return change(values[first + m]) * x[wp.clamp(col[first + m], 0, x.shape(0) - 1)]

        count = last - first
    elif kind == "ell":
        col = k.input("col_idx|indices|cols", INT, 2)
        flip = c.chance(1, 3)

        def term(m: Term) -> Term:
            at = (m, i) if flip else (i, m)
            q = local(k, "q|col|src", col[at])
            return where(q >= 0, change(values[at]) * x[wp.clamp(q, 0, x.shape(0) - 1)], number(0, T))

        count = values.shape(0 if flip else 1)
    else:
        shifts = k.input("shifts|diag_offsets|bands", INT)

        def term(m: Term) -> Term:
            q = local(k, "q|col|src", i + shifts[m])
            inside = both(q >= 0, q < x.shape(0))
            return where(inside, change(values[m, i]) * x[wp.clamp(q, 0, x.shape(0) - 1)], number(0, T))

        count = shifts.shape(0)
    value = total(k, "acc|s|dot", count, term, T)
    _stored(k, y, i, value, T)


def _stored(k: Author, y: Arr, i: Term, value: Term, T: Scalar) -> None:
    value = settled(k, _finished(k, value, i, T), 0, 2)
    y[i] = value
    statistic(k, value)


def _finished(k: Author, value: Term, i: Term, T: Scalar) -> Term:
    way = k.c.below(4)
    if way == 1:
        return k.input("b|rhs|target", T)[i] - value
    if way == 2:
        return value + coefficient(k, T) * k.input("diag|shift_d|mass", T)[i]
    return value * setting(k, "alpha|scale", 1.5, T) if way == 3 else value


def _scattered(k: Author, kind: str, T: Scalar) -> None:
    c = k.c
    e = k.tid("e|entry|nz|tid")
    values, x, y = k.input("values|vals|a_vals", T), k.input("x|vec_in|p", T), k.output("y|out|ap", T)
    e = gate(k, e, values.shape(0))
    change = transform(k, "coeff|entry|prepare", T, 2)
    if kind == "coo":
        rows, cols = k.input("rows|row_idx|ii", INT), k.input("cols|col_idx|jj", INT)
        r = local(k, "r|row|dst", wp.clamp(rows[e], 0, y.shape(0) - 1))
        q = local(k, "q|col|src", wp.clamp(cols[e], 0, x.shape(0) - 1))
        value = settled(k, change(values[e]) * x[q], 0, 2)
        k.atomic("add", y, r, value, augmented=c.chance(1, 2))
        if c.chance(1, 3):
            with k.if_(r != q):
                k.atomic("add", y, q, change(values[e]) * x[r])
        if c.chance(1, 3):
            k.atomic("max", k.output("row_max|peaks|bounds", T), r, wp.abs(value))
        statistic(k, value)
        return
    ptr, rows = k.input("col_ptr|indptr|offsets", INT), k.input("row_idx|indices|rows", INT)
    factor = local(k, "xj|factor|s", varied(k, x[e], 0, 2))
    if c.chance(1, 3):
        with k.if_(factor == 0.0):
            k.leave()
    first = local(k, "first|begin|lo", wp.max(ptr[e], 0))
    last = local(k, "last|end|hi", wp.min(ptr[wp.min(e + 1, ptr.shape(0) - 1)], values.shape(0)))
    with sweep(k, last - first, "m|nz_i|p") as m:
        r = wp.clamp(rows[first + m], 0, y.shape(0) - 1)
        k.atomic("add", y, r, change(values[first + m]) * factor, augmented=c.chance(1, 2))
    statistic(k, factor)


def _block_rows(k: Author, T: Scalar) -> None:
    c = k.c
    n = c.between(2, 4)
    V, M = vec(n, T), mat(n, n, T)
    i = k.tid("i|block_row|r|tid")
    ptr, col = k.input("row_ptr|indptr|offsets", INT), k.input("col_idx|indices|cols", INT)
    blocks, x = k.input("blocks|values|mats", M), k.input("x|vec_in|p", V)
    first = local(k, "first|begin|lo", wp.max(ptr[i], 0))
    last = local(k, "last|end|hi", wp.min(ptr[wp.min(i + 1, ptr.shape(0) - 1)], blocks.shape(0)))
    acc = k.var("acc|s|sum_v", make(V))
    flip = c.chance(1, 3)
    with k.for_("e|nz|p", first, last) as e:
        q = local(k, "q|col|src", wp.clamp(col[e], 0, x.shape(0) - 1))
        if c.chance(1, 3):
            with k.if_(q == i):
                k.leave("continue")
        acc += x[q] * blocks[e] if flip else blocks[e] * x[q]
    value = Term(acc.e)
    if c.chance(1, 2):
        value = k.input("b|rhs|target", V)[i] - value
    if c.chance(1, 2):
        value = k.input("inv_diag|precond|diag_blocks", M)[i] * value
    if c.chance(1, 2):
        value = value * coefficient(k, T)
    value = local(k, "yv|res|out_v", value)
    k.output("y|out|ap", V)[i] = value
    figure = settled(k, wp.dot(value, x[i]) if c.chance(1, 2) else wp.length_sq(value), 0, 3)
    if c.chance(1, 2):
        k.output("figures|energy_i|quad", T)[i] = figure
    else:
        k.atomic("add", k.output("total|energy|quad_sum", T), 0, figure)
